"""Sinks: where outcomes go. Standard output, one file, a folder with one file per page, a store."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import datetime
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, ClassVar, Final, Protocol

from tamis.cli.files import assign_file_names, capture_file_name, check_no_input, is_used
from tamis.cli.inputs import PageNames
from tamis.cli.rows import (
    FLAT_FORMATS,
    ROW_FORMATS,
    build_arrow_schema,
    default_fields,
    parse_fields,
    render_csv_row,
)
from tamis.cli.tasks import Outcome, PageTask, StoreTask, Work, open_store
from tamis.errors import InputError, unavailable
from tamis.files import open_draft, remove_drafts
from tamis.printing import escape_for_terminal, printable
from tamis.source import Input, Source

if TYPE_CHECKING:
    from tamis.store import Store

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
_ROW_GROUP_PAGES: Final = 500  # of a Parquet file


class Sink(Protocol):
    """Takes outcomes; knows which pages an earlier run finished."""

    @property
    def name(self) -> str:
        """What it writes to, for messages."""
        ...

    @property
    def is_resumable(self) -> bool:
        """Whether a run that ends early can go on with --resume."""
        ...

    @property
    def is_on_terminal(self) -> bool:
        """Whether pages run over a terminal, which shows how far the work is."""
        ...

    def has(self, page: Input | Source) -> bool:
        """Say whether an earlier run finished a page."""
        ...

    def leave_out_finished(self, work: Iterable[Work]) -> Iterable[Work]:
        """Return the work that is left."""
        ...

    def write(self, outcome: Outcome) -> None:
        """Write an outcome, completely or not at all."""
        ...

    def close(self) -> None:
        """Write no more."""
        ...


def choose_format(target: str | None, output_format: str | None, *, many: bool) -> str:
    """Return the format: the one that the user names, that of the target's ending, or a default.

    The default is text for one page and rows for what may be many.
    """
    path = Path(target or "")
    has_ending = target is not None and not _names_folder(target) and path.suffix != ""
    if output_format is None and has_ending:
        name = path.name.removesuffix(".gz")
        output_format = _ENDING_FORMATS.get(Path(name).suffix.lower())
        if output_format is None:
            endings = ", ".join(ending for ending in _ENDING_FORMATS if ending != ".text")
            raise InputError(
                f"{path}: its ending sets no format; name it {endings} or .jsonl.gz, or give -f"
            )
    output_format = output_format or ("jsonl" if many else "text")
    if has_ending and path.suffix == ".gz" and output_format != "jsonl":
        raise InputError(f"{path}: only rows are written compressed; name it .jsonl.gz")
    return output_format


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


def write_stdout(text: str) -> None:
    """Write data to standard output as UTF-8, whatever its encoding was."""
    with closing(StdoutSink()) as sink:
        sink.write_text(text)


def show_stdout(text: str) -> None:
    """Write text that was made for people to standard output, with its colours."""
    with closing(StdoutSink()) as sink:
        sink.write_styled(text)


class _StreamSink:
    """Writes pages to an open file."""

    name: str = ""
    is_resumable: bool = False
    is_on_terminal: bool = False

    def __init__(self, stream: IO[str], *, titled: bool = False, header: str = "") -> None:
        self._stream = stream
        self._titled = titled
        self._header = header  # before the first page

    def has(self, page: Input | Source) -> bool:
        """Say no: a stream does not know what was written before."""
        return False

    def leave_out_finished(self, work: Iterable[Work]) -> Iterator[Work]:
        """Yield the pages that are not finished."""
        for page in work:
            if isinstance(page, Outcome) or not self.has(page):
                yield page

    def write(self, outcome: Outcome) -> None:
        """Write a page."""
        if outcome.content is not None:
            title = f"==> {printable(outcome.name)} <==\n" if self._titled else ""
            self.write_text(f"{self._header}{title}{outcome.content}\n")
            self._header = ""

    def write_text(self, text: str) -> None:
        """Write text with one call, so that a reader sees complete lines.

        On a terminal nothing in it controls the terminal; in a file or a pipe it is unchanged.
        """
        self.write_styled(escape_for_terminal(text) if self._stream.isatty() else text)

    def write_styled(self, text: str) -> None:
        """Write text that was made for people, with its colours."""
        self._stream.write(text)
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


class StdoutSink(_StreamSink):
    """Writes pages to standard output, through a stream of its own: buffered, and in UTF-8.

    Python's stream may be neither, and without a buffer it drops what a signal interrupts.
    """

    name = "standard output"

    def __init__(self, *, titled: bool = False, header: str = "") -> None:
        self.is_on_terminal = sys.stdout.isatty()
        try:
            number = sys.stdout.fileno()
        except (OSError, ValueError):  # not a file of the system: a notebook's, or that of a test
            super().__init__(sys.stdout, titled=titled, header=header)
            self._is_own = False
            return
        stream = os.fdopen(number, "w", encoding="utf-8", newline="\n", closefd=False)
        super().__init__(stream, titled=titled, header=header)
        self._is_own = True

    def close(self) -> None:
        """Close the stream of this sink; standard output stays open."""
        if self._is_own:
            super().close()


class FileSink(_StreamSink):
    """Writes pages to one file; its content is kept until there is something to replace it.

    The file is opened at once, so that no work is done in vain if it cannot be written. A new file
    into which nothing was written is removed again.
    """

    def __init__(
        self,
        path: Path,
        finished: set[str],
        *,
        append: bool,
        resumable: bool,
        header: str = "",
    ) -> None:
        self._is_new = not path.exists()
        stream = path.open("a", encoding="utf-8", newline="\n")
        super().__init__(stream, header=header)
        self.name = str(path)
        self.is_resumable = resumable
        self._path = path
        self._finished = finished
        self._append = append

    def has(self, page: Input | Source) -> bool:
        """Say whether the file has a row of a page."""
        return page.name in self._finished

    def write(self, outcome: Outcome) -> None:
        """Write a page."""
        if outcome.content is not None and not self._append and self._path.is_file():
            self._stream.truncate(0)
        self._append = self._append or outcome.content is not None
        super().write(outcome)

    def close(self) -> None:
        """Close the file, and leave no empty one behind."""
        super().close()
        if self._is_new and self._path.is_file() and not self._path.stat().st_size:
            self._path.unlink()


class GzipSink(FileSink):
    """Writes rows to one compressed file."""

    _packed: IO[str] | None = None

    def write_styled(self, text: str) -> None:
        """Compress text; it is not flushed after each page, which would cost space."""
        if self._packed is None:
            # GzipFile writes its header at once, which must come after the file was emptied.
            packed = gzip.GzipFile("", "wb", fileobj=self._stream.buffer, mtime=0)  # type: ignore[attr-defined]
            self._packed = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
        self._packed.write(text)

    def close(self) -> None:
        """Complete the compressed data, then close the file."""
        try:
            if self._packed is not None and not self._stream.closed:
                self._packed.close()
        finally:
            super().close()


class ParquetSink:
    """Writes rows to a Parquet file, which appears when the run ends.

    After Ctrl-C it has the rows up to there.
    """

    is_resumable: ClassVar = False
    is_on_terminal: ClassVar = False

    def __init__(self, path: Path, fields: Sequence[str]) -> None:
        try:
            import pyarrow.parquet as pq
        except ImportError as error:
            raise unavailable("Parquet needs pyarrow", "records") from error
        self.name = str(path)
        self._schema = build_arrow_schema(fields)
        self._rows: list[Mapping[str, Any]] = []
        self._count = 0
        self._draft = ExitStack()
        draft = self._draft.enter_context(open_draft(path))
        try:
            self._writer = self._draft.enter_context(pq.ParquetWriter(draft, self._schema))
        except BaseException:
            self._discard()
            raise

    def has(self, page: Input | Source) -> bool:
        """Say no: the file is written anew."""
        return False

    def leave_out_finished(self, work: Iterable[Work]) -> Iterable[Work]:
        """Return all work."""
        return work

    def write(self, outcome: Outcome) -> None:
        """Take a row; rows are written some hundred at a time."""
        if outcome.row is not None:
            self._rows.append(outcome.row)
            self._count += 1
        if len(self._rows) >= _ROW_GROUP_PAGES:
            self._write_rows()

    def close(self) -> None:
        """Complete the file; without rows there is none."""
        try:
            self._write_rows()
        except BaseException:
            self._discard()
            raise
        if self._count:
            self._draft.close()
        else:
            self._discard()

    def _write_rows(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows = []

    def _discard(self) -> None:
        """Remove the draft; the file stays as it was."""
        with suppress(_Discarded):
            self._draft.__exit__(_Discarded, _Discarded(), None)


class _Discarded(Exception):
    """Tells a draft that it is not wanted."""


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


class FolderSink:
    """Writes each page to a file of its own, which appears when it is complete."""

    is_on_terminal: ClassVar = False

    def __init__(
        self,
        path: Path,
        names: Mapping[str, PurePath],
        ending: str,
        *,
        resume: bool,
        resumable: bool,
    ) -> None:
        self.name = str(path)
        self.is_resumable = resumable
        self._path = path
        self._names = names
        self._ending = ending
        self._resume = resume

    def has(self, page: Input | Source) -> bool:
        """Say whether an earlier run wrote the file of a page."""
        url = page.url if isinstance(page, Source) else None
        return self._resume and self.page_file(page.name, url).exists()

    def leave_out_finished(self, work: Iterable[Work]) -> Iterator[Work]:
        """Yield the pages without a file."""
        for page in work:
            if isinstance(page, Outcome) or not self.has(page):
                yield page

    def page_file(self, name: str, url: str | None = None) -> Path:
        """Return the file of a page: that of its input, or one for a page in an archive."""
        if name in self._names:
            return self._path / self._names[name]
        return self._path / capture_file_name(name, url, self._ending)

    def write(self, outcome: Outcome) -> None:
        """Write the file of a page as a draft, which then gets its name."""
        if outcome.content is None or outcome.error is not None:
            return
        path = self.page_file(outcome.name, outcome.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_draft(path) as draft:
            draft.write_text(outcome.content + "\n", encoding="utf-8", newline="\n")

    def close(self) -> None:
        """Do nothing: no file is open."""


class StoreSink:
    """Counts pages that go into a store, and leaves out those that it had before.

    A StoreTask stores a page in the process that extracted it, so there is nothing to write here.
    """

    is_resumable: ClassVar = True
    is_on_terminal: ClassVar = False

    def __init__(self, task: StoreTask) -> None:
        self.name = task.store
        self._resume = task.resume
        self._store = open_store(task.store)  # an error before any work if it cannot be opened

    def has(self, page: Input | Source) -> bool:
        """Say no: what is in the store is known when the URL of a page is."""
        return False

    def leave_out_finished(self, work: Iterable[Work]) -> Iterator[Work]:
        """Yield work; for a capture that the store had before, the outcome "before".

        A capture is identified by its URL and date. Captures of this run are not looked up: other
        processes may have stored them, or not yet.
        """
        new: set[int] = set()
        for page in work:
            if self._resume and isinstance(page, Source) and page.url and page.fetched_at:
                capture = hash((page.url, page.fetched_at))  # of two equal ones, both are stored
                if capture not in new and _is_stored(self._store, page.url, page.fetched_at):
                    yield Outcome(page.name, None, counts_as="before")
                    continue
                new.add(capture)
            yield page

    def write(self, outcome: Outcome) -> None:
        """Do nothing: the task stored the page."""

    def close(self) -> None:
        """Do nothing: the store stays open as long as the process."""


def _is_stored(store: Store, url: str, fetched_at: datetime) -> bool:
    """Say whether a store has a page as it was fetched at a time."""
    return url in store and any(version.fetched_at == fetched_at for version in store.history(url))
