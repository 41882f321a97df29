"""How a pool and its workers talk: numbered, pickled messages through pipes.

Each worker has three pipes of its own, so that a worker that dies takes no lock and no message of
another one with it:

    tasks     pool → worker    the set-up, then the inputs of pages
    claims    pool → worker    the numbers of these pages; who reads a number owns the page
    replies   worker → pool    ready or failed, then the replies to pages

The pool keeps a reading end of `claims` as well. A worker reads a number before it starts the page,
the pool reads one to take a page back. A read of a pipe is atomic: no page can go to both, and
when a worker has died the numbers that are left are those of the pages that it did not start.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

HEADER = struct.Struct("<QQ")  # number of the page, length of what follows
CLAIM = struct.Struct("<Q")  # number of a page
SETUP = 0  # the number of the first message to a worker and of its reply


class Setup(NamedTuple):
    """What a worker needs to know before its first page."""

    factory: Callable[[], Callable[[Any], Any]]
    memory: int | None
    max_pages: int | None
    max_growth: int | None


class Reply(NamedTuple):
    """What a worker says of one page, or of its start; fields as those of `Outcome`."""

    value: Any = None
    error: str | None = None
    kind: str | None = None
    traceback: str | None = None
    elapsed: float = 0.0
    peak_memory: int | None = None


def encode(content: object) -> bytes:
    """Return a message's content as bytes; raises whatever the content's classes raise."""
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


def encode_parts(content: object) -> list[bytes]:
    """Return a message's content as parts; large bytes in it are parts as they are, not copied."""
    parts = _Parts()
    pickle.Pickler(parts, protocol=pickle.HIGHEST_PROTOCOL).dump(content)
    return parts


class _Parts(list[bytes]):
    """A file to write to that keeps what it is given."""

    def write(self, part: bytes | memoryview) -> None:
        self.append(bytes(part))  # bytes stay the same object; a view ends with the call


def describe_error(error: BaseException) -> str:
    """Return the message of an exception, also of one that cannot say it."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__
