"""Pages of a store → JSONL or Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tamis.content import Comment, Post, arrow_type
from tamis.errors import StoreError, UnknownName
from tamis.files import open_draft
from tamis.pipeline import look_up
from tamis.store.page import StoredPage

FORMATS: Final[Mapping[str, type[Post] | type[Comment]]] = {"posts": Post, "comments": Comment}
_BATCH: Final = 500  # rows of a row group
_BATCH_CHARS: Final = 64 * 1024 * 1024  # of these, if they are fewer

_Row = dict[str, Any]


def export_row(page: StoredPage, formats: Sequence[str] = ()) -> _Row:
    """Return a page as a row; with its source if that is complete, and with posts and comments."""
    version = page.version
    source = page.source.decode("utf-8", "replace") if version.keep == "all" else None
    row = {**version.as_dict(), "text": page.text, "html": source}
    if "posts" in formats:
        row["posts"] = [post.as_dict() for post in page.document.posts]
    if "comments" in formats:
        row["comments"] = [comment.as_dict() for comment in page.document.comments]
    return row


def _write_jsonl(rows: Iterable[_Row], path: Path, formats: Sequence[str]) -> int:
    """Write rows as lines of JSON and return how many."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(rows: Iterable[_Row], path: Path, formats: Sequence[str]) -> int:
    """Write rows as a Parquet file, compressed with zstandard, and return how many."""
    import pyarrow
    from pyarrow import parquet

    text, number = pyarrow.string(), pyarrow.int64()
    types = {"raw_bytes": number, "source_bytes": number, "pieces": number}
    types |= {name: arrow_type(kind) for name, kind in FORMATS.items()}
    names = ("url", "site", "fetched_at", "keep", "title", "author", "published", "language")
    fields = (*names, "page_type", "raw_bytes", "source_bytes", "pieces", "text", "html", *formats)
    schema = pyarrow.schema([(name, types.get(name, text)) for name in fields])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in _split_batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


_WRITERS: Final[dict[str, Callable[[Iterable[_Row], Path, Sequence[str]], int]]] = {
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}


def export_pages(
    pages: Iterable[StoredPage], path: Path, format: str | None, formats: Sequence[str] = ()
) -> int:
    """Write pages to a file, completely or not at all, and return how many.

    Without a format the ending of the file's name decides. `formats` are columns beside the text:
    posts, comments.
    """
    for name in formats:
        look_up(FORMATS, name, "format")
    format = format or path.suffix.lstrip(".").lower()
    if format not in _WRITERS:
        raise UnknownName(f"no format {format!r}: take {' or '.join(_WRITERS)}")
    try:
        with open_draft(path) as draft:
            rows = (export_row(page, formats) for page in pages)
            return _WRITERS[format](rows, draft, formats)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def _split_batches(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """Yield rows in batches, of which only the last row may be large."""
    batch: list[_Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row["text"]) + len(row["html"] or "")
        if len(batch) == _BATCH or size > _BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
