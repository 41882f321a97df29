"""Where outcomes go: standard output, one file, or a folder with a file for each page."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Container, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Protocol

from tamis.cli.items import Names
from tamis.cli.job import Job, Outcome
from tamis.cli.names import file_name
from tamis.cli.overlap import check_apart
from tamis.cli.targets import is_used
from tamis.errors import InputError
from tamis.files import open_draft, remove_drafts
from tamis.printing import escape_for_terminal, printable
from tamis.source import Input

ENDINGS = {"text": "txt", "markdown": "md", "html": "html", "json": "json", "jsonl": "json"}
FILE_ENDINGS = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".json", ".jsonl")


class Output(Protocol):
    """Takes outcomes; knows which pages an earlier run finished."""

    def has(self, name: str) -> bool:
        """Say whether a page need not be done again."""
        ...

    def write(self, outcome: Outcome) -> None:
        """Write an outcome, whole or not at all."""
        ...

    def close(self) -> None:
        """Take no more."""
        ...


def output_to(
    target: str | None, job: Job, places: Sequence[Input], *, resume: bool, overwrite: bool
) -> Output:
    """Return the output that the user named, for the pages of this run.

    Something that is there is never replaced unless the user says so, and an input never is.
    """
    if target is None:
        if resume:
            raise InputError("--resume needs -o: standard output cannot be read again")
        return standard_output(titled=job.many and not job.is_rows)
    if not target:
        raise InputError("the output has no name: give -o a file or a folder")
    path = Path(target)
    try:
        folder = as_folder(target, job, resume=resume)
        written = [folder.place(place.name) for place in places] if folder else [path]
        check_apart(written, places)
        if not (resume or overwrite):
            check_unused(path if job.many else written[0], job)
        if folder:
            path.mkdir(parents=True, exist_ok=True)
            if resume:
                remove_drafts(path)
            return folder
        if resume and not job.is_rows:
            raise InputError(f"--resume goes on with rows or a folder; {path} would be one page")
        if not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist: create it first")
        names = Names(places)
        done = whole_rows(path, names) if resume and path.is_file() else set[str]()
        return File(path, done, keep=resume)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def as_folder(target: str, job: Job, *, resume: bool) -> Folder | None:
    """Return the folder that a target stands for, if it stands for one and not for a file."""
    path = Path(target)
    named_so = target.endswith(("/", os.sep)) or path.is_dir()
    if not named_so and (job.is_rows or not job.many):
        return None
    if not named_so and (path.exists() or path.suffix in FILE_ENDINGS):
        raise InputError(
            f"many pages as {job.form} need a folder, and {path} is one file: name a folder "
            "(with a / at its end), or have them all in one file with -f jsonl"
        )
    return Folder(path, ENDINGS[job.form], resume=resume)


def check_unused(path: Path, job: Job) -> None:
    """Raise InputError if something stands at a path that would be lost."""
    if is_used(path):
        resuming = "go on with --resume, or " * job.many
        raise InputError(f"{path} exists: {resuming}replace it with --overwrite")


def standard_output(*, titled: bool = False) -> Stream:
    """Return standard output as a stream of its own: buffered, and UTF-8 whatever it was.

    Python's own stream may be neither, and one without a buffer drops what a signal interrupts.
    """
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):  # not a file of the system: a notebook's, or that of a test
        return Stream(sys.stdout, titled=titled)
    stream = os.fdopen(number, "w", encoding="utf-8", newline="\n", closefd=False)
    return Stream(stream, titled=titled, owned=True)


def put_out(text: str) -> None:
    """Write data to standard output, whatever its encoding was."""
    with closing(standard_output()) as output:
        output.put(text)


def show_out(text: str) -> None:
    """Write what was made for people to standard output, with its colours."""
    with closing(standard_output()) as output:
        output.show(text)


class Stream:
    """Writes to an open file, a page at a time."""

    def __init__(self, stream: IO[str], *, titled: bool = False, owned: bool = False) -> None:
        self.stream = stream
        self.titled = titled
        self.owned = owned

    def has(self, name: str) -> bool:
        """Say no: a stream has no memory."""
        return False

    def write(self, outcome: Outcome) -> None:
        """Write a page."""
        if outcome.data is not None:
            title = f"==> {printable(outcome.name)} <==\n" if self.titled else ""
            self.put(f"{title}{outcome.data}\n")

    def put(self, text: str) -> None:
        """Write text with one call, so that whoever reads along sees whole lines.

        On a terminal nothing in it is a command; in a file or a pipe it is as it was.
        """
        self.show(escape_for_terminal(text) if self.stream.isatty() else text)

    def show(self, text: str) -> None:
        """Write what was made for people, with its colours: cells of it are printable already."""
        self.stream.write(text)
        self.stream.flush()

    def close(self) -> None:
        """Close the file if it was opened for this stream."""
        if self.owned:
            self.stream.close()


class File(Stream):
    """Writes to one file; what was there is kept until there is something to replace it.

    It is opened at once, so that the work is not done in vain where it cannot be written; a new
    file into which nothing was written is removed again.
    """

    def __init__(self, path: Path, done: set[str], *, keep: bool) -> None:
        self.new = not path.exists()
        super().__init__(path.open("a", encoding="utf-8", newline="\n"), owned=True)
        self.path = path
        self.done = done
        self.keep = keep

    def has(self, name: str) -> bool:
        """Say whether the file has a row of a page."""
        return name in self.done

    def write(self, outcome: Outcome) -> None:
        """Write a page."""
        if outcome.data is not None and not self.keep and self.path.is_file():
            self.stream.truncate(0)
        self.keep = self.keep or outcome.data is not None
        super().write(outcome)

    def close(self) -> None:
        """Close the file, and leave no empty one behind."""
        super().close()
        if self.new and self.path.is_file() and not self.path.stat().st_size:
            self.path.unlink()


def whole_rows(path: Path, names: Container[str]) -> set[str]:
    """Return the pages done in a file of rows, and leave only whole rows in it.

    A row that was cut off goes, and so do the failures of pages that are tried again.
    """
    done: set[str] = set()
    whole = 0
    again = False
    with path.open("rb") as file:
        for line in file:
            name, failed = row_name(line, path)
            if name is None:
                break
            whole += len(line)
            again |= failed and name in names
            if not failed:
                done.add(name)
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    if again:
        drop_failures(path, names)
    return done


def drop_failures(path: Path, names: Container[str]) -> None:
    """Leave out the rows that say why some pages failed; the file is whole at any moment."""
    with open_draft(path) as draft, path.open("rb") as old, draft.open("wb") as new:
        for line in old:
            name, failed = row_name(line, path)
            if not (failed and name in names):
                new.write(line)


def row_name(line: bytes, path: Path) -> tuple[str | None, bool]:
    """Return the page of a row and whether it failed; no page for a row that was cut off."""
    if not line.endswith(b"\n"):
        return None, False
    try:
        row = json.loads(line)
        return str(row["name"]), row["error"] is not None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(
            f"{path} holds a line that is no row of tamis; --resume goes on with such rows alone"
        ) from None


class Folder:
    """Writes each page to a file of its own, which is there when it is whole."""

    def __init__(self, path: Path, ending: str, *, resume: bool) -> None:
        self.path = path
        self.ending = ending
        self.resume = resume

    def has(self, name: str) -> bool:
        """Say whether a page has its file from an earlier run."""
        return self.resume and self.place(name).exists()

    def place(self, name: str) -> Path:
        """Return the file of a page."""
        return self.path / file_name(name, self.ending)

    def write(self, outcome: Outcome) -> None:
        """Write a page's file under another name first, then give it its own."""
        if outcome.data is None or outcome.error is not None:
            return
        place = self.place(outcome.name)
        place.parent.mkdir(parents=True, exist_ok=True)
        with open_draft(place) as draft:
            draft.write_text(outcome.data + "\n", encoding="utf-8", newline="\n")

    def close(self) -> None:
        """Do nothing: no file is open."""
