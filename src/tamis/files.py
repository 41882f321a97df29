"""Files that are written completely or not at all."""

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

_MAX_NAME_CHARS: Final = 50  # of a file's name that the name of its draft has
_DRAFT_NAME: Final = re.compile(r"\..+\.[0-9a-f]{8}\.part")  # the digits are random


@contextmanager
def open_draft(path: Path) -> Iterator[Path]:
    """Give a path to write a draft at, which then replaces the file.

    After an error the draft is removed, and the file is as it was before. Links are followed. A
    pipe or a device cannot be replaced: its own path is given, and it is written directly.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name[:_MAX_NAME_CHARS]}.{secrets.token_hex(4)}.part")
    try:
        yield draft
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):  # where the draft could not be made, there is nothing to remove
            draft.unlink(missing_ok=True)
        raise


def remove_drafts(folder: Path) -> None:
    """Remove the drafts that killed processes left in a folder and below."""
    for path in folder.rglob(".*.part"):
        if _DRAFT_NAME.fullmatch(path.name):
            path.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all, text as UTF-8; InputError if it cannot be written."""
    with explain_write_errors(path), open_draft(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into an InputError that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
