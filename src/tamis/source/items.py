"""What flows through this package: places, and what reading them gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tamis.errors import InputError

Kind = Literal["file", "url", "stdin"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where one page is, before it is read; `problem` says why it can never be read."""

    name: str
    kind: Kind
    location: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one page, its address where known, and the charset that HTTP declared."""

    name: str
    url: str | None
    data: bytes
    charset: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that could not be read: one bad page never stops a run."""

    name: str
    error: InputError


def shown(path: str) -> str:
    """`path` in a form that can be printed and stored, whatever bytes the file name has."""
    # Python keeps undecodable bytes of file names as surrogates, which no encoder accepts.
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
