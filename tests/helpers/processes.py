"""Processes as the system sees them, and waiting for them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120.0  # seconds; on a busy machine everything takes its time


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for a condition, which must come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Say whether a process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def child_processes(parent: int | None = None, *, zombies: bool = True) -> list[int]:
    """Return the children of a process, by default of this one."""
    wanted = str(parent or os.getpid())
    children = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, father = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if father == wanted and (zombies or state not in "ZX"):
            children.append(int(path.parent.name))
    return children


class NewChildren:
    """The children of this process that began after this object: others may have some as well."""

    def __init__(self) -> None:
        self._before = set(child_processes())

    def __call__(self, *, zombies: bool = True) -> list[int]:
        return [pid for pid in child_processes(zombies=zombies) if pid not in self._before]
