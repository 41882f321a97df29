"""A run over many pages: work, output, progress, and how it ended."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

from tamis.cli.ends import refusal
from tamis.cli.interrupts import Interrupts
from tamis.cli.items import has_archives, items_of
from tamis.cli.job import Job, Outcome
from tamis.cli.output import output_to
from tamis.cli.progress import Progress
from tamis.cli.slow import tell_if_slow
from tamis.cli.workers import outcomes
from tamis.errors import TamisError
from tamis.source import Input

FAILED, INTERRUPTED = 1, 130


def run(
    places: list[Input],
    job: Job,
    path: str | None,
    jobs: int,
    *,
    resume: bool,
    overwrite: bool,
    heard: Callable[[Outcome], str | None] = lambda outcome: None,
) -> int:
    """Extract all places and return the exit code; `heard` may have something to say on each."""
    output = output_to(path, job, places, resume=resume, overwrite=overwrite)
    left = [place for place in places if not output.has(place.name)]
    total = None if has_archives(left) else len(left)
    progress = Progress(total, len(places) - len(left), to_terminal=path is None)
    tell_if_slow()
    interrupts = Interrupts()
    items = items_of(left, job, output.has)
    resumable = path is not None and job.many
    interrupted = False
    try:
        with interrupts.watched(), progress, closing(outcomes(items, job, jobs)) as found:
            for outcome in found:
                with interrupts.whole(), explained(path, resumable=resumable):
                    output.write(outcome)
                    progress.count(outcome)
                if said := heard(outcome):
                    progress.say(said)
    except KeyboardInterrupt:
        interrupted = True
    except BaseException:
        with suppress(OSError):
            output.close()
        raise
    with explained(path, resumable=resumable):
        output.close()
    if job.many or interrupted:
        progress.summary(interrupted=interrupted, resumable=resumable)
    if interrupted:
        return INTERRUPTED
    return 0 if progress.is_whole else FAILED


@contextmanager
def explained(path: str | None, *, resumable: bool) -> Iterator[None]:
    """Make an error in writing one that says what to do."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        going_on = ", then go on with --resume" * (resumable and error.errno == errno.ENOSPC)
        target = path or "standard output"
        raise TamisError(f"cannot write {target}: {refusal(error)}{going_on}") from error
