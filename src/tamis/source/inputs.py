"""Inputs: what the user names, expanded to one input per page or archive, and read.

`expand_inputs` turns arguments into inputs and reads nothing but lists, and of standard input the
beginning, as an archive has many pages. `read_input` turns one input into a source, `read_pages`
turns inputs into all their pages, including those of archives.
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
from typing import BinaryIO, Final, Literal

from tamis.errors import InputError, SourceError
from tamis.source.archives import ARCHIVE_ENDINGS, is_archive, read_archive, stdin_is_archive
from tamis.source.fetch import Fetch
from tamis.source.files import read_file, read_stdin
from tamis.source.sources import (
    Failure,
    Input,
    InputKind,
    Skipped,
    SkipReason,
    Source,
    printable_name,
)

_PAGE_ENDINGS: Final = (".html", ".htm", ".xhtml", ".xht", ".shtml")
_READ_ENDINGS: Final = (
    *_PAGE_ENDINGS,
    *(ending + ".gz" for ending in _PAGE_ENDINGS),
    *ARCHIVE_ENDINGS,
)
_LIST_ENDINGS: Final = (".txt", ".lst", ".list")
_HTTP_URL: Final = re.compile(r"https?://", re.IGNORECASE)
# At least two letters, as one letter before a colon is a drive.
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_MAX_LINE_BYTES: Final = 2**16  # of a list
_PEEK_BYTES: Final = 1024
_LEADING_BYTES: Final = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # that may stand before the first tag

_Entry = Literal["page", "folder"] | SkipReason
_OnSkip = Callable[[Skipped], object]


def expand_inputs(
    arguments: Iterable[str],
    *,
    from_list: Path | None = None,
    skip: _OnSkip = lambda _: None,
) -> Iterator[Input]:
    """Yield the inputs that files, folders, patterns, URLs, `-` and the lines of a list stand for.

    Nothing is raised for an argument that does not exist: its input has a problem, which
    `read_input` raises. A list that cannot be read is an InputError, as its inputs are unknown.
    A page of a folder is named by its path inside the folder; with several arguments the folder
    comes first, as the same path may be in two of them. `skip` is called with each file or folder
    in a folder that is not read.
    """
    stdin_taken = from_list is not None and _is_stdin(from_list)
    arguments = iter(arguments)
    first = list(islice(arguments, 2))
    alone = len(first) == 1 and from_list is None
    lines = read_list(from_list) if from_list is not None else ()
    for argument in chain(first, arguments, lines):
        if argument != "-":
            yield from _expand_argument(argument, skip, alone=alone)
        elif stdin_taken:
            problem = "standard input can be read only once: give - only once"
            yield _problem_input("-", problem, "stdin")
        else:
            stdin_taken = True
            yield Input("-", "archive" if stdin_is_archive() else "stdin", "-")


def read_input(page_input: Input, *, max_bytes: int, fetch: Fetch | None = None) -> Source:
    """Read one input; SourceError, FetchError or TooLarge say why that was not possible.

    Standard input belongs to the process that the user started: read such an input there.
    """
    if page_input.problem is not None:
        raise SourceError(page_input.problem)
    if page_input.kind == "archive":
        raise SourceError(
            f"{page_input.name} is an archive of many pages: read it with read_pages()"
        )
    if page_input.kind == "url":
        fetch = fetch or Fetch(max_bytes=max_bytes)
        return replace(fetch, max_bytes=min(fetch.max_bytes, max_bytes)).get(page_input.location)
    is_stdin = page_input.kind == "stdin"
    data = read_stdin(max_bytes) if is_stdin else read_file(page_input.location, max_bytes)
    return Source(name=page_input.name, url=None, data=data, charset=None)


def read_pages(
    inputs: Iterable[Input], *, max_bytes: int, fetch: Fetch | None = None
) -> Iterator[Source | Failure]:
    """Yield the pages of inputs one by one, including those of archives.

    A page that cannot be read is a failure; the others are read all the same.
    """
    for page_input in inputs:
        if page_input.kind == "archive" and page_input.problem is None:
            yield from read_archive(page_input, max_bytes)
            continue
        try:
            yield read_input(page_input, max_bytes=max_bytes, fetch=fetch)
        except InputError as error:
            yield Failure(page_input.name, error)


def _expand_argument(argument: str, skip: _OnSkip, *, alone: bool) -> Iterator[Input]:
    """Yield the inputs that an argument other than `-` stands for: at least one."""
    if _HTTP_URL.match(argument):
        yield Input(name=printable_name(argument), kind="url", location=argument)
    elif _exists(argument):
        if os.path.isdir(argument):
            yield from _expand_folder(argument, skip, alone=alone)
        else:
            yield _file_input(argument)
    elif _SCHEME.match(argument):
        what = "is not a file, and of URLs only http:// and https:// are supported"
        yield _problem_input(argument, f"{printable_name(argument)} {what}", "url")
    elif glob.has_magic(argument):
        yield from _expand_pattern(argument)
    else:
        yield _problem_input(argument, _missing_message(argument))


def _exists(path: str) -> bool:
    """Say whether there is such a file, folder or link, readable or not."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _file_input(path: str) -> Input:
    return Input(name=printable_name(path), kind=_input_kind(path), location=path)


def _input_kind(path: str) -> InputKind:
    """Return whether a file is a page or an archive, by its name."""
    return "archive" if is_archive(path) else "file"


def _problem_input(argument: str, problem: str, kind: InputKind = "file") -> Input:
    return Input(name=printable_name(argument), kind=kind, location=argument, problem=problem)


