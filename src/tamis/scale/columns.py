"""Columns as other programs have written them: text that is no UTF-8, numbers that do not fit.

Parquet files may hold bytes in a column of text that are no UTF-8, and whoever reads such a value
gets an exception. One bad value must cost neither its batch nor its input.
"""

from __future__ import annotations

import pyarrow as pa

from tamis.scale.options import Options
from tamis.scale.schema import is_text, is_used


def repair_text(column: pa.Array) -> pa.Array:
    """Return a column of text with what is no UTF-8 replaced; other columns as they are."""
    if not is_text(column.type):
        return column
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        parts = column.cast(_BYTES[column.type]).to_pylist()
        texts = [None if part is None else part.decode("utf-8", "replace") for part in parts]
        return pa.array(texts, column.type)
    return column


_BYTES = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
}


def repair_batch(batch: pa.RecordBatch, options: Options) -> pa.RecordBatch:
    """Return a batch of which all columns that the work needs can be read."""
    for index, field in enumerate(batch.schema):
        if field.name == options.html_column or is_used(field):
            column = batch.column(index)
            repaired = repair_text(column)
            if repaired is not column:
                batch = batch.set_column(index, field, repaired)
    return batch


def fit_column(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return a column as another type, with null for values that do not fit into it."""
    try:
        return column.cast(wanted)
    except pa.ArrowInvalid:
        return pa.concat_arrays(
            [_fit_value(column.slice(index, 1), wanted) for index in range(len(column))]
        )


def _fit_value(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    try:
        return column.cast(wanted)
    except pa.ArrowInvalid:
        return pa.nulls(1, wanted)
