"""Files that a run would both read and write."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from tamis.errors import InputError
from tamis.source import Place
from tamis.source.items import Kind


def check_apart(written: Iterable[Path], places: Iterable[Place]) -> None:
    """Raise InputError if a file that is to be written is an input, by whatever name."""
    there = {found: path for path in written if (found := identity(path))}
    if not there:
        return
    for place in places:
        found = identity(opened(place))
        if found in there:
            raise InputError(f"{there[found]} is an input as well: name another output with -o")


def check_list_apart(output: str | None, names: Path | None) -> None:
    """Raise InputError if the output is the list of inputs."""
    if output and names is not None:
        kind: Kind = "stdin" if str(names) == "-" else "file"
        check_apart([Path(output)], [Place(str(names), kind, str(names))])


def opened(place: Place) -> str | int | None:
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
