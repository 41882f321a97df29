"""Templates, storage and duplicates of a whole corpus, as one job on Spark.

All pages of all data sets, and of the archives beside them, are extracted by a template for each
host and shape, near duplicates are joined, and the bytes that pages take are added up, each site's
by the task that has its pages. Debnath et al. 2005 measure storage in Figure 8 and look for
syndicated copies in §1.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pyarrow as pa
import pyarrow.parquet as pq

import tamis
from tamis.errors import InputError, TamisError
from tamis.lab.datasets import list_datasets, load, read_unpacked
from tamis.lab.report.charts import bar_chart
from tamis.lab.report.report import Chart, Report, ReportTable
from tamis.lab.studies.scale.systems import JOBS
from tamis.lab.studies.store import STORAGE_MEASURES, Sample
from tamis.lab.study import Log, Study
from tamis.source import Input, Source, is_archive, read_archive
from tamis.store import compute_digest, cut_pieces, url_site

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ARCHIVES: Final = "warc"  # the folder of archives among the data sets
_MAX_BYTES: Final = 50_000_000  # of a page in an archive
_ROWS: Final = 32  # of a group of rows, which have the HTML of pages
_BY_SITE: Final = ("raw", "gzip", "normalised", "gzip of normalised", "shingle", "ibdf")
_PIECES: Final = "pieces"
_CONTENT: Final = "pieces of content"
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
}
_PAGE_SCHEMA: Final = pa.schema(
    [(name, pa.string()) for name in ("id", "dataset", "url", "charset")] + [("html", pa.binary())]
)
_SIZE_SCHEMA: Final = "way string, digest binary, bytes long"


@dataclass(frozen=True)
class CorpusFigures:
    """What the job has measured."""

    pages: Counter[str]  # by data set
    hosts: int
    sites: Any  # the summary of `run_sites`
    bytes: dict[str, int]  # by way to keep pages
    clusters: Counter[str]  # of two pages and more, by what their pages share
    seconds: dict[str, float]  # by step
    shuffled: dict[str, int]  # bytes by step


@dataclass(frozen=True)
class ScaleSitesStudy(Study):
    """Runs templates, storage and near duplicates of all data sets as one job on Spark."""

    name: ClassVar[str] = "scale-sites"

    limit: int | None = None  # pages of each data set

    def run(self, log: Log) -> Report:
        """Write all pages to a table, and run the job on it."""
        bench = Path(os.environ.get("TAMIS_BENCH", ""))
        names = list_datasets(bench)
        if not names:
            raise InputError("set TAMIS_BENCH to the folder that holds the data sets")
        with tempfile.TemporaryDirectory(prefix="tamis-corpus-") as folder:
            log.say("reading pages")
            pages = write_pages(Path(folder, "input.parquet"), bench, names, self.limit)
            figures = run_corpus_job(Path(folder), pages, log)
        return Report(
            "tamis: sites at scale",
            _tables(figures),
            lambda: _charts(figures),
            data=_as_data(figures),
            lead=f"{figures.pages.total():,} pages of {len(figures.pages)} sets as one job on "
            f"Spark, local[{JOBS}].",
        )


def write_pages(path: Path, bench: Path, names: Sequence[str], limit: int | None) -> Counter[str]:
    """Write the pages of data sets and archives to a Parquet file; return how many by set."""
    counts: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    with pq.ParquetWriter(path, _PAGE_SCHEMA) as writer:
        for row in _iterate_pages(bench, names, limit):
            counts[row["dataset"]] += 1
            rows.append({**row, "id": f"{row['dataset']}/{row['id']}"})
            if len(rows) == _ROWS:
                writer.write_table(pa.Table.from_pylist(rows, _PAGE_SCHEMA))
                rows = []
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, _PAGE_SCHEMA))
    return counts


def _iterate_pages(
    bench: Path, names: Sequence[str], limit: int | None
) -> Iterator[dict[str, Any]]:
    for name in names:
        for item in load(name).spread(limit).items:
            url = item.url or f"https://{item.group}/{item.id}"
            html = read_unpacked(item.path)
            yield {
                "id": item.id,
                "dataset": name,
                "url": url,
                "html": html,
                "charset": item.charset,
            }
    folder = bench / _ARCHIVES
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    number = 0
    for path in (path for path in paths if is_archive(path.name)):
        for page in read_archive(Input(path.name, "archive", str(path)), _MAX_BYTES):
            if isinstance(page, Source) and (limit is None or number < limit):
                number += 1
                url = page.url or f"https://{path.name}/{number}"
                yield {
                    "id": f"{path.name}-{number}",
                    "dataset": _ARCHIVES,
                    "url": url,
                    "html": page.data,
                    "charset": page.charset,
                }


# The job ------------------------------------------------------------------------------------------


def run_corpus_job(folder: Path, pages: Counter[str], log: Log) -> CorpusFigures:
    """Run all steps on the pages that a folder has; what they write stays there."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    from tamis.scale import find_clusters, spark

    events = folder / "events"
    events.mkdir()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # its tasks run with what is here
    builder = SparkSession.builder.appName("tamis corpus").master(f"local[{JOBS},4]")
    for name, value in {**_SETTINGS, "spark.eventLog.dir": events.as_uri()}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    steps = _Steps(session, log)
    try:
        frame = session.read.parquet(str(folder / "input.parquet")).repartition(4 * JOBS)
        output = str(folder / "out")
        sites = steps.run(
            "templates and duplicates", lambda: spark.run_sites(frame, output, id_column="id")
        )
        sizes = steps.run("storage", lambda: _measure_sizes(frame))
        clusters = session.read.parquet(f"{output}/clusters")
        again = session.read.parquet(f"{output}/pages")
        steps.run("duplicates alone, again", lambda: find_clusters(again, id_column="id").count())
        rows = session.read.parquet(f"{output}/pages").select("id", "dataset", "url", "text")
        similar = rows.join(clusters.where("size > 1"), "id")
        groups = similar.groupBy("cluster").agg(
            f.collect_list("url"), f.collect_set("dataset"), f.countDistinct("text")
        )
        shared = Counter(_describe_cluster(*row[1:]) for row in groups.collect())
        hosts = session.read.parquet(f"{output}/pages").select("site_host").distinct().count()
    finally:
        session.stop()
    shuffled = read_shuffles(next(events.iterdir()))
    return CorpusFigures(pages, hosts, sites, sizes, shared, steps.seconds, shuffled)


