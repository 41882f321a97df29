"""The output of a run: its format, its fields, and the sink that the user names."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Final

from tamis.cli.files import assign_file_names, check_no_input, is_used
from tamis.cli.inputs import PageNames
from tamis.cli.rows import (
    FLAT_FORMATS,
    ROW_FORMATS,
    default_fields,
    parse_fields,
    render_csv_row,
)
from tamis.cli.sinks import FileSink, FolderSink, GzipSink, ParquetSink, Sink, StdoutSink
from tamis.cli.tasks import PageTask
from tamis.errors import InputError
from tamis.files import open_draft, remove_drafts
from tamis.source import Input

_ENDING_FORMATS: Final = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}
_PAGE_ENDINGS: Final = {  # of the files of pages in a folder
    "text": "txt",
    "markdown": "md",
    "html": "html",
    "json": "json",
    "jsonl": "json",
}


def choose_format(target: str | None, output_format: str | None, *, many: bool) -> str:
    """Return the format: the one that the user names, that of the target's ending, or a default.

    The default is text for one page and rows for what may be many.
    """
    if target is not None and not _names_folder(target):
        output_format = choose_file_format(Path(target), output_format, _ENDING_FORMATS)
    return output_format or ("jsonl" if many else "text")


def choose_file_format(
    path: Path, output_format: str | None, ending_formats: Mapping[str, str]
) -> str | None:
    """Return the format of a file: the one that the user names, or that of its ending.

    None if neither sets one. Only rows can be compressed.
    """
    if output_format is None and path.suffix:
        output_format = ending_formats.get(_ending(path))
        if output_format is None:
            endings = ", ".join(ending for ending in ending_formats if ending != ".text")
            raise InputError(
                f"{path}: its ending sets no format; name it {endings} or .jsonl.gz, or give -f"
            )
    if path.suffix == ".gz" and output_format != "jsonl":
        raise InputError(f"{path}: only rows are written compressed; name it .jsonl.gz")
    return output_format


def _ending(path: Path) -> str:
    """Return the ending that sets a format; compression is none."""
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _check_ending(path: Path, output_format: str) -> None:
    """Raise InputError if a file would hold another format than its ending says.

    A .txt file may hold any text, a .json file also rows.
    """
    expected = _ENDING_FORMATS.get(_ending(path), output_format)
    fits = output_format == expected or {output_format, expected} == {"json", "jsonl"}
    if not fits and not (expected == "text" and output_format in ("markdown", "html")):
        raise InputError(
            f"{path} would hold {output_format}, and its ending says {expected}: "
            "leave -f out, or name the file otherwise"
        )


def choose_fields(output_format: str, fields: str | None) -> tuple[str, ...] | None:
    """Return the fields of rows that the user names, or the default of the format."""
    if fields is None:
        return default_fields(output_format)
    if output_format not in ROW_FORMATS:
        raise InputError(
            f"--fields chooses columns of rows, and {output_format} has none: "
            "give -f jsonl, json, csv or parquet"
        )
    return parse_fields(fields)


def _names_folder(target: str) -> bool:
    return target.endswith(("/", os.sep)) or Path(target).is_dir()


def open_sink(
    target: str | None, task: PageTask, inputs: Sequence[Input], *, resume: bool, overwrite: bool
) -> Sink:
    """Return the sink that the user named, for the pages of this run.

    What exists is never replaced unless the user says so, and an input never is.
    """
    if target is None:
        if resume:
            raise InputError("--resume needs -o: standard output cannot be read again")
        if task.format == "parquet":
            raise InputError("a Parquet file is not for a terminal: name it with -o")
        return StdoutSink(titled=task.many and not task.writes_rows, header=_csv_header(task))
    if not target:
        raise InputError("the output has no name: give -o a file or a folder")
    path = Path(target)
    try:
        folder = _open_folder(target, task, inputs, resume=resume)
        files = [folder.page_file(page.name) for page in inputs] if folder else [path]
        check_no_input(files, inputs)
        if folder is None:
            _check_ending(path, task.format)
        if not (resume or overwrite):
            _check_unused(path if task.many else files[0], task)
        if folder:
            path.mkdir(parents=True, exist_ok=True)
            if resume:
                remove_drafts(path)
            return folder
        return _open_file(path, task, inputs, resume=resume)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _open_folder(
    target: str, task: PageTask, inputs: Sequence[Input], *, resume: bool
) -> FolderSink | None:
    """Return the folder that a target stands for, None if it stands for a file."""
    path = Path(target)
    is_folder = _names_folder(target)
    if is_folder and path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file, not a folder: name another, or leave the / out")
    if not is_folder and (task.writes_rows or not task.many):
        return None
    if not is_folder and (path.exists() or path.suffix in _ENDING_FORMATS):
        raise InputError(
            f"many pages as {task.format} need a folder, and {path} is one file: name a folder "
            "(with a / at its end), or have them all in one file with -f jsonl"
        )
    if task.format not in _PAGE_ENDINGS:
        raise InputError(
            f"{task.format} is one file of all pages, and {path} is a folder: "
            f"name a file such as pages.{task.format}"
        )
    names = assign_file_names(inputs, _PAGE_ENDINGS[task.format])
    return FolderSink(path, names, _PAGE_ENDINGS[task.format], resume=resume, resumable=task.many)


def _open_file(path: Path, task: PageTask, inputs: Sequence[Input], *, resume: bool) -> Sink:
    """Return the file that a path stands for."""
    is_compressed = path.suffix == ".gz"
    if resume and not task.writes_rows:
        raise InputError(f"--resume goes on with rows or a folder; {path} would be one page")
    if resume and (is_compressed or task.format in FLAT_FORMATS):
        raise InputError(f"--resume goes on with .jsonl or a folder; {path} must be written anew")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the folder of {path} does not exist: create it first")
    if task.format == "parquet":
        return ParquetSink(path, task.fields or ())
    finished = set[str]()
    if resume and path.is_file():
        finished = _keep_complete_rows(path, PageNames(inputs))
    resumable = task.many and not is_compressed and task.format not in FLAT_FORMATS
    sink = GzipSink if is_compressed else FileSink
    return sink(path, finished, append=resume, resumable=resumable, header=_csv_header(task))


def _csv_header(task: PageTask) -> str:
    if task.format != "csv" or task.fields is None:
        return ""
    return render_csv_row(task.fields) + "\n"


def _check_unused(path: Path, task: PageTask) -> None:
    """Raise InputError if a path has content that would be lost."""
    if is_used(path):
        advice = "go on with --resume, or " * (task.many and task.format not in FLAT_FORMATS)
        raise InputError(f"{path} exists: {advice}replace it with --overwrite")


def _keep_complete_rows(path: Path, names: Container[str]) -> set[str]:
    """Return the pages that a file of rows has, and leave only complete rows in it.

    A partial row is removed, and so are the failures of pages that are tried again.
    """
    finished: set[str] = set()
    complete_bytes = 0
    has_failures = False
    with path.open("rb") as file:
        for line in file:
            name, failed = _parse_row(line, path)
            if name is None:
                break
            complete_bytes += len(line)
            has_failures |= failed and name in names
            if not failed:
                finished.add(name)
    if complete_bytes < path.stat().st_size:
        os.truncate(path, complete_bytes)
    if has_failures:
        _drop_failures(path, names)
    return finished


def _drop_failures(path: Path, names: Container[str]) -> None:
    """Remove the error rows of pages; the file is complete at any moment."""
    with open_draft(path) as draft, path.open("rb") as old, draft.open("wb") as new:
        for line in old:
            name, failed = _parse_row(line, path)
            if not (failed and name in names):
                new.write(line)


def _parse_row(line: bytes, path: Path) -> tuple[str | None, bool]:
    """Return the page of a row and whether it failed; no page for a partial row."""
    if not line.endswith(b"\n"):
        return None, False
    try:
        row = json.loads(line)
        return str(row["name"]), row["error"] is not None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(
            f"{path} holds a line that is no row of tamis; --resume goes on with such rows alone"
        ) from None
