"""Rows of pages before they are extracted, and batches of them that are small enough to hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

from tamis.printing import encodable
from tamis.scale.options import Options
from tamis.scale.schema import CHARSET, ORIGIN, READ_ERROR
from tamis.source import Failure, Source

MAX_ROWS: Final = 64  # of a batch
_MAX_BYTES: Final = 8 << 20  # of a batch, unless a single page has more

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
    """Return rows as a batch.

    Its memory comes from the C library, which uses it again for the next batch. Arrow's own pool
    gives large pieces back to the system, which then clears megabytes for every page.
    """
    pool = pa.system_memory_pool()
    columns = [
        pa.array([row.get(field.name) for row in rows], field.type, memory_pool=pool)
        for field in schema
    ]
    return pa.record_batch(columns, schema=schema)
