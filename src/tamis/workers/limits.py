"""The limits that a worker puts on itself: memory per page, and the end of its parent."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress

_OOM_SCORE = 500  # of 1000: goes before any process of a usual size, also before its own parent
_PR_SET_PDEATHSIG = 1
_LIMITED = (resource.RLIMIT_DATA, resource.RLIMIT_AS)
_TOLERANCE = 1 << 20  # bytes by which two measures of the same memory may differ
_PAGE_SIZE = resource.getpagesize()


def volunteer_for_oom() -> None:
    """Let the kernel end this process first when the machine runs out of memory (Linux)."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(str(_OOM_SCORE))


def die_with_parent(parent: int) -> None:
    """End this process when the pool's process ends, however that comes about."""
    if not _set_death_signal():
        threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before
        os._exit(1)


def _set_death_signal() -> bool:
    """Ask the kernel for SIGKILL at the parent's end: it needs no thread and no GIL (Linux)."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        status: int = ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        return status == 0
    except (ImportError, OSError, AttributeError):
        return False


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


class MemoryLimit:
    """The memory of this process: a limit on what one page may add, and what it did add.

    The limit is on private writable memory (RLIMIT_DATA), counted from what the worker has before
    the page. Address space is limited as well (RLIMIT_AS), for shared mappings, but to twice as
    much, because threads reserve more than they use. Only Linux tells a process what it has: there
    is no limit elsewhere.
    """

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self._former_limits = {which: resource.getrlimit(which) for which in _LIMITED}
        self._statm = _open("/proc/self/statm", os.O_RDONLY)
        self._status = _open("/proc/self/status", os.O_RDONLY)
        self._clear_refs = _open("/proc/self/clear_refs", os.O_WRONLY)
        self._inherited = self._measure_inherited()
        self._before = self._baseline = self.resident

    @property
    def resident(self) -> int:
        """Bytes of this process in memory; 0 where the system does not say."""
        return self._read_statm()[1] if self._statm is not None else 0

    @property
    def growth(self) -> int:
        """Bytes that this process has grown by since it was ready for its first page."""
        return self.resident - self._baseline

    def begin_page(self) -> None:
        """Set the limit for the next page."""
        if self._clear_refs is not None:
            os.pwrite(self._clear_refs, b"5", 0)  # forget the peak
        if self._statm is None:
            return
        size, self._before, _, _, _, data, _ = self._read_statm()
        if self.limit is None:
            return
        self._set_limit(resource.RLIMIT_DATA, data + self.limit)
        self._set_limit(resource.RLIMIT_AS, size + 2 * self.limit)

    def end_page(self) -> None:
        """Lift the limit, so that there is memory to report an error with."""
        if self.limit is not None:
            for which, limits in self._former_limits.items():
                resource.setrlimit(which, limits)

    def page_peak(self) -> int | None:
        """Return by how many bytes the page raised the memory of this process at most."""
        if self._status is None or self._clear_refs is None:
            return None
        # The quick answer is exact unless the peak of the parent, which it inherited, is higher.
        if (peak := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024) != self._inherited:
            return max(0, peak - self._before)
        _, _, rest = os.pread(self._status, 4096, 0).partition(b"VmHWM:")
        return max(0, int(rest.split(None, 1)[0]) * 1024 - self._before) if rest else None

    def _measure_inherited(self) -> int:
        """Return the peak that the parent had and getrusage() gives as ours; 0 if it is lower."""
        if self._clear_refs is None:
            return 0
        os.pwrite(self._clear_refs, b"5", 0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return peak if peak > self.resident + _TOLERANCE else 0

    def _set_limit(self, which: int, limit: int) -> None:
        """Set a soft limit, but not above the one that this process was started with."""
        soft, hard = self._former_limits[which]
        if soft == resource.RLIM_INFINITY or limit < soft:
            resource.setrlimit(which, (limit, hard))

    def _read_statm(self) -> list[int]:
        assert self._statm is not None
        return [int(pages) * _PAGE_SIZE for pages in os.pread(self._statm, 256, 0).split()]


def _open(path: str, flags: int) -> int | None:
    try:
        return os.open(path, flags)
    except OSError:
        return None
