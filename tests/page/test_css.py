"""What is not seen: noscript, templates, hidden text; each kept apart on purpose."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tamis.page import Page, find_hiding_selectors, parse, tags

WORDS = " ".join(f"word{number}" for number in range(60))


def texts(page: Page, *, hidden: bool) -> list[str]:
    """Return the texts that are hidden, or that are not."""
    rows = np.flatnonzero((page.tag == tags.TEXT) & (page.hidden == hidden))
    return [page.text[page.text_start[row] : page.text_stop[row]] for row in rows]


def visible(page: Page) -> list[str]:
    """Return the texts that count."""
    return [page.text[page.text_start[r] : page.text_stop[r]] for r in np.flatnonzero(page.visible)]


def test_noscript_does_not_count_where_there_is_other_text() -> None:
    page = parse(f"<body><p>{WORDS}</p><noscript><p>{WORDS} x</noscript>")
    assert visible(page) == [WORDS]
    assert page.chars.sum() == len(WORDS.replace(" ", ""))
    assert page.terms.sum() == 60


def test_noscript_counts_where_the_page_has_hardly_any_other_text() -> None:
    page = parse(f"<body>Loading<noscript><p>{WORDS}<p>{WORDS}</noscript>")
    assert visible(page) == ["Loading", WORDS, WORDS]


def test_noscript_of_a_few_words_never_counts() -> None:
    page = parse("<body><noscript>Please enable JavaScript to read this page</noscript>")
    assert visible(page) == []
    assert page.text == "Please enable JavaScript to read this page"


def test_templates_are_not_shown() -> None:
    page = parse("<p>a<template><p>b<template>c</template></template>d")
    assert page.text == "ad"
    assert [page.name(row) for row in range(len(page))].count("template") == 2


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_declarative_shadow_roots_are_shown(mode: str) -> None:
    page = parse(
        f"<x-y><template shadowrootmode={mode}><p>a<template>b</template></template></x-y>c"
    )
    assert page.text.split() == ["a", "c"]


def test_a_shadow_root_in_what_is_not_shown_is_not_shown() -> None:
    assert parse("<template><template shadowrootmode=open>a</template></template>b").text == "b"


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        "hidden=until-found",
        "HIDDEN=''",
        "style='display:none'",
        "style='color: red; DISPLAY : None'",
        "style=visibility:hidden",
        "style='x:y;visibility: hidden !important'",
        "aria-hidden=true",
        "aria-hidden='TRUE'",
        "class='a gone'",
        "class=gone",
        "id=away",
    ],
)
def test_hidden_text_is_marked_and_kept(attribute: str) -> None:
    style = "<style>.gone, p.x { display : none } #away{color:red;visibility:hidden}</style>"
    page = parse(f"{style}<p>shown<div {attribute}>one <b>two</b></div>shown")
    assert texts(page, hidden=True) == ["one", "two"]
    assert texts(page, hidden=False) == ["shown", "shown"]
    assert page.text.split() == ["shown", "one", "two", "shown"]


@pytest.mark.parametrize(
    "attribute",
    [
        "aria-hidden=false",
        "data-hidden",
        "style='display:block'",
        "class='x gone2 GONE'",
        "id=Away",
        "class=print",
        "class=x",
        "class=commented",
        "class=nested",
        "title=hidden",
    ],
)
def test_what_is_not_hidden_is_not_marked(attribute: str) -> None:
    style = """<style>.gone{display:none} p.x{display:none} @media print { .print{display:none} }
        /* .commented{display:none} */ @media screen{.y{color:red} .nested{visibility:hidden}}
        .a .gone3{display:none}</style>"""
    page = parse(f"{style}<div {attribute}>text")
    assert texts(page, hidden=True) == []


def test_dialogs_are_hidden_until_they_open() -> None:
    page = parse("<dialog>a</dialog><dialog open>b</dialog><dialog hidden open>c</dialog>")
    assert texts(page, hidden=True) == ["a", "c"]
    assert texts(page, hidden=False) == ["b"]


def test_hidden_elements_within_hidden_elements() -> None:
    style = "<style>.a,#b{display:none}</style>"
    page = parse(f"{style}<div class=a>1<div id=b>2<div class=a>3</div>4</div>5</div>6<p id=b>7")
    assert texts(page, hidden=True) == ["1", "2", "3", "4", "5", "7"]
    assert texts(page, hidden=False) == ["6"]


@pytest.mark.parametrize(
    ("css", "names"),
    [
        (".a{display:none}", ".a"),
        (".a{display:none}.b{display:none}", ".a .b"),
        (".a,.b , #c{x:y;display:none}", ".a .b #c"),
        (".a{display:none;visibility:hidden}.b{}", ".a"),
        ("p{x:y}.a{visibility:hidden}", ".a"),
        ("@import 'x'; .a{display:none}", ".a"),
        ("}}}.a{display:none}", ".a"),
        (".a{/*}*/display:none}", ".a"),
        ("/* {{{ */.a{display:none}", ".a"),
        (".a-b_c{display:none}", ".a-b_c"),
        ("@media print{.a{display:none}}.b{display:none}", ".b"),
        ("@media print{.a{display:none}.b{display:none}}.c{display:none}", ".c"),
        (".a>.b{display:none}", ""),
        ("a.b{display:none}", ""),
        (".a:hover{display:none}", ""),
        (".a{display:inline;nonesuch:display none}", ""),
        (".a{overflow:hidden;border:none}", ""),
        ("display:none", ""),
        ("/*", ""),
        ("", ""),
    ],
)
def test_hiding_selectors(css: str, names: str) -> None:
    assert find_hiding_selectors([css.encode()]) == {name.encode() for name in names.split()}


@pytest.mark.parametrize(
    "unit",
    [
        "display:none;",
        ".a{display:none}",
        "{display:none",
        "}display:none",
        "/*",
        "/* */",
        "none",
        ",",
    ],
)
def test_style_sheets_are_read_in_linear_time(unit: str) -> None:
    start = time.thread_time()
    find_hiding_selectors([b".a{" + unit.encode() * (2_000_000 // len(unit))])
    assert time.thread_time() - start < 10


def test_of_many_style_sheets_the_first_are_read() -> None:
    sheets = [b".a{display:none}", b" " * 2_100_000, b".b{display:none}"]
    assert find_hiding_selectors(sheets) == {b".a"}


def test_an_unclosed_iframe_in_noscript_does_not_swallow_the_page() -> None:
    page = parse(f"<body><noscript><iframe src=x></noscript><p>{WORDS}</p>")
    assert page.text == WORDS
    assert parse(f"<body><noscript><iframe>a</iframe></noscript><p>{WORDS}").text == WORDS
