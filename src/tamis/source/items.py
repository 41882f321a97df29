"""What flows through this package: places, and what reading them gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from tamis.errors import InputError

Kind = Literal["file", "url", "stdin", "archive"]
Reason = Literal["no page", "hidden", "linked"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where one page is, or an archive of many; `problem` says why it can never be read."""

    name: str
    kind: Kind
    location: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one page, its address where known, and the charset that HTTP declared.

    Of a page in an archive `fetched_at` is when it was fetched.
    """

    name: str
    url: str | None
    data: bytes
    charset: str | None
    fetched_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that could not be read: one bad page never stops a run."""

    name: str
    error: InputError
    of_archive: bool = False  # whether no page of it is meant, but the archive as such


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is in a folder that was given as input and is not read, and why.

    Its name is not that of a page, it is hidden, or it is a link to a folder.
    """

    folder: str  # as it was given
    path: str
    reason: Reason


def shown(path: str) -> str:
    """`path` in a form that can be printed and stored, whatever bytes the file name has."""
    # Python keeps undecodable bytes of file names as surrogates, which no encoder accepts.
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # other surrogates, which stand for no byte
        return path.encode("utf-8", "backslashreplace").decode("utf-8")
