"""Regions: what repeats on a page is found, cut into records and aligned."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import example, given, settings

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.growth import LINEAR, growth
from helpers.html_strategies import pages, patient
from helpers.shapes import shape
from tamis.page import Page, tags
from tamis.records import (
    Region,
    build_cells,
    build_path_keys,
    find_best_region,
    find_regions,
    tag_symbols,
)

few = settings(patient, max_examples=40)

WORDS = "some words that say what it is"
MENU = "<nav><ul>" + "<li><a href=/m>Menu</a></li>" * 30 + "</ul></nav>"
HARD = ("content", "table rows", "nests of 100", "500 levels of div", "random tags")
FOOT = "<footer><ul>" + "<li><a href=/f>Imprint</a></li>" * 5 + "</ul></footer>"


def best_records(body: str) -> list[list[str]]:
    """The texts of the best region's records."""
    region = find_best_region(tamis.parse(f"<body>{MENU}{body}{FOOT}"))
    return texts(region) if region else []


def texts(region: Region) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(len(region))]
    for record, text in zip(region.record, region.cells.texts(region.cell), strict=True):
        rows[record].append(text)
    return rows


def card(i: int, more: str = "") -> str:
    return f"<h3><a href=/{i}>Card {i}</a></h3><p>{WORDS} {i}</p>{more}"


WANTED = [[f"Card {i}", f"{WORDS} {i}"] for i in range(6)]
SHAPES = {
    "one column": "<ul>" + "".join(f"<li>{card(i)}</li>" for i in range(6)) + "</ul>",
    "wrapped": "<div>" + "".join(f"<div><div>{card(i)}</div></div>" for i in range(6)) + "</div>",
    "odd and even": "<ul>"
    + "".join(f"<li class='{('odd', 'even')[i % 2]}'>{card(i)}</li>" for i in range(6))
    + "</ul>",
    "first and last": "<ul>"
    + "".join(f"<li class='item n{i}{' first' * (not i)}'>{card(i)}</li>" for i in range(6))
    + "</ul>",
    "grid": "<section>"
    + "".join(
        "<div class=row>" + "".join(f"<div>{card(i)}</div>" for i in (n, n + 1, n + 2)) + "</div>"
        for n in (0, 3)
    )
    + "</section>",
    "grid of a table": "<table>"
    + "".join(f"<tr><td>{card(n)}</td><td>{card(n + 1)}</td></tr>" for n in (0, 2, 4))
    + "</table>",
    "short last row": "<section>"
    + "".join(
        "<div class=row>" + "".join(f"<div>{card(i)}</div>" for i in row) + "</div>"
        for row in ((0, 1, 2, 3, 4), (5,))
    )
    + "</section>",
    "siblings": "<div>" + "".join(card(i) for i in range(6)) + "</div>",
    "categories": "".join(
        f"<h2>Kind {n}</h2><ul>"
        + "".join(f"<li>{card(i)}</li>" for i in (n, n + 1, n + 2))
        + "</ul>"
        for n in (0, 3)
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_all_shapes_of_lists_give_the_same_records(shape: str) -> None:
    assert best_records(SHAPES[shape]) == WANTED


def test_terms_and_definitions_are_records() -> None:
    body = "<dl>" + "".join(f"<dt>T{i}</dt><dd>{WORDS} {i}</dd>" for i in range(4)) + "</dl>"
    assert best_records(body) == [[f"T{i}", f"{WORDS} {i}"] for i in range(4)]


def test_rows_of_a_table_in_pairs_are_records() -> None:
    rows = (
        f"<tr><td>{i}.</td><td><a href=/{i}>Story {i}</a></td></tr>"
        f"<tr><td></td><td>{i} points by <a href=/u>user{i}</a></td></tr>"
        for i in range(5)
    )
    body = f"<table>{''.join(rows)}</table>"
    assert [row[:2] for row in best_records(body)] == [[f"{i}.", f"Story {i}"] for i in range(5)]


def test_rows_of_a_plain_table_are_records() -> None:
    rows = (f"<tr><td>n{i}</td><td>{i}</td><td>c{i}</td></tr>" for i in range(5))
    assert best_records(f"<table>{''.join(rows)}</table>") == [
        [f"n{i}", f"{i}", f"c{i}"] for i in range(5)
    ]


def test_a_missing_value_a_badge_and_an_advertisement_break_nothing() -> None:
    items = [card(i, "<b>$5</b>" * (i != 2)) for i in range(6)]
    items[4] = "<em>Sale</em>" + items[4]
    body = "<ul>" + "".join(f"<li>{item}</li>" for item in items)
    body = body.replace("<li>", "<div>Buy these now</div><li>", 3) + "</ul>"
    rows = best_records(body)
    assert [row[-2 - (i != 2)] if i != 4 else row[1] for i, row in enumerate(rows)] == [
        f"Card {i}" for i in range(6)
    ]


def test_what_stands_between_siblings_belongs_to_a_record_only_where_most_have_it() -> None:
    parts = [card(i) for i in range(6)]
    parts[2] += "<aside>An advertisement of many words that nobody wants to read</aside>"
    assert best_records(f"<div>{''.join(parts)}</div>") == WANTED


FOLDED = "".join(f"<div class='hit n{i}'>{card(i)}</div>" for i in range(1, 5))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (f"<div class=hit>{card(0)}</div><div class=more>{FOLDED}</div>", [0, 1, 2, 3, 4]),
        (
            f"<section><div class=more>{FOLDED}</div></section><div class=hit>{card(5)}</div>",
            [1, 2, 3, 4, 5],
        ),
        (f"<div class=more>{FOLDED}</div><div class=hit>{card(5)}</div>", [1, 2, 3, 4, 5]),
        (f"<div class=tip>{card(0)}</div><div class=more>{FOLDED}</div>", [1, 2, 3, 4]),
        (f"<div class=hit>Tip: ask</div><div class=more>{FOLDED}</div>", [1, 2, 3, 4]),
        (f"<div class=hit><div class=more>{FOLDED}</div></div>", [1, 2, 3, 4]),
        (
            f"<div class=hit>{card(0)}<div class=hit>{card(9)}</div></div><ul><li>{FOLDED}</ul>",
            [0, 1, 2, 3, 4],
        ),
    ],
)
def test_a_record_beside_the_list_of_its_like_is_one_of_them(body: str, wanted: list[int]) -> None:
    page = tamis.parse(f"<body>{MENU}<main>{body}</main>{FOOT}")
    region = find_best_region(page)
    assert region is not None
    rows = texts(region)
    assert [row[:2] for row in rows] == [[f"Card {i}", f"{WORDS} {i}"] for i in wanted]
    assert texts(find_regions(page)[0]) == rows
    assert page.name(region.typical_row) == "div"


