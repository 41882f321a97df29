"""Tasks for workers: well-behaved ones and all kinds of bad ones."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOREVER = 100_000


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Unreadable:
    """Can be pickled, but not read again."""

    def __reduce__(self) -> Any:
        return os.kill, ("no", "numbers")


def square(number: int) -> int:
    return number * number


def tell_pid(_: object) -> int:
    return os.getpid()


def misbehave(page: object) -> Any:
    """Do what the page is named for, if it is a string; others are given back."""
    return DEEDS[page](page) if isinstance(page, str) and page in DEEDS else page


def hold_the_gil(_: str) -> None:
    ctypes.PyDLL(None).sleep(FOREVER)


def spin(_: str) -> None:
    while True:
        pass


def crash(_: str) -> None:
    ctypes.string_at(0)


def fill_lists(_: str) -> list[Any]:
    lists = []
    while True:
        lists.append([0] * 1_000_000)


def fill_shared_memory(_: str) -> None:
    maps = []
    while True:
        maps.append(mmap.mmap(-1, 64 << 20))


def raise_unpicklable(_: str) -> None:
    raise ValueError("odd", lambda: None)


def raise_unprintable(_: str) -> None:
    raise Unprintable


def recurse(page: str) -> str:
    return recurse(page) + page


def start_child_and_die(_: str) -> None:
    """Die while a process of ours keeps all pipes open."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)


def start_program_and_hang(page: str) -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100000)"])
    spin(page)


def interrupt(_: str) -> str:
    signal.raise_signal(signal.SIGINT)
    return "ignored"


def close_pipes(_: str) -> None:
    os.closerange(3, 100)
    time.sleep(FOREVER)


DEEDS: dict[str, Callable[[str], Any]] = {
    "sleep": lambda _: time.sleep(FOREVER),
    "hold": hold_the_gil,
    "spin": spin,
    "crash": crash,
    "exit": lambda _: os._exit(7),
    "leave": lambda _: os._exit(0),
    "abort": lambda _: os.abort(),
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "stop": lambda _: os.kill(os.getpid(), signal.SIGSTOP),
    "lists": fill_lists,
    "block": lambda _: bytearray(1 << 40),
    "shared": fill_shared_memory,
    "child": start_child_and_die,
    "program": start_program_and_hang,
    "close": close_pipes,
    "unpicklable": lambda _: lambda: None,
    "unreadable": lambda _: Unreadable(),
    "unpicklable error": raise_unpicklable,
    "unprintable error": raise_unprintable,
    "recursion": recurse,
    "sys.exit": lambda _: sys.exit(0),
    "interrupt": interrupt,
}


def build_square() -> Callable[[int], int]:
    return square


def build_pid() -> Callable[[object], int]:
    return tell_pid


def build_bad() -> Callable[[object], Any]:
    return misbehave


def build_sleep() -> Callable[[float], None]:
    return time.sleep


def build_bytes() -> Callable[[int], bytes]:
    return bytes


def fill_memory(size: int) -> int:
    return len(b"x" * size)


def build_filled() -> Callable[[int], int]:
    return fill_memory


def build_length() -> Callable[[bytes], int]:
    return len


def fail_to_build() -> Callable[[object], object]:
    raise ValueError("no model here")


def die_at_start() -> Callable[[object], object]:
    os._exit(9)


def hold_at_start() -> Callable[[object], object]:
    time.sleep(FOREVER)
    return misbehave


class Leaky:
    """Keeps a megabyte per page."""

    def __init__(self) -> None:
        self.kept: list[bytearray] = []

    def __call__(self, page: int) -> int:
        self.kept.append(bytearray(os.urandom(1 << 20)))
        return os.getpid()


class Hoard:
    """Has a lot of memory before its first page."""

    def __init__(self) -> None:
        self.kept = b"x" * (300 << 20)

    def __call__(self, size: int) -> int:
        return fill_memory(size)


class Logged:
    """Writes each page to a file when it is started; waits for a file of the page's name."""

    def __init__(self, folder: Path, seconds: float = 0.0) -> None:
        self.folder = folder
        self.seconds = seconds

    def __call__(self) -> Callable[[object], object]:
        self._append("factories", os.getpid())
        return self.work

    def work(self, page: object) -> object:
        self._append("pages", page)
        while isinstance(page, str) and not (self.folder / page).exists():
            time.sleep(0.01)
        time.sleep(self.seconds)
        return page

    def _append(self, name: str, line: object) -> None:
        with open(self.folder / name, "ab", buffering=0) as file:
            file.write(f"{line}\n".encode())

    def lines(self, name: str = "pages") -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / name).read_text().split()
        return []
