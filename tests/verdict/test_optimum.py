"""optimum: the optimum-node paper §V, with the thresholds of the tag-window paper."""

from __future__ import annotations

import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.samples import sample
from tamis.blocks import TagSet
from tamis.page import Page
from tamis.verdict import Optimum, find_counted_text, measure_densities

TEXT = "The river rose, slowly at first, then faster. By noon it was over the wall; nobody slept. "
LINKS = "<a href=x>home page</a> <a href=y>all the news</a> "


def kept(html: str, optimum: Optimum = Optimum()) -> str:  # noqa: B008
    """Return the text that is kept, block by block."""
    blocks = TagSet().segment(tamis.parse(html))
    verdict = optimum.identify(blocks)
    return " | ".join(b.text for b in blocks if verdict.informative[b.index])


def node_of(html: str, optimum: Optimum = Optimum()) -> str:  # noqa: B008
    """Return the id of the optimum node."""
    page = tamis.parse(html)
    node = optimum.find_optimum_node(page, measure_densities(page, find_counted_text(page)))
    return page.html(node).partition("id=")[2][1:].partition('"')[0]


def test_the_article_is_kept_and_what_is_around_it_is_not() -> None:
    article = f"<article><h1>Flood</h1><p>{TEXT}</p><p>{TEXT}</p></article>"
    html = f"<nav>{LINKS * 3}</nav>{article}<footer>©</footer>"
    assert kept(html) == f"Flood | {TEXT.strip()} | {TEXT.strip()}"


def test_the_descent_ends_at_the_innermost_content_node() -> None:
    html = f"<div id=a><div id=b><div id=c><p>{TEXT}</p><p>{TEXT}</p></div></div></div>"
    assert node_of(html) == "c"


def test_a_child_with_too_little_of_the_text_is_not_entered() -> None:
    halves = f"<p id=p>{TEXT}</p><p id=q>{TEXT}{TEXT}</p>"
    assert node_of(f"<div id=a>{halves}</div>") == "a"
    assert node_of(f"<div id=a>{halves}</div>", Optimum(min_marks=0.6)) == "q"
    assert node_of(f"<div id=a>{halves}</div>", Optimum(min_plain=0.7, min_marks=0.6)) == "a"


def test_a_child_with_too_many_links_is_not_entered() -> None:
    html = f"<div id=a><div id=b>{TEXT}<a href=x>{TEXT}</a></div><p>Rest, and more</p></div>"
    assert node_of(html, Optimum(max_link=0.6)) == "b"
    assert node_of(html, Optimum(max_link=0.49)) == "a"


def test_a_node_with_too_many_links_is_passed_through_on_the_way_down() -> None:
    page = f"<body id=a><div id=b>{LINKS * 10}<div id=c>{TEXT}</div></div></body>"
    assert node_of(page) == "c"


def test_the_literal_descent_ends_before_a_node_with_too_many_links() -> None:
    inner = f"<div id=b>{LINKS * 40}<div id=c>{TEXT * 12}</div></div>"
    page = f"<body id=a>{TEXT * 4}{inner}</body>"
    assert node_of(page) == "c"
    assert node_of(page, Optimum(passes=False)) == "a"
    without = page.replace(LINKS, "")
    assert node_of(without) == node_of(without, Optimum(passes=False)) == "c"


def test_siblings_with_text_marks_and_few_links_are_taken_in() -> None:
    html = (
        f"<div><div>{TEXT * 5}</div><div>A short one, too.</div><div>No marks here</div>"
        f"<div><a href=x>More, and more.</a></div></div><div>Elsewhere, at last.</div>"
    )
    assert kept(html) == f"{(TEXT * 5).strip()} | A short one, too."


