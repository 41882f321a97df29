"""Files that commands write: their names in a folder, and checks before the work."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import unquote

from tamis.cli.messages import say
from tamis.errors import InputError
from tamis.files import write_whole
from tamis.source import Input

_MAX_PART_BYTES: Final = 120  # of one part of a path; file systems allow 255
_MAX_PATH_BYTES: Final = 800
_MAX_SHORT_BYTES: Final = 80
_URL: Final = re.compile(r"https?://(?:[^/?#@]*@)?([^/?#:]*)[^/?#]*([^?#]*)", re.IGNORECASE)
_PAGE_ENDING: Final = re.compile(r"\.(x?html?|xht|shtml|php|aspx?|jsp)(\.gz)?$", re.IGNORECASE)
_VAGUE_STEMS: Final = ("index", "default", "home", "page")


def page_file_name(name: str, ending: str) -> PurePath:
    """Return the file of a page inside an output folder; no two pages get the same one.

    `a/b.html` becomes `a/b.txt`. Any other name (a URL, one that leads out of the folder, one that
    is too long or not allowed for a file) is made safe and gets a hash of itself.
    """
    stem = name.removesuffix(".html")
    parts = [part for part in stem.split("/") if part not in ("", ".", "..")] or ["page"]
    safe = [make_safe_name(part) for part in parts]
    # A folder must not have the name that the file of another page may have.
    safe[:-1] = [f"{part}_" if part.endswith(f".{ending}") else part for part in safe[:-1]]
    if len("/".join(safe).encode()) > _MAX_PATH_BYTES:
        safe = safe[-1:]
    if stem == name or "/".join(safe) != stem:
        safe[-1] += f"-{_hash_name(name)}"
    return PurePath(*safe[:-1], f"{safe[-1]}.{ending}")


def assign_file_names(inputs: Sequence[Input], ending: str) -> dict[str, PurePath]:
    """Return the file of each input inside an output folder, by the name of the input.

    A page of a folder keeps its path inside that folder. Any other gets a short name: the stem of
    its file, or the last part of its URL, with a hash of the input's name if two would be the same.
    """
    short_names = {page.name: short_page_name(page.name) for page in inputs}
    counts = Counter(name.casefold() for name in short_names.values())
    files = {}
    for page in inputs:
        short_name = short_names[page.name]
        if page.kind == "file" and page.name != page.location:
            files[page.name] = page_file_name(page.name, ending)
        elif counts[short_name.casefold()] > 1:
            files[page.name] = PurePath(f"{short_name}-{_hash_name(page.name)}.{ending}")
        else:
            files[page.name] = PurePath(f"{short_name}.{ending}")
    return files


def capture_file_name(name: str, url: str | None, ending: str) -> PurePath:
    """Return the file of a page in an archive, with a hash: the other pages are not known yet."""
    return PurePath(f"{short_page_name(url or name)}-{_hash_name(name)}.{ending}")


def short_page_name(name: str) -> str:
    """Return a short name for a page by its path or URL: the last part that says something."""
    path, host = name, ""
    if match := _URL.match(name):
        host, path = match[1], unquote(match[2])
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    stem = _PAGE_ENDING.sub("", parts[-1]) if parts else host
    if stem.lower() in _VAGUE_STEMS:
        before = parts[-2] if len(parts) > 1 else host
        stem = f"{before}-{stem}" if before else stem
    safe = make_safe_name(stem or "page").strip(". ")
    return safe.encode()[:_MAX_SHORT_BYTES].decode("utf-8", "ignore").strip(". ") or "page"


def _hash_name(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:12]


def make_safe_name(part: str) -> str:
    """Return a part of a path that every file system allows."""
    clean = re.sub(r"[^\w.,=+@ -]", "_", part)
    return clean.encode()[:_MAX_PART_BYTES].decode("utf-8", "ignore") or "_"


def check_targets(
    targets: Iterable[Path | None], inputs: Iterable[Input | Path] = (), *, overwrite: bool
) -> None:
    """Raise InputError for a file that cannot be written, or whose content would be lost.

    An input is never written to, a file that exists only with `overwrite`.
    """
    paths = [path for path in targets if path is not None]
    for path in paths:
        if not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist: create it first")
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file")
    check_no_input(paths, inputs)
    for path in paths:
        if is_used(path) and not overwrite:
            raise InputError(f"{path} exists: replace it with --overwrite")


def is_used(path: Path) -> bool:
    """Say whether a path has content that would be lost or mixed up."""
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


def write_target(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all, and say so."""
    write_whole(path, content)
    say(f"wrote {path}")


def check_no_input(targets: Iterable[Path], inputs: Iterable[Input | Path]) -> None:
    """Raise InputError if a file that is to be written is an input, by whatever name."""
    by_identity = {identity: path for path in targets if (identity := _file_identity(path))}
    if not by_identity:
        return
    for source in inputs:
        identity = _file_identity(source if isinstance(source, Path) else _input_file(source))
        if identity in by_identity:
            raise InputError(f"{by_identity[identity]} is an input as well: name another output")


def list_read_files(
    arguments: Iterable[str], from_list: Path | None, *others: Path | None
) -> list[Input | Path]:
    """Return the files that the user named to be read, including lists but not their lines."""
    files = [path for path in (from_list, *others) if path is not None]
    stdin = [Input("-", "stdin", "-")] * (from_list == Path("-"))
    return [*map(Path, arguments), *files, *stdin]


def _input_file(page_input: Input) -> str | int | None:
    """Return the path, or the descriptor, of the file that an input is read from."""
    if page_input.location != "-":
        return page_input.location if page_input.kind in ("file", "archive") else None
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or not a file of the system
        return None


def _file_identity(file: Path | str | int | None) -> tuple[int, int] | None:
    """Return what all links to a regular file have in common; None if there is no such file."""
    try:
        status = os.stat(file) if file is not None else None
    except (OSError, ValueError):
        return None
    if status is None or not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino
