"""importance: the number of important tags (the key-pattern paper §3.6 and §3.7)."""

from __future__ import annotations

import tamis
from tamis.blocks import KeyPattern, TagSet
from tamis.verdict import Importance

# The sequence of the key-pattern paper §3.4.
PAPER = "h2 p p ul p p h2 p p p p p p div"
# Three blocks of two, three and four elements: a heading and a paragraph with line breaks.
HTML = "<main>" + "".join(f"<h2>h</h2><p>p{'<br>q' * n}</p>" for n in (0, 1, 2)) + "</main>"


def test_importance_is_the_number_of_important_tags() -> None:
    blocks = KeyPattern().segment(tamis.parse(HTML))
    assert Importance().identify(blocks).score.tolist() == [2, 3, 4]


def test_tags_that_the_preprocessing_removes_do_not_count() -> None:
    html = "<div>a<b>b</b><a href=x>c</a><script>s</script><!-- c --><span>d</span><img></div>"
    blocks = TagSet().segment(tamis.parse(html))
    assert Importance().identify(blocks).score.tolist() == [2]


def test_blocks_inside_a_block_count_as_well() -> None:
    html = "<main>" + ("<section>" + "<p>x</p>" * 4 + "</section>") * 4 + "</main>"
    blocks = KeyPattern().segment(tamis.parse(html))
    assert blocks.labels == ["B-1", "B-1-1", "B-1-2", "B-1-3", "B-1-4"]
    assert Importance().identify(blocks).score.tolist() == [20, 4, 4, 4, 4]


def test_the_default_threshold_is_the_mean_over_the_blocks() -> None:
    blocks = KeyPattern().segment(tamis.parse(HTML))
    verdict = Importance().identify(blocks)
    assert verdict.informative.tolist() == [False, True, True]
    assert verdict.reason(0) == "2 important tags, below 3.0"
    assert verdict.reason(1) == "3 important tags, at least 3.0"


def test_the_threshold_can_be_set() -> None:
    blocks = KeyPattern().segment(tamis.parse(HTML))
    assert Importance(3.5).identify(blocks).informative.tolist() == [False, False, True]
    assert Importance(0).identify(blocks).informative.tolist() == [True, True, True]
    assert Importance(4.5).identify(blocks).informative.tolist() == [False, False, False]


def test_a_block_that_is_kept_is_kept_with_all_that_it_holds() -> None:
    said = "".join(f"<{tag}>{tag}{n}</{tag}>" for n, tag in enumerate(PAPER.split(), start=1))
    blocks = KeyPattern().segment(tamis.parse(f"<body>{said}</body>"))
    assert blocks.labels == ["B-1", "B-2", "B-2-1"]
    verdict = Importance().identify(blocks)
    assert verdict.score.tolist() == [6, 8, 6]
    assert verdict.informative.tolist() == [False, True, True]
    assert verdict.reason(2) == "6 important tags, in a block of at least 6.7"
    text = tamis.extract(f"<body>{said}</body>", method="keypattern").text
    assert text.split() == [f"{tag}{n}" for n, tag in enumerate(PAPER.split(), start=1)][6:]


def test_a_block_in_a_block_in_a_kept_one_is_kept() -> None:
    inner = "<section>" + "<h3>t</h3><p>u</p>" * 2 + "</section>"
    html = f"<main>{inner * 4}</main><footer><p>x</p><p>y</p><div>z</div></footer>"
    blocks = KeyPattern().segment(tamis.parse(html))
    verdict = Importance().identify(blocks)
    kept = [block.label for block in blocks if verdict.informative[block.index]]
    assert kept == [label for label in blocks.labels if label.startswith("B-1")]
    assert len(kept) == 9
    assert len(blocks) > 9