def test_bare_text_beside_the_optimum_node_is_taken_in() -> None:
    html = (
        f"<nav>{LINKS}</nav><div>It rained, for days.<p>{TEXT * 5}</p>So it ended, at last."
        f"<hr>No marks here<hr><a href=x>More, and more.</a></div>Elsewhere, too."
    )
    assert kept(html) == f"It rained, for days. | {(TEXT * 5).strip()} | So it ended, at last."
    assert "It rained, for days." in tamis.extract(html, method="optimum").text


def test_where_no_node_qualifies_the_one_of_greatest_weight_is_taken() -> None:
    html = f"<div>{LINKS * 20}</div><ul>{'<li>A point, here.</li>' * 3}</ul><div>{LINKS}</div>"
    strict = Optimum(min_plain=1.1)
    assert kept(html, strict).split(" | ") == ["A point, here."] * 3


@pytest.mark.parametrize("tag", ["form", "marquee"])
def test_dropped_elements_are_neither_counted_nor_kept(tag: str) -> None:
    html = f"<div><p>{TEXT}</p><{tag}>Your name, please.</{tag}></div>"
    assert kept(html) == TEXT.strip()


def test_a_form_around_the_page_is_not_dropped() -> None:
    html = f"Skip it.<form><nav>{LINKS * 3}</nav><p>{TEXT}</p><p>{TEXT}</p></form>"
    assert kept(html).count("The river rose") == 2


@pytest.mark.parametrize(
    "html",
    [
        f"<form>{TEXT}</form>",
        f"<form>{TEXT}</form><form>{TEXT}</form><form>{TEXT}</form>",
        "<marquee>words</marquee>",
        LINKS,
        "word",
        "<p>ab, <b>cd.</b></p>",
        f"<p>{LINKS * 9}<i>one</i></p>",
        "<h1>。</h1>",
    ],
)
@pytest.mark.parametrize("name", SEGMENTER_NAMES)
def test_a_page_with_text_never_gets_an_empty_answer(name: str, html: str) -> None:
    blocks = segmenter(name).segment(tamis.parse(html))
    verdict = Optimum().identify(blocks)
    assert any(block.text for block in blocks if verdict.informative[block.index])


@patient
@given(page=pages())
def test_the_optimum_node_has_text_if_the_page_has(page: Page) -> None:
    counted = find_counted_text(page)
    node = Optimum().find_optimum_node(page, measure_densities(page, counted))
    assert counted[node : page.end[node]].any() == page.visible.any()


def test_a_page_without_punctuation_is_judged_by_its_text() -> None:
    words = "some words without any mark " * 5
    assert kept(f"<nav>{LINKS}</nav><div><p>{words}</p></div>") == words.strip()


def test_reasons_name_the_node_and_the_link_density_of_the_block() -> None:
    html = f"<nav>ab <a href=x>cdefgh</a></nav><article>{TEXT}</article><p><img></p>"
    blocks = TagSet().segment(tamis.parse(html))
    verdict = Optimum().identify(blocks)
    assert [verdict.reason(index) for index in range(3)] == [
        "outside the optimum node, link density 0.75",
        "in the optimum node article or a sibling of it",
        "no text",
    ]


@pytest.mark.parametrize("name", ["x{", "x}", "x{}", "x{:300000000}", "x{0.real}", "x{{a}"])
def test_the_name_of_a_tag_is_no_template(name: str) -> None:
    document = tamis.extract(f"<{name}>{TEXT}</{name}>", method="optimum")
    assert document.blocks[0].reason == f"in the optimum node {name} or a sibling of it"


def test_an_endless_name_of_a_tag_is_cut_off() -> None:
    name = "x-" + "y{" * 10_000
    reason = tamis.extract(f"<{name}>{TEXT}</{name}>", method="optimum").blocks[0].reason
    assert reason == f"in the optimum node {name[:39]}… or a sibling of it"


def test_the_sample_article_is_found() -> None:
    text = tamis.extract(sample("article"), method="optimum").text
    assert "cookie" not in text.lower()
    assert len(text) > 500
