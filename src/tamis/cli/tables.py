"""Records for terminals and files: table, JSON, JSON lines, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Sequence

from tamis.cli.show import WIDE, line, tail
from tamis.printing import printable
from tamis.records import Records
from tamis.values import Value

LEAST = 6  # columns of a field, even where there are none left
MOST = 40  # columns of a field, even where there are more
# What a spreadsheet takes for the start of a formula, also in full width.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def rendered(records: Records, form: str) -> str | bytes:
    """Return records in a format."""
    if form == "parquet":
        from tamis.records import write_parquet

        stream = io.BytesIO()
        write_parquet(records, stream)
        return stream.getvalue()
    if form == "json":
        return json.dumps(records.as_dict(), ensure_ascii=False, indent=2) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in records)
    return csv_text(records) if form == "csv" else records_table(records)


def csv_text(records: Records) -> str:
    """Return records as CSV; before what a spreadsheet would run stands an apostrophe."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if records.fields:
        writer.writerow([harmless(field.name) for field in records.fields])
    writer.writerows([harmless(value) for value in row.values()] for row in records)
    return stream.getvalue()


def harmless(value: Value) -> Value:
    """Return a value that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def records_table(records: Records) -> str:
    """Return records as a table that fits the terminal."""
    heads = [field.name for field in records.fields]
    rows = [[shown(value) for value in row.values()] for row in records]
    return table(heads, rows) if heads else ""


def regions_table(regions: Sequence[Records]) -> str:
    """Return the regions of a page as a table: what each is, and where."""
    rows = [
        [
            str(len(region)),
            f"{region.score:.1f}",
            f"{region.share:.2f}",
            region.reason,
            tail(region.xpath or "", MOST),
            ", ".join(field.name for field in region.fields),
        ]
        for region in regions
    ]
    return table(["records", "score", "share", "what", "place", "fields"], rows) if rows else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; columns share the width that there is."""
    from rich.cells import cell_len
    from rich.console import Console

    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = Console().width if asked else WIDE
    heads, rows = list(map(printable, heads)), [list(map(printable, row)) for row in rows]
    needed = [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
    widths = shared_width(needed, width - 2 * (len(heads) - 1))
    return "".join(f"{line(row, widths)}\n" for row in [heads, *rows])


def shared_width(needed: Sequence[int], width: int) -> list[int]:
    """Return widths of columns: all they need, or less for the widest until they fit."""
    widths = [min(most, MOST) for most in needed]
    while sum(widths) > width and max(widths) > LEAST:
        widest = max(range(len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def shown(value: Value) -> str:
    """Return a value as a table shows it."""
    if value is None or value is False:
        return ""
    return "✓" if value is True else str(value)
