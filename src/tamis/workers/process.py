"""The pool's side of one worker: its process, its pipes and the pages that it was given."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from multiprocessing import spawn, util
from typing import Generic, TypeVar

from tamis.workers.messages import CLAIM, HEADER

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tamis.workers.worker import main; main()"
)
_PIPE_SIZE = 1 << 20  # bytes; the next pages should fit into the pipe, then no worker waits
_MAX_PARTS = 16  # of messages, in one write
_READ_SIZE = 1 << 16  # bytes: more than most replies have, so that one read gets a reply
_MAX_EXIT_WAIT = 1.0  # seconds from the end of a worker's pipe to the end of its process
_MAX_FREEZE_WAIT = 1.0  # seconds
_STDERR = 2

Page = TypeVar("Page")


class WorkerProcess(Generic[Page]):
    """One worker. Nothing here blocks, but for the moments in which a process starts or ends.

    `pages` are those that it was given and has not replied to, by number. It works on the first;
    the others wait in its pipe and can be taken back.
    """

    def __init__(self, now: float) -> None:
        self.is_ready = False
        self.since = now  # when it was started, or began with the first of its pages
        self.pages: dict[int, Page] = {}
        self.has_ended = False  # its replies have come to an end
        self.start_error: str | None = None
        self._unsent: deque[memoryview] = deque()
        self.is_watched = False  # whether the dispatcher waits for its pipe to take more
        self._received = bytearray()  # of messages that are not whole yet
        self._open_descriptors: list[int] = []
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        """Start the process: a new interpreter, which is safe whatever threads run here."""
        tasks, self.tasks = self._open_pipe()
        self._claims, self._claims_end = self._open_pipe()
        self.replies, replies = self._open_pipe()
        for descriptor in (self.tasks, self._claims, self._claims_end, self.replies):
            os.set_blocking(descriptor, False)
        main_name, main_path = _main_module()
        self._process = subprocess.Popen(
            [
                os.fsdecode(spawn.get_executable()),
                *util._args_from_interpreter_flags(),  # type: ignore[attr-defined]
                "-c",
                _BOOT,
                json.dumps(sys.path),
                *map(str, (os.getpid(), tasks, self._claims, replies)),
                main_name or "",
                main_path or "",
            ],
            stdin=subprocess.DEVNULL,
            stdout=_STDERR if _is_open(_STDERR) else subprocess.DEVNULL,  # stdout is for data
            pass_fds=(tasks, self._claims, replies),
            start_new_session=True,  # no Ctrl-C from the terminal; what it starts ends with it
        )
        for descriptor in (tasks, replies):
            self._open_descriptors.remove(descriptor)
            os.close(descriptor)

    def _open_pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open_descriptors += ends
        with suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        return ends

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    # To the worker ------------------------------------------------------------------------------

    def give(self, number: int, page: Page, parts: Sequence[bytes]) -> None:
        """Give a page to the worker."""
        self.pages[number] = page
        os.write(self._claims_end, CLAIM.pack(number))
        self.send(number, parts)

    def send(self, number: int, parts: Sequence[bytes]) -> None:
        """Send a message in parts; what does not fit into the pipe is kept for `flush`."""
        header = HEADER.pack(number, sum(map(len, parts)))
        self._unsent += map(memoryview, (header, *parts))
        self.flush()

    def flush(self) -> None:
        """Write as much as the pipe takes."""
        try:
            while self._unsent:
                count = os.writev(self.tasks, list(islice(self._unsent, _MAX_PARTS)))
                while self._unsent and count >= len(self._unsent[0]):
                    count -= len(self._unsent.popleft())
                if count:
                    self._unsent[0] = self._unsent[0][count:]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it died, which the end of its replies tells as well
            self._unsent.clear()

    @property
    def has_unsent(self) -> bool:
        """Whether there is something for `flush` to write."""
        return bool(self._unsent)

    def take_back(self) -> Page | None:
        """Take back the first page that the worker has not started; None if there is none."""
        try:
            claim = os.read(self._claims, CLAIM.size)
        except BlockingIOError:
            return None
        return self.pages.pop(CLAIM.unpack(claim)[0]) if claim else None

    # From the worker ----------------------------------------------------------------------------

    def receive(self) -> Iterator[tuple[int, bytearray]]:
        """Yield the messages that are there, whole ones only; at their end set `has_ended`."""
        is_empty = False
        while not is_empty:
            try:
                received = os.read(self.replies, _READ_SIZE)
            except BlockingIOError:
                return
            self.has_ended = not received
            is_empty = len(received) < _READ_SIZE
            self._received += received
            while len(self._received) >= HEADER.size:
                number, length = HEADER.unpack_from(self._received)
                end = HEADER.size + length
                if len(self._received) < end:
                    break
                content = self._received[HEADER.size : end]
                del self._received[:end]
                yield number, content

    # The end ------------------------------------------------------------------------------------

    def _signal(self, number: signal.Signals) -> None:
        # Until the process is reaped, which `kill` does last, the number of its group is its own.
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def is_alive(self) -> bool:
        """Say whether the process has not ended; it is not reaped here."""
        if not hasattr(os, "waitid"):  # macOS
            return self._process.poll() is None
        try:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, options) is None
        except ChildProcessError:  # reaped by somebody else
            return False

    def let_go(self) -> None:
        """Let the worker end by itself: there is nothing more to do for it."""
        for descriptor in (self.tasks, self._claims_end):
            if descriptor in self._open_descriptors:
                self._open_descriptors.remove(descriptor)
                os.close(descriptor)

    def wait(self, seconds: float = _MAX_EXIT_WAIT) -> bool:
        """Wait for the end of the process; return whether it has ended."""
        end = time.monotonic() + seconds
        pause = 0.0002
        while self.is_alive():
            if time.monotonic() >= end:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
        return True

    def freeze(self) -> None:
        """Stop the process for a moment, so that it is certain what it has done and what not."""
        self._signal(signal.SIGSTOP)
        if hasattr(os, "waitid"):
            options = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
            end = time.monotonic() + _MAX_FREEZE_WAIT
            with suppress(ChildProcessError):
                while os.waitid(os.P_PID, self.pid, options) is None and time.monotonic() < end:
                    time.sleep(0.001)

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> int:
        """End the process and what it has started; return its status."""
        self._signal(signal.SIGKILL)
        return self._process.wait()

    def close(self) -> None:
        """Close the pipes: what the worker left in them is lost."""
        while self._open_descriptors:
            os.close(self._open_descriptors.pop())


def describe_status(status: int) -> str:
    """Return how a process ended, in words."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was ended by {name}" + " (out of memory?)" * (-status == signal.SIGKILL)


def _main_module() -> tuple[str | None, str | None]:
    """Return name or path of the script that runs here, for workers that need its classes."""
    main = sys.modules.get("__main__")
    specification = getattr(main, "__spec__", None)
    if specification is not None:
        return specification.name, None
    path = getattr(main, "__file__", None)
    return None, os.path.abspath(path) if path else None


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
