"""Inputs → Arrow batches of pages, one row for each page."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tamis.errors import InputError, SourceError
from tamis.printing import encodable
from tamis.scale.inputs import InputFile, Kind, find_kind, list_pages
from tamis.scale.locations import explain_read_errors, normalise_location, open_location
from tamis.scale.options import Options
from tamis.scale.page_rows import (
    MAX_ROWS,
    Row,
    error_row,
    gather_batches,
    page_row,
    page_schema,
)
from tamis.scale.ranges import CDX_SCHEMA, parse_cdx_line, range_columns, read_ranges
from tamis.scale.schema import check_schema
from tamis.source import Failure, Source, printable_name, read_archive_file, unpack_page

_MAX_LINE_BYTES: Final = 1 << 28
_SLACK: Final = 1 << 16  # bytes by which compressing can make a page larger
_GZIP_MAGIC: Final = b"\x1f\x8b"
_JSON_TEXTS: Final = ("url", "charset", "record_id", "content_type")


@dataclass
class InputReader:
    """Reads the pages of one input; `problem` says at the end what was wrong with it as a whole.

    An input that cannot be read at all raises a SourceError, one without the needed columns an
    InputError.
    """

    source: InputFile
    options: Options
    problem: str | None = field(default=None, init=False)
    _unfetched: int = field(default=0, init=False)  # byte ranges

    def batches(self) -> Generator[pa.RecordBatch, None, None]:
        """Yield the pages, up to the limit."""
        if self.source.problem:
            raise SourceError(self.source.problem)
        is_begun = False
        left = self.options.limit
        try:
            for batch in _READERS[self.source.kind](self):
                is_begun = True
                if left is not None:
                    batch = batch.slice(0, left)
                    left -= batch.num_rows
                yield batch
                if left == 0:
                    return
        except SourceError as error:
            if not is_begun:
                raise
            self.problem = str(error)  # what was read before is kept

    def read_ranges(self, index: pa.RecordBatch, names: tuple[str, str, str]) -> pa.RecordBatch:
        """Return the pages that an index names; those that could not be fetched are a problem."""
        pages, count = read_ranges(index, names, self.options)
        self._unfetched += count
        if self._unfetched:
            ranges = "byte range" if self._unfetched == 1 else "byte ranges"
            name = printable_name(self.source.location)
            self.problem = (
                f"{name}: {self._unfetched:,} {ranges} could not be fetched; start again later"
            )
        return pages

    def check(self) -> None:
        """Raise InputError if the input is a table without the needed columns."""
        location = self.source.location
        try:
            if self.source.kind == "parquet":
                with open_location(location) as file, explain_read_errors(location):
                    schema = pq.ParquetFile(file).schema_arrow
                _find_ranges(schema, self.options)
            elif self.source.kind == "jsonl":
                with open_location(location) as file:
                    next(_parse_lines(_lines(file, location), self.options), None)
        except SourceError:  # the summary will tell
            return


# Archives and pages -----------------------------------------------------------------------------


def _archive_batches(reader: InputReader) -> Iterator[pa.RecordBatch]:
    location, options = reader.source.location, reader.options
    name = printable_name(location)

    def rows(pages: Iterable[Source | Failure]) -> Iterator[Row]:
        for page in pages:
            if not isinstance(page, Failure) or not page.of_archive:
                yield {"warc_file": name, **page_row(page, options)}
            elif not page.no_pages:
                reader.problem = str(page.error)

    with open_location(location) as file:
        pages = read_archive_file(file, name, options.max_bytes)
        yield from gather_batches(page_schema(options, pa.binary()), rows(pages))


def _pages_batches(reader: InputReader) -> Iterator[pa.RecordBatch]:
    location, options = reader.source.location, reader.options
    schema = page_schema(options, pa.binary(), name=pa.string())
    if find_kind(location) == "pages":
        yield from gather_batches(schema, [_read_page(location, options)])
        return
    pages = list_pages(location)
    if not pages:
        raise SourceError(f"folder {printable_name(location)} has no pages")
    yield from gather_batches(schema, (_page_or_error(page, options) for page in pages))


def _page_or_error(location: str, options: Options) -> Row:
    """Return the row of a file; one that cannot be read is a row with its error."""
    try:
        return _read_page(location, options)
    except InputError as error:
        return {"name": _file_name(location), **error_row(error)}


def _read_page(location: str, options: Options) -> Row:
    name = _file_name(location)
    with open_location(normalise_location(location)) as file:
        data = file.read(options.max_bytes + _SLACK)
    html = unpack_page(data, name, options.max_bytes)
    return {"name": name, options.html_column: html}


def _file_name(location: str) -> str:
    return printable_name(location.rpartition("/")[2])


# Tables and indexes -----------------------------------------------------------------------------


def _parquet_batches(reader: InputReader) -> Iterator[pa.RecordBatch]:
    location, options = reader.source.location, reader.options
    with open_location(location) as file:
        with explain_read_errors(location):
            table = pq.ParquetFile(file)
        ranges = _find_ranges(table.schema_arrow, options)
        batches = table.iter_batches(batch_size=MAX_ROWS)
        while True:
            with explain_read_errors(location):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch if ranges is None else reader.read_ranges(batch, ranges)


def _find_ranges(schema: pa.Schema, options: Options) -> tuple[str, str, str] | None:
    """Return the columns of an index by which records are read, None for a table of pages."""
    ranges = None if options.html_column in schema.names else range_columns(schema)
    if ranges is None:
        check_schema(schema, options)
    return ranges


def _jsonl_batches(reader: InputReader) -> Iterator[pa.RecordBatch]:
    location, options = reader.source.location, reader.options
    schema = page_schema(options, pa.string(), extra=pa.string())
    with open_location(location) as file:
        yield from gather_batches(schema, _parse_lines(_lines(file, location), options))


def _parse_lines(lines: Iterable[bytes], options: Options) -> Iterator[Row]:
    """Yield a row for each line; InputError if the first one has no HTML."""
    for number, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
            if not isinstance(values, dict):
                raise TypeError("it is something else")
        except (ValueError, TypeError, RecursionError) as error:
            message = f"line {number:,} is no JSON object ({error})"
            yield error_row(SourceError(message))
            continue
        if number == 1:
            check_schema(pa.schema([(encodable(name), pa.string()) for name in values]), options)
        yield _json_row(values, options)


def _json_row(values: dict[str, Any], options: Options) -> Row:
    """Return the row of a JSON object; what has no column of its own is JSON in `extra`."""
    html = values.pop(options.html_column, None)
    texts = {name: values.pop(name) for name in _JSON_TEXTS if isinstance(values.get(name), str)}
    row = {name: encodable(text) for name, text in texts.items()}
    row[options.html_column] = encodable(html) if isinstance(html, str) else None
    return row | {"extra": json.dumps(values) if values else None}


def _index_batches(reader: InputReader) -> Iterator[pa.RecordBatch]:
    location = reader.source.location
    names = range_columns(CDX_SCHEMA)
    assert names is not None
    with open_location(location) as file:
        lines = (line for line in _lines(file, location) if not line.startswith(b" CDX"))
        for batch in gather_batches(CDX_SCHEMA, map(parse_cdx_line, lines)):
            yield reader.read_ranges(batch, names)


def _lines(file: Any, location: str) -> Iterator[bytes]:
    """Yield the lines of a file that are not blank, unpacked if it is gzip data."""
    with explain_read_errors(location):
        if location.lower().endswith(".gz"):
            file = gzip.GzipFile(fileobj=file)
        while line := file.readline(_MAX_LINE_BYTES):
            if line.strip():
                yield line


_READERS: Final[dict[Kind, Callable[[InputReader], Iterator[pa.RecordBatch]]]] = {
    "archive": _archive_batches,
    "pages": _pages_batches,
    "parquet": _parquet_batches,
    "jsonl": _jsonl_batches,
    "index": _index_batches,
}
