"""A method that does to its worker what a page asks for: pages that crash, hang or eat memory."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from tamis import Method
from tamis.blocks import Blocks, TagSet
from tamis.verdict import Learned, Verdict


def fill_memory() -> None:
    blocks = []
    while True:
        blocks.append(bytearray(1 << 24))


def fail() -> None:
    raise ZeroDivisionError("a bug")


POISONS: dict[str, Callable[[], object]] = {
    "crash": lambda: ctypes.string_at(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "hang": lambda: time.sleep(100_000),
    "memory": fill_memory,
    "bug": fail,
}
KINDS = {
    "crash": "WorkerDied",
    "kill": "WorkerDied",
    "hang": "DeadlineExceeded",
    "memory": "OutOfMemory",
    "bug": "ZeroDivisionError",
}


@dataclass(frozen=True)
class Poisonous:
    """Judges as the default does, unless the page begins with the name of a poison."""

    def identify(self, blocks: Blocks) -> Verdict:
        word = blocks.page.text.strip().partition("!")[0]
        if word in POISONS:
            POISONS[word]()
        return Learned().identify(blocks)


METHOD = Method(TagSet(), Poisonous())


def poison_page(name: str) -> bytes:
    return f"<body><p>{name}! is what this page does to its worker.</p></body>".encode()
