"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tamis.errors import InputError

_MAX_NAME: Final = 50  # characters of a file's name in that of its draft
_DRAFT: Final = re.compile(r"\..+\.[0-9a-f]{8}\.part")  # no two writers have one of the same name


@contextmanager
def open_draft(path: Path) -> Iterator[Path]:
    """Give a place to write a file at; what is there gets the file's name when it is whole.

    After an error the draft is gone, and the file is as it was before. Links are followed. What
    exists and is no regular file (a pipe, a device) cannot be replaced: it is written in place.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name[:_MAX_NAME]}.{secrets.token_hex(4)}.part")
    try:
        yield draft
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):  # where nothing could be written, nothing is left behind
            draft.unlink(missing_ok=True)
        raise


def remove_drafts(folder: Path) -> None:
    """Remove what writers that were killed have left in a folder and below."""
    for path in folder.rglob(".*.part"):
        if _DRAFT.fullmatch(path.name):
            path.unlink(missing_ok=True)


def write_whole(path: Path, data: str | bytes) -> None:
    """Write a file, text as UTF-8; InputError says why that was not possible."""
    with explain_write_errors(path), open_draft(path) as place:
        place.write_bytes(data.encode() if isinstance(data, str) else data)


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Make an error of the system in writing a file one that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
