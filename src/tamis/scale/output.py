"""The output folder of a job: a Parquet file per input, which is there as a whole or not at all.

OUT/pages/NAME.parquet    the rows of one input; its counts are in the file's own metadata
OUT/job.json              the options of the job: a second run must have the same
OUT/failed.jsonl          the inputs that a second run tries again, with the reasons
OUT/summary.json          counts of the whole job
OUT/_drafts/              what is being written; gone when the job has ended
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import IO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tamis.errors import InputError, SourceError, TamisError
from tamis.scale.locations import (
    explain_read_errors,
    find_filesystem,
    is_object_store,
    normalise_location,
    open_location,
    url_scheme,
)
from tamis.scale.options import Options
from tamis.source import printable_name

_METADATA_KEY: Final = b"tamis"
_ROW_GROUP_BYTES: Final = 32 << 20  # of Arrow data, before it is compressed
_COMPRESSION: Final = "zstd"
_READERS: Final = 16  # threads that read the counts of outputs


@dataclass(frozen=True)
class InputReport:
    """What became of one input; `problem` is about the input as a whole."""

    input: str
    rows: int = 0
    failures: dict[str, int] = field(default_factory=dict)  # kind of error → pages
    problem: str | None = None
    seconds: float = 0.0
    output: str | None = None  # the name of its file; None if there is none

    @property
    def failed(self) -> int:
        """The number of pages that failed."""
        return sum(self.failures.values())


@dataclass(frozen=True)
class OutputFolder:
    """The output of a job; it can be sent to other processes and machines."""

    location: str

    @classmethod
    def open(cls, location: str, options: Options) -> OutputFolder:
        """Return the folder of a job, made if need be; InputError if it is of another job."""
        if url_scheme(location) in ("http", "https"):
            raise InputError(f"{location} cannot be written to: give a folder, or one on S3")
        folder = cls(normalise_location(location).rstrip("/"))
        job = json.loads(json.dumps(options.describe()))
        try:
            with open_location(folder._path("job.json")) as file:
                before = dict(json.loads(file.read()))
        except (ValueError, TypeError) as error:
            raise InputError(
                f"{location} has the job.json of something else: take another"
            ) from error
        except SourceError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            folder.write_text("job.json", json.dumps(job, indent=1) + "\n")
            return folder
        changed = [name for name in job if job[name] != before.get(name)]
        if changed:
            was = ", ".join(f"{name} was {before.get(name)!r}" for name in changed)
            raise InputError(f"{location} has the output of other options ({was}): take another")
        return folder

    def names(self) -> set[str]:
        """Return the names of the outputs that are there."""
        filesystem, path = find_filesystem(self._path("pages"))
        try:
            with explain_read_errors(self.location):
                filesystem.invalidate_cache()
                entries = filesystem.ls(path, detail=False)
        except SourceError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            return set()
        return {entry.rpartition("/")[2] for entry in entries if entry.endswith(".parquet")}

    def read_report(self, name: str) -> InputReport | None:
        """Return the counts of an output; None if there is none that can be read."""
        try:
            with open_location(self._path("pages", name)) as file:
                metadata = pq.read_metadata(file).metadata or {}
            return InputReport(**json.loads(metadata[_METADATA_KEY]))
        except (InputError, OSError, pa.ArrowException, KeyError, ValueError, TypeError):
            return None

    def read_reports(self, names: Iterable[str]) -> dict[str, InputReport]:
        """Return the counts of outputs by their names, without those that cannot be read."""
        names = list(names)
        with ThreadPoolExecutor(_READERS) as threads:
            reports = threads.map(self.read_report, names)
            return {
                name: report
                for name, report in zip(names, reports, strict=True)
                if report is not None
            }

    @contextmanager
    def open_output(self, name: str, schema: pa.Schema) -> Iterator[OutputWriter]:
        """Give a writer of rows; they appear as a file when all are written, and the counts too."""
        with self._open_file("pages", name) as file:
            writer = OutputWriter(file, schema)
            try:
                yield writer
            finally:
                writer.close()

    def write_text(self, name: str, text: str) -> None:
        """Write a small file, as a whole or not at all."""
        with self._open_file(name) as file:
            file.write(text.encode("utf-8", "replace"))

    def remove_drafts(self) -> None:
        """Remove what tasks that were killed have left."""
        filesystem, path = find_filesystem(self._path("_drafts"))
        with suppress(FileNotFoundError):
            filesystem.rm(path, recursive=True)

    def _path(self, *names: str) -> str:
        return "/".join((self.location, *names))

    @contextmanager
    def _open_file(self, *names: str) -> Iterator[IO[bytes]]:
        """Give a file to write; it replaces the one of that name when all is written."""
        target = self._path(*names)
        open_target = self._upload if is_object_store(target) else self._open_draft
        try:
            with open_target(target) as file:
                yield file
        except OSError as error:  # what is read has errors of its own
            reason = error.strerror or str(error) or type(error).__name__
            advice = "make room" if error.errno == errno.ENOSPC else "check its permissions"
            raise TamisError(
                f"{printable_name(target)} cannot be written ({reason}): {advice}, and start the "
                "same command again"
            ) from error

    @contextmanager
    def _open_draft(self, target: str) -> Iterator[IO[bytes]]:
        """Give a file in the folder of drafts, which is then renamed."""
        name = target.rpartition("/")[2]
        draft = self._path("_drafts", f"{name}.{secrets.token_hex(4)}")
        filesystem, path = find_filesystem(draft)
        _, target_path = find_filesystem(target)
        for inner in (path, target_path):
            filesystem.makedirs(inner.rpartition("/")[0], exist_ok=True)
        try:
            with filesystem.open(path, "wb") as file:
                yield file
                if url_scheme(target) is None:
                    file.flush()
                    os.fsync(file.fileno())
            if url_scheme(target) is None:
                os.replace(path, target_path)
            else:
                filesystem.mv(path, target_path)
        except BaseException:
            with suppress(Exception):
                filesystem.rm(path)
            raise

    @contextmanager
    def _upload(self, target: str) -> Iterator[IO[bytes]]:
        """Give a file without a name, which is then uploaded: the object appears at its end."""
        filesystem, path = find_filesystem(target)
        with tempfile.TemporaryFile() as draft:
            yield draft
            draft.seek(0)
            try:
                remote = filesystem.open(path, "wb")
                try:
                    shutil.copyfileobj(draft, remote, 1 << 22)
                except BaseException:
                    remote.discard()
                    raise
                remote.close()
            except OSError:
                raise
            except Exception as error:  # each library has errors of its own
                raise OSError(str(error) or type(error).__name__) from error


class OutputWriter:
    """Writes rows to a Parquet file in groups of a bounded size."""

    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(file, schema, compression=_COMPRESSION)
        self._batches: list[pa.RecordBatch] = []
        self._size = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows, or keep them until there are enough."""
        self._batches.append(batch)
        self._size += batch.nbytes
        if self._size >= _ROW_GROUP_BYTES:
            self._flush()

    def finish(self, report: InputReport) -> None:
        """Write what is left, and the counts."""
        self._flush()
        metadata = {_METADATA_KEY: json.dumps(asdict(report)).encode()}
        self._writer.add_key_value_metadata(metadata)

    def _flush(self) -> None:
        if self._batches:
            table = pa.Table.from_batches(self._batches)
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._batches, self._size = [], 0

    def close(self) -> None:
        """End the file."""
        self._writer.close()
