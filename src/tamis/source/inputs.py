"""The pages in a folder, and the files that match a pattern.

Places: what the user typed, expanded to one place per page; nothing is read but lists.

Of standard input the beginning is looked at, as many pages are another thing than one.

Sources: the bytes of one place.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Literal

from tamis.errors import InputError, SourceError
from tamis.source.archives import ENDINGS as ARCHIVES
from tamis.source.archives import is_archive, read_archive, stdin_is_archive
from tamis.source.fetch import Fetch
from tamis.source.files import (
    Failure,
    Input,
    Kind,
    Reason,
    Skipped,
    Source,
    printable_name,
    read_file,
    read_stdin,
)

ENDINGS = (".html", ".htm", ".xhtml", ".xht", ".shtml")
_ENDINGS = ENDINGS + tuple(ending + ".gz" for ending in ENDINGS) + ARCHIVES
_Entry = Literal["page", "folder"] | Reason


def folder_pages(folder: str) -> Iterator[str | Skipped | OSError]:
    """Paths of all pages under `folder`, sorted, lazily; an OSError for an unreadable folder.

    What else there is comes as skipped: files by other names, hidden files and folders, and linked
    folders, which can run in circles.
    """
    # A stack and not recursion: a tree may be deeper than Python's stack.
    stack: list[tuple[str, _Entry]] = [(folder, "folder")]
    while stack:
        path, entry = stack.pop()
        if entry == "page":
            yield path
        elif entry != "folder":
            yield Skipped(folder, path, entry)
        else:
            try:
                stack.extend(_entries(path))
            except OSError as error:
                yield error


def _entries(folder: str) -> list[tuple[str, _Entry]]:
    """All that is directly in `folder`, last name first, and what each is."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name, reverse=True)
    return [(entry.path, _sorted_out(entry)) for entry in ordered]


def _sorted_out(entry: os.DirEntry[str]) -> _Entry:
    """What a file or folder is by its name, and by where it leads."""
    if entry.name.startswith("."):
        return "hidden"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    if os.path.isdir(entry.path):
        return "linked"
    return "page" if entry.name.lower().endswith(_ENDINGS) else "no page"


def is_pattern(argument: str) -> bool:
    """Whether `argument` has characters of a glob pattern."""
    return glob.has_magic(argument)


def glob_files(pattern: str) -> list[str]:
    """Paths of the files that match a glob pattern, sorted; hidden ones only if asked for."""
    parts = Path(pattern).parts
    first = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    base, wild = Path(*parts[:first]), list(parts[first:])
    if wild[-1] == "**":
        wild.append("*")
    # Only a whole part can be recursive; pathlib refuses "a**" where the shell sees "a*".
    wild = [part if part == "**" else part.replace("**", "*") for part in wild]
    hidden = any(part.startswith(".") for part in wild)
    # Not glob.glob: its ** follows linked folders, which can run in circles.
    matches = base.glob("/".join(wild))
    return sorted(
        {str(path) for path in matches if (hidden or _visible(path, base)) and _is_file(path)}
    )


def _visible(path: Path, base: Path) -> bool:
    """Whether no part of `path` below `base` is hidden."""
    return not any(part.startswith(".") for part in path.relative_to(base).parts)


def _is_file(path: Path) -> bool:
    """Whether `path` is not a folder; what cannot be read is reported when it is read."""
    return not os.path.isdir(path)


_HTTP = re.compile(r"https?://", re.IGNORECASE)
# Two letters at least, as one letter before a colon is a drive.
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_MAX_LINE = 2**16
LISTS = (".txt", ".lst", ".list")
_HEAD = 1024
_BLANK = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # byte order marks, and what pages begin with as well


def expand_inputs(
    arguments: Iterable[str],
    *,
    from_list: Path | None = None,
    skip: Callable[[Skipped], object] = lambda _: None,
) -> Iterator[Input]:
    """Places of all pages in files, folders, patterns, URLs, `-` and the lines of a list.

    Nothing is raised for an input that does not exist: its place has a problem that `read` raises.
    A list that cannot be read is an InputError, as nobody knows what it would have named.
    A page of a folder is named by its path inside the folder; with several inputs the folder comes
    first, as the same path may be in two of them. `skip` is called with what else a folder has.
    """
    stdin_taken = from_list is not None and _is_stdin(from_list)
    arguments = iter(arguments)
    first = list(islice(arguments, 2))
    alone = len(first) == 1 and from_list is None
    lines = read_list(from_list) if from_list is not None else ()
    for argument in chain(first, arguments, lines):
        if argument != "-":
            yield from _expanded(argument, skip, alone=alone)
        elif stdin_taken:
            yield _problem("-", "standard input can be read only once: give - only once", "stdin")
        else:
            stdin_taken = True
            yield Input("-", "archive" if stdin_is_archive() else "stdin", "-")


def _expanded(argument: str, skip: Callable[[Skipped], object], *, alone: bool) -> Iterator[Input]:
    """The places that one argument other than `-` stands for: at least one."""
    if _HTTP.match(argument):
        yield Input(name=printable_name(argument), kind="url", location=argument)
    elif _exists(argument):
        if os.path.isdir(argument):
            yield from _in_folder(argument, skip, alone=alone)
        else:
            yield _file(argument)
    elif _SCHEME.match(argument):
        what = "is not a file, and of URLs only http:// and https:// are supported"
        yield _problem(argument, f"{printable_name(argument)} {what}", "url")
    elif is_pattern(argument):
        yield from _matching(argument)
    else:
        yield _problem(argument, _missing(argument))


