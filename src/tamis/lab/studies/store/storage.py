"""Storage: the bytes that pages take, kept in different ways.

Debnath et al. 2005 §8.3 compare them in Figure 8.
"""

from __future__ import annotations

import gc
import gzip
import os
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import tamis
from tamis.blocks import Fragments, Segmenter, TagSet
from tamis.content import Document
from tamis.lab.datasets import Dataset, known_sets, load, unpacked
from tamis.lab.report import Chart, Report, ReportTable
from tamis.lab.report.charts import bar_chart
from tamis.lab.study import Log, Study
from tamis.source import Input, Source, is_archive, read_archive
from tamis.store import Store, cut_pieces, owned_spans, url_site
from tamis.verdict import Ibdf, Shingle

Rates = tuple[float | None, float | None]

ALL: Final = "all"
_ARCHIVES: Final = "warc"  # the folder of archives among the data sets
_PUTS: Final = 500  # pages that throughput is measured on
_RUNS: Final = 3
_MAX_BYTES: Final = 50_000_000  # of a page in an archive


@dataclass(frozen=True)
class Sample:
    """A page: its site, its URL, its bytes as they came, and its document."""

    site: str
    url: str
    raw: bytes
    document: Document


def _raw_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages as they came."""
    return sum(len(page.raw) for page in pages)


def _gzip_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages, each compressed by itself."""
    return sum(len(gzip.compress(page.raw, mtime=0)) for page in pages)


def _normalised_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages as they are parsed, without bodies of scripts and style sheets."""
    return sum(len(page.document.page.source) for page in pages)


def _gzip_normalised_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of normalised pages, each compressed by itself."""
    return sum(len(gzip.compress(page.document.page.source, mtime=0)) for page in pages)


def _full_store_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of an SQLite file that gives the normalised pages back, without search."""
    return _store_bytes(pages, "all")


def _content_store_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of an SQLite file with the informative blocks, without search."""
    return _store_bytes(pages, "content")


def _piece_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of the pieces of a store, each once and none compressed."""
    return sum(map(len, {piece.data for page in pages for piece in cut_pieces(page.document)}))


def _shingle_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages of which fragments that `shingle` finds shared are kept once."""
    return _deduplicated_bytes(pages, Fragments(), Shingle())


def _ibdf_bytes(pages: Sequence[Sample]) -> int:
    """Return the bytes of pages of which blocks that `ibdf` finds repeated are kept once."""
    return _deduplicated_bytes(pages, TagSet(), Ibdf())


def _deduplicated_bytes(
    pages: Sequence[Sample], segmenter: Segmenter, learner: Ibdf | Shingle
) -> int:
    """Return the bytes of normalised pages, of each site without the copies of its noise.

    As in the cache of Debnath et al. 2005 each page has its own informative blocks. All else, also
    markup that belongs to no block, is kept once per site if it is the same byte for byte: no page
    loses anything.
    """
    groups: defaultdict[str, list[Sample]] = defaultdict(list)
    for page in pages:
        groups[url_site(page.url)].append(page)
    size = 0
    for members in groups.values():
        segmented = [segmenter.segment(page.document.page) for page in members]
        learned = learner.fit(segmented)
        noise: set[bytes] = set()
        for page, blocks in zip(members, segmented, strict=True):
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


# Ways to keep pages, by name. To add one, write a function and add a line here.
STORAGE_MEASURES: Final[Mapping[str, Callable[[Sequence[Sample]], int]]] = {
    "raw": _raw_bytes,
    "gzip": _gzip_bytes,
    "normalised": _normalised_bytes,
    "gzip of normalised": _gzip_normalised_bytes,
    "shingle": _shingle_bytes,
    "ibdf": _ibdf_bytes,
    "pieces": _piece_bytes,
    "store": _full_store_bytes,
    "store, content only": _content_store_bytes,
}


@dataclass(frozen=True)
class Sizes:
    """The bytes of the pages of a set."""

    pages: Mapping[str, int]  # by site or archive
    bytes: Mapping[str, Mapping[str, int]]  # by site or archive and measure, the last is of ALL


@dataclass(frozen=True)
class StorageOutcome:
    """Bytes by set, and the pages that are put per second."""

    rooms: Mapping[str, Sizes]
    puts: int
    puts_per_second: float | None
    puts_per_cpu_second: float | None  # what a machine that does nothing else would do at most

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class StorageStudy(Study):
    """Measures the bytes that pages of sites-dev and of archives take, and the rate of puts."""

    name: ClassVar[str] = "storage"

    dataset: str = "sites-dev"
    speed_dataset: str = "wcxb-dev"  # left out if it is not there

    def run(self, log: Log) -> Report:
        """Keep the pages in all ways."""
        bench = Path(os.environ.get("TAMIS_BENCH", ""))
        has_speed = self.speed_dataset in known_sets(bench)
        sets = {self.dataset: lambda: read_samples(load(self.dataset))}
        if (bench / _ARCHIVES).is_dir():
            sets[_ARCHIVES] = lambda: read_archive_samples(bench / _ARCHIVES)
        speed_set = load(self.speed_dataset) if has_speed else None
        outcome = measure_storage(sets, speed_set, log.say)
        return Report(
            "tamis: storage",
            storage_tables(outcome),
            lambda: storage_charts(outcome),
            outcome.as_dict(),
        )