def test_bold_words_and_links_in_sentences_are_no_cells() -> None:
    page = tamis.parse(
        "<p>It was <b>very</b> good, and <a href=/>all</a> of it was done.</p><p>a</p>"
    )
    cells = build_cells(page)
    assert cells.texts(np.arange(len(cells))) == [
        "It was very good, and all of it was done.",
        "a",
    ]


def test_hidden_text_is_no_part_of_records_unless_all_is_hidden() -> None:
    hidden = "<i style='display:none'>tooltip</i>"
    items = "".join(f"<li>{card(i)}<div>{hidden}</div></li>" for i in range(6))
    assert best_records(f"<ul>{items}</ul>") == WANTED
    page = tamis.parse(f"<body hidden><ul>{''.join(f'<li>{card(i)}</li>' for i in range(6))}</ul>")
    region = find_best_region(page)
    assert region is not None
    assert texts(region) == WANTED


def test_menus_are_regions_but_not_the_best() -> None:
    page = tamis.parse(f"<body>{MENU}{SHAPES['one column']}{FOOT}")
    everything = find_regions(page)
    assert [len(region) for region in everything][:3] == [6, 30, 5]
    assert everything[0].score > 0
    assert {region.score for region in everything[1:]} == {0}


def test_interest_decides_between_two_lists() -> None:
    other = SHAPES["one column"].replace("Card", "Other").replace("<ul>", "<ol>")
    page = tamis.parse(f"<body>{SHAPES['one column']}{other}</ol><p>x</p>")
    second = int(np.flatnonzero(page.tag == tags.CODE["ol"])[0])
    interest = np.zeros(len(page))
    interest[second : page.end[second]] = 1
    region = find_best_region(page, interest)
    assert region is not None
    assert texts(region)[0][0] == "Other 0"


