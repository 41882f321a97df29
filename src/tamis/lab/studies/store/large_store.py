"""A store of many pages, kept between runs, and the time that searches in it take."""

from __future__ import annotations

import hashlib
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from tamis.errors import StoreError, TamisError
from tamis.lab.cache import DIGEST, hash_of, user_cache
from tamis.lab.datasets import Dataset
from tamis.store import Store

_FORMAT: Final = "tamis large store 1"
_PAGES: Final = 10_000
_COPIES: Final = 12  # of a page that is copied, each with one more line
_OLDER: Final = 10  # one page in so many has an older version
_SITES: Final = 200
QUERIES: Final = 300  # of each kind of question
_FIRST_DAY: Final = datetime(2024, 1, 1, tzinfo=UTC)
_YEAR: Final = 365  # days that the pages were fetched on

Advance = Callable[[], None]


@dataclass(frozen=True)
class SyntheticPage:
    """A page that is composed of lines of texts."""

    url: str
    title: str
    lines: Sequence[str]
    fetched_at: datetime

    @property
    def html(self) -> str:
        """The page: a title and an article."""
        title = escape(self.title)
        body = "".join(f"<p>{escape(line)}</p>\n" for line in self.lines)
        return f"<!doctype html><title>{title}</title><article><h1>{title}</h1>\n{body}</article>"


@dataclass(frozen=True)
class Speed:
    """The time that searches take in a store of many pages."""

    pages: int
    queries: int  # of each kind of question
    milliseconds: Mapping[str, Mapping[str, float]]  # by kind of question and quantile


@dataclass(frozen=True)
class LargeStores:
    """A folder of stores of many pages, one file each."""

    folder: Path
    pages: int = _PAGES

    def count_steps(self, dataset: Dataset) -> int:
        """Return the steps that it takes to measure searches: puts and searches."""
        puts = 0 if self.path(dataset).exists() else self.pages + -(-self.pages // _OLDER)
        return puts + QUERIES * len(QUESTIONS)

    def path(self, dataset: Dataset) -> Path:
        """Return the file of the store with the texts of a data set."""
        root = Path(__file__).parents[3] / "store"
        code = hash_of(root.rglob("*.py"), root)
        key = f"{_FORMAT}\n{dataset.digest}\n{self.pages}\n{code}"
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:DIGEST]}.db"

    def prepare(self, dataset: Dataset, advance: Advance = lambda: None) -> Path:
        """Return the file of a store; build it if it is missing, and remove older ones."""
        path = self.path(dataset)
        if path.exists():
            return path
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder) as inside:
                draft = Path(inside) / path.name
                _fill_store(draft, _compose_pages(dataset, self.pages), advance)
                for old in self.folder.glob("*.db"):
                    old.unlink(missing_ok=True)
                draft.replace(path)
        except OSError as error:
            raise TamisError(
                f"cannot write a store to {self.folder}: {error.strerror or error}; set "
                "XDG_CACHE_HOME to a folder with space"
            ) from error
        return path


def user_stores() -> LargeStores:
    """Return the stores in the user's cache folder."""
    return LargeStores(user_cache().folder.parent / "stores")


def measure_speed(
    dataset: Dataset,
    queries: Sequence[str],
    stores: LargeStores,
    limit: int,
    advance: Advance = lambda: None,
) -> Speed:
    """Measure searches in a store with the texts of a data set, which is kept for the next time.

    A damaged one is built again.
    """
    path = stores.prepare(dataset, advance)
    try:
        return _measure_speed(path, queries, limit, advance)
    except StoreError:
        path.unlink(missing_ok=True)
    return _measure_speed(stores.prepare(dataset, advance), queries, limit, advance)


def _fill_store(path: Path, pages: Iterator[SyntheticPage], advance: Advance) -> None:
    """Put pages into a new store; closing it writes its log into the file."""
    with Store.open(path) as store:
        for page in pages:
            store.put(page.url, page.html, page.fetched_at, keep="content")
            advance()


def _compose_pages(dataset: Dataset, count: int) -> Iterator[SyntheticPage]:
    """Yield pages: those of a set, then copies and mixtures by turns.

    Copies and older versions are in the index of words as well: a search has to look beyond them. A
    mixture has as many lines as one of the pages, and each line comes from any page.
    """
    texts = [(title, lines) for title, lines in map(_title_and_lines, dataset.items) if lines]
    pool = [line for _, lines in texts for line in lines]
    titles = [title for title, _ in texts]
    for number in range(count):
        rng = random.Random(number)
        moment = _FIRST_DAY + timedelta(days=number % _YEAR, seconds=number)
        mixed = [rng.choice(pool) for _ in texts[number % len(texts)][1]]
        title, url = rng.choice(titles), f"https://site{number % _SITES}.example/{number}"
        if number % _OLDER == 0:
            yield SyntheticPage(url, title, mixed[::-1], moment - timedelta(days=_YEAR))
        if number < len(texts):
            title, mixed = texts[number][0], list(texts[number][1])
        elif number % 2:
            title, lines = texts[number // 2 // _COPIES % len(texts)]
            mixed = [*lines, rng.choice(pool)]
        yield SyntheticPage(url, title, mixed, moment)


def _title_and_lines(item: Any) -> tuple[str, list[str]]:
    """Return the title of a page and the lines of its content, as the gold has them."""
    text = str(item.gold.get("main_content") or "")
    return str(item.gold.get("title") or ""), [line for line in text.splitlines() if line.strip()]


# Kinds of questions: filters that a search has besides the words.
QUESTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "any page": {},
    "of a site": {"site": "site7.example"},
    "since a day": {"since": date(2024, 11, 1)},
}


def _measure_speed(path: Path, queries: Sequence[str], limit: int, advance: Advance) -> Speed:
    """Measure the time of searches, each kind of question with the same words."""
    step = max(1, len(queries) // QUERIES)
    words = queries[::step][:QUERIES]
    milliseconds: dict[str, Mapping[str, float]] = {}
    with Store.open(path, create=False) as store:
        store.search("warm", limit=limit)  # loads libraries
        for kind, filters in QUESTIONS.items():
            times = [0.0] * len(words)
            for number, query in enumerate(words):
                started = time.perf_counter()
                store.search(query, limit=limit, **filters)
                times[number] = (time.perf_counter() - started) * 1000
                advance()
            milliseconds[kind] = {
                "median": float(np.median(times or [0.0])),
                "95 %": float(np.percentile(times or [0.0], 95)),
                "slowest": max(times, default=0.0),
            }
        return Speed(len(store), len(words), milliseconds)
