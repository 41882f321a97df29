"""The study of structure: what counts as torn, and the table."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tamis.lab import Log
from tamis.lab.metrics import StructureCounts, count_structure
from tamis.lab.studies import StructureStudy
from tamis.page import parse

TABLE = (
    "<table><tr><th>name</th><th>price</th></tr><tr><td>apple</td><td>three</td></tr>"
    "<tr><td>pear</td><td>four</td></tr></table>"
)
LONG = " ".join(f"word{number}" for number in range(30))


def count(page: str, output: str, gold: str = "") -> StructureCounts:
    return count_structure(parse(page), parse(output), gold)


def test_cells_of_a_kept_table_that_are_missing() -> None:
    counts = count(TABLE, TABLE.replace("<td>four</td>", ""))
    assert (counts.tables, counts.cells, counts.missing_cells) == (1, 6, 1)


def test_a_table_of_which_less_than_half_is_there_is_not_kept() -> None:
    assert count(TABLE, "<p>apple</p>").tables == 0


def test_a_layout_table_does_not_count() -> None:
    page = f"<table><tr><td>{TABLE}</td><td>side</td></tr><tr><td>a</td><td>b</td></tr></table>"
    assert count(page, page).tables == 1


def test_a_section_without_its_heading() -> None:
    page = f"<h1>Title</h1><p>{LONG}</p><h2>Part one</h2><p>{LONG} one</p><h2>Part two</h2><p>x</p>"
    whole, torn = count(page, page), count(page, page.replace("<h2>Part one</h2>", ""))
    assert (whole.sections, whole.without_heading) == (1, 0)
    assert (torn.sections, torn.without_heading) == (1, 1)


def test_a_section_ends_with_the_element_around_its_heading() -> None:
    page = f"<div><div><h3>Menu</h3><p>few words</p></div><div><p>{LONG}</p></div></div>"
    assert count(page, f"<p>{LONG}</p>").sections == 0


def test_code_that_is_lost_or_cut() -> None:
    code = "".join(f"<pre>{' '.join(f'{name}{n}' for n in range(10))}</pre>" for name in "abc")
    gold = parse(code).text
    output = code.replace("a", "x").replace("b9", "")
    counts = count(code, output, gold)
    assert (counts.pre, counts.lost_pre, counts.cut_pre) == (3, 1, 1)
    assert count(code, "", "").pre == 0


def test_a_list_with_an_item_missing() -> None:
    page = "<ul><li>one</li><li>two</li><li>three</li><li>four</li></ul>"
    assert count(page, page).broken_lists == 0
    counts = count(page, page.replace("<li>two</li>", ""))
    assert (counts.lists, counts.broken_lists) == (1, 1)


def test_headings_with_nothing_below() -> None:
    output = "<h1>a</h1><h2>b</h2><p>text</p><h2>c</h2><h2>d</h2><img src=i.png><h2>e</h2>"
    counts = count("<p>x</p>", output)
    assert (counts.headings, counts.empty_headings) == (5, 2)  # c and e


def test_a_heading_that_stands_alone_on_the_page_is_not_torn() -> None:
    page = "<h1>t</h1><h2>card</h2><h2>part</h2><p>four words of text</p><h2>more</h2><p>a b c</p>"
    counts = count(page, page.replace("<p>four words of text</p>", ""))
    assert (counts.empty_headings, counts.torn_headings) == (2, 1)


def test_lines_that_are_repeated() -> None:
    line = "<p>a line of five words</p>"
    counts = count("<p>x</p>", line * 3 + "<p>short line</p>")
    assert (counts.lines, counts.repeated_lines) == (3, 2)


def test_an_output_may_be_empty() -> None:
    assert count(TABLE, "") == StructureCounts()


def test_the_study_has_a_row_for_each_measure(tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    page = f"<html><body><article><h1>Title</h1><p>{LONG}.</p>{TABLE}</article></body></html>"
    folder = tmp_path / "set"
    (folder / "html").mkdir(parents=True)
    (folder / "html" / "1.html.gz").write_bytes(gzip.compress(page.encode()))
    row = {"id": "1", "url": "https://a.example/", "domain": "a.example", "main_content": LONG}
    (folder / "gold.jsonl").write_text(json.dumps(row))
    report = StructureStudy(str(folder)).run(Log())
    (table,) = report.tables
    assert {"tamis", "trafilatura"} <= set(table.heads)
    assert len(table.rows) == 8
    assert report.data["tamis"]["tables"] in (0, 1)
