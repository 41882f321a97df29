"""How much a database does for a search: no more than the words that are asked for take."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from helpers.news import address, news, sentences
from tamis.store import Among, Asked, Filter, Store, query_parts

DAY = datetime(2026, 3, 1, tzinfo=UTC)
FILTERS: list[dict[str, Any]] = [
    {},
    {"site": "news.example"},
    {"since": "2026-01-01"},
    {"until": "2026-03-20", "page_type": "article"},
    {"site": "nowhere.example"},
]
MORE_PAGES = 8  # times as many


def fill(store: Store, count: int) -> None:
    """Put pages, of which five have the word quokka, and each tenth has an older version."""
    for number in range(count):
        extra = f"<p>A quokka, {sentences(number, 2)}</p>" if number < 5 else ""
        moment = DAY + timedelta(days=number % 30)
        host = ("news.example", "other.example")[number % 2]
        if number % 10 == 0:
            store.put(address(number, host), news(number, extra="<p>Old quokka.</p>"), DAY)
        store.put(address(number, host), news(number, extra=extra), moment)


@contextmanager
def steps_of(store: Store) -> Iterator[list[int]]:
    """Count the steps that SQLite takes, on all connections that are taken meanwhile."""
    counted = [0]

    def count() -> int:
        counted[0] += 1
        return 0

    def watch(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(count, 1)

    def leave(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(None, 0)

    engine = store._database.engine
    event.listen(engine, "checkout", watch)
    event.listen(engine, "checkin", leave)
    try:
        yield counted
    finally:
        event.remove(engine, "checkout", watch)
        event.remove(engine, "checkin", leave)


@pytest.mark.parametrize("chosen", FILTERS, ids=lambda chosen: "-".join(chosen) or "any")
def test_pages_without_the_words_are_no_work(tmp_path: Path, chosen: dict[str, Any]) -> None:
    steps = []
    for count in (20, 20 * MORE_PAGES):
        with Store.open(tmp_path / f"{count}.db") as store:
            fill(store, count)
            parts = query_parts("quokka", store._words, ["en"])
            among = Filter(**chosen).among
            with steps_of(store) as counted, store._database.reading() as connection:
                store._index.ranked(connection, Asked(parts, 50, True, among))
            steps.append(counted[0])
    assert steps[0] > 20
    assert steps[1] < 3 * steps[0]  # there are older versions with the word, which are more work


@pytest.mark.parametrize("chosen", FILTERS, ids=lambda chosen: "-".join(chosen) or "any")
def test_the_words_are_looked_for_once(tmp_path: Path, chosen: dict[str, Any]) -> None:
    """FTS5 names what it does: with "=" it looks for the words again for each number."""
    with Store.open(tmp_path / "store.db") as store:
        fill(store, 20)
        asked: list[tuple[str, Any]] = []
        engine = store._database.engine
        event.listen(
            engine, "before_cursor_execute", lambda *args: asked.append((args[2], args[3]))
        )
        store.search("quokka story", **chosen)
        store.search("quokka nothing", limit=40, **chosen)
        searches = [(sql, values) for sql, values in asked if "MATCH" in sql]
        assert searches
        with store._database.reading() as connection:
            for sql, values in searches:
                rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values).all()
                plan = [str(row[3]) for row in rows]
                (used,) = [line for line in plan if "word_index" in line]
                assert "=" not in used, plan
                assert not any(line.startswith("LIST SUBQUERY") for line in plan), plan


def test_what_is_chosen_by_the_index_is_what_fits(store: Store) -> None:
    fill(store, 40)
    for query in ("quokka", "story bridge", "the"):
        parts = query_parts(query, store._words, ["en"])
        for among in (Filter(**chosen).among for chosen in FILTERS):
            with store._database.reading() as connection:
                every = store._index.ranked(connection, Asked(parts, 1000, False))
                found = store._index.ranked(connection, Asked(parts, 1000, False, among))
                fitting = contents_that_fit(connection, among)
            assert found == [one for one in every if one[0] in fitting]


def contents_that_fit(connection: Any, among: Among) -> set[int]:
    """Return the numbers of all contents that fit, by a plain join."""
    sql = among.sql.replace("SELECT 1", "SELECT v.content_id", 1)
    return set(connection.execute(text(sql), dict(among.values)).scalars())
