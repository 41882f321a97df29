"""One machine: the reference that other engines are compared with.

Each input is read by a process of its own, which has workers for its pages, so that neither reading
nor extracting waits for a single process. A reader that dies costs its input another try.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import Final

from tamis.errors import WorkerDied
from tamis.scale.batches import shared_pool
from tamis.scale.inputs import InputFile
from tamis.scale.job import Job, Summary, process_input
from tamis.scale.options import Options
from tamis.scale.output import InputReport, OutputFolder
from tamis.workers import Pool

_MAX_TRIES: Final = 3  # of an input whose reader dies


def run_local(
    inputs: Sequence[str],
    output: str,
    options: Options | None = None,
    *,
    jobs: int | None = None,
    on_report: Callable[[InputReport, Job], None] = lambda report, job: None,
) -> Summary:
    """Extract all pages of inputs on this machine, `jobs` at a time, and return the counts.

    `on_report` is called after each input. A second run does what is missing.
    """
    job = Job.plan(inputs, output, options or Options())
    reports: list[InputReport] = []
    try:
        with closing(_process(job, jobs or _count_cores())) as processed:
            for report in processed:
                reports.append(report)
                on_report(report, job)
    finally:
        summary = job.finish(reports)
    return summary


def _process(job: Job, jobs: int) -> Generator[InputReport, None, None]:
    """Yield the reports of the inputs that are left, as they come."""
    if not job.remaining:
        return
    readers = min(jobs, len(job.remaining))
    factory = partial(_build_task, job.folder, job.options, -(-jobs // readers))
    waiting, tries = job.remaining, 1
    with Pool(factory, workers=readers, deadline=None, memory=None, max_growth=None) as pool:
        while waiting:
            died: list[InputFile] = []
            for outcome in pool.map(waiting, ordered=False, ahead=2 * readers):
                if outcome.kind != WorkerDied.__name__:
                    yield outcome.unwrap()
                elif tries < _MAX_TRIES:
                    died.append(outcome.input)
                else:
                    problem = f"its reader died {tries} times: {outcome.error}"
                    yield InputReport(outcome.input.location, problem=problem)
            waiting, tries = tuple(died), tries + 1


def _build_task(
    folder: OutputFolder, options: Options, workers: int
) -> Callable[[InputFile], InputReport]:
    return partial(_process_here, folder, options, workers)


def _process_here(
    folder: OutputFolder, options: Options, workers: int, source: InputFile
) -> InputReport:
    return process_input(source, folder, options, shared_pool(options, workers))


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
