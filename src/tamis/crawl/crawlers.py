"""Crawlers: the processes that work at a crawl, and which of them are alive."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

MAX_BEAT_AGE: Final = 60.0  # seconds after the last beat of a crawler when its leases go back


def is_alive(machine: str, process: str, beat_at: int, now: int) -> bool:
    """Say whether a crawler is at work, by its last beat and, on this machine, by its process.

    Times are milliseconds since 1970.
    """
    is_old = now - beat_at > MAX_BEAT_AGE * 1000
    return not is_old and (machine != machine_name() or is_running(process))


def machine_name() -> str:
    """Return what this machine is known by."""
    return platform.node()


def process_name(pid: int | None = None) -> str:
    """Return what a process is known by on its machine: its number and when it started."""
    pid = os.getpid() if pid is None else pid
    return f"{pid}:{_start_time(pid)}"


def is_running(process: str) -> bool:
    """Say whether a process of this machine is running."""
    pid = process.partition(":")[0]
    if not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return process_name(int(pid)) == process


def _start_time(pid: int) -> str:
    """Return when a process started, as the system counts it; empty where it does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    except (OSError, IndexError):
        return ""