@dataclass
class _Steps:
    """Runs steps one after the other, each under its name in Spark's log of events."""

    session: SparkSession
    log: Log

    def __post_init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def run(self, name: str, step: Callable[[], Any]) -> Any:
        """Run a step, and take its time."""
        self.session.sparkContext.setJobGroup(name, name)
        started = time.monotonic()
        outcome = step()
        self.seconds[name] = time.monotonic() - started
        self.log.say(f"{name}: {self.seconds[name]:.0f} s")
        return outcome


def _describe_cluster(urls: Sequence[str], datasets: Sequence[str], texts: int) -> str:
    """Return where the pages of a cluster are from, and whether their texts are the same."""
    copies = "the same text" if texts == 1 else "nearly the same text"
    if len(set(map(_site, urls))) > 1:
        return f"of several hosts, {copies}"
    return f"of one host, {copies}"


def _site(url: str) -> str:
    try:
        return url_site(url)
    except (TamisError, ValueError):
        return url


def _measure_sizes(frame: DataFrame) -> dict[str, int]:
    """Return the bytes that all pages take, by way to keep them."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType

    keyed = frame.withColumn("site", f.udf(_site, StringType())("url"))
    sizes = keyed.groupBy("site").applyInArrow(_measure_site, _SIZE_SCHEMA)
    each_once = sizes.where("digest is not null").dropDuplicates(["way", "digest"])
    counted = sizes.where("digest is null").union(each_once)
    rows = counted.groupBy("way").agg(f.sum("bytes")).collect()
    return {row[0]: row[1] for row in rows}


def _measure_site(pages: pa.Table) -> pa.Table:
    """Return the bytes of the pages of one site, and the pieces of each, to be counted once."""
    samples = [
        Sample(row["site"], row["url"], row["html"], _extract(row)) for row in pages.to_pylist()
    ]
    ways: list[tuple[str, bytes | None, int]] = [
        (name, None, STORAGE_MEASURES[name](samples)) for name in _BY_SITE
    ]
    for sample in samples:
        for piece in cut_pieces(sample.document):
            digest, size = compute_digest(piece.data), len(piece.data)
            ways.append((_PIECES, digest, size))
            if piece.informative:
                ways.append((_CONTENT, digest, size))
    kinds = (pa.string(), pa.binary(), pa.int64())
    columns = zip(zip(*ways, strict=True), kinds, strict=True)
    return pa.table(
        [pa.array(column, kind) for column, kind in columns], names=["way", "digest", "bytes"]
    )


def _extract(row: dict[str, Any]) -> tamis.Document:
    return tamis.extract(row["html"], row["url"], charset=row["charset"])


def read_shuffles(path: Path) -> dict[str, int]:
    """Return the bytes that tasks have written to be shuffled, by step, from a log of events."""
    steps: dict[int, str] = {}
    written: Counter[str] = Counter()
    with path.open() as file:
        for event in map(json.loads, file):
            if event["Event"] == "SparkListenerJobStart":
                step = event.get("Properties", {}).get("spark.jobGroup.id", "")
                steps |= dict.fromkeys(event["Stage IDs"], step)
            elif event["Event"] == "SparkListenerTaskEnd":
                shuffle = event.get("Task Metrics", {}).get("Shuffle Write Metrics", {})
                size = shuffle.get("Shuffle Bytes Written", 0)
                written[steps.get(event["Stage ID"], "")] += size
    return dict(written)


# The report ---------------------------------------------------------------------------------------


def _tables(figures: CorpusFigures) -> list[ReportTable]:
    sites, total = figures.sites, figures.pages.total()
    corpus = [
        ["pages", f"{total:,}"],
        ["pages that failed", f"{sites.failed:,}"],
        ["hosts", f"{figures.hosts:,}"],
        ["templates, of hosts and shapes with five pages", f"{sites.templates:,}"],
        ["pages of these hosts and shapes", f"{sites.pages_with_template:,}"],
    ]
    raw = figures.bytes["raw"]
    ways = [name for name in (*_BY_SITE, _PIECES, _CONTENT) if name in figures.bytes]
    storage = [
        [name, f"{figures.bytes[name] / 1e6:,.1f}", f"{figures.bytes[name] / raw:.3f}"]
        for name in ways
    ]
    shares = figures.clusters.most_common()
    duplicates = [[f"clusters {name}", f"{count:,}"] for name, count in shares]
    duplicates += [
        ["clusters in all", f"{sites.clusters:,}"],
        ["pages of these, without one of each", f"{sites.duplicates:,}"],
        ["share of all pages", f"{sites.duplicates / total:.3f}"],
    ]
    steps = [
        [name, f"{seconds:.0f}", f"{figures.shuffled.get(name, 0) / total:,.0f}"]
        for name, seconds in figures.seconds.items()
    ]
    return [
        ReportTable("Corpus", ["", "number"], corpus),
        ReportTable("Storage", ["way", "MB", "share of raw"], storage, _STORAGE_CAPTION),
        ReportTable("Near duplicates", ["", "number"], duplicates, _DUPLICATES_CAPTION),
        ReportTable("Steps", ["step", "seconds", "bytes shuffled per page"], steps),
    ]


_STORAGE_CAPTION: Final = (
    "shingle and ibdf keep the noise of a site once; pieces are those of a store, each once in "
    "the corpus, not compressed"
)
_DUPLICATES_CAPTION: Final = "pages whose texts have a similarity of 0.8 and more, by MinHash"


def _charts(figures: CorpusFigures) -> list[Chart]:
    return [
        bar_chart(
            "Bytes of all pages, kept in different ways (Debnath et al. 2005, Figure 8)",
            f"{figures.pages.total():,} pages. {_STORAGE_CAPTION}.",
            {name: size / 1e6 for name, size in figures.bytes.items()},
            ("megabytes", "MB"),
        )
    ]


def _as_data(figures: CorpusFigures) -> dict[str, Any]:
    return {**vars(figures), "sites": vars(figures.sites)}
