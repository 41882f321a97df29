"""Tables: figures for people, in a terminal, on a page, or as data."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape

from tamis.evaluate.report.page import POLICY, section
from tamis.evaluate.report.style import STYLE
from tamis.evaluate.terminal import WIDE


@dataclass(frozen=True)
class Table:
    """Figures with a title and a word on how to read them."""

    title: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def terminal_text(tables: Sequence[Table]) -> str:
    """Return tables for a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Rich

    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if asked else WIDE, highlight=False)
    with console.capture() as capture:
        for table in tables:
            made = Rich(title=table.title, title_justify="left", box=box.SIMPLE_HEAD)
            for place, head in enumerate(table.heads):
                made.add_column(head, justify="right" if place else "left", overflow="fold")
            for row in table.rows:
                made.add_row(*row)
            console.print(made)
            if table.caption:
                console.print(table.caption, markup=False, style="dim")
            console.print()
    return capture.get()


def html_text(title: str, tables: Sequence[Table]) -> str:
    """Return tables as one HTML page that needs nothing but itself."""
    body = "".join(section(table.title, html_table(table)) for table in tables)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1>{body}</body></html>\n"
    )


def html_table(table: Table) -> str:
    """Return a table with its caption."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.heads)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    return (
        f'<p class="lead">{escape(table.caption)}</p><div class="scroll"><table><thead><tr>{head}'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def tables_json(tables: Sequence[Table]) -> str:
    """Return tables as JSON."""
    return json.dumps([asdict(table) for table in tables], ensure_ascii=False, indent=2) + "\n"
