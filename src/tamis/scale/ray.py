"""Ray: pages of a dataset, and jobs over lists of inputs.

tamis must be installed on all nodes. Each process of Ray has one worker for pages, which it keeps
from task to task.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tamis.errors import TamisError, unavailable
from tamis.scale.batches import extract_batches, shared_pool
from tamis.scale.inputs import InputFile
from tamis.scale.job import Job, Summary, process_input
from tamis.scale.options import Options
from tamis.scale.output import InputReport, OutputFolder
from tamis.scale.schema import check_schema, output_schema

if TYPE_CHECKING:
    from ray.data import Dataset

_BATCH_ROWS: Final = 256
_MAX_RETRIES: Final = 3  # of an input whose task or node dies


def extract(dataset: Dataset, options: Options | None = None) -> Dataset:
    """Return the rows of the pages in a dataset, one for each of its rows.

    The columns are those of `extract_batches`; a missing one is an InputError at once.
    """
    options = options or Options()
    schema = dataset.schema()
    if schema is not None:
        check_schema(pa.schema(list(zip(schema.names, schema.types, strict=True))), options)
    return dataset.map_batches(
        partial(_extract_table, options=options),
        batch_format="pyarrow",
        batch_size=_BATCH_ROWS,
        zero_copy_batch=True,
    )


def _extract_table(table: pa.Table, *, options: Options) -> pa.Table:
    schema = output_schema(table.schema, options)
    rows = extract_batches(table.to_batches(), options, pool=shared_pool(options))
    return pa.Table.from_batches(rows, schema)


def run_ray(
    inputs: Sequence[str],
    output: str,
    options: Options | None = None,
    *,
    address: str | None = None,
) -> Summary:
    """Extract all pages of inputs on Ray, one task for each input, and return the counts.

    Ray is started on this machine, or joined at `address`, unless this process has it already. A
    second run does what is missing.
    """
    ray = _import_ray()
    job = Job.plan(inputs, output, options or Options())
    reports: list[InputReport] = []
    was_running = ray.is_initialized()
    if not was_running:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
        ray.init(
            address=address,
            log_to_driver=False,
            include_dashboard=False,
            logging_level=logging.ERROR,
        )
    try:
        _run_tasks(ray, job, reports)
    finally:
        summary = job.finish(reports)
        if not was_running:
            ray.shutdown()
    return summary


def _run_tasks(ray: Any, job: Job, reports: list[InputReport]) -> None:
    """Run a task for each input, and add their reports as they come."""
    task = ray.remote(num_cpus=1, max_retries=_MAX_RETRIES)(_process_here)
    folder, options = ray.put(job.folder), ray.put(job.options)
    waiting = {task.remote(source, folder, options): source for source in job.remaining}
    while waiting:
        (ready,), _ = ray.wait(list(waiting), num_returns=1)
        source = waiting.pop(ready)
        try:
            reports.append(ray.get(ready))
        except ray.exceptions.RayTaskError as error:  # whose message is a traceback
            if isinstance(error.cause, TamisError):
                raise error.cause from None
            raise
        except _deaths(ray) as error:
            problem = f"its task died {_MAX_RETRIES + 1} times: {type(error).__name__}"
            reports.append(InputReport(source.location, problem=problem))


def _deaths(ray: Any) -> tuple[type[Exception], ...]:
    """Return the errors of Ray that say that a task ended with its process, not by itself."""
    errors = ray.exceptions
    return errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError


def _process_here(source: InputFile, folder: OutputFolder, options: Options) -> InputReport:
    return process_input(source, folder, options, shared_pool(options))


def _import_ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise unavailable("Ray needs ray", "ray") from error
    return ray
