"""Byte ranges: an index names file, offset and length of records, which are fetched one by one.

An index is a table (of Common Crawl: warc_filename, warc_record_offset, warc_record_length) or a
file in the CDXJ or CDX format.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

import pyarrow as pa

from tamis.errors import InputError, SourceError, TooLarge
from tamis.printing import encodable
from tamis.scale.columns import repair_text
from tamis.scale.inputs import join_base
from tamis.scale.locations import find_filesystem, normalise_location
from tamis.scale.options import Options
from tamis.scale.page_rows import Row, error_row, page_row, page_schema
from tamis.scale.schema import is_text
from tamis.source import Source, printable_name, read_archive_file

CDX_SCHEMA: Final = pa.schema(
    [
        ("url", pa.string()),
        ("filename", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
    ]
)
_COLUMNS: Final = (
    ("warc_filename", "warc_record_offset", "warc_record_length"),
    ("filename", "offset", "length"),
)
_SLACK: Final = 1 << 20  # bytes of headers, and by which compressing can make a record larger
_CDX_FIELDS: Final = 11  # N b a m s k r M S V g, as most archives write them

_Range = tuple[str, int, int]  # file, offset, length


def range_columns(schema: pa.Schema) -> tuple[str, str, str] | None:
    """Return the columns that name file, offset and length; None if a table is no index."""
    return next((names for names in _COLUMNS if set(names) <= set(schema.names)), None)


def parse_cdx_line(line: bytes) -> Row:
    """Return the row of a line of an index; an empty one if it cannot be read."""
    text = line.decode("utf-8", "replace").strip()
    try:
        if "{" in text:
            entry = json.loads(text[text.index("{") :])
            url, name = entry.get("url"), entry["filename"]
            offset, length = entry["offset"], entry["length"]
        else:
            fields = text.split(" ")
            if len(fields) != _CDX_FIELDS:
                return {}
            url, name = fields[2], fields[10]
            offset, length = fields[9], fields[8]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    where = _check_range(name, offset, length)
    if where is None:
        return {}
    url = encodable(url) if isinstance(url, str) else None
    return {"url": url, "filename": encodable(where[0]), "offset": where[1], "length": where[2]}


def _check_range(name: Any, offset: Any, length: Any) -> _Range | None:
    """Return a byte range, None if it cannot be one: tables have numbers of any type, and NaN."""
    try:
        start, size = int(offset), int(length)
    except (ValueError, TypeError, OverflowError):
        return None
    is_range = 0 <= start < 1 << 62 and 0 < size < 1 << 40
    return (name, start, size) if is_range and isinstance(name, str) and name else None


def read_ranges(
    index: pa.RecordBatch, names: tuple[str, str, str], options: Options
) -> tuple[pa.RecordBatch, int]:
    """Return the pages that an index names, one row for each, with its other columns.

    The number is of those that could not be fetched, for a reason that may pass: a file that is
    missing stays so, but not a network that is down.
    """
    columns = (repair_text(index.column(name)).to_pylist() for name in names)
    ranges = [_check_range(*values) for values in zip(*columns, strict=True)]
    urls: list[str | None] = [None] * len(ranges)
    if "url" in index.schema.names and is_text(index.schema.field("url").type):
        urls = repair_text(index.column("url")).to_pylist()
    parts = _fetch(ranges, options)
    rows = [
        _range_row(where, data, url, options)
        for where, data, url in zip(ranges, parts, urls, strict=True)
    ]
    schema = page_schema(options, pa.binary())
    pages = pa.RecordBatch.from_pylist(rows, schema)
    for position, column in enumerate(index.schema):
        if column.name not in {*schema.names, *names}:
            pages = pages.append_column(column, index.column(position))
    return pages, sum(_may_pass(data) for data in parts)


def _may_pass(data: bytes | Exception) -> bool:
    """Say whether bytes could not be fetched for a reason that may pass."""
    if not isinstance(data, Exception):
        return False
    lasting = (FileNotFoundError, PermissionError, InputError)
    is_outside = getattr(data, "errno", None) == errno.EINVAL or getattr(data, "status", 0) == 416
    return not (isinstance(data, lasting) or is_outside)


def _fetch(ranges: Sequence[_Range | None], options: Options) -> list[bytes | Exception]:
    """Return the bytes of ranges, which are fetched side by side, or why there are none."""
    parts: list[bytes | Exception] = [
        SourceError("the index has no file, offset or length for this page") for _ in ranges
    ]
    by_filesystem: dict[int, tuple[Any, list[tuple[int, str, int, int]]]] = {}
    for number, where in enumerate(ranges):
        if where is None:
            continue
        name, offset, length = where
        if length > options.max_bytes + _SLACK:
            parts[number] = TooLarge(
                f"{printable_name(name)}:{offset} has {length:,} bytes, and a page may have "
                f"{options.max_bytes:,} (max_bytes)"
            )
            continue
        try:
            filesystem, path = find_filesystem(normalise_location(join_base(name, options.base)))
        except SourceError as error:
            parts[number] = error
            continue
        _, wanted = by_filesystem.setdefault(id(filesystem), (filesystem, []))
        wanted.append((number, path, offset, offset + length))
    for filesystem, wanted in by_filesystem.values():
        numbers, paths, starts, stops = zip(*wanted, strict=True)
        try:
            fetched: Sequence[Any] = filesystem.cat_ranges(
                list(paths), list(starts), list(stops), on_error="return"
            )
        except Exception as error:  # each filesystem has errors of its own
            fetched = [error] * len(numbers)
        for number, data in zip(numbers, fetched, strict=True):
            parts[number] = data
    return parts


def _range_row(
    where: _Range | None, data: bytes | Exception, url: str | None, options: Options
) -> Row:
    """Return the row of a byte range: its page, or why there is none."""
    file, offset, length = where or (None, None, None)
    row: Row = {"url": url, "warc_file": file, "offset": offset, "length": length}
    name = f"{printable_name(str(file))}:{offset}"
    if isinstance(data, InputError):
        return row | error_row(data)
    if isinstance(data, FileNotFoundError):
        return row | error_row(SourceError(f"{name} is not there: check the file and the base"))
    if isinstance(data, Exception):
        reason = str(data) or type(data).__name__
        return row | error_row(SourceError(f"{name} cannot be read ({reason})"))
    page = next(read_archive_file(BytesIO(data), name, options.max_bytes), None)
    if isinstance(page, Source):
        return page_row(page, options) | {key: row[key] for key in row if row[key] is not None}
    return row | error_row(page.error if page else SourceError(f"{name} holds no page"))
