"""The studies of the store, on small sets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from helpers.archives import gzipped, http, record
from helpers.news import news, sentences
from tamis.cli import tamis as command
from tamis.errors import TamisError
from tamis.lab import load
from tamis.lab.report import Report, render_html, render_text

from .conftest import Writer

pytest.importorskip("sqlalchemy")

from tamis.lab.studies.store import (
    ALL,
    QUERIES,
    QUESTIONS,
    STORAGE_MEASURES,
    LargeStores,
    measure_search,
    measure_search_speed,
    measure_storage,
    read_archive_samples,
    read_samples,
    search_tables,
    storage_charts,
    storage_tables,
)
from tamis.store import Store


@pytest.fixture
def bench(written: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [
        {
            "id": f"p{number}",
            "site": f"site{number % 2}.example",
            "title": f"Story {number} of the day",
            "main_content": sentences(number * 10, 4),
        }
        for number in range(12)
    ]
    pages = {f"html/p{number}.html.gz": news(number).encode() for number in range(12)}
    for name in ("sites-dev", "wcxb-dev"):
        written(name, rows, pages)
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    monkeypatch.chdir(tmp_path.parent)
    return tmp_path


def test_a_store_takes_less_room_than_pages_one_by_one(bench: Path) -> None:
    outcome = measure_storage(
        {"sites-dev": lambda: read_samples(load("sites-dev"))}, load("wcxb-dev")
    )
    sizes = outcome.rooms["sites-dev"]
    total = sizes.bytes[ALL]
    assert list(total) == list(STORAGE_MEASURES)
    assert total["raw"] == sum(len(news(number).encode()) for number in range(12))
    assert total["gzip"] < total["raw"]
    assert total["store, content only"] <= total["store"]
    # What is once is less than what is six times, and all that is once is still there.
    texts = sum(len(sentences(number * 10 + part, 4)) for number in range(12) for part in range(3))
    for once in ("shingle", "ibdf", "pieces"):
        assert texts < total[once] < total["normalised"]
    assert sizes.pages == {"site0.example": 6, "site1.example": 6, ALL: 12}
    assert outcome.puts == 12
    report = Report("Storage", storage_tables(outcome), lambda: storage_charts(outcome))
    assert "share of raw" in render_text(report)
    html = render_html(report)
    assert html.count("<svg") == 1
    assert "sites-dev" in html


def test_pages_of_archives_are_stored_too(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    pages = [news(number).encode() for number in range(4)]
    records = [record(number, http(page)) for number, page in enumerate(pages)]
    (tmp_path / "a.warc.gz").write_bytes(gzipped(records))
    (tmp_path / "README.md").write_text("no archive")
    outcome = measure_storage({"warc": lambda: read_archive_samples(tmp_path)})
    assert outcome.rooms["warc"].pages == {"a.warc.gz": 4, ALL: 4}
    assert outcome.rooms["warc"].bytes[ALL]["raw"] == sum(map(len, pages))
    assert outcome.puts_per_second is None


def test_known_pages_are_found(bench: Path) -> None:
    outcome = measure_search(load("wcxb-dev"))
    assert set(outcome.arms) == {
        f"{what}{title}"
        for what in ("full text", "informative blocks")
        for title in ("", " and title")
    }
    full, own = outcome.arms["full text"], outcome.arms["informative blocks"]
    assert full.index_bytes >= own.index_bytes
    assert full.informative > own.informative
    assert own.all_queries["first sentence"].first == 1.0
    assert own.held_queries["first sentence"].queries == 12
    assert outcome.arms["informative blocks and title"].all_queries["title"].mrr == 1.0
    assert outcome.arms["full text and title"].all_queries["title"].mrr == 1.0
    assert "P@1" in render_text(Report("", search_tables(outcome)))


def test_searches_in_a_large_store_are_timed_and_the_store_is_kept(bench: Path) -> None:
    stores, pages = LargeStores(bench / "kept" / "stores", 40), load("wcxb-dev")
    advanced: list[int] = []
    assert stores.count_steps(pages) == 40 + 4 + QUERIES * len(QUESTIONS)
    speed = measure_search_speed(pages, stores, lambda: advanced.append(1))
    assert (speed.pages, speed.queries) == (40, 24)
    assert len(advanced) == 40 + 4 + 24 * len(QUESTIONS)
    for times in speed.milliseconds.values():
        assert 0 < times["median"] <= times["95 %"] <= times["slowest"]
    (kept,) = stores.folder.iterdir()
    before = kept.stat().st_mtime_ns
    with Store.open(kept) as store:
        assert len(store.history("https://site10.example/10")) == 2
        hits = store.search("Story 3 of the day", limit=5)
        assert any(hit.copies for hit in hits)
    advanced.clear()
    assert stores.count_steps(pages) == QUERIES * len(QUESTIONS)
    measure_search_speed(pages, stores, lambda: advanced.append(1))
    assert len(advanced) == 24 * len(QUESTIONS)
    assert kept.stat().st_mtime_ns == before
    outcome = replace(measure_search(pages), speed=speed)
    assert "store of 40 pages" in render_text(Report("", search_tables(outcome)))


def test_a_damaged_large_store_is_made_anew(bench: Path) -> None:
    stores, pages = LargeStores(bench / "kept", 30), load("wcxb-dev")
    path = stores.prepare(pages)
    whole = path.read_bytes()
    for data in (b"no store", whole[:100] + bytes(len(whole) - 100)):
        path.write_bytes(data)
        assert measure_search_speed(pages, stores).pages == 30


def test_a_large_store_without_room_is_told(bench: Path) -> None:
    (bench / "file").write_text("no folder")
    with pytest.raises(TamisError, match="XDG_CACHE_HOME"):
        LargeStores(bench / "file", 30).prepare(load("wcxb-dev"))


@pytest.mark.parametrize("study", ["storage", "search"])
def test_studies_are_commands(bench: Path, study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = LargeStores(bench / "kept", 40)
    monkeypatch.setattr("tamis.lab.studies.store.search.user_stores", lambda: small)
    result = CliRunner().invoke(command, ["evaluate", study, "--json", "-", "--report", "r.html"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)
    assert Path("r.html").read_text().startswith("<!doctype html>")
    Path("r.html").unlink()
    wrong = CliRunner().invoke(command, ["evaluate", study, "--limit", "3"])
    assert wrong.exit_code == 2
