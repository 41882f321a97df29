"""Writes to a store in processes that the tests kill: python writer.py STORE.

It reads lines of two numbers, the first page and how many, and starts a process for each that puts
these pages and reports each of them. The libraries are loaded once for all processes.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from helpers.news import address, news
from tamis.store import Store


def report(word: str, number: int) -> None:
    """Write a line completely or not at all, whenever the process is killed."""
    os.write(1, f"{word} {number}\n".encode())


def put_all(location: str, start: int, count: int) -> None:
    report("started", os.getpid())
    with Store.open(location) as store:
        for number in range(start, start + count):
            store.put(address(number), news(number))
            report("stored", number)


def main(location: str) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/warm.db") as store:
        store.put(address(0), news(0))
    for line in sys.stdin:
        start, count = map(int, line.split())
        child = os.fork()
        if child == 0:
            put_all(location, start, count)
            os._exit(0)
        os.waitpid(child, 0)
        report("ended", child)


if __name__ == "__main__":
    main(sys.argv[1])