def _missing_message(argument: str) -> str:
    """Return the message for an argument that does not exist."""
    if not argument.strip():
        return "an input is empty: give a file, a folder, a URL or - for standard input"
    return (
        f"{printable_name(argument)} does not exist: check the path, "
        "or write the whole URL with https:// for a web page"
    )


def _expand_folder(folder: str, skip: _OnSkip, *, alone: bool) -> Iterator[Input]:
    """Yield the pages in a folder, or the problem that it has none."""
    is_empty = True
    for page in _walk_folder(folder):
        if isinstance(page, Skipped):
            skip(page)
            continue
        is_empty = False
        path = str(page.filename) if isinstance(page, OSError) else page
        name = _name_inside(path, folder) if alone else Path(path).as_posix()
        name = folder if path == folder else name
        if isinstance(page, OSError):
            problem = f"folder {printable_name(path)} cannot be read ({page.strerror})"
            yield _problem_input(name, f"{problem}: check its permissions")
        else:
            yield Input(name=printable_name(name), kind=_input_kind(path), location=path)
    if is_empty:
        endings = f"{', '.join(_PAGE_ENDINGS)}, also with .gz, or .warc"
        problem = f"folder {printable_name(folder)} has no pages ({endings})"
        advice = "name the files, or use a pattern such as '*.txt'"
        yield _problem_input(folder, f"{problem}: {advice}")


def _name_inside(path: str, folder: str) -> str:
    """Return the path of a page from its folder on; it begins with that of the folder."""
    return path[len(folder) :].lstrip(os.sep).replace(os.sep, "/")


def _walk_folder(folder: str) -> Iterator[str | Skipped | OSError]:
    """Yield the paths of all pages under a folder, sorted; an OSError for an unreadable folder.

    Everything else is yielded as skipped: files with other names, hidden files and folders, and
    links to folders, which can run in circles.
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
                stack.extend(_list_folder(path))
            except OSError as error:
                yield error


def _list_folder(folder: str) -> list[tuple[str, _Entry]]:
    """Return the paths directly in a folder, last name first, and what each is."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name, reverse=True)
    return [(entry.path, _classify_entry(entry)) for entry in ordered]


def _classify_entry(entry: os.DirEntry[str]) -> _Entry:
    """Return what a file or folder is, by its name and by where it leads."""
    if entry.name.startswith("."):
        return "hidden"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    if os.path.isdir(entry.path):
        return "linked"
    return "page" if entry.name.lower().endswith(_READ_ENDINGS) else "no page"


def _expand_pattern(pattern: str) -> Iterator[Input]:
    """Yield the files that match a pattern, or the problem that none does."""
    name = printable_name(pattern)
    try:
        paths = _glob_files(pattern)
    except (OSError, ValueError) as error:
        yield _problem_input(pattern, f"pattern {name} cannot be used ({error}): name the files")
        return
    yield from map(_file_input, paths)
    if not paths:
        yield _problem_input(pattern, f"no file matches {name}: check the path and the pattern")


def _glob_files(pattern: str) -> list[str]:
    """Return the files that match a pattern, sorted; hidden ones only if the pattern names them."""
    parts = Path(pattern).parts
    first = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    base, wild = Path(*parts[:first]), list(parts[first:])
    if wild[-1] == "**":
        wild.append("*")
    # Only a whole part can be recursive; pathlib refuses "a**" where the shell sees "a*".
    wild = [part if part == "**" else part.replace("**", "*") for part in wild]
    hidden = any(part.startswith(".") for part in wild)
    # Not glob.glob: its ** follows linked folders, which can run in circles. Files that cannot be
    # read are kept; reading them reports it.
    matches = base.glob("/".join(wild))
    shown = (path for path in matches if hidden or _is_visible(path, base))
    return sorted({str(path) for path in shown if not os.path.isdir(path)})


def _is_visible(path: Path, base: Path) -> bool:
    """Say whether no part of a path below `base` is hidden."""
    return not any(part.startswith(".") for part in path.relative_to(base).parts)


def is_list(argument: str) -> bool:
    """Say whether a file is a list of inputs: by its name, unless it starts with `<`."""
    if not argument.lower().endswith(_LIST_ENDINGS) or not os.path.isfile(argument):
        return False
    try:
        with open(argument, "rb") as file:
            return not file.read(_PEEK_BYTES).lstrip(_LEADING_BYTES).startswith(b"<")
    except OSError:
        return True  # so that `read_list` reports that it cannot be read


def read_list(path: Path) -> Iterator[str]:
    """Yield the lines of a list without blank lines and comments, read one by one."""
    name = printable_name(str(path))
    try:
        with _open_list(path) as file:
            while line := file.readline(_MAX_LINE_BYTES):
                # The list may hold file names of any bytes; a byte order mark is no part of them.
                text = line.decode("utf-8", "surrogateescape").lstrip("\ufeff").strip()
                if len(line) == _MAX_LINE_BYTES:
                    raise InputError(f"{name} has a line too long for a list: check the path")
                if text and not text.startswith("#"):
                    yield text
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"list {name} cannot be read ({what}): check the path") from error


def _open_list(path: Path) -> nullcontext[BinaryIO] | BinaryIO:
    """Open a list as a file of bytes; standard input stays open after use."""
    if not _is_stdin(path):
        return path.open("rb")
    if sys.stdin is None:
        raise OSError(0, "there is no standard input")
    return nullcontext(sys.stdin.buffer)


def _is_stdin(path: Path) -> bool:
    return str(path) == "-"
