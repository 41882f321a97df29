"""What flows through this room: inputs, and what reading them gives: sources and failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from tamis.errors import InputError

InputKind = Literal["file", "url", "stdin", "archive"]
SkipReason = Literal["no page", "hidden", "linked"]


@dataclass(frozen=True, slots=True)
class Input:
    """Where one page is, or an archive of many; `problem` says why it can never be read.

    An input is cheap and can be sent to another process, so that reading can be spread.
    """

    name: str
    kind: InputKind
    location: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one page, its URL if it has one, and the charset that HTTP declared.

    For a page in an archive, `fetched_at` is the date of its capture, `http_status` what the server
    answered, and `record_id` the ID of its record. `offset` and `length` are of the record, as the
    archive has it: of the compressed member that it is, if it is one.
    """

    name: str
    url: str | None
    data: bytes
    charset: str | None
    fetched_at: datetime | None = None
    http_status: int | None = None
    record_id: str | None = None
    content_type: str | None = None
    offset: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that could not be read: one bad page never stops a run."""

    name: str
    error: InputError
    of_archive: bool = False  # whether the archive as such failed, not one page in it
    url: str | None = None  # of the page, and where its record is
    offset: int | None = None
    length: int | None = None
    no_pages: bool = False  # whether nothing is wrong with an archive but that it has no pages


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is in an input folder and is not read, with the reason.

    Its name is not that of a page, or it is hidden, or it is a link to a folder.
    """

    folder: str  # as the user wrote it
    path: str
    reason: SkipReason


def printable_name(path: str) -> str:
    """Return a path in a form that can be printed and stored, whatever bytes the file name has."""
    # Python keeps undecodable bytes of file names as surrogates, which no encoder accepts.
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # other surrogates, which stand for no byte
        return path.encode("utf-8", "backslashreplace").decode("utf-8")
