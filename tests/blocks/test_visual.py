"""visual: EVBE, on the paper's own page and on a page for each of its rules.

Pages are laid out by the browser. `nested=False` gives the innermost blocks, as the paper draws
them; `small` settings let blocks be as small as these pages are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.chromium import needs_chromium
from helpers.contracts import check_segmenter
from helpers.html_strategies import pages, patient
from helpers.layouts import laid_out, made_layout
from tamis.blocks import RULES, Visual, leaf_rows
from tamis.errors import NeedsLayout
from tamis.page import Page
from tamis.render import Browser

FIGURE_4 = """<!doctype html><style>
body { margin: 0; font: 16px sans-serif } #masthead { background: #036; color: #fff; height: 90px }
#main { width: 1000px; margin: 0 auto } #header { height: 60px }
.block-a { float: left; width: 600px; min-height: 300px }
.block-b { float: right; width: 300px; min-height: 300px; clear: none }
</style><body><div id=masthead><h1>The Valley Post</h1></div>
<div id=main><div id=header><p>Thursday, the third of May</p></div>
<div id=content><div id=main-content>
<div class=block-a><h2>A flood</h2><p>The river rose by four inches.</p><p>It rained.</p></div>
<div class=block-b><ul><li><a href=/>Weather</a></li><li><a href=/>Sport</a></li></ul></div>
</div></div></div>"""
OFF = 99
ALONE = Visual(limit=OFF, sibling_limit=OFF, min_height=0, min_area=0, same=1)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(timeout=60) as browser:
        yield browser


def named(page: Page, segmenter: Visual) -> list[str]:
    """Return the blocks of a page, each by the ids of the elements that it is a run of.

    A block of the whole page, which holds what no other does, is left out.
    """
    labels = []
    blocks = tamis.segment(page, segmenter)
    shown = leaf_rows(page)
    for index in np.flatnonzero(blocks.inside(shown) < shown.sum()).tolist():
        row, stop, names = int(blocks.first[index]), int(blocks.stop[index]), []
        while row < stop:
            name = page.source[page.id_start[row] : page.id_stop[row]].decode()
            names.append(name or page.name(row))
            row = int(page.end[row])
        labels.append(" ".join(names))
    return labels


def cut(browser: Browser, body: str, rules: tuple[int, ...], **settings: Any) -> list[str]:
    """Return the blocks of a page by some rules alone, without visual distance."""
    page = browser.render(f"<!doctype html><body id=body>{body}")
    segmenter = replace(ALONE, rules=rules, **settings)
    check_segmenter(segmenter, page)
    return named(page, segmenter)


@needs_chromium
def test_the_page_of_figure_4_has_its_four_blocks(browser: Browser) -> None:
    page = browser.render(FIGURE_4)
    for rules in (Visual().rules, RULES):
        blocks = tamis.segment(page, Visual(rules=rules, nested=False))
        marks = [page.source[page.start[n] : page.head[n]].decode() for n in blocks.node]
        assert marks == [
            '<div id="masthead">',
            '<div id="header">',
            '<div class="block-a">',
            '<div class="block-b">',
        ]
        whole = tamis.segment(page, Visual(rules=rules))
        innermost = set(range(len(whole))) - set(whole.parent.tolist())
        assert {int(whole.node[i]) for i in innermost} <= set(blocks.node.tolist())


PARTS = "<p>one <b>two</b></p><p>three <b>four</b></p>"


@needs_chromium
def test_rule_1_removes_what_is_not_seen(browser: Browser) -> None:
    body = (
        f"<div id=a>{PARTS}</div><div id=none style='display: none'>{PARTS}</div>"
        f"<form></form><script>x</script><div id=b>{PARTS}</div>"
    )
    assert "none" not in cut(browser, body, (1, 2, 3, 4), limit=0)
    assert "none" in cut(browser, body, (2, 3, 4), limit=0)


@needs_chromium
def test_rule_2_does_not_cut_text(browser: Browser) -> None:
    body = "<div id=a>one</div><div id=b>two <i>three</i></div>"
    assert cut(browser, body, (1, 2, 3), limit=0) == ["b"]
    assert cut(browser, body, (1, 3), limit=0)[:2] == ["a", "b"]


@needs_chromium
def test_rule_3_takes_what_holds_one_thing_for_that_thing(browser: Browser) -> None:
    body = (
        "<div id=a><div id=aa><p id=p>one <b>two</b></p><p id=q>three <b>four</b></p></div></div>"
        "<div id=b>five <b>six</b></div>"
    )
    assert cut(browser, body, (1, 2, 3, 4), limit=0) == ["a", "p", "q", "b"]
    assert "aa" in cut(browser, body, (1, 2, 4), limit=0, tolerance=-1.0)


@needs_chromium
def test_rule_4_puts_virtual_text_into_the_pool(browser: Browser) -> None:
    body = "<p id=a>one <b>two</b> <i>three <u>four</u></i></p><p id=b>five</p>"
    assert cut(browser, body, (1, 2, 3, 4)) == ["a"]
    assert cut(browser, body, (1, 2, 3)) == []


@needs_chromium
@pytest.mark.parametrize("separator", ["<hr>", "<div style='height: 9px'></div>"])
def test_rule_5_cuts_before_and_after_a_separator(browser: Browser, separator: str) -> None:
    body = f"<p id=a>1</p><p id=b>2</p>{separator}<p id=c>3</p><p id=d>4</p><p id=e>5</p>"
    assert cut(browser, body, (1, 2, 3, 5)) == ["a b", "c d e"]
    assert cut(browser, body, (1, 2, 3)) == []


@needs_chromium
def test_rule_6_cuts_a_table_into_columns_of_other_colours(browser: Browser) -> None:
    body = "<table><tr><td id=a>1<td id=b {}>2<td id=c>3</table>"
    assert cut(browser, body.format("bgcolor=red"), (1, 2, 3, 6)) == ["a", "b", "c"]
    assert cut(browser, body.format(""), (1, 2, 3, 6)) == []
    assert cut(browser, body.format("bgcolor=red"), (1, 2, 3)) == []


@needs_chromium
def test_rule_7_takes_a_coloured_gap_for_a_separator(browser: Browser) -> None:
    gap = "<div style='height: 8px; background: {}'></div>"
    body = "<div id=a><p>1</p><p>2</p>{}</div><div id=b><p>3</p><p>4</p></div><div id=c>5</div>"
    assert cut(browser, body.format(gap.format("#036")), (1, 2, 3, 7)) == ["a", "b"]
    assert cut(browser, body.format(gap.format("#fff")), (1, 2, 3, 7)) == []
    assert cut(browser, body.format(gap.format("#036")), (1, 2, 3)) == []
    first = f"<div id=a>1</div><div id=b>{gap.format('#036')}<p>2</p><p>3</p></div>"
    assert cut(browser, first, (1, 2, 3, 7)) == ["a", "b"]


COLUMN = "<div id={} style='{}'>{}</div>"


def columns(first: str, second: str) -> str:
    return (
        "<div style='width: 1000px'>"
        + COLUMN.format("a", first, "1")
        + COLUMN.format("b", second, "2")
        + "<p id=c>3</p><p id=d>4</p></div>"
    )


@needs_chromium
@pytest.mark.parametrize(
    ("first", "second", "are_columns"),
    [
        ("float: left; width: 400px", "float: right; width: 300px", True),
        ("float: left; clear: both; width: 400px", "float: left; width: 600px", True),
        ("float: left; width: 700px", "float: right; width: 500px", False),
        ("float: left; width: 400px", "float: right; clear: both; width: 300px", False),
        ("width: 400px", "float: right; width: 300px", False),
    ],
)
def test_rule_8_cuts_floats_into_columns(
    browser: Browser, first: str, second: str, are_columns: bool
) -> None:
    wanted = ["a", "b", "c d"] if are_columns else []
    assert cut(browser, columns(first, second), (1, 2, 3, 8)) == wanted
    assert cut(browser, columns(first, second), (1, 2, 3)) == []


@needs_chromium
@pytest.mark.parametrize(
    ("display", "expected"),
    [
        ("flex", ["a", "b"]),
        ("grid; grid-template-columns: 1fr 1fr", ["a", "b"]),
        ("flex; flex-direction: column", []),
        ("grid", []),
    ],
)
def test_rule_8_counts_columns_of_flex_and_grid(
    browser: Browser, display: str, expected: list[str]
) -> None:
    body = f"<main style='display: {display}'><div id=a>1</div><div id=b>2</div></main>"
    assert cut(browser, body, (1, 2, 3, 8)) == expected


@needs_chromium
@pytest.mark.parametrize(
    ("border", "expected"),
    [
        ("border-top: 1px solid", ["a b", "c d e"]),
        ("border-bottom: 1px solid", ["a b c", "d e"]),
        ("border-top: 1px solid; border-bottom: 1px solid", ["a b", "c", "d e"]),
        ("border-left: 1px solid", []),
    ],
)
def test_rule_9_cuts_at_borders(browser: Browser, border: str, expected: list[str]) -> None:
    body = "<p id=a>1</p><p id=b>2</p><p id=c style='{}'>3</p><p id=d>4</p><p id=e>5</p>"
    assert cut(browser, body.format(border), (1, 2, 3, 9)) == expected
    assert cut(browser, body.format(border), (1, 2, 3)) == []


@needs_chromium
@pytest.mark.parametrize(
    ("border", "is_framed"),
    [
        ("border: 1px solid", True),
        ("border: 1px solid; border-top: 0", True),
        ("border: 1px solid; border-bottom: 0", True),
        ("border: 1px solid; border-left: 0", False),
        ("border-width: 0 1px; border-style: solid", False),
    ],
)
def test_rule_10_takes_what_is_framed(browser: Browser, border: str, is_framed: bool) -> None:
    body = f"<p id=a>1</p><p id=b style='{border}'>2</p><p id=c>3</p>"
    assert cut(browser, body, (1, 2, 3, 10)) == (["b"] if is_framed else [])
    assert cut(browser, body, (1, 2, 3)) == []


@needs_chromium
def test_the_visual_distance_counts_seven_properties(browser: Browser) -> None:
    text = "1 <b>2</b>"
    style = "width: 300px; height: 99px; font-size: 30px; color: red; background: blue"
    body = (
        f"<div id=a style='float: left; clear: both; {style}'><p>x</p><p>y</p></div>"
        f"<div id=b><p>x</p><p>y</p></div><div id=c style='height: 900px'><p>z</p>{text}</div>"
    )
    for limit, wanted in ((6, ["a"]), (7, [])):
        names = cut(browser, body, (1, 2, 3), limit=limit)
        assert [name for name in names if name in ("a", "b")] == wanted
    assert "b" in cut(browser, body, (1, 2, 3), limit=0)


@needs_chromium
def test_small_and_deep_and_equal_parts_are_no_blocks(browser: Browser) -> None:
    part = "<div id={}><p>1 <b>2</b></p><p>3 <b>4</b></p></div>"
    body = f"<div id=x>{part.format('a')}{part.format('b')}</div><div id=y>5 <b>6</b></div>"
    assert {"a", "b", "x", "y"} <= set(cut(browser, body, (1, 2, 3, 4), limit=0))
    assert "a" not in cut(browser, body, (1, 2, 3, 4), limit=0, levels=1)
    assert "a" not in cut(browser, body, (1, 2, 3, 4), limit=0, min_height=500)
    assert cut(browser, body, (1, 2, 3, 4), limit=0, min_area=0.9) == []
    assert "x" not in cut(browser, body, (1, 2, 3, 4), limit=0, same=0.7)


@needs_chromium
def test_items_of_lists_belong_to_their_list(browser: Browser) -> None:
    body = "<ul id=l><li id=a>1 <b>2</b><li id=b>3 <b>4</b></ul><p id=p>5 <b>6</b></p>"
    assert "a" not in cut(browser, body, (1, 2, 3, 4), limit=0)
    assert "a" in cut(browser, body, (1, 2, 3, 4), limit=0, items=True)


settings_of_visual = st.builds(
    Visual,
    rules=st.lists(st.sampled_from(RULES), unique=True).map(lambda rules: tuple(sorted(rules))),
    limit=st.integers(0, 3),
    sibling_limit=st.integers(0, 3),
    levels=st.integers(1, 6),
    min_height=st.sampled_from((0.0, 30.0)),
    min_area=st.sampled_from((0.0, 0.01)),
    same=st.sampled_from((0.8, 1.0)),
    items=st.booleans(),
    nested=st.booleans(),
)


@patient
@given(page=pages(), segmenter=settings_of_visual, seed=st.integers(0, 99))
def test_any_settings_keep_the_contract_on_any_layout(
    page: Page, segmenter: Visual, seed: int
) -> None:
    blocks = check_segmenter(segmenter, replace(page, layout=made_layout(page, seed)))
    if not segmenter.nested:
        assert (blocks.parent == -1).all()


def test_a_page_without_layout_is_told_what_to_do() -> None:
    for name in ("visual", "vips"):
        with pytest.raises(NeedsLayout, match="render it with tamis"):
            tamis.segment("<p>a", name)


def test_a_rule_that_is_off_changes_only_what_it_decides() -> None:
    page = laid_out(tamis.parse(PARTS * 9))
    assert Visual() == Visual(rules=Visual().rules)
    assert Visual(rules=(1,)) != Visual()
    check_segmenter(Visual(rules=()), page)