@pytest.mark.parametrize("html", ["", "<p>one", "<img>", "<ul><li>a", "<p>one<p>two<p>three"])
def test_pages_without_records_have_none(html: str) -> None:
    assert find_best_region(tamis.parse(html)) is None


# Laws -----------------------------------------------------------------------------------------


ACROSS = "<div>one<b>one<noscript><img></noscript></b>one<b>one<noscript><img></noscript></b></div>"


@few
@example(tamis.parse(ACROSS))
@given(pages())
def test_regions_obey_their_laws(page: Page) -> None:
    check_laws(page)


@needs_bench
@pytest.mark.parametrize("number", range(0, 40, 4))
def test_regions_of_real_pages_obey_their_laws(number: int) -> None:
    check_laws(bench_page(bench_files(40)[number]))


def check_laws(page: Page) -> None:
    everything = find_regions(page)
    best = find_best_region(page)
    if best is None:
        assert all(region.score == 0 for region in everything)
    else:
        assert everything[0].start.tolist() == best.start.tolist()
        assert everything[0].cell.tolist() == best.cell.tolist()
    taken: set[int] = set()
    for region in everything:
        assert len(region) >= 2
        assert (region.start < region.stop).all()
        assert (region.stop[:-1] <= region.start[1:]).all()  # in order, none inside another
        assert (np.diff(region.record) >= 0).all()
        assert (np.diff(region.cell) > 0).all()
        first, last = region.cells.first_row[region.cell], region.cells.last_row[region.cell]
        assert (first >= region.start[region.record]).all()
        assert (last < region.stop[region.record]).all()
        assert page.end[region.container] >= region.stop.max()
        assert 0 <= region.share <= 1
        assert taken.isdisjoint(region.cell.tolist())
        taken |= set(region.cell.tolist())


@few
@given(pages())
def test_paths_are_equal_where_their_tags_are(page: Page) -> None:
    paths = build_path_keys(page, tag_symbols(page))
    by_key: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
    below: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
    for row in range(len(page)):
        path = [row]
        while page.parent[path[-1]] >= 0:
            path.append(int(page.parent[path[-1]]))
        names = tuple(page.tag[path].tolist())
        by_key[int(paths.key[row])].add(names)
        for index, ancestor in enumerate(path):
            key = paths.below(np.array([row]), np.array([ancestor]))[0]
            below[int(key)].add(names[:index])
    assert all(len(names) == 1 for names in by_key.values())
    assert len(by_key) == len({name for names in by_key.values() for name in names})
    assert all(len(names) == 1 for names in below.values())


# Time -----------------------------------------------------------------------------------------


def long_list(count: int) -> Page:
    items = "".join(
        f"<li class='n{i % 3}'>{card(i, '<b>$5</b>' * (i % 7))}</li>" for i in range(count)
    )
    return tamis.parse(f"<ul>{items}</ul>", max_nodes=10**7)


def test_time_grows_with_the_list() -> None:
    small, large = long_list(500), long_list(5_000)
    assert growth(lambda: find_best_region(small), lambda: find_best_region(large)) <= 12


def test_time_grows_linearly_where_every_record_is_unlike_all_others() -> None:
    def page(count: int) -> Page:
        items = "".join(
            f"<div><i class=a{chr(97 + i % 26) * (i // 26 + 1)}>x {i}</i><u class=b{i}>y</u></div>"
            for i in range(count)
        )
        return tamis.parse(items, max_nodes=10**7)

    small, large = page(250), page(2_000)
    assert growth(lambda: find_best_region(small), lambda: find_best_region(large)) < 40


@pytest.mark.parametrize("kind", HARD)
def test_time_grows_linearly_on_shapes_that_are_hard(kind: str) -> None:
    small, large = shape(kind, 2_500), shape(kind, 20_000)
    assert growth(lambda: find_best_region(small), lambda: find_best_region(large)) < LINEAR
    assert growth(lambda: find_regions(small), lambda: find_regions(large)) < LINEAR


def test_nested_lists_take_linear_time() -> None:
    def page(count: int) -> Page:
        nest = "<section>" + "<div><p>a b</p><i>c</i>" * 100 + "</section>"
        return tamis.parse(f"<body>{nest * count}", max_nodes=10**7)

    small, large = page(10), page(80)
    assert growth(lambda: find_regions(small), lambda: find_regions(large)) < LINEAR
