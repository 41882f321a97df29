"""The scores of metadata, on a made data set."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tamis.cli import tamis
from tamis.lab import Log, load
from tamis.lab.report import Report, render_markdown
from tamis.lab.studies import (
    MetadataAnswer,
    MetadataScore,
    MetadataStudy,
    domain_half,
    is_right,
    metadata_table,
    score_metadata,
    word_f1,
)

PAGE = """<html lang=en><head><title>A heading of words | Site</title>
<meta property="article:published_time" content="2020-02-03T10:00:00Z">
<meta name="author" content="Ann Bee"></head><body><h1>A heading of words</h1><p>Text.</p>"""


def truth(number: str, title: str, author: str | None, date: str | None) -> dict[str, str | None]:
    page = {"id": number, "domain": "a.example", "url": f"https://a.example/{number}"}
    return page | {"title": title, "author": author, "date": date, "main_content": "Text."}


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


def by_tamis(rows: list[MetadataScore]) -> dict[str, MetadataScore]:
    return {row.field: row for row in rows if row.system == "tamis"}


def test_rows_tell_accuracy_and_precision(folder: Path) -> None:
    pytest.importorskip("trafilatura")
    rows = by_tamis(score_metadata(load(str(folder))))
    assert (rows["title"].pages, rows["title"].accuracy, rows["title"].precision) == (2, 0.5, 0.5)
    assert (rows["date"].pages, rows["date"].accuracy, rows["date"].precision) == (1, 1.0, 0.5)
    assert (rows["author"].pages, rows["author"].f1) == (1, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "no data set 'wcxb-dev'"), (["--peers", "none"], "takes no --peers")],
)
def test_a_mistake_in_the_call_is_a_message(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    outcome = CliRunner().invoke(tamis, ["evaluate", "metadata", *arguments])
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_the_study_gives_a_table_and_the_time(folder: Path) -> None:
    pytest.importorskip("trafilatura")
    pytest.importorskip("resiliparse")
    report = MetadataStudy(str(folder), limit=1).run(Log())
    assert {row[2] for row in report.tables[0].rows} == {"tamis", "trafilatura"}
    assert "of resiliparse's extraction" in report.remarks[0]


def test_a_limit_takes_some_pages(folder: Path) -> None:
    pytest.importorskip("trafilatura")
    rows = score_metadata(load(str(folder)).spread(1))
    assert {row.system for row in rows} == {"tamis", "trafilatura"}
    assert by_tamis(rows)["title"].pages == 1


@pytest.mark.parametrize(
    ("field", "given", "wanted", "right"),
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
def test_what_is_right(field: str, given: str | None, wanted: str, right: bool) -> None:
    assert is_right(field, MetadataAnswer(given, wanted)) is right


def test_word_f1_counts_words_once() -> None:
    assert word_f1(MetadataAnswer("a a b", "a b")) == pytest.approx(0.8)
    assert word_f1(MetadataAnswer(None, "a b")) == 0.0


def test_halves_are_the_same_everywhere() -> None:
    assert [domain_half(name) for name in ("example.org", "example.com", None)] == [1, 1, 1]


def test_the_table_is_markdown() -> None:
    row = MetadataScore("tamis", "seen", "title", 3, 0.5, 0.25, 0.125)
    *_, head, rule, line = render_markdown(
        Report("", [metadata_table("a set", [row])])
    ).splitlines()
    assert head.count("|") == rule.count("|") == line.count("|")
    assert line == "| title | seen | tamis | 3 | 0.500 | 0.250 | 0.125 |"
