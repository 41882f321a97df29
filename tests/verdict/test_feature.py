"""feature: FeatureExtractor of Debnath et al. 2005 §5."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from tamis.blocks import Blocks, KeyPattern, TagSet, count_features, scale_to_maximum
from tamis.errors import UnknownName
from tamis.verdict import Feature, fill_basket


def words(count: int) -> str:
    return "word " * count


def blocks_of(*contents: str, segmenter: TagSet | KeyPattern = TagSet()) -> Blocks:  # noqa: B008
    """Return one block a content."""
    blocks = segmenter.segment(tamis.parse("".join(f"<div>{c}</div>" for c in contents)))
    assert len(blocks) == len(contents)
    return blocks


def winners(blocks: Blocks, feature: Feature) -> list[int]:
    return np.flatnonzero(feature.identify(blocks).informative).tolist()


PAPER = (
    words(1000) + "<img>" * 2 + "<a href=x></a>" * 3 + "<applet></applet>",
    words(2000),
    "x" + "<img>" * 4,
    "x" + "<a href=x></a>" * 50,
    "x" + "<applet></applet>" * 3,
)


def test_the_papers_example_has_the_papers_values() -> None:
    asked = ("text", "img", "link", "applet")
    values = {
        name: scale_to_maximum(n)[0] for name, n in count_features(blocks_of(*PAPER), asked).items()
    }
    assert values["text"] == 0.5
    assert values["img"] == 0.5
    assert values["link"] == 0.06
    assert values["applet"] == pytest.approx(0.333, abs=5e-4)


def test_the_papers_block_is_not_in_the_basket_for_text() -> None:
    blocks = blocks_of(*PAPER)
    assert fill_basket(blocks, ("text",), 3, {}).inside.tolist() == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert winners(blocks, Feature()) == [1]


def test_a_block_whose_other_features_weigh_as_much_stays_out() -> None:
    blocks = blocks_of(words(10) + "<img>", words(5))
    assert fill_basket(blocks, ("text",), 3, {}).inside.tolist() == [False, True]


def test_the_greatest_block_of_the_basket_wins_alone() -> None:
    blocks = blocks_of(words(5), words(20), words(19))
    verdict = Feature().identify(blocks)
    assert verdict.informative.tolist() == [False, True, False]
    assert verdict.score.tolist() == [0.25, 1.0, 0.95]
    assert verdict.reason(1) == "greatest desired value of the basket"
    assert verdict.reason(0) == "in the basket with 0.25, not the greatest"


def test_in_the_basket_values_are_taken_anew_from_its_own_maxima() -> None:
    outside = words(1000) + "<a href=x></a><b></b>"
    blocks = blocks_of(outside, words(100) + "<img>", words(30) + "<img>" * 2)
    feature = Feature(("text", "img"))
    by_the_page = scale_to_maximum(np.array([1000.0, 100, 30])) + scale_to_maximum(
        np.array([0.0, 1, 2])
    )
    assert by_the_page[2] > by_the_page[1]
    assert winners(blocks, feature) == [1]
    assert feature.identify(blocks).score[1:].tolist() == [1.5, 1.3]


def test_a_block_with_very_few_terms_never_wins_the_text() -> None:
    contents = ("One", words(100) + "<img>", words(50) + "<img>")
    assert winners(blocks_of(*contents), Feature(min_terms=1)) == [0]
    assert winners(blocks_of(*contents), Feature()) == []
    assert Feature().identify(blocks_of(*contents)).reason(0) == "1 terms are too few"
    assert winners(blocks_of("One two"), Feature()) == []
    assert winners(blocks_of("One two three"), Feature()) == [0]


def test_terms_do_not_matter_when_text_is_not_asked_for() -> None:
    assert winners(blocks_of("<img>", words(10)), Feature(("img",))) == [0]


MIXED = (
    words(200),
    "<img>" * 3,
    "<a href=x>home</a> " * 9,
    "<fieldset>Name <input> <select><option>o</select> <button>b</button></fieldset>",
    "<video></video>",
    "<input>" * 2,
)


@pytest.mark.parametrize(
    ("asked", "winner"),
    [("text", 0), ("img", 1), ("object", 1), ("link", 2), ("form", 3), ("input", 5), ("video", 4)],
)
def test_any_feature_can_be_asked_for(asked: str, winner: int) -> None:
    assert winners(blocks_of(*MIXED), Feature((asked,))) == [winner]


@pytest.mark.parametrize("segmenter", [TagSet("classic"), KeyPattern()])
def test_lists_can_be_asked_for_where_they_are_not_cut(segmenter: TagSet | KeyPattern) -> None:
    items = "<ol>" + "<li>item</li>" * 5 + "</ol>"
    blocks = segmenter.segment(tamis.parse(f"<div>{words(50)}</div>{items}"))
    (winner,) = winners(blocks, Feature(("list",)))
    assert blocks[winner].full_text.split() == ["item"] * 5


def test_tables_can_be_asked_for_where_they_stay_whole() -> None:
    table = "<table>" + "<tr><td>1<td>2</tr>" * 5 + "</table>"
    blocks = TagSet(tables="whole").segment(tamis.parse(f"<p>{words(50)}</p>{table}"))
    (winner,) = winners(blocks, Feature(("table",)))
    assert blocks[winner].tag == "table"


ARTICLE = f"<tr><td>{words(20)}</td></tr><tr><td>{words(300)}</td></tr>" * 2


@pytest.mark.parametrize(
    "table",
    [
        f"<table>{ARTICLE}</table>",
        f"<table><caption>Rain</caption><thead><tr><th>Day<th>Said</thead>{ARTICLE}</table>",
        f"<table><tr><td>menu</td><td><table>{ARTICLE}</table></td></tr></table>",
    ],
)
def test_an_article_laid_out_in_a_table_is_not_outweighed_by_its_rows(table: str) -> None:
    html = f"<div>{words(30)}</div>{table}<p>{words(9)}<img></p>"
    blocks = TagSet(tables="whole").segment(tamis.parse(html))
    (winner,) = winners(blocks, Feature())
    assert blocks[winner].tag == "table"
    assert blocks[winner].text.count("word") == 640
    assert "word " * 20 in tamis.extract(html, method="feature").text


def test_rows_and_cells_of_a_table_that_is_a_block_are_no_features_of_it() -> None:
    html = f"<p>{words(9)}</p><table><colgroup><col></colgroup>{ARTICLE}<tr><td><img></table>"
    blocks = TagSet(tables="whole").segment(tamis.parse(html))
    counts = count_features(blocks, ("text",))
    assert counts["table"].tolist() == [0, 0]
    assert counts["object"].tolist() == [0, 1]
    # Asked for, they are: as a group or one by one.
    assert count_features(blocks, ("table",))["table"].tolist() == [0, 13]
    assert count_features(blocks, ("td",))["td"].tolist() == [0, 5]
    assert count_features(blocks, ("td",))["table"].tolist() == [0, 0]
    # A table inside a block that is another element is a feature of that.
    around = TagSet(("section", "p")).segment(tamis.parse(f"<section>{html}</section>"))
    assert [block.tag for block in around] == ["p", "section"]
    assert count_features(around, ())["table"].tolist() == [0, 14]


def test_a_weight_can_bring_a_mixed_block_into_the_basket() -> None:
    blocks = blocks_of(words(100) + "<img><a href=x></a>", words(50), "x<img><a href=x></a>")
    mixed = ("text", "img")
    assert winners(blocks, Feature(mixed)) == [0]
    assert winners(blocks, Feature(mixed, weights=(("link", 2.0),))) == [1]
    assert winners(blocks, Feature(("text",), weights=(("text", 2.5),))) == [0]


def test_weights_scale_the_desired_value() -> None:
    blocks = blocks_of(words(10), words(5) + "<img>")
    plain = Feature(("text", "img")).identify(blocks)
    heavy = Feature(("text", "img"), weights=(("img", 3.0),)).identify(blocks)
    assert plain.score.tolist() == [1.0, 1.5]
    assert heavy.score.tolist() == [1.0, 3.5]


def test_an_unknown_feature_is_an_error_that_lists_the_features() -> None:
    with pytest.raises(UnknownName, match="no feature 'pictures': take text, text-tag"):
        Feature(("pictures",)).identify(blocks_of("x"))


def test_single_tags_can_be_weighed() -> None:
    blocks = blocks_of("word " * 100 + "<img>", "word " * 30)
    assert winners(blocks, Feature()) == [1]
    assert winners(blocks, Feature(weights=(("img", 0.0),))) == [0]
    assert winners(blocks, Feature(weights=(("object", 0.0),))) == [0]
    with pytest.raises(UnknownName, match="nonsense"):
        Feature(weights=(("nonsense", 9.0),)).identify(blocks)
