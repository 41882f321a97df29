"""importance: the number of important tags, 000 §3.6 and §3.7."""

from __future__ import annotations

import tamis
from tamis.blocks import KeyPattern, TagSet
from tamis.verdict import Importance

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
    html = "<main>" + "<section>" + "<p>x</p>" * 4 + "</section>" + "<div>y</div>" * 3 + "</main>"
    blocks = KeyPattern().segment(tamis.parse(html))
    assert [block.tag for block in blocks] == ["section", "div", "div", "div"]
    nested = KeyPattern().segment(tamis.parse(f"<div>{html}intro</div>"))
    assert Importance().identify(nested).score.tolist()[0] == 10


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
