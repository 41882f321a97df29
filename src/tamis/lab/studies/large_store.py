"""A store of many pages, kept between runs, and how long a search in it takes."""

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

FORMAT: Final = "tamis large store 1"
PAGES: Final = 10_000
COPIES: Final = 12  # of a page that has any, each with a line of its own
OLDER: Final = 10  # every which page has an older version
SITES: Final = 200  # of pages that are mixed
QUERIES: Final = 300  # of each kind of question
FIRST_DAY: Final = datetime(2024, 1, 1, tzinfo=UTC)
A_YEAR: Final = 365  # days that the pages were fetched on

Advance = Callable[[], None]


@dataclass(frozen=True)
class MadePage:
    """A page that is made of lines of texts."""

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
    """How long searches take in a store of many pages."""

    pages: int
    queries: int  # of each kind of question
    milliseconds: Mapping[str, Mapping[str, float]]  # by kind of question and quantile


@dataclass(frozen=True)
class LargeStores:
    """A folder of stores of so many pages, a file each."""

    folder: Path
    pages: int = PAGES

    def work(self, dataset: Dataset) -> int:
        """Return how many things are to be done to measure searches: puts and searches."""
        puts = 0 if self.path(dataset).exists() else self.pages + -(-self.pages // OLDER)
        return puts + QUERIES * len(QUESTIONS)

    def path(self, dataset: Dataset) -> Path:
        """Return the file of the store that is made of a data set."""
        root = Path(__file__).parents[2] / "store"
        code = hash_of(root.rglob("*.py"), root)
        key = f"{FORMAT}\n{dataset.digest}\n{self.pages}\n{code}"
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:DIGEST]}.db"

    def made(self, dataset: Dataset, advance: Advance = lambda: None) -> Path:
        """Return the file of a store, which is made if it is not there; older ones are removed."""
        path = self.path(dataset)
        if path.exists():
            return path
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder) as inside:
                draft = Path(inside) / path.name
                fill(draft, made_pages(dataset, self.pages), advance)
                for old in self.folder.glob("*.db"):
                    old.unlink(missing_ok=True)
                draft.replace(path)
        except OSError as error:
            raise TamisError(
                f"cannot write a store to {self.folder}: {error.strerror or error}; set "
                "XDG_CACHE_HOME to a folder with room"
            ) from error
        return path


def user_stores() -> LargeStores:
    """Return the stores in the user's cache folder."""
    return LargeStores(user_cache().folder.parent / "stores")


def measured_speed(
    dataset: Dataset,
    queries: Sequence[str],
    stores: LargeStores,
    limit: int,
    advance: Advance = lambda: None,
) -> Speed:
    """Measure searches in a store that is made of a data set and kept for the next time.

    One that was kept and is damaged is made anew.
    """
    path = stores.made(dataset, advance)
    try:
        return speed(path, queries, limit, advance)
    except StoreError:
        path.unlink(missing_ok=True)
    return speed(stores.made(dataset, advance), queries, limit, advance)


def fill(path: Path, pages: Iterator[MadePage], advance: Advance) -> None:
    """Make a store of pages; its log is in the file when it is closed."""
    with Store.open(path) as store:
        for page in pages:
            store.put(page.url, page.html, page.fetched_at, keep="content")
            advance()


def made_pages(dataset: Dataset, count: int) -> Iterator[MadePage]:
    """Yield so many pages: those of a set, then copies of some and mixtures, by turns.

    Copies and older versions are in the index of words as well: they are what a search has to look
    beyond. A mixture has as many lines as some page, and each line is that of any page.
    """
    own = [(title, lines) for title, lines in map(title_and_lines, dataset.items) if lines]
    pool = [line for _, lines in own for line in lines]
    titles = [title for title, _ in own]
    for number in range(count):
        draw = random.Random(number)
        moment = FIRST_DAY + timedelta(days=number % A_YEAR, seconds=number)
        mixed = [draw.choice(pool) for _ in own[number % len(own)][1]]
        title, url = draw.choice(titles), f"https://site{number % SITES}.example/{number}"
        if number % OLDER == 0:
            yield MadePage(url, title, mixed[::-1], moment - timedelta(days=A_YEAR))
        if number < len(own):
            title, mixed = own[number][0], list(own[number][1])
        elif number % 2:
            title, lines = own[number // 2 // COPIES % len(own)]
            mixed = [*lines, draw.choice(pool)]
        yield MadePage(url, title, mixed, moment)


def title_and_lines(item: Any) -> tuple[str, list[str]]:
    """Return the title of a page and the lines of its content, as the gold has them."""
    text = str(item.gold.get("main_content") or "")
    return str(item.gold.get("title") or ""), [line for line in text.splitlines() if line.strip()]


# Kinds of questions: what a search is for besides the words.
QUESTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "any page": {},
    "of a site": {"site": "site7.example"},
    "since a day": {"since": date(2024, 11, 1)},
}


def speed(path: Path, queries: Sequence[str], limit: int, advance: Advance = lambda: None) -> Speed:
    """Measure how long searches take, each kind of question with the same words."""
    step = max(1, len(queries) // QUERIES)
    words = queries[::step][:QUERIES]
    found: dict[str, Mapping[str, float]] = {}
    with Store.open(path, create=False) as store:
        store.search("warm", limit=limit)  # loads libraries
        for kind, chosen in QUESTIONS.items():
            times = [0.0] * len(words)
            for number, query in enumerate(words):
                started = time.perf_counter()
                store.search(query, limit=limit, **chosen)
                times[number] = (time.perf_counter() - started) * 1000
                advance()
            found[kind] = {
                "median": float(np.median(times or [0.0])),
                "95 %": float(np.percentile(times or [0.0], 95)),
                "slowest": max(times, default=0.0),
            }
        return Speed(len(store), len(words), found)
