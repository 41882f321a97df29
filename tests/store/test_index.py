"""How much a database does for a search: no more than the words that are looked for take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helpers.news import address, news, sentences
from tamis.store import Connection, ContentFilter, Filter, IndexQuery, Query, Store, parse_query

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
def counted_steps(connection: Connection) -> Iterator[list[int]]:
    """Count the steps that SQLite takes on a connection."""
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    connection.driver.set_progress_handler(count, 1)
    try:
        yield steps
    finally:
        connection.driver.set_progress_handler(None, 0)


@pytest.mark.parametrize("chosen", FILTERS, ids=lambda chosen: "-".join(chosen) or "any")
def test_pages_without_the_words_are_no_work(tmp_path: Path, chosen: dict[str, Any]) -> None:
    steps = []
    for count in (20, 20 * MORE_PAGES):
        with Store.open(tmp_path / f"{count}.db") as store:
            fill(store, count)
            parts = parse_query("quokka", store._tokenizer, ["en"])
            query = IndexQuery(parts, 50, True, Filter(**chosen).contents)
            with store._database.reading() as connection, counted_steps(connection) as counted:
                store._index.rank(connection, query)
            steps.append(counted[0])
    assert steps[0] > 20
    assert steps[1] < 3 * steps[0]  # there are older versions with the word, which are more work


@pytest.mark.parametrize("chosen", FILTERS, ids=lambda chosen: "-".join(chosen) or "any")
def test_the_words_are_looked_for_once(tmp_path: Path, chosen: dict[str, Any]) -> None:
    """FTS5 names what it does: with "=" it looks for the words again for each number."""
    with Store.open(tmp_path / "store.db") as store:
        fill(store, 20)
        statements: list[str] = []
        with store._database.reading() as connection:  # the one that the searches get as well
            connection.driver.set_trace_callback(statements.append)
        store.search("quokka story", **chosen)
        store.search("quokka nothing", limit=40, **chosen)
        searches = [sql for sql in statements if "MATCH" in sql and not sql.startswith("--")]
        assert searches
        with store._database.reading() as connection:
            connection.driver.set_trace_callback(None)
            for sql in searches:
                rows = connection.driver.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
                plan = [str(row[3]) for row in rows]
                (used,) = [line for line in plan if "word_index" in line]
                assert "=" not in used, plan
                assert not any(line.startswith("LIST SUBQUERY") for line in plan), plan


def test_the_index_chooses_what_the_filter_passes(store: Store) -> None:
    fill(store, 40)
    for words in ("quokka", "story bridge", "the"):
        parts = parse_query(words, store._tokenizer, ["en"])
        for contents in (Filter(**chosen).contents for chosen in FILTERS):
            with store._database.reading() as connection:
                every = store._index.rank(connection, IndexQuery(parts, 1000, False))
                chosen = store._index.rank(connection, IndexQuery(parts, 1000, False, contents))
                passing = passing_contents(connection, contents)
            assert chosen == [content for content in every if content[0] in passing]


def passing_contents(connection: Connection, contents: ContentFilter) -> set[int]:
    """Return the numbers of all contents that pass, by a plain join."""
    sql = contents.sql.replace("SELECT 1", "SELECT v.content_id", 1)
    rows = connection.rows(Query(sql, (lambda _: None,)), *contents.values)
    return {content_id for (content_id,) in rows}
