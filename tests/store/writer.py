"""Writes to a store in processes of its own, to be killed: python writer.py STORE.

For each line of two numbers that it reads it starts a process that puts so many pages from there
on and says so after each. It loads the libraries once for all of them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from helpers.news import address, news
from tamis.store import Store


def say(word: str, number: int) -> None:
    """Write a line as a whole or not at all, whenever the process is killed."""
    os.write(1, f"{word} {number}\n".encode())


def put_all(place: str, start: int, count: int) -> None:
    say("started", os.getpid())
    with Store.open(place) as store:
        for number in range(start, start + count):
            store.put(address(number), news(number))
            say("stored", number)


def main(place: str) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/warm.db") as store:
        store.put(address(0), news(0))
    for line in sys.stdin:
        start, count = map(int, line.split())
        child = os.fork()
        if child == 0:
            put_all(place, start, count)
            os._exit(0)
        os.waitpid(child, 0)
        say("ended", child)


if __name__ == "__main__":
    main(sys.argv[1])
