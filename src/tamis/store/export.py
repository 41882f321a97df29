"""Pages of a store → JSONL or Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tamis.errors import StoreError, UnknownName
from tamis.files import open_draft
from tamis.store.page import StoredPage

BATCH: Final = 500  # rows of a row group
BATCH_CHARACTERS: Final = 64 * 1024 * 1024  # of these, if not fewer

Row = dict[str, Any]


def export_row(page: StoredPage) -> Row:
    """Return a page as a row; of a page kept whole with its source."""
    version = page.version
    source = page.source.decode("utf-8", "replace") if version.keep == "all" else None
    return {**version.as_dict(), "text": page.text, "html": source}


def write_jsonl(rows: Iterable[Row], path: Path) -> int:
    """Write rows as lines of JSON and return how many."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def write_parquet(rows: Iterable[Row], path: Path) -> int:
    """Write rows as a Parquet file, compressed with zstandard, and return how many."""
    import pyarrow
    from pyarrow import parquet

    text, number = pyarrow.string(), pyarrow.int64()
    kinds = {"raw_bytes": number, "source_bytes": number, "pieces": number}
    names = ("url", "site", "fetched_at", "keep", "title", "author", "published", "language")
    fields = (*names, "page_type", "raw_bytes", "source_bytes", "pieces", "text", "html")
    schema = pyarrow.schema([(name, kinds.get(name, text)) for name in fields])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


WRITERS: Final[dict[str, Callable[[Iterable[Row], Path], int]]] = {
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}


def export_rows(pages: Iterable[StoredPage], path: Path, form: str | None) -> int:
    """Write pages to a file, which is there when it is whole, and return how many.

    The format is the ending of the file's name unless it is given.
    """
    form = form or path.suffix.lstrip(".").lower()
    if form not in WRITERS:
        raise UnknownName(f"no format {form!r}: take {' or '.join(WRITERS)}")
    try:
        with open_draft(path) as place:
            return WRITERS[form](map(export_row, pages), place)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in batches, of which only the last row may be large."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row["text"]) + len(row["html"] or "")
        if len(batch) == BATCH or size > BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
