"""The runner: a task over inputs, its outcomes into a sink, with progress and an exit code."""

from __future__ import annotations

import errno
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from types import FrameType
from typing import Final

from tamis.cli.inputs import has_archives
from tamis.cli.messages import explain_system_error
from tamis.cli.progress import RunProgress
from tamis.cli.sinks import Sink
from tamis.cli.tasks import Outcome, PageTask, Work
from tamis.cli.workers import run_tasks
from tamis.errors import TamisError
from tamis.source import Failure, Input, Source, read_archive

_FAILED: Final = 1
_INTERRUPTED: Final = 130


def run(
    inputs: Sequence[Input | Source],
    task: PageTask,
    sink: Sink,
    *,
    jobs: int = 1,
    on_outcome: Callable[[Outcome], str | None] = lambda outcome: None,
) -> int:
    """Run a task over all inputs and return the exit code.

    `on_outcome` is called with each outcome and may return a message to print.
    """
    remaining = [page_input for page_input in inputs if not sink.has(page_input)]
    has_total = not has_archives(page for page in remaining if isinstance(page, Input))
    progress = RunProgress(
        task.description,
        len(remaining) if has_total else None,
        len(inputs) - len(remaining),
        quiet=sink.is_on_terminal,
    )
    interrupts = _Interrupts()
    work = sink.leave_out_finished(_expand_archives(remaining, task))
    interrupted = False
    try:
        with interrupts.watched(), progress, closing(run_tasks(work, task, jobs)) as outcomes:
            for outcome in outcomes:
                with interrupts.held_back(), _explain_write_errors(sink):
                    sink.write(outcome)
                    progress.count(outcome)
                if message := on_outcome(outcome):
                    progress.print(message)
    except KeyboardInterrupt:
        interrupted = True
    except BaseException:
        with suppress(OSError):
            sink.close()
        raise
    with _explain_write_errors(sink):
        sink.close()
    if task.many or interrupted:
        progress.print_summary(interrupted=interrupted, resumable=sink.is_resumable)
    if interrupted:
        return _INTERRUPTED
    return 0 if progress.is_success else _FAILED


def _expand_archives(inputs: Iterable[Input | Source], task: PageTask) -> Iterator[Work]:
    """Yield inputs, with the pages of an archive instead of the archive.

    Pages of archives are read here, one after the other, as an archive can only be read from its
    beginning. Other inputs are read where the task runs.
    """
    for page_input in inputs:
        if isinstance(page_input, Source) or page_input.kind != "archive" or page_input.problem:
            yield page_input
            continue
        for page in read_archive(page_input, task.max_bytes):
            if isinstance(page, Failure):
                failed = task.fail(page.name, str(page.error), type(page.error).__name__)
                yield replace(failed, counts_as="archive") if page.of_archive else failed
            else:
                yield page


@contextmanager
def _explain_write_errors(sink: Sink) -> Iterator[None]:
    """Turn an error in writing into one that says what to do."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        advice = ""
        if sink.is_resumable and error.errno == errno.ENOSPC:
            advice = ", then go on with --resume"
        reason = explain_system_error(error)
        raise TamisError(f"cannot write {sink.name}: {reason}{advice}") from error


class _Interrupts:
    """Raises KeyboardInterrupt at Ctrl-C, but not in the middle of what must stay whole.

    A second Ctrl-C is not held back: a user who insists may get a partial line.
    """

    def __init__(self) -> None:
        self._count = 0
        self._held_back = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch for Ctrl-C, unless this process ignores it or this is not its main thread."""
        previous = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or previous is signal.SIG_IGN:
            yield
            return
        signal.signal(signal.SIGINT, self._on_signal)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Finish what is begun; an interrupt is raised after it."""
        self._held_back = True
        try:
            yield
        finally:
            self._held_back = False
        if self._count:
            raise KeyboardInterrupt

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        self._count += 1
        if not self._held_back or self._count > 1:
            raise KeyboardInterrupt
