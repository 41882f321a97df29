"""Storage: the bytes that pages take, kept in different ways (004 §8.3, Figure 8)."""

from __future__ import annotations

import gc
import gzip
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import tamis
from tamis.blocks import Fragments, Segmenter, TagSet
from tamis.content import Document
from tamis.lab.datasets import Dataset, unpacked
from tamis.source import Input, Source, is_archive, read_archive
from tamis.store import Store, cut_pieces, owned_spans, url_site
from tamis.verdict import Ibdf, Shingle

Rates = tuple[float | None, float | None]

ALL: Final = "all"
PUTS: Final = 500  # pages that throughput is measured on
RUNS: Final = 3
MAX_BYTES: Final = 50_000_000  # of a page in an archive


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


def pieces_once(pages: Sequence[Sample]) -> int:
    """Return the bytes of the pieces of a store, each once and none compressed."""
    return sum(map(len, {cut.data for page in pages for cut in cut_pieces(page.document)}))


def shingles_once(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages of which fragments that `shingle` finds shared are kept once."""
    return shared_once(pages, Fragments(), Shingle())


def ibdf_once(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages of which blocks that `ibdf` finds repeated are kept once."""
    return shared_once(pages, TagSet(), Ibdf())


def shared_once(pages: Sequence[Sample], segmenter: Segmenter, learner: Ibdf | Shingle) -> int:
    """Return the bytes of normalised pages, of each site without the copies of its noise.

    As in 004's cache each page has its own informative blocks. All else, which includes markup
    that belongs to no block, is kept once for a site if it is the same byte for byte: no page
    loses anything.
    """
    by_host: defaultdict[str, list[Sample]] = defaultdict(list)
    for page in pages:
        by_host[url_site(page.url)].append(page)
    size = 0
    for own in by_host.values():
        cut = [segmenter.segment(page.document.page) for page in own]
        learned = learner.fit(cut)
        noise: set[bytes] = set()
        for page, blocks in zip(own, cut, strict=True):
            document = replace(page.document, segments=blocks, verdict=learned.identify(blocks))
            source, last = blocks.page.source, 0
            for start, stop, informative in owned_spans(document):
                noise.add(source[last:start])
                if informative:
                    size += stop - start
                else:
                    noise.add(source[start:stop])
                last = stop
            noise.add(source[last:])
        size += sum(map(len, noise))
    return size


# Ways to keep pages, by name. A further one is a function and a line.
STORAGE_MEASURES: Final[Mapping[str, Callable[[Sequence[Sample]], int]]] = {
    "raw": raw,
    "gzip": gzipped,
    "normalised": normalised,
    "gzip of normalised": gzipped_normalised,
    "shingle": shingles_once,
    "ibdf": ibdf_once,
    "pieces": pieces_once,
    "store": stored,
    "store, content only": stored_content,
}


@dataclass(frozen=True)
class Room:
    """The bytes of the pages of a set."""

    pages: Mapping[str, int]  # by site or archive
    bytes: Mapping[str, Mapping[str, int]]  # by site or archive and measure, the last is of ALL


@dataclass(frozen=True)
class Storage:
    """Bytes by set, and how many pages a second are put."""

    rooms: Mapping[str, Room]
    puts: int
    puts_per_second: float | None
    puts_per_cpu_second: float | None  # what a machine that does nothing else would do at most

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


def storage(
    sets: Mapping[str, Callable[[], Sequence[Sample]]],
    speed: Dataset | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Storage:
    """Measure the bytes of sets of pages, and the throughput on the pages of a data set."""
    rooms: dict[str, Room] = {}
    for name, read in sets.items():
        say(f"reading {name}")
        rooms[name] = room(read(), say)
    count = 0
    rates: Rates = (None, None)
    if speed is not None:
        say(f"putting pages of {speed.name}")
        fast = samples(speed.spread(PUTS))
        count, rates = len(fast), throughput(fast)
    return Storage(rooms, count, *rates)


def room(pages: Sequence[Sample], say: Callable[[str], None]) -> Room:
    """Return the bytes that pages take in all ways, by where they are from."""
    by_place: dict[str, Sequence[Sample]] = {}
    for page in pages:
        by_place[page.site] = (*by_place.get(page.site, ()), page)
    by_place[ALL] = pages
    found: dict[str, dict[str, int]] = {}
    for place, own in by_place.items():
        say(place)
        found[place] = {name: measure(own) for name, measure in STORAGE_MEASURES.items()}
    return Room({place: len(own) for place, own in by_place.items()}, found)


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


def archive_samples(folder: Path) -> list[Sample]:
    """Return the pages of the archives in a folder, extracted; each archive is a site."""
    found = []
    for path in sorted(path for path in folder.iterdir() if is_archive(path.name)):
        for page in read_archive(Input(path.name, "archive", str(path)), MAX_BYTES):
            if isinstance(page, Source):
                url = page.url or page.name
                document = tamis.extract(page.data, url, charset=page.charset)
                found.append(Sample(path.name, url, page.data, document))
    return found


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

    Extraction is not counted. What else a machine does only ever takes time, so of several runs
    the best counts.
    """
    for page in pages:
        assert page.document.text is not None  # both are computed when they are asked for
        assert page.document.metadata is not None
    gc.collect()
    gc.freeze()  # the pages are here for the measurement, and are no burden of a store
    try:
        rates = [rate(pages) for _ in range(RUNS)]
    finally:
        gc.unfreeze()
    return max(passed for passed, _ in rates), max(worked for _, worked in rates)


def rate(pages: Sequence[Sample]) -> tuple[float, float]:
    """Return how many pages are put in a second by the clock and of the processor, in one run."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.db") as store:
        store.put("https://example.org/", "<p>The first page loads libraries.</p>" * 9)
        started = time.perf_counter(), time.process_time()
        for page in pages:
            store.put(page.url, page.document)
        ended = time.perf_counter(), time.process_time()
    return len(pages) / (ended[0] - started[0]), len(pages) / (ended[1] - started[1])
