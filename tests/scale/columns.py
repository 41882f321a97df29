"""Columns as other programs have written them."""

from __future__ import annotations

import pyarrow as pa


def not_utf8(*values: bytes | None) -> pa.Array:
    """Return a column of text whose values need not be UTF-8, as Parquet files may have it."""
    column = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(column), column.buffers())