def measure_storage(
    sets: Mapping[str, Callable[[], Sequence[Sample]]],
    speed: Dataset | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> StorageOutcome:
    """Measure the bytes of sets of pages, and the throughput on the pages of a data set."""
    rooms: dict[str, Sizes] = {}
    for name, read in sets.items():
        say(f"reading {name}")
        rooms[name] = _measure_sizes(read(), say)
    count = 0
    rates: Rates = (None, None)
    if speed is not None:
        say(f"putting pages of {speed.name}")
        pages = read_samples(speed.spread(_PUTS))
        count, rates = len(pages), _measure_throughput(pages)
    return StorageOutcome(rooms, count, *rates)


def _measure_sizes(pages: Sequence[Sample], say: Callable[[str], None]) -> Sizes:
    """Return the bytes that pages take in all ways, by site or archive."""
    groups: dict[str, Sequence[Sample]] = {}
    for page in pages:
        groups[page.site] = (*groups.get(page.site, ()), page)
    groups[ALL] = pages
    sizes: dict[str, dict[str, int]] = {}
    for group, members in groups.items():
        say(group)
        sizes[group] = {way: measure(members) for way, measure in STORAGE_MEASURES.items()}
    return Sizes({group: len(members) for group, members in groups.items()}, sizes)


def read_samples(dataset: Dataset) -> list[Sample]:
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


def read_archive_samples(folder: Path) -> list[Sample]:
    """Return the pages of the archives in a folder, extracted; each archive is a site."""
    samples = []
    for path in sorted(path for path in folder.iterdir() if is_archive(path.name)):
        for page in read_archive(Input(path.name, "archive", str(path)), _MAX_BYTES):
            if isinstance(page, Source):
                url = page.url or page.name
                document = tamis.extract(page.data, url, charset=page.charset)
                samples.append(Sample(path.name, url, page.data, document))
    return samples


def _store_bytes(pages: Sequence[Sample], keep: Any) -> int:
    """Return the size of a store of pages, without its index of words."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.db") as store:
        for number, page in enumerate(pages):
            store.put(f"{page.url}#{number}", page.document, keep=keep)
        store.gc()  # gives back what the file has set aside
        with closing(sqlite3.connect(Path(folder) / "s.db")) as connection:
            query = "SELECT sum(pgsize) FROM dbstat WHERE name NOT LIKE 'word_index%'"
            return int(connection.execute(query).fetchone()[0])


def _measure_throughput(pages: Sequence[Sample]) -> Rates:
    """Return the pages that are put per second, and per second of the processor's time.

    Extraction is not counted. Other work of the machine only ever takes time, so the best of
    several runs counts.
    """
    for page in pages:
        assert page.document.text is not None  # both are computed at first use
        assert page.document.metadata is not None
    gc.collect()
    gc.freeze()  # the pages belong to the measurement, not to the store
    try:
        rates = [_put_rates(pages) for _ in range(_RUNS)]
    finally:
        gc.unfreeze()
    return max(passed for passed, _ in rates), max(worked for _, worked in rates)


def _put_rates(pages: Sequence[Sample]) -> tuple[float, float]:
    """Return the pages that one run puts per second of the clock and of the processor."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "s.db") as store:
        store.put("https://example.org/", "<p>The first page loads libraries.</p>" * 9)
        started = time.perf_counter(), time.process_time()
        for page in pages:
            store.put(page.url, page.document)
        ended = time.perf_counter(), time.process_time()
    return len(pages) / (ended[0] - started[0]), len(pages) / (ended[1] - started[1])


def storage_tables(outcome: StorageOutcome) -> list[ReportTable]:
    """Return the bytes of all ways to keep pages, by site or archive, and the throughput."""
    tables = [_size_table(name, sizes) for name, sizes in outcome.rooms.items()]
    if outcome.puts_per_second is not None and outcome.puts_per_cpu_second is not None:
        rates = (outcome.puts_per_second, outcome.puts_per_cpu_second)
        row = [f"{outcome.puts:,}", *(f"{rate:,.0f}" for rate in rates)]
        heads = ["pages put", "puts/s", "puts per second of processor"]
        tables.append(ReportTable("Throughput of one process", heads, [row]))
    return tables


def _size_table(name: str, sizes: Sizes) -> ReportTable:
    """Return the bytes of the pages of a set."""
    names = list(sizes.bytes[ALL])
    rows = [
        [group, str(sizes.pages[group]), *(f"{by_way[name] / 1000:,.0f}" for name in names)]
        for group, by_way in sizes.bytes.items()
    ]
    total = sizes.bytes[ALL]
    rows.append(["share of raw", "", *(f"{total[name] / total['raw']:.3f}" for name in names)])
    return ReportTable(f"Storage of {name}, in thousands of bytes", ["", "pages", *names], rows)


def storage_charts(outcome: StorageOutcome) -> list[Chart]:
    """Return the bytes of all pages as bars, as in Figure 8 of Debnath et al. 2005."""
    return [_size_chart(name, sizes) for name, sizes in outcome.rooms.items()]


def _size_chart(name: str, sizes: Sizes) -> Chart:
    """Return the bytes of the pages of a set as bars."""
    return bar_chart(
        f"Bytes of all pages of {name}, kept in different ways (Debnath et al. 2005, Figure 8)",
        f"{sizes.pages[ALL]} pages. Raw and normalised pages, shingle, ibdf and pieces are not "
        "compressed; a store is an SQLite file with all but the index of words.",
        {way: count / 1e6 for way, count in sizes.bytes[ALL].items()},
        ("megabytes", "MB"),
    )
