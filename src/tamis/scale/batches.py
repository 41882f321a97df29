"""Arrow record batches of pages → Arrow record batches of rows, one row per page, in order.

This is all the work there is. Engines hand it their batches and know nothing else of tamis, and it
does not know where it runs.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import Any, Final

import pyarrow as pa

from tamis.errors import InputError
from tamis.scale.columns import fit_column, repair_batch
from tamis.scale.options import Options
from tamis.scale.pages import PageInput, PagePool, Values, model_name, open_pool, pages_ahead
from tamis.scale.schema import (
    CHARSET,
    ORIGIN,
    READ_ERROR,
    SITE,
    carried_columns,
    check_schema,
    computed_schema,
    is_used,
    output_schema,
)
from tamis.workers import Outcome

_MAX_ROWS: Final = 256  # of an output batch
_NO_HTML: Final = "the row has no HTML"


def extract_batches(
    batches: Iterable[pa.RecordBatch],
    options: Options | None = None,
    *,
    workers: int = 1,
    pool: PagePool | None = None,
) -> Iterator[pa.RecordBatch]:
    """Extract pages: every input row gives exactly one output row, in the same order.

    The input has a column of HTML and may have url, charset, warc_file, offset, length, record_id,
    fetched_at and content_type; all other columns are carried through. A page that fails is a row
    with `error` and `error_kind`. Pages run in processes of their own, `workers` at a time, or in a
    `pool` that was opened before. A missing column is an InputError before any work.
    """
    options = options or Options()
    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        return iter(())
    check_schema(first.schema, options)
    feed = _Feed(first.schema, chain((first,), batches), options)
    return _extract(feed, _RowBuilder(first.schema, options), options, workers, pool)


def _extract(
    feed: _Feed, builder: _RowBuilder, options: Options, workers: int, pool: PagePool | None
) -> Iterator[pa.RecordBatch]:
    with open_pool(options, workers) if pool is None else nullcontext(pool) as running:
        outcomes = running.map(feed.pages(), ahead=pages_ahead(running))
        with closing(outcomes):
            rows: list[Values] = []
            for outcome in outcomes:
                rows.append(builder.values(outcome))
                if len(rows) == feed.parts[0].num_rows:
                    yield builder.build(feed.parts.popleft(), rows)
                    rows = []


@dataclass
class _Feed:
    """Hands the pages of batches to workers, and keeps the batches until their rows are done.

    The pages are read by the thread of the pool, the parts are taken by that of the consumer.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    options: Options
    parts: deque[pa.RecordBatch] = field(default_factory=deque)  # a deque is safe for two threads

    def pages(self) -> Iterator[PageInput]:
        """Yield all pages."""
        for batch in self.batches:
            if not batch.schema.equals(self.schema):
                raise InputError(
                    f"a batch has the columns {batch.schema.names}, the first one has "
                    f"{self.schema.names}, or their types differ: give batches of one schema"
                )
            yield from self._pages_of(repair_batch(batch, self.options))

    def _pages_of(self, batch: pa.RecordBatch) -> Iterator[PageInput]:
        for start in range(0, batch.num_rows, _MAX_ROWS):
            part = batch.slice(start, _MAX_ROWS)
            # Without the HTML, which nobody needs once the pages are with the workers.
            self.parts.append(part.drop_columns([self.options.html_column]))
            columns = [part.column(self.options.html_column), *_used(part, "url", CHARSET, SITE)]
            errors = _used(part, *READ_ERROR)
            for index in range(part.num_rows):
                values = [None if column is None else column[index].as_py() for column in columns]
                read_error = [
                    None if column is None else column[index].as_py() for column in errors
                ]
                if values[0] is None and read_error[1] is None:
                    read_error = [_NO_HTML, InputError.__name__]
                yield PageInput(*values, *read_error)


def _used(batch: pa.RecordBatch, *names: str) -> list[pa.Array | None]:
    """Return columns by their names, None for one that is missing or of another type."""
    return [
        batch.column(name)
        if name in batch.schema.names and is_used(batch.schema.field(name))
        else None
        for name in names
    ]


class _RowBuilder:
    """Builds output batches from parts of input batches and the outcomes of their pages."""

    def __init__(self, input_schema: pa.Schema, options: Options) -> None:
        self._schema = output_schema(input_schema, options)
        self._computed = computed_schema(options)
        self._made_by = (_tamis_version(), model_name(options))
        html = input_schema.get_field_index(options.html_column)
        self._carried = [
            index - (index > html) for index, _ in carried_columns(input_schema, options)
        ]

    def values(self, outcome: Outcome[PageInput, Values | None]) -> Values:
        """Return the computed values of a row; of a page that failed all are None but its error."""
        if outcome.value is not None:
            return outcome.value
        error = (outcome.error, outcome.kind)
        if outcome.kind is None:  # the page was not read, and there was nothing to do
            error = (outcome.input.error, outcome.input.error_kind)
        return (*[None] * (len(self._computed) - len(error)), *error)

    def build(self, part: pa.RecordBatch, rows: list[Values]) -> pa.RecordBatch:
        """Return the output rows of a part, in its order."""
        origin = [
            pa.nulls(len(rows), wanted.type) if column is None else fit_column(column, wanted.type)
            for column, wanted in zip(_used(part, *ORIGIN.names), ORIGIN, strict=True)
        ]
        computed = [
            pa.array(values, wanted.type)
            for values, wanted in zip(zip(*rows, strict=True), self._computed, strict=True)
        ]
        made_by = [pa.array([text] * len(rows), pa.string()) for text in self._made_by]
        carried = [part.column(index) for index in self._carried]
        return pa.record_batch([*origin, *computed, *made_by, *carried], schema=self._schema)


def _tamis_version() -> str:
    try:
        return version("tamis")
    except PackageNotFoundError:
        return "unknown"


# Pools that outlive a batch ---------------------------------------------------------------------


class _SharedPool:
    """The pool of a process that an engine gives one task after the other.

    Starting workers takes as long as hundreds of pages. Only the pool for the last options is kept.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[Any, ...] | None = None
        self._pool: PagePool | None = None

    def open(self, options: Options, workers: int) -> PagePool:
        """Return the pool for options; the one for others is closed."""
        with self._lock:
            if self._pool is None or self._key != (options, workers):
                if self._pool is not None:
                    self._pool.close()
                self._key, self._pool = (options, workers), open_pool(options, workers)
            return self._pool


_SHARED: Final = _SharedPool()


def shared_pool(options: Options, workers: int = 1) -> PagePool:
    """Return the pool that this process has for options; it ends with the process."""
    return _SHARED.open(options, workers)
