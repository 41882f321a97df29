"""Files that a run would both read and write."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from tamis.errors import InputError
from tamis.source import Input


def check_apart(written: Iterable[Path], inputs: Iterable[Input | Path]) -> None:
    """Raise InputError if a file that is to be written is an input, by whatever name."""
    there = {found: path for path in written if (found := identity(path))}
    if not there:
        return
    for place in inputs:
        found = identity(place if isinstance(place, Path) else opened(place))
        if found in there:
            raise InputError(f"{there[found]} is an input as well: name another output")


def named_files(
    inputs: Iterable[str], from_list: Path | None, *others: Path | None
) -> list[Input | Path]:
    """Return the files that the user named to be read, lists included, whatever is in them."""
    files = [path for path in (from_list, *others) if path is not None]
    stdin = [Input("-", "stdin", "-")] * (from_list == Path("-"))
    return [*map(Path, inputs), *files, *stdin]


def opened(place: Input) -> str | int | None:
    """Return the path, or the descriptor, of the file that a place is read from."""
    if place.location != "-":
        return place.location if place.kind in ("file", "archive") else None
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or not a file of the system
        return None


def identity(file: Path | str | int | None) -> tuple[int, int] | None:
    """Return what tells a regular file from all others, links to it included; None for no file."""
    try:
        found = os.stat(file) if file is not None else None
    except (OSError, ValueError):
        return None
    if found is None or not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino
