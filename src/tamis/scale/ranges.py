"""Byte ranges: an index names file, offset and length of records, which are fetched one by one.

An index is a table (of Common Crawl: warc_filename, warc_record_offset, warc_record_length) or a
file in the CDXJ or CDX format.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

import pyarrow as pa

from tamis.errors import SourceError
from tamis.printing import encodable
from tamis.scale.inputs import join_base
from tamis.scale.locations import find_filesystem, normalise_location
from tamis.scale.options import Options
from tamis.scale.page_rows import Row, error_row, page_row, page_schema
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
_CDX_FIELDS: Final = 11  # N b a m s k r M S V g, as most archives write them

_Range = tuple[str | None, int | None, int | None]


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
            offset, length = int(entry["offset"]), int(entry["length"])
        else:
            fields = text.split(" ")
            if len(fields) != _CDX_FIELDS:
                return {}
            url, name = fields[2], fields[10]
            offset, length = int(fields[9]), int(fields[8])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    if not isinstance(name, str) or not 0 <= offset < 1 << 62 or not 0 < length < 1 << 40:
        return {}
    url = encodable(url) if isinstance(url, str) else None
    return {"url": url, "filename": encodable(name), "offset": offset, "length": length}


def read_ranges(
    index: pa.RecordBatch, names: tuple[str, str, str], options: Options
) -> tuple[pa.RecordBatch, int]:
    """Return the pages that an index names, one row for each, with its other columns.

    The number is of those that could not be fetched, for a reason that may pass: a file that is
    missing stays so, but not a network that is down.
    """
    ranges: list[_Range] = list(
        zip(*(index.column(name).to_pylist() for name in names), strict=True)
    )
    urls = index.column("url").to_pylist() if "url" in index.schema.names else [None] * len(ranges)
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
    lasting = (FileNotFoundError, PermissionError, SourceError)
    return isinstance(data, Exception) and not isinstance(data, lasting)


def _fetch(ranges: Sequence[_Range], options: Options) -> list[bytes | Exception]:
    """Return the bytes of ranges, which are fetched side by side, or why there are none."""
    parts: list[bytes | Exception] = [
        SourceError("the index has no file, offset or length for it") for _ in ranges
    ]
    by_filesystem: dict[int, tuple[Any, list[tuple[int, str, int, int]]]] = {}
    for number, (name, offset, length) in enumerate(ranges):
        if name is None or offset is None or length is None:
            continue
        filesystem, path = find_filesystem(normalise_location(join_base(name, options.base)))
        _, wanted = by_filesystem.setdefault(id(filesystem), (filesystem, []))
        wanted.append((number, path, int(offset), int(offset) + int(length)))
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


def _range_row(where: _Range, data: bytes | Exception, url: str | None, options: Options) -> Row:
    """Return the row of a byte range: its page, or why there is none."""
    file, offset, length = where
    row: Row = {"url": url, "warc_file": file, "offset": offset, "length": length}
    name = f"{printable_name(str(file))}:{offset}"
    if isinstance(data, Exception):
        reason = str(data) or type(data).__name__
        return row | error_row(SourceError(f"{name} cannot be read ({reason})"))
    page = next(read_archive_file(BytesIO(data), name, options.max_bytes), None)
    if isinstance(page, Source):
        return page_row(page, options) | {key: row[key] for key in row if row[key] is not None}
    return row | error_row(page.error if page else SourceError(f"{name} holds no page"))
