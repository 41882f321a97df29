"""Rows of pages before they are extracted, and batches of them that are small enough to hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

import pyarrow as pa

from tamis.printing import encodable
from tamis.scale.options import Options
from tamis.scale.schema import CHARSET, ORIGIN, READ_ERROR
from tamis.source import Failure, Source

MAX_ROWS: Final = 64  # of a batch
_MAX_BYTES: Final = 8 << 20  # of a batch, unless a single page has more
_MAX_OFFSET: Final = 2**31 - 1  # in a column of bytes

Row = dict[str, Any]


def page_schema(options: Options, html_type: pa.DataType, **more: pa.DataType) -> pa.Schema:
    """Return the columns of pages that are read here."""
    texts = ((name, pa.string()) for name in (CHARSET, *READ_ERROR))
    html = (options.html_column, html_type)
    return pa.schema([*ORIGIN, *pa.schema([html, *texts, *more.items()])])


def page_row(page: Source | Failure, options: Options) -> Row:
    """Return the row of a page of an archive that was read, or not."""
    row: Row = {"url": encodable(page.url), "offset": page.offset, "length": page.length}
    if isinstance(page, Failure):
        return row | error_row(page.error)
    return row | {
        "record_id": encodable(page.record_id),
        "fetched_at": page.fetched_at,
        "content_type": encodable(page.content_type),
        options.html_column: page.data,
        CHARSET: encodable(page.charset),
    }


def error_row(error: Exception) -> Row:
    """Return the columns of a page that could not be read."""
    return dict(zip(READ_ERROR, (encodable(str(error)), type(error).__name__), strict=True))


def gather_batches(schema: pa.Schema, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Yield rows as batches, bounded by number and by bytes."""
    gathered: list[Row] = []
    size = 0
    for row in rows:
        gathered.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, (str, bytes)))
        if len(gathered) >= MAX_ROWS or size >= _MAX_BYTES:
            yield _build_batch(schema, gathered)
            gathered, size = [], 0
    if gathered:
        yield _build_batch(schema, gathered)


def _build_batch(schema: pa.Schema, rows: Sequence[Row]) -> pa.RecordBatch:
    """Return rows as a batch."""
    columns = [_build_column([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.record_batch(columns, schema=schema)


def _build_column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return values as a column.

    Bytes, which are whole pages, are joined at once: Arrow's builder doubles its memory and copies
    what it has, again and again, in memory that the system has to clear.
    """
    if kind != pa.binary():
        return pa.array(values, kind)
    ends = list(accumulate((len(value or b"") for value in values), initial=0))
    if ends[-1] > _MAX_OFFSET:
        return pa.array(values, kind)
    is_present = pa.array([value is not None for value in values], pa.bool_()).buffers()[1]
    joined = pa.py_buffer(b"".join(value or b"" for value in values))
    offsets = pa.array(ends, pa.int32()).buffers()[1]
    return pa.Array.from_buffers(kind, len(values), [is_present, offsets, joined])
