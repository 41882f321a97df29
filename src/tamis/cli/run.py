"""A run over many pages: work, output, progress, and how it ended."""

from __future__ import annotations

import errno
import sys
import time
from pathlib import Path

from tamis.cli.job import Job
from tamis.cli.output import Folder, Output, output_to
from tamis.cli.progress import Progress
from tamis.cli.workers import outcomes
from tamis.errors import TamisError
from tamis.source import Place

FAILED, INTERRUPTED = 1, 130


def run(
    places: list[Place], job: Job, path: Path | None, jobs: int, *, resume: bool, overwrite: bool
) -> int:
    """Extract all places and return the exit code."""
    output = output_to(path, job.form, many=job.many, resume=resume, overwrite=overwrite)
    left = unfinished(places, output, resume=resume)
    started = time.monotonic()
    progress = Progress(len(left), skipped=len(places) - len(left))
    code = 0
    try:
        with progress:
            for outcome in outcomes(left, job, jobs):
                progress.count(outcome)
                output.write(outcome)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        raise TamisError(unwritable(path, error)) from error
    if job.many or code:
        progress.summary(time.monotonic() - started, interrupted=code == INTERRUPTED)
    return code or (FAILED if progress.failed else 0)


def unfinished(places: list[Place], output: Output, *, resume: bool) -> list[Place]:
    """Return the places that an earlier run did not finish."""
    if not resume:
        return places
    if isinstance(output, Folder):
        return [place for place in places if not output.has(place.name)]
    done = output.finished()
    return [place for place in places if place.name not in done]


def unwritable(path: Path | None, error: OSError) -> str:
    """Say why output could not be written, and what to do."""
    where = path or "standard output"
    if error.errno == errno.ENOSPC:
        return f"the disk is full; what is in {where} is whole, go on with --resume"
    return f"cannot write {where}: {error.strerror or error}"
