"""Spark: pages of a DataFrame, jobs over lists of inputs, and templates and duplicates of a corpus.

tamis must be installed where the executors run. Each Python process of an executor has one worker
for pages, which it keeps from task to task.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tamis.errors import SourceError, TamisError, unavailable
from tamis.scale.batches import extract_batches, shared_pool
from tamis.scale.columns import fit_column
from tamis.scale.duplicates import find_clusters
from tamis.scale.inputs import InputFile, find_inputs
from tamis.scale.job import Job, Summary, process_input
from tamis.scale.locations import find_filesystem
from tamis.scale.options import Options
from tamis.scale.output import InputReport, OutputFolder
from tamis.scale.page_rows import error_row, page_schema
from tamis.scale.reading import InputReader
from tamis.scale.schema import CHARSET, is_text, is_used, output_schema
from tamis.scale.sites import HOST, SHAPE, TEMPLATE, add_site_keys
from tamis.scale.sites import extract_sites as extract_sites_of_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_MASTER: Final = "local[*,4]"  # all cores, four tries: without the number there is one try
_MAX_TRIES: Final = 3  # of an input whose task dies; Spark ends the whole job after four
_REPORT: Final = "report"
_RAISED: Final = re.compile(r"((\w+\.)+\w+|\w+(Error|Exception)): ")  # in a traceback


def extract(frame: DataFrame, options: Options | None = None) -> DataFrame:
    """Return the rows of the pages in a DataFrame, one for each of its rows.

    The columns are those of `extract_batches`; a missing one is an InputError at once. Keep
    spark.sql.execution.arrow.maxRecordsPerBatch small (256): pages are large.
    """
    to_arrow, from_arrow = _arrow_converters()
    options = options or Options()
    schema = output_schema(to_arrow(frame.schema, timezone="UTC"), options)
    return frame.mapInArrow(partial(_extract_partition, options), from_arrow(schema))


def _extract_partition(
    options: Options, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    yield from extract_batches(batches, options, pool=shared_pool(options))


def extract_sites(frame: DataFrame, options: Options | None = None) -> DataFrame:
    """Return the rows of pages, extracted by a template for each host and shape with enough pages.

    Pages are shuffled so that those of one shape are together. In the first row of each shape that
    has a template, the column `template` has the text of its file.
    """
    to_arrow, from_arrow = _arrow_converters()
    options = options or Options()
    arrow_schema = to_arrow(frame.schema, timezone="UTC")
    keyed_schema = pa.schema([*arrow_schema, (HOST, pa.string()), (SHAPE, pa.string())])
    schema = output_schema(pa.schema([*keyed_schema, (TEMPLATE, pa.string())]), options)
    keyed = frame.mapInArrow(add_site_keys, from_arrow(keyed_schema))
    together = keyed.repartition(HOST, SHAPE).sortWithinPartitions(HOST, SHAPE, "url")
    return together.mapInArrow(partial(_extract_sites_here, options), from_arrow(schema))


def _extract_sites_here(
    options: Options, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    yield from extract_sites_of_batches(batches, options, pool=shared_pool(options))


@dataclass(frozen=True)
class SitesSummary:
    """What `run_sites` has written."""

    pages: int
    failed: int  # of the pages
    templates: int
    pages_with_template: int  # of a host and shape that has one
    clusters: int  # of two pages and more
    duplicates: int  # pages of these, without one of each


def run_sites(
    frame: DataFrame, output: str, options: Options | None = None, *, id_column: str = "url"
) -> SitesSummary:
    """Extract the pages of a DataFrame by templates, and write these and near duplicates as tables.

    OUTPUT/pages has the rows of `extract_sites`, OUTPUT/templates host, shape, pages and template,
    OUTPUT/clusters what `find_clusters` gives; `id_column` names a column of unique values. A table
    is there when all of it is written. A second run makes those that are missing.
    """
    options = options or Options()
    folder = OutputFolder.open(output, options)
    rows = _make_table(frame, folder, "pages", lambda: extract_sites(frame, options))
    templates = _make_table(frame, folder, "templates", lambda: _list_templates(rows))
    clusters = _make_table(
        frame, folder, "clusters", lambda: find_clusters(rows, id_column=id_column)
    )
    return _count_tables(rows, templates, clusters)


def _make_table(
    frame: DataFrame, folder: OutputFolder, name: str, make: Callable[[], DataFrame]
) -> DataFrame:
    """Return a table of the output, which is written if it is not there as a whole."""
    path = f"{folder.location}/{name}"
    filesystem, mark = find_filesystem(f"{path}/_SUCCESS")  # which Spark writes at the end
    filesystem.invalidate_cache()
    if not filesystem.exists(mark):
        make().write.mode("overwrite").parquet(path)
    return frame.sparkSession.read.parquet(path)


def _list_templates(rows: DataFrame) -> DataFrame:
    """Return the templates with the number of pages of their host and shape."""
    from pyspark.sql import functions as f

    counts = rows.groupBy(HOST, SHAPE).agg(f.count("*").alias("pages"))
    listed = rows.where(f.col(TEMPLATE).isNotNull()).select(HOST, SHAPE, TEMPLATE)
    return listed.join(counts, [HOST, SHAPE]).select(HOST, SHAPE, "pages", TEMPLATE)


def _count_tables(rows: DataFrame, templates: DataFrame, clusters: DataFrame) -> SitesSummary:
    from pyspark.sql import functions as f

    pages = rows.agg(f.count("*"), f.count("error_kind")).collect()[0]
    learned = templates.agg(f.count("*"), f.coalesce(f.sum("pages"), f.lit(0))).collect()[0]
    similar = clusters.where("size > 1").agg(f.countDistinct("cluster"), f.count("*")).collect()[0]
    counts = (pages[0], pages[1], learned[0], learned[1], similar[0], similar[1] - similar[0])
    return SitesSummary(*counts)


def read_pages(
    session: SparkSession, inputs: Sequence[str], options: Options | None = None
) -> DataFrame:
    """Return the pages of inputs as a DataFrame, one task for each input.

    It has where they are from, html (bytes), charset, error and error_kind; an input that cannot be
    read, or not to its end, is a row with its problem. Other columns of tables are left out.
    """
    _, from_arrow = _arrow_converters()
    options = options or Options()
    sources = find_inputs(inputs, options.base)
    schema = page_schema(options, pa.binary())
    numbers = session.range(0, len(sources), 1, numPartitions=len(sources))
    read = partial(_read_partition, tuple(sources), options, schema)
    return numbers.mapInArrow(read, from_arrow(schema))


def _read_partition(
    inputs: Sequence[InputFile],
    options: Options,
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Yield the pages of the inputs whose numbers are in a partition."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            reader = InputReader(inputs[number], options)
            problem: Exception | None = None
            try:
                for pages in reader.batches():
                    yield _select_columns(pages, schema, options)
            except SourceError as error:
                problem = error
            if reader.problem is not None:
                problem = SourceError(reader.problem)
            if problem is not None:
                row = {"warc_file": inputs[number].location, **error_row(problem)}
                yield pa.RecordBatch.from_pylist([row], schema)


def _select_columns(pages: pa.RecordBatch, schema: pa.Schema, options: Options) -> pa.RecordBatch:
    """Return the columns of a schema, null where pages have none; HTML as text becomes UTF-8."""
    used = {field.name for field in pages.schema if is_used(field)} | {options.html_column}
    columns = [
        fit_column(pages.column(field.name), field.type)
        if field.name in used
        else pa.nulls(pages.num_rows, field.type)
        for field in schema
    ]
    if is_text(pages.schema.field(options.html_column).type):
        columns[schema.get_field_index(CHARSET)] = pa.array(["utf-8"] * pages.num_rows)
    return pa.record_batch(columns, schema=schema)


def run_spark(
    inputs: Sequence[str],
    output: str,
    options: Options | None = None,
    *,
    session: SparkSession | None = None,
    master: str | None = None,
) -> Summary:
    """Extract all pages of inputs on Spark, one task for each input, and return the counts.

    Without a `session` one is made for `master`, by default this machine, and stopped at the end.
    A second run does what is missing.
    """
    job = Job.plan(inputs, output, options or Options())
    reports: list[InputReport] = []
    running = session or _open_session(master or DEFAULT_MASTER)
    try:
        if job.remaining:
            reports = _run_tasks(running, job)
    finally:
        summary = job.finish(reports)
        if session is None:
            running.stop()
    return summary


def explain_failure(error: Exception) -> str:
    """Return why Spark gave a job up: what was raised last in Python, without the traceback."""
    lines = [line.strip() for line in str(error).splitlines()]
    reasons = [line for line in lines if _RAISED.match(line)] or lines
    return reasons[-1].removeprefix("tamis.errors.")


def _run_tasks(session: SparkSession, job: Job) -> list[InputReport]:
    """Run a task for each input, and return their reports."""
    count = len(job.remaining)
    tasks = session.range(0, count, 1, numPartitions=count)
    process = partial(_process_partition, job.remaining, job.folder, job.options)
    from pyspark.errors import PySparkException

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
            rows = tasks.mapInArrow(process, f"{_REPORT} string").collect()
    except PySparkException as error:
        reason = explain_failure(error)
        raise TamisError(f"Spark gave the job up ({reason}): what is done stays") from error
    return [InputReport(**json.loads(row[_REPORT])) for row in rows]


def _process_partition(
    inputs: Sequence[InputFile],
    folder: OutputFolder,
    options: Options,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Process the inputs whose numbers are in a partition."""
    from pyspark import TaskContext

    context = TaskContext.get()
    tries = context.attemptNumber() if context is not None else 0
    for batch in batches:
        for number in batch.column(0).to_pylist():
            source = inputs[number]
            if tries >= _MAX_TRIES:
                problem = f"its task died {tries} times"
                report = InputReport(source.location, problem=problem)
            else:
                report = _try_input(source, folder, options, is_last=tries == _MAX_TRIES - 1)
            yield pa.record_batch({_REPORT: [json.dumps(asdict(report))]})


def _try_input(
    source: InputFile, folder: OutputFolder, options: Options, *, is_last: bool
) -> InputReport:
    """Process an input; an error such as a full disk is raised, so that Spark tries elsewhere."""
    try:
        return process_input(source, folder, options, shared_pool(options))
    except TamisError as error:
        if not is_last:
            raise
        return InputReport(source.location, problem=str(error))


def _open_session(master: str) -> SparkSession:
    _arrow_converters()  # says what is missing
    from pyspark.sql import SparkSession

    if master.startswith("local"):  # its tasks run here, with what is installed here
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tamis scale").master(master)
    return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()


def _arrow_converters() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions that convert schemas to Arrow and back."""
    try:
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    except ImportError as error:
        raise unavailable("Spark needs pyspark", "spark") from error
    return to_arrow_schema, from_arrow_schema
