"""Inputs: what the user names, as files that can each be read by any process.

An input is an archive, a table of pages (Parquet or JSON lines), an index of byte ranges, a folder
of pages or a single page. It is recognised by its name; only folders, patterns and lists are looked
at, so that a list of a hundred thousand archives costs nothing.
"""

from __future__ import annotations

import glob
import gzip
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from tamis.errors import InputError
from tamis.scale.locations import (
    explain_read_errors,
    find_filesystem,
    normalise_location,
    open_location,
    url_scheme,
)
from tamis.source import is_archive, printable_name

Kind = Literal["archive", "parquet", "jsonl", "index", "pages"]

_PAGES: Final = re.compile(r"\.(html?|xhtml|xht|shtml)(\.gz)?$", re.IGNORECASE)
_KINDS: Final[dict[Kind, re.Pattern[str]]] = {
    "parquet": re.compile(r"\.(parquet|pq)$", re.IGNORECASE),
    "jsonl": re.compile(r"\.(jsonl|ndjson)(\.gz)?$", re.IGNORECASE),
    "index": re.compile(r"\.cdxj?(\.gz)?$|(^|/)cdx-\d+\.gz$", re.IGNORECASE),
    "pages": _PAGES,
}
_LIST: Final = re.compile(r"\.(txt|lst|list|paths)(\.gz)?$", re.IGNORECASE)
_NOT_IN_NAMES: Final = re.compile(r"[^\w.=+-]+")
_MAX_NAME_CHARS: Final = 120
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ADVICE: Final = (
    "give .warc, .arc, .parquet, .jsonl, .cdxj or .html files, folders of them or lists"
)


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input, which becomes one output file; `problem` says why it can never be read."""

    location: str
    kind: Kind
    problem: str | None = None

    @property
    def output_name(self) -> str:
        """The name of its output: readable, the same in every run, and no other input's."""
        stem = _NOT_IN_NAMES.sub("-", self.location.rstrip("/").rpartition("/")[2]).lstrip("._")
        data = self.location.encode("utf-8", "surrogateescape")
        digest = hashlib.blake2b(data, digest_size=6).hexdigest()
        return f"{stem[-_MAX_NAME_CHARS:] or 'input'}-{digest}.parquet"


def find_inputs(arguments: Iterable[str], base: str | None = None) -> list[InputFile]:
    """Return the inputs that arguments stand for, each once, in their order.

    An argument is a file, a folder, a pattern, a URL or a list of them (.txt, .paths, also .gz).
    What a list names begins with `base`, unless it is a URL or an absolute path. A list that cannot
    be read is an error, as its inputs are unknown.
    """
    inputs: dict[str, InputFile] = {}
    for argument in arguments:
        is_list = _LIST.search(argument) and not glob.has_magic(argument)
        for location in _read_list(argument, base) if is_list else (argument,):
            for source in _expand(location):
                inputs.setdefault(source.location, source)
    if not inputs:
        raise InputError(f"there is no input: {_ADVICE}")
    return list(inputs.values())


def join_base(location: str, base: str | None) -> str:
    """Return what a list or an index names, below a base if it is relative."""
    if base is None or url_scheme(location) is not None or location.startswith("/"):
        return location
    return f"{base.rstrip('/')}/{location}"


def find_kind(location: str) -> Kind | None:
    """Return what kind of input a file is by its name, None if by its name it is none."""
    if is_archive(location):
        return "archive"
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(location)), None)


def list_pages(folder: str) -> list[str]:
    """Return the locations of the pages directly in a folder, sorted."""
    filesystem, path = find_filesystem(folder)
    with explain_read_errors(folder):
        names = filesystem.ls(path, detail=False)
    return sorted(filesystem.unstrip_protocol(name) for name in names if _PAGES.search(name))


def _read_list(location: str, base: str | None) -> Iterator[str]:
    """Yield the lines of a list, below a base."""
    location = normalise_location(location)
    with open_location(location) as file:
        data = file.read()
    if data.startswith(_GZIP_MAGIC):
        with explain_read_errors(location):
            data = gzip.decompress(data)
    for line in data.decode("utf-8", "surrogateescape").lstrip("\ufeff").splitlines():
        if (text := line.strip()) and not text.startswith("#"):
            yield join_base(text, base)


def _expand(argument: str) -> Iterator[InputFile]:
    location = normalise_location(argument)
    if glob.has_magic(argument) and url_scheme(argument) not in ("http", "https"):
        yield from _expand_pattern(location)
    elif (kind := find_kind(location)) is not None:
        yield InputFile(location, kind)
    else:
        yield from _expand_folder(location)


def _expand_pattern(pattern: str) -> Iterator[InputFile]:
    filesystem, path = find_filesystem(pattern)
    with explain_read_errors(pattern):
        matches = sorted(filesystem.glob(path))
    if not matches:
        problem = f"no file matches {printable_name(pattern)}: check the path and the pattern"
        yield InputFile(pattern, "pages", problem)
    for match in matches:
        location = normalise_location(filesystem.unstrip_protocol(match))
        if (kind := find_kind(match)) is not None:
            yield InputFile(location, kind)
        elif filesystem.isdir(match):
            yield from _expand_folder(location)


def _expand_folder(location: str) -> Iterator[InputFile]:
    """Yield the inputs in a folder and below; its pages are one input for each folder."""
    name = printable_name(location)
    try:
        with explain_read_errors(location):
            filesystem, path = find_filesystem(location)
            is_folder = filesystem.isdir(path)
            paths = sorted(filesystem.find(path)) if is_folder else []
    except InputError as error:
        yield InputFile(location, "pages", str(error))
        return
    if not is_folder:
        missing = f"{name} does not exist, or is nothing that can be read: {_ADVICE}"
        yield InputFile(location, "pages", missing)
        return
    start = len(path.rstrip("/"))
    inputs: dict[str, InputFile] = {}
    for inner in paths:
        if any(part.startswith((".", "_")) for part in inner[start:].split("/") if part):
            continue
        kind = find_kind(inner)
        if kind == "pages":
            inner = inner.rpartition("/")[0]
        if kind is not None:
            inner_location = normalise_location(filesystem.unstrip_protocol(inner))
            inputs.setdefault(inner_location, InputFile(inner_location, kind))
    if not inputs:
        yield InputFile(location, "pages", f"folder {name} has no inputs: {_ADVICE}")
    yield from inputs.values()
