"""Rows: one per page, for JSON, JSON lines, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from tamis.printing import encode_url
from tamis.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

    from tamis.content import Document

ROW_FORMATS: Final = ("json", "jsonl", "csv", "parquet")
FLAT_FORMATS: Final = ("csv", "parquet")  # their rows have no nested values
_DIGITS: Final = 4  # of numbers in rows
# Always written: --resume goes on by them, and failures have nothing else.
_REQUIRED: Final = ("name", "error")
_FLAT_FIELDS: Final = (
    "url", "title", "author", "date", "language", "page_type", "confidence", "status", "text",
    "fetched_at", "http_status", "record_id", "kind",
)  # fmt: skip
_METADATA: Final = ("title", "author", "date", "description", "site_name", "language", "image")
# What a spreadsheet takes for the start of a formula, also in full width.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def _metadata_reader(name: str) -> Callable[[Document, Source], Any]:
    return lambda document, _: getattr(document.metadata, name)


_READERS: Final[dict[str, Callable[[Document, Source], Any]]] = {
    "url": lambda document, _: _page_url(document),
    "encoding": lambda document, _: document.page.encoding,
    "method": lambda document, _: document.method,
    "page_type": lambda document, _: document.page_type,
    "confidence": lambda document, _: document.confidence,
    "status": lambda document, _: document.status,
    "truncated": lambda document, _: list(document.page.truncated),
    "metadata": lambda document, _: _metadata_dict(document),
    **{name: _metadata_reader(name) for name in _METADATA},
    "canonical_url": lambda document, _: document.metadata.url,
    "tags": lambda document, _: list(document.metadata.tags),
    "text": lambda document, _: document.text,
    "markdown": lambda document, _: document.markdown,
    "html": lambda document, _: document.html,
    "posts": lambda document, _: [post.as_dict() for post in document.posts],
    "comments": lambda document, _: [comment.as_dict() for comment in document.comments],
    "blocks": lambda document, _: [block.as_dict() for block in document.blocks],
    "match": lambda document, _: _template_match(document),
    "fetched_at": lambda _, source: source.fetched_at.isoformat() if source.fetched_at else None,
    "http_status": lambda _, source: source.http_status,
    "record_id": lambda _, source: source.record_id,
}
_CAPTURE_FIELDS: Final = ("fetched_at", "http_status", "record_id")  # of a page in an archive
_FIELDS: Final = (_REQUIRED[0], *_READERS, _REQUIRED[1], "kind")


def parse_fields(text: str) -> tuple[str, ...]:
    """Return the fields that the user wants, `name` first and `error` last."""
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in _FIELDS]
    if unknown or not wanted:
        kind = "field" if len(unknown) == 1 else "fields"
        what = f"no {kind} {', '.join(map(repr, unknown))}" if unknown else "no field is named"
        raise click.UsageError(f"--fields: {what}; there are {', '.join(_FIELDS)}")
    return _with_required(wanted)


def default_fields(output_format: str) -> tuple[str, ...] | None:
    """Return the fields of a flat format; rows of JSON have no fixed fields."""
    return _with_required(_FLAT_FIELDS) if output_format in FLAT_FORMATS else None


def _with_required(names: Sequence[str]) -> tuple[str, ...]:
    inner = dict.fromkeys(name for name in names if name not in _REQUIRED)
    return (_REQUIRED[0], *inner, _REQUIRED[1])


def build_row(
    source: Source, document: Document, fields: Sequence[str] | None, *, blocks: bool
) -> dict[str, Any]:
    """Return the row of a page: the fields that are wanted, or by default what there is to say."""
    if fields is not None:
        readers = {name: _READERS[name] for name in fields if name in _READERS}
        values = {name: reader(document, source) for name, reader in readers.items()}
        row = {"name": source.name, **values, "error": None}
        return {name: _round(row.get(name)) for name in fields}
    from tamis.content import build_json

    row = {"name": source.name, **build_json(document, blocks=blocks)}
    captured = {name: _READERS[name](document, source) for name in _CAPTURE_FIELDS}
    row |= {name: value for name, value in captured.items() if value is not None}
    row["error"] = None
    if (match := _template_match(document)) is not None:
        row["match"] = match
    rounded: dict[str, Any] = _round(row)
    return rounded


def build_error_row(
    name: str, message: str, error_type: str, fields: Sequence[str] | None
) -> dict[str, Any]:
    """Return the row of a page that failed."""
    row = {"name": name, "error": message, "kind": error_type}
    return row if fields is None else {field: row.get(field) for field in fields}


def render_json_row(row: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Return a row as JSON, on one line unless it is indented."""
    return json.dumps(row, ensure_ascii=False, indent=indent)


def render_csv_row(cells: Sequence[Any]) -> str:
    """Return cells as a line of CSV, with an apostrophe before what a spreadsheet would run."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(
        [escape_formula(flatten(cell)) for cell in cells]
    )
    return stream.getvalue()


def escape_formula(value: Any) -> Any:
    """Return a value that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value


def flatten(value: Any) -> Any:
    """Return a value for one cell: nested ones as JSON, lists of texts with semicolons."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return value


def build_arrow_schema(fields: Sequence[str]) -> pa.Schema:
    """Return the types of columns in a Parquet file."""
    import pyarrow as pa

    types = {"confidence": pa.float64(), "match": pa.float64(), "http_status": pa.int32()}
    return pa.schema([(name, types.get(name, pa.string())) for name in fields])


def _page_url(document: Document) -> str | None:
    url = document.page.url
    return None if url is None else encode_url(url)


def _metadata_dict(document: Document) -> dict[str, Any]:
    return {**asdict(document.metadata), "tags": list(document.metadata.tags)}


def _template_match(document: Document) -> float | None:
    page = document.verdict.page
    return None if page is None or page.match is None else round(page.match, 3)


def _round(value: Any) -> Any:
    """Return plain data with rounded numbers."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _round(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_round(inner) for inner in value]
    return value
