"""Spark: pages of a DataFrame, and jobs over lists of inputs.

tamis must be installed where the executors run. Each Python process of an executor has one worker
for pages, which it keeps from task to task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tamis.errors import unavailable
from tamis.scale.batches import extract_batches, shared_pool
from tamis.scale.inputs import InputFile
from tamis.scale.job import Job, Summary, process_input
from tamis.scale.options import Options
from tamis.scale.output import InputReport, OutputFolder
from tamis.scale.schema import output_schema
from tamis.scale.sites import HOST, SHAPE, TEMPLATE, add_site_keys
from tamis.scale.sites import extract_sites as extract_sites_of_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_MASTER: Final = "local[*,4]"  # all cores, four tries: without the number there is one try
_MAX_TRIES: Final = 3  # of an input whose task dies; Spark ends the whole job after four
_REPORT: Final = "report"


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


def _run_tasks(session: SparkSession, job: Job) -> list[InputReport]:
    """Run a task for each input, and return their reports."""
    count = len(job.remaining)
    tasks = session.range(0, count, 1, numPartitions=count)
    process = partial(_process_partition, job.remaining, job.folder, job.options)
    rows = tasks.mapInArrow(process, f"{_REPORT} string").collect()
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
                report = process_input(source, folder, options, shared_pool(options))
            yield pa.record_batch({_REPORT: [json.dumps(asdict(report))]})


def _open_session(master: str) -> SparkSession:
    _arrow_converters()  # says what is missing
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("tamis scale").master(master)
    return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()


def _arrow_converters() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions that convert schemas to Arrow and back."""
    try:
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    except ImportError as error:
        raise unavailable("Spark needs pyspark", "spark") from error
    return to_arrow_schema, from_arrow_schema
