"""keypattern: virtual nodes of the key-pattern paper §3.3 to §3.5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import patient
from tamis.blocks import Blocks, KeyPattern, cut_sequence, important_rows, key_patterns
from tamis.page import Page, tags

PAPER = "h2 p p ul p p h2 p p p p p p div"


def page_of(sequence: str) -> Page:
    """Return a page with children of these tags; each says its number, counted from 1."""
    numbered = enumerate(sequence.split(), start=1)
    return tamis.parse(f"<div>{''.join(f'<{tag}>{n}.</{tag}>' for n, tag in numbered)}</div>")


def numbers(blocks: Blocks) -> list[list[int]]:
    """Return the numbers of the children that each block holds."""
    return [[int(n) for n in block.full_text.replace(".", " ").split()] for block in blocks]


def segmented(html: str) -> list[str]:
    return [block.full_text for block in KeyPattern().segment(tamis.parse(html))]


def test_the_papers_sequence_makes_three_virtual_nodes() -> None:
    blocks = KeyPattern().segment(page_of(PAPER))
    assert numbers(blocks) == [
        [1, 2, 3, 4, 5, 6],
        [7, 8, 9, 10, 11, 12, 13, 14],
        [8, 9, 10, 11, 12, 13],
    ]
    assert blocks.parent.tolist() == [-1, -1, 1]
    assert blocks.labels == ["B-1", "B-2", "B-2-1"]
    assert {block.tag for block in blocks} == {"div"}


def test_four_headings_with_two_paragraphs_are_four_blocks() -> None:
    assert numbers(KeyPattern().segment(page_of("h2 p p " * 4))) == [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
        [10, 11, 12],
    ]


def test_ten_pairs_are_ten_blocks() -> None:
    blocks = KeyPattern().segment(page_of("dt dd " * 10))
    assert numbers(blocks) == [[n, n + 1] for n in range(1, 21, 2)]


def test_what_stands_between_two_matches_belongs_to_the_first() -> None:
    assert numbers(KeyPattern().segment(page_of("h2 p ul h2 p"))) == [[1, 2, 3], [4, 5]]


def test_what_stands_before_the_first_match_is_a_piece_of_its_own() -> None:
    assert numbers(KeyPattern().segment(page_of("ul h2 p h2 p"))) == [[1], [2, 3], [4, 5]]


def test_a_pattern_cuts_a_piece_only_where_it_repeats_in_it() -> None:
    once_in_each = "h2 p ul dt dd ol h2 p pre dt dd"
    assert numbers(KeyPattern().segment(page_of(once_in_each))) == [
        [1, 2, 3, 4, 5, 6],
        [7, 8, 9, 10, 11],
    ]
    twice_in_one = "h2 p h2 p ul dt dd ol dt dd"
    assert numbers(KeyPattern().segment(page_of(twice_in_one))) == [
        [1, 2],
        [3, 4, 5, 6, 7, 8, 9, 10],
        [3, 4, 5],
        [6, 7, 8],
        [9, 10],
    ]


def test_a_run_of_one_tag_is_one_virtual_node() -> None:
    assert segmented("<ul><li>a<li>b<li>c<li>d</ul>") == ["a\nb\nc\nd"]
    assert numbers(KeyPattern().segment(page_of("h2 p p p p ul")))[1] == [2, 3, 4, 5]


def test_a_run_too_short_for_the_pattern_is_none() -> None:
    assert numbers(KeyPattern().segment(page_of("p p p p h2 p"))) == [[1, 2, 3, 4], [5], [6]]


def test_children_of_virtual_nodes_are_cut_as_well() -> None:
    card = "<section><h3>t</h3><p>u</p><h3>v</h3><p>w</p></section>"
    blocks = KeyPattern().segment(tamis.parse(f"<main>{card * 4}</main>"))
    assert blocks.labels == ["B-1", *(f"B-1-{n}" for n in range(1, 9))]
    assert [block.full_text.split() for block in blocks][1:3] == [["t", "u"], ["v", "w"]]


def test_a_node_without_pattern_leaves_the_work_to_its_children() -> None:
    html = "<header>x</header><main><ul><li>a<li>b<li>c<li>d</ul></main>"
    assert segmented(html) == ["x", "a\nb\nc\nd"]


@pytest.mark.parametrize("tag", "a b span i em strong font small u".split())
def test_formatting_elements_are_unwrapped_and_their_text_stays(tag: str) -> None:
    pair = f"<{tag}><h2>h</h2></{tag}><p>p <{tag}>q</{tag}></p>"
    blocks = KeyPattern().segment(tamis.parse(f"<div>{pair * 3}</div>"))
    assert [block.full_text.split() for block in blocks] == [["h", "p", "q"]] * 3


def test_formatting_elements_are_unwrapped_however_deep() -> None:
    deep = "<span>" * 60 + "<h2>h</h2>" + "</span>" * 60 + "<p>p</p>"
    assert len(KeyPattern().segment(tamis.parse(f"<div>{deep * 3}</div>"))) == 3


def test_scripts_styles_and_comments_do_not_break_a_pattern() -> None:
    noise = ["<script>x</script>", "<style>x</style>", "<!-- x -->", "<script>y</script>"]
    pairs = "".join(f"<h2>h</h2>{between}<p>p</p>" for between in noise)
    assert len(KeyPattern().segment(tamis.parse(f"<div>{pairs}</div>"))) == 4


def test_elements_of_other_names_are_told_apart() -> None:
    pairs = "<x-head>h</x-head><x-body>b</x-body>" * 3
    assert len(KeyPattern().segment(tamis.parse(f"<div>{pairs}</div>"))) == 3
    same = "<x-head>h</x-head><x-head>b</x-head>" * 3
    assert len(KeyPattern().segment(tamis.parse(f"<div>{same}</div>"))) == 1


def test_text_beside_the_children_goes_with_the_piece_before_it() -> None:
    html = "<div>zero <h2>a</h2> one <p>b</p> two <h2>c</h2> three <p>d</p> four</div>"
    assert [text.split() for text in segmented(html)] == [
        ["zero", "a", "one", "b", "two"],
        ["c", "three", "d", "four"],
    ]


def test_text_outside_all_virtual_nodes_belongs_to_the_element_that_holds_it() -> None:
    html = "<section>intro <ul><li>a<li>b<li>c<li>d</ul> outro</section>"
    blocks = KeyPattern().segment(tamis.parse(html))
    assert [(block.tag, block.text) for block in blocks] == [
        ("section", "intro\n\noutro"),
        ("ul", "a\nb\nc\nd"),
    ]


def test_bare_text_in_the_body_is_in_pieces_between_all_else() -> None:
    html = "<body>intro <b>bold</b> <ul><li>a<li>b<li>c<li>d</ul> outro <a href=x>y</a><p>z</p>"
    blocks = KeyPattern().segment(tamis.parse(html))
    assert [(block.tag, block.text) for block in blocks] == [
        ("body", "intro bold"),
        ("ul", "a\nb\nc\nd"),
        ("body", "outro y"),
        ("p", "z"),
    ]
    assert blocks.parent.tolist() == [-1] * 4


def test_a_bare_word_beside_virtual_nodes_makes_no_block_of_the_page() -> None:
    lists = "".join(f"<{tag}><p>{tag}</p></{tag}>" for tag in ("header", "main", "footer"))
    html = f"<a href=#main>Skip</a>{lists}<ul><li>a<li>b<li>c<li>d</ul>"
    blocks = KeyPattern().segment(tamis.parse(html))
    assert [block.full_text.split() for block in blocks] == [
        ["Skip"],
        ["header"],
        ["main"],
        ["footer"],
        ["a", "b", "c", "d"],
    ]


def test_long_child_lists_are_cut() -> None:
    rows = "<tr><td>a</tr>" * 10_000
    (block,) = KeyPattern().segment(tamis.parse(f"<table>{rows}</table>"))
    assert block.tag == "tbody"
    pairs = "<dt>a</dt><dd>b</dd>" * 5000
    assert len(KeyPattern().segment(tamis.parse(f"<dl>{pairs}</dl>"))) == 5000


def test_important_are_all_tags_that_survive_the_preprocessing() -> None:
    html = (
        "<title>t</title><div><a><img></a><b>b</b><script>s</script><style>s</style>"
        "<iframe></iframe><video></video><p>p<br></p><template><p></p></template></div>"
    )
    page = tamis.parse(html)
    names = [page.name(row) for row in range(len(page)) if important_rows(page)[row]]
    assert names == ["html", "body", "div", "img", "iframe", "video", "p", "br"]
    assert page.tag[important_rows(page)].min() > tags.TEXT


# Pieces of sequences ------------------------------------------------------------------------------


def test_pieces_of_the_papers_sequence() -> None:
    sequence = "".join({"h2": "h", "p": "p", "ul": "u", "div": "d"}[tag] for tag in PAPER.split())
    assert list(cut_sequence(sequence)) == [(0, 6, False), (6, 14, False), (7, 13, True)]


@patient
@given(st.text("ab", max_size=30) | st.text("abcd", max_size=30))
def test_pieces_lie_inside_each_other_and_begin_with_a_pattern(sequence: str) -> None:
    pieces = list(cut_sequence(sequence))
    patterns = key_patterns(sequence)
    assert bool(pieces) == bool(patterns)
    for low, high, run in pieces:
        part = sequence[low:high]
        if run:
            assert len(set(part)) == 1
            assert any(pattern in part for pattern in patterns)
    for low, high, _ in pieces:
        for a, b, _ in pieces:
            assert b <= low or high <= a or (low <= a and b <= high) or (a <= low and high <= b)


@patient
@given(st.text("ab", min_size=4, max_size=30) | st.text("abcd", min_size=4, max_size=30))
def test_the_best_pattern_cuts_before_each_match_or_around_its_runs(sequence: str) -> None:
    patterns = key_patterns(sequence)
    if not patterns:
        return
    best = patterns[0]
    pieces = list(cut_sequence(sequence))
    if len(set(best)) > 1:
        outer = pieces[: next(i for i, p in enumerate(pieces, 1) if p[1] == len(sequence))]
        assert "".join(sequence[a:b] for a, b, _ in outer) == sequence
        begins = [a for a, _, _ in outer if a or sequence.startswith(best)]
        assert len(begins) == sequence.count(best)
        assert all(sequence.startswith(best, a) for a in begins)
    else:
        runs = [p for p in pieces if p[2] and sequence[p[0]] == best[0]]
        assert sum(b - a >= len(best) for a, b, _ in runs) == len(runs) >= 1
        for a, b, _ in runs:
            assert sequence[max(a - 1, 0)] != best[0] or a == 0
            assert b == len(sequence) or sequence[b] != best[0]
