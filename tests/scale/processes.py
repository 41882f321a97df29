"""Processes of engines: those that a test started, found in /proc, and waiting for things."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def child_processes(pid: int) -> list[int]:
    """Return the children of a process."""
    children: list[int] = []
    with suppress(OSError):
        for path in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                children += map(int, (path / "children").read_text().split())
    return children


def descendants(pid: int) -> list[int]:
    """Return the children of a process, their children and so on, nearest first."""
    generations = [child_processes(pid)]
    while generations[-1]:
        generations.append([c for parent in generations[-1] for c in child_processes(parent)])
    return [process for generation in generations for process in generation]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_for(check: Callable[[], T], seconds: float = 180) -> T:
    """Return what a function gives once that is true, or after a time in any case."""
    end = time.monotonic() + seconds
    while not (value := check()) and time.monotonic() < end:
        time.sleep(0.05)
    return value
