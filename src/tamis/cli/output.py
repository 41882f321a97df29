"""Where outcomes go: standard output, one file, or a folder with a file for each page."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import IO, Protocol

from tamis.cli.job import Outcome
from tamis.errors import InputError

ENDINGS = {"text": "txt", "markdown": "md", "html": "html", "json": "json", "jsonl": "json"}


class Output(Protocol):
    """Takes outcomes; knows which names an earlier run finished."""

    def finished(self) -> set[str]:
        """Return the names of pages that need not be done again."""
        ...

    def write(self, outcome: Outcome) -> None:
        """Write an outcome, whole or not at all."""
        ...


def output_to(path: Path | None, form: str, *, many: bool, resume: bool, overwrite: bool) -> Output:
    """Return the output that a path stands for."""
    if path is None:
        if resume:
            raise InputError("--resume needs -o: standard output cannot be read again")
        return Stream(sys.stdout, form, many)
    as_folder = path.is_dir() or str(path).endswith(os.sep) or (many and not is_rows(form))
    used = any(path.iterdir()) if path.is_dir() else path.exists() and path.stat().st_size > 0
    if used and many and not (resume or overwrite):
        raise InputError(f"{path} exists: go on with --resume, or replace it with --overwrite")
    try:
        if as_folder:
            path.mkdir(parents=True, exist_ok=True)
            return Folder(path, ENDINGS[form])
        return File(path, form, many, resume=resume)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def is_rows(form: str) -> bool:
    """Say whether a format is one row a page, so that many pages fit in one file."""
    return form in ("json", "jsonl")


class Stream:
    """Writes to an open file, a page at a time."""

    def __init__(self, stream: IO[str], form: str, many: bool) -> None:
        self.stream = stream
        self.titled = many and not is_rows(form)

    def finished(self) -> set[str]:
        """Return nothing: a stream has no memory."""
        return set()

    def write(self, outcome: Outcome) -> None:
        """Write a page with one call, so that an interrupt leaves whole lines."""
        if outcome.data is None:
            return
        title = f"==> {outcome.name} <==\n" if self.titled else ""
        self.stream.write(f"{title}{outcome.data}\n")
        self.stream.flush()


class File(Stream):
    """Writes to one file; goes on after the last whole row of an earlier run."""

    def __init__(self, path: Path, form: str, many: bool, *, resume: bool) -> None:
        self.done = whole_rows(path) if resume and path.exists() else set()
        mode = "a" if resume else "w"
        super().__init__(path.open(mode, encoding="utf-8", newline="\n"), form, many)

    def finished(self) -> set[str]:
        """Return the names of the rows without an error in the file."""
        return self.done


def whole_rows(path: Path) -> set[str]:
    """Return the names of pages done in a file of rows, and cut off a row that was not finished."""
    done: set[str] = set()
    size = 0
    with path.open("rb") as file:
        for line in file:
            try:
                row = json.loads(line) if line.endswith(b"\n") else None
                name, error = row["name"], row["error"]
            except (ValueError, TypeError, KeyError):
                if line.endswith(b"\n"):
                    raise InputError(
                        f"{path} holds a line that tamis did not write; --resume works on its own rows"
                    ) from None
                break
            size += len(line)
            if error is None:
                done.add(name)
    if size < path.stat().st_size:
        os.truncate(path, size)
    return done


class Folder:
    """Writes each page to a file of its own, which is there when it is whole."""

    def __init__(self, path: Path, ending: str) -> None:
        self.path = path
        self.ending = ending

    def finished(self) -> set[str]:
        """Return nothing; `has` is asked for each name instead."""
        return set()

    def has(self, name: str) -> bool:
        """Say whether a page has its file."""
        return self.place(name).exists()

    def place(self, name: str) -> Path:
        """Return the file of a page; names that lead out of the folder are made harmless."""
        bare = re.sub(r"\.(html?|xhtml)(\.gz)?$", "", name)
        parts = [part for part in re.split(r"[/\\]+", bare) if part not in ("", ".", "..")]
        safe = [re.sub(r"[^\w.,=+@ -]", "_", part)[:150] for part in parts] or ["page"]
        if "/".join(parts) != bare or safe != parts:
            safe[-1] += "-" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
        return self.path.joinpath(*safe[:-1], f"{safe[-1]}.{self.ending}")

    def write(self, outcome: Outcome) -> None:
        """Write a page's file under another name first, then give it its own."""
        if outcome.data is None or outcome.error is not None:
            return
        place = self.place(outcome.name)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.part")
        draft.write_text(outcome.data + "\n", encoding="utf-8")
        draft.replace(place)
