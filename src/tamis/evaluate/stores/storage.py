"""Storage: the bytes that pages take, kept in different ways (004 §8.3, Figure 8)."""

from __future__ import annotations

import gzip
import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import tamis
from tamis.content import Document
from tamis.evaluate.datasets import Dataset, unpacked
from tamis.store import Store

Rates = tuple[float | None, float | None]

PUTS: Final = 500  # pages that throughput is measured on


@dataclass(frozen=True)
class Sample:
    """A page: its site, its address, its bytes as they came, and what was extracted."""

    site: str
    url: str
    raw: bytes
    document: Document


def raw(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages as they came."""
    return sum(len(page.raw) for page in pages)


def gzipped(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages, each compressed by itself."""
    return sum(len(gzip.compress(page.raw, mtime=0)) for page in pages)


def normalised(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages as they are parsed, without bodies of scripts and style sheets."""
    return sum(len(page.document.page.source) for page in pages)


def gzipped_normalised(pages: Sequence[Sample]) -> int:
    """Return the bytes of normalised pages, each compressed by itself."""
    return sum(len(gzip.compress(page.document.page.source, mtime=0)) for page in pages)


def stored(pages: Sequence[Sample]) -> int:
    """Return the bytes of an SQLite file that gives the normalised pages back, without search."""
    return file_bytes(pages, "all")


def stored_content(pages: Sequence[Sample]) -> int:
    """Return the bytes of an SQLite file with the informative blocks, without search."""
    return file_bytes(pages, "content")


# Ways to keep pages, by name. A further one is a function and a line.
MEASURES: Final[Mapping[str, Callable[[Sequence[Sample]], int]]] = {
    "raw": raw,
    "gzip": gzipped,
    "normalised": normalised,
    "gzip of normalised": gzipped_normalised,
    "store": stored,
    "store, content only": stored_content,
}


@dataclass(frozen=True)
class Storage:
    """Bytes by site and measure, and how many pages a second are put."""

    pages: Mapping[str, int]  # by site
    bytes: Mapping[str, Mapping[str, int]]  # by site and measure; the last site is all of them
    puts: int
    puts_per_second: float | None
    puts_per_cpu_second: float | None  # what a machine that does nothing else would do at most

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


def storage(
    dataset: Dataset, speed: Dataset | None = None, say: Callable[[str], None] = lambda _: None
) -> Storage:
    """Measure the bytes of a set of pages by site, and the throughput on another set."""
    pages = samples(dataset)
    by_site: dict[str, list[Sample]] = {}
    for page in pages:
        by_site.setdefault(page.site, []).append(page)
    by_site["all sites"] = pages
    found: dict[str, dict[str, int]] = {}
    for site, own in by_site.items():
        say(site)
        found[site] = {name: measure(own) for name, measure in MEASURES.items()}
    count = 0
    rates: Rates = (None, None)
    if speed is not None:
        say(f"putting pages of {speed.name}")
        fast = samples(speed.spread(PUTS))
        count, rates = len(fast), throughput(fast)
    return Storage({site: len(own) for site, own in by_site.items()}, found, count, *rates)


def samples(dataset: Dataset) -> list[Sample]:
    """Return the pages of a set, extracted."""
    return [
        Sample(
            item.group,
            item.url or f"https://{item.group}/{item.id}",
            unpacked(item.path),
            tamis.extract(item.html, item.url),
        )
        for item in dataset.items
    ]


def file_bytes(pages: Sequence[Sample], keep: Any) -> int:
    """Return the size of a store of pages, without its index of words."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.db") as store:
        for number, page in enumerate(pages):
            store.put(f"{page.url}#{number}", page.document, keep=keep)
        store.gc()  # gives back what the file has set aside
        with closing(sqlite3.connect(Path(folder) / "s.db")) as connection:
            asked = "SELECT sum(pgsize) FROM dbstat WHERE name NOT LIKE 'word_index%'"
            return int(connection.execute(asked).fetchone()[0])


def throughput(pages: Sequence[Sample]) -> Rates:
    """Return how many pages are put in a second, and in a second of the processor's time.

    Extraction is not counted.
    """
    for page in pages:
        assert page.document.text is not None  # both are computed when they are asked for
        assert page.document.metadata is not None
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.db") as store:
        store.put("https://example.org/", "<p>The first page loads libraries.</p>" * 9)
        started = time.perf_counter(), time.process_time()
        for page in pages:
            store.put(page.url, page.document)
        ended = time.perf_counter(), time.process_time()
    return len(pages) / (ended[0] - started[0]), len(pages) / (ended[1] - started[1])