def _in_folder(folder: str, skip: Callable[[Skipped], object], *, alone: bool) -> Iterator[Input]:
    """The pages in a folder, or the problem that there are none."""
    found = False
    for page in folder_pages(folder):
        if isinstance(page, Skipped):
            skip(page)
            continue
        found = True
        path = str(page.filename) if isinstance(page, OSError) else page
        inside = Path(path).relative_to(folder) if alone else Path(path)
        name = inside.as_posix() if path != folder else folder
        if isinstance(page, OSError):
            what = f"folder {printable_name(path)} cannot be read ({page.strerror})"
            what += ": check its permissions"
            yield _problem(name, what)
        else:
            yield Input(name=printable_name(name), kind=input_kind(path), location=path)
    if not found:
        endings = f"{', '.join(ENDINGS)}, also with .gz, or .warc"
        what = f"folder {printable_name(folder)} has no pages ({endings})"
        yield _problem(folder, f"{what}: name the files, or use a pattern such as '*.txt'")


def _matching(pattern: str) -> Iterator[Input]:
    """The files that match a pattern, or the problem that there are none."""
    try:
        paths = glob_files(pattern)
    except (OSError, ValueError) as error:
        yield _problem(
            pattern, f"pattern {printable_name(pattern)} cannot be used ({error}): name the files"
        )
        return
    yield from map(_file, paths)
    if not paths:
        yield _problem(
            pattern, f"no file matches {printable_name(pattern)}: check the path and the pattern"
        )


def is_list(argument: str) -> bool:
    """Whether a file is a list by its name; not if it begins as a page does, whatever its name."""
    if not argument.lower().endswith(LISTS) or not os.path.isfile(argument):
        return False
    try:
        with open(argument, "rb") as file:
            return not file.read(_HEAD).lstrip(_BLANK).startswith(b"<")
    except OSError:
        return True  # which says that it cannot be read


def read_list(path: Path) -> Iterator[str]:
    """The lines of a list without blank lines and comments, one by one as they are needed."""
    name = printable_name(str(path))
    try:
        with _opened_list(path) as file:
            while line := file.readline(_MAX_LINE):
                # The list may hold file names of any bytes; a byte order mark is no part of them.
                text = line.decode("utf-8", "surrogateescape").lstrip("\ufeff").strip()
                if len(line) == _MAX_LINE:
                    raise InputError(f"{name} has a line too long for a list: check the path")
                if text and not text.startswith("#"):
                    yield text
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"list {name} cannot be read ({what}): check the path") from error


def _opened_list(path: Path) -> nullcontext[BinaryIO] | BinaryIO:
    """The list as a file of bytes; standard input stays open after use."""
    if not _is_stdin(path):
        return path.open("rb")
    if sys.stdin is None:
        raise OSError(0, "there is no standard input")
    return nullcontext(sys.stdin.buffer)


def _is_stdin(path: Path) -> bool:
    return str(path) == "-"


def _exists(path: str) -> bool:
    """Whether there is such a file, folder or link, readable or not."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _file(path: str) -> Input:
    return Input(name=printable_name(path), kind=input_kind(path), location=path)


def input_kind(path: str) -> Kind:
    """Return whether a file is a page or an archive, by its name."""
    return "archive" if is_archive(path) else "file"


def _problem(argument: str, what: str, kind: Kind = "file") -> Input:
    return Input(name=printable_name(argument), kind=kind, location=argument, problem=what)


def _missing(argument: str) -> str:
    """The message for an argument that is no file."""
    if not argument.strip():
        return "an input is empty: give a file, a folder, a URL or - for standard input"
    return (
        f"{printable_name(argument)} does not exist: check the path, "
        "or write the whole URL with https:// for a web page"
    )


def read_input(place: Input, *, max_bytes: int, fetch: Fetch | None = None) -> Source:
    """Read one place; SourceError, FetchError or TooLarge say why that was not possible.

    Standard input belongs to the process that the user started: read such a place there.
    """
    if place.problem is not None:
        raise SourceError(place.problem)
    if place.kind == "archive":
        raise SourceError(f"{place.name} is an archive of many pages: read it with pages()")
    if place.kind == "url":
        fetch = fetch or Fetch(max_bytes=max_bytes)
        return replace(fetch, max_bytes=min(fetch.max_bytes, max_bytes)).get(place.location)
    is_stdin = place.kind == "stdin"
    data = read_stdin(max_bytes) if is_stdin else read_file(place.location, max_bytes)
    return Source(name=place.name, url=None, data=data, charset=None)


def read_pages(
    places: Iterable[Input], *, max_bytes: int, fetch: Fetch | None = None
) -> Iterator[Source | Failure]:
    """Yield the pages of places one by one, those of archives too; one bad page never stops it."""
    for place in places:
        if place.kind == "archive" and place.problem is None:
            yield from read_archive(place, max_bytes)
            continue
        try:
            yield read_input(place, max_bytes=max_bytes, fetch=fetch)
        except InputError as error:
            yield Failure(place.name, error)
