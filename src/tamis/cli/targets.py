"""Files that a command is to write: checked before the work, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tamis.cli.messages import say
from tamis.cli.overlap import check_apart
from tamis.errors import InputError
from tamis.files import write_whole
from tamis.source import Input


def check_targets(
    written: Iterable[Path | None], inputs: Iterable[Input | Path] = (), *, overwrite: bool
) -> None:
    """Raise InputError for a file that cannot be written, or whose content would be lost.

    An input is never written to, a file that exists only if it may be replaced.
    """
    targets = [path for path in written if path is not None]
    for path in targets:
        if not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist: create it first")
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file")
    check_apart(targets, inputs)
    for path in targets:
        if is_used(path) and not overwrite:
            raise InputError(f"{path} exists: replace it with --overwrite")


def is_used(path: Path) -> bool:
    """Say whether something stands at a path that would be lost or mixed up."""
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


def write_target(path: Path, data: str | bytes) -> None:
    """Write a file, as a whole or not at all, and say so."""
    write_whole(path, data)
    say(f"wrote {path}")
