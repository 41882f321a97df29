"""The scores of metadata, on a made data set."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tamis.lab.datasets import load
from tamis.lab.studies import metadata
from tamis.lab.studies.metadata import Answer, Row

PAGE = """<html lang=en><head><title>A heading of words | Site</title>
<meta property="article:published_time" content="2020-02-03T10:00:00Z">
<meta name="author" content="Ann Bee"></head><body><h1>A heading of words</h1><p>Text.</p>"""


def truth(number: str, title: str, author: str | None, date: str | None) -> dict[str, str | None]:
    place = {"id": number, "domain": "a.example", "url": f"https://a.example/{number}"}
    return place | {"title": title, "author": author, "date": date, "main_content": "Text."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "html").mkdir()
    gold = [
        truth("1", "A Heading of Words", "Ann Bee", "2020-02-03"),
        truth("2", "Another", None, None),
    ]
    for row in gold:
        path = tmp_path / "html" / f"{row['id']}.html.gz"
        path.write_bytes(gzip.compress(PAGE.encode()))
    lines = "\n".join(json.dumps(row) for row in gold)
    (tmp_path / "gold.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return tmp_path


def by_tamis(rows: list[Row]) -> dict[str, Row]:
    return {row.field: row for row in rows if row.system == "tamis"}


def test_rows_tell_accuracy_and_precision(folder: Path) -> None:
    pytest.importorskip("trafilatura")
    rows = by_tamis(metadata.metadata_table(load(str(folder))))
    assert (rows["title"].pages, rows["title"].accuracy, rows["title"].precision) == (2, 0.5, 0.5)
    assert (rows["date"].pages, rows["date"].accuracy, rows["date"].precision) == (1, 1.0, 0.5)
    assert (rows["author"].pages, rows["author"].f1) == (1, 1.0)


@pytest.mark.parametrize("arguments", [[], ["nowhere"], ["nowhere", "x"]])
def test_a_mistake_in_the_call_is_told_in_a_line(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"^(usage: |tamis: no data set 'nowhere')"):
        metadata.main(arguments)


def test_a_limit_takes_some_pages(folder: Path) -> None:
    pytest.importorskip("trafilatura")
    rows = metadata.metadata_table(load(str(folder)).spread(1))
    assert {row.system for row in rows} == {"tamis", "trafilatura"}
    assert by_tamis(rows)["title"].pages == 1


@pytest.mark.parametrize(
    ("field", "found", "wanted", "right"),
    [
        ("title", "A – b!", "a b", True),
        ("title", "a b c", "a b", False),
        ("title", None, "a", False),
        ("author", "Ann Bee; Cid Dee", "Cid Dee and Ann Bee", True),
        ("author", "Ann Bee", "Ann Bee, Cid Dee", False),
        ("date", "2020-02-03", "2020-02-03", True),
        ("date", "2020-02-03", "2020-02", False),
    ],
)
def test_what_is_right(field: str, found: str | None, wanted: str, right: bool) -> None:
    assert metadata.is_right(field, Answer(found, wanted)) is right


def test_word_f1_counts_words_once() -> None:
    assert metadata.word_f1(Answer("a a b", "a b")) == pytest.approx(0.8)
    assert metadata.word_f1(Answer(None, "a b")) == 0.0


def test_halves_are_the_same_everywhere() -> None:
    assert [metadata.half_of(name) for name in ("example.org", "example.com", None)] == [1, 1, 1]


def test_the_table_is_markdown() -> None:
    row = Row("tamis", "seen", "title", 3, 0.5, 0.25, 0.125)
    head, rule, line = metadata.markdown([row]).splitlines()
    assert head.count("|") == rule.count("|") == line.count("|")
    assert line == "| title | seen | tamis | 3 | 0.500 | 0.250 | 0.125 |"
