"""Tables: figures for people, in a terminal, on a page, or as data."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Final

from tamis.lab.report.page import figure, framed, section
from tamis.lab.report.svg import Figure
from tamis.printing import printable

WIDE: Final = 220  # columns where there is no terminal to ask


@dataclass(frozen=True)
class Table:
    """Figures with a title and, where it needs one, a word on how to read them."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


def terminal_text(tables: Sequence[Table]) -> str:
    """Return tables for a terminal, which nothing in their cells commands."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as Rich
    from rich.text import Text

    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if asked else WIDE, highlight=False)
    with console.capture() as capture:
        for table in tables:
            made = Rich(
                title=Text(printable(table.title)), title_justify="left", box=box.SIMPLE_HEAD
            )
            for place, head in enumerate(table.heads):
                made.add_column(
                    Text(printable(head)),
                    justify="right" if place else "left",
                    no_wrap=not place,
                    overflow="fold",
                )
            for row in table.rows:
                made.add_row(*(Text(printable(cell)) for cell in row))
            console.print(made)
            if table.caption:
                console.print(f"{printable(table.caption)}\n", markup=False, style="dim")
    return capture.get()


def html_text(
    title: str, tables: Sequence[Table], plots: Sequence[Figure] = (), lead: str = ""
) -> str:
    """Return tables and plots as one HTML page that needs nothing but itself."""
    sections = [section(table.title, html_table(table)) for table in tables]
    sections += [section(plot.title, figure(plot)) for plot in plots]
    return framed(title, lead, sections)


def html_table(table: Table) -> str:
    """Return a table with its caption."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.heads)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    caption = f'<p class="lead">{escape(table.caption)}</p>' if table.caption else ""
    return (
        f'{caption}<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def tables_json(tables: Sequence[Table]) -> str:
    """Return tables as JSON."""
    return json_text([asdict(table) for table in tables])


def json_text(found: object) -> str:
    """Return what was measured as JSON."""
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"
