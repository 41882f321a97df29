"""chunks: the raw chunks of the tag-window paper §3.3, numbered as in its Figure 3."""

from __future__ import annotations

import tamis
from tamis.blocks import Chunks

FIGURE_3 = """
<body>
  <div>top</div>
  <table>
    <tr><td>one</td></tr>
    <tr><td>two</td></tr>
    <tr><td>three</td></tr>
  </table>
  <ul><p>first</p><p>second</p></ul>
</body>
"""


def test_chunks_are_numbered_as_in_figure_3() -> None:
    blocks = Chunks().segment(tamis.parse(FIGURE_3))
    assert [(block.label, block.tag) for block in blocks] == [
        ("B-1", "body"),
        ("B-1-1", "div"),
        ("B-1-2", "table"),
        ("B-1-2-1", "tr"),
        ("B-1-2-2", "tr"),
        ("B-1-2-3", "tr"),
        ("B-1-3", "ul"),
        ("B-1-3-1", "p"),
        ("B-1-3-2", "p"),
    ]
    assert [block.parent.label for block in blocks if block.parent] == [
        label.rpartition("-")[0] for label in blocks.labels[1:]
    ]


def test_a_chunk_owns_what_is_in_none_of_its_chunks() -> None:
    page = tamis.parse("<div>a<p>b</p>c<div>d</div>e</div>")
    texts = {block.label: (block.text, block.full_text) for block in Chunks().segment(page)}
    assert texts["B-1-1"] == ("a\n\nc\ne", "a\n\nb\n\nc\nd\ne")
    assert texts["B-1-1-1"] == ("b", "b")


def test_empty_elements_are_no_chunks() -> None:
    page = tamis.parse("<div></div><div><p> </p></div><div><script>x</script></div><p>a</p>")
    assert [block.tag for block in Chunks().segment(page)] == ["body", "p"]


def test_pictures_and_controls_make_a_chunk() -> None:
    page = tamis.parse("<div><img></div><form><input></form>")
    assert [block.tag for block in Chunks().segment(page)] == ["body", "div", "form"]


def test_newer_elements_of_their_kind_are_chunks_and_inline_ones_are_not() -> None:
    page = tamis.parse("<article><h1>a</h1><ol><li>b</ol><span>c</span></article>")
    assert [block.tag for block in Chunks().segment(page)] == ["body", "article", "ol"]


def test_the_tags_can_be_chosen() -> None:
    page = tamis.parse("<div>a<p>b</p><h2>c</h2></div>")
    assert [block.tag for block in Chunks(("h2",)).segment(page)] == ["body", "h2"]
