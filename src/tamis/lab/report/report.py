"""What a study gives: tables, charts and data, rendered for terminals, as Markdown and as JSON.

The fourth form, an HTML page, is in page.py.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tamis.printing import printable
from tamis.terminal import Column, Table, find_console


@dataclass(frozen=True)
class ReportTable:
    """Figures with a title and, where it needs one, a caption that says how to read them.

    The first column names the rows. `bold_rows` are rows that stand out, by index. `best_cells` are
    the best of their column, by row and column. `optional` are the headers of columns that a narrow
    terminal leaves out, in this order. `text_heads` are those of columns of words, which a page
    aligns to the left.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    bold_rows: Collection[int] = ()
    best_cells: Collection[tuple[int, int]] = ()
    optional: Sequence[str] = ()
    text_heads: Collection[str] = ()


@dataclass(frozen=True)
class Chart:
    """A chart as SVG; charts of one group stand side by side below the group's name."""

    title: str
    caption: str
    svg: str
    group: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a long report, with an anchor that its table of contents leads to.

    `details` are tables that are folded away. `command` makes the section alone.
    """

    title: str
    anchor: str
    paragraphs: Sequence[str]
    tables: Sequence[ReportTable]
    details: Sequence[ReportTable]
    charts: Callable[[], Sequence[Chart]]
    command: str = ""


def _no_charts() -> Sequence[Chart]:
    return ()


def _no_appendix() -> str:
    return ""


@dataclass(frozen=True)
class Report:
    """The outcome of a study.

    `charts` and `appendix` (HTML) are functions: they may take long, and only a page needs them.
    `data` is what machines read; without it they read the tables. A report with `sections` shows
    them on its page, after a table of contents, and in Markdown, and its tables only on terminals.
    """

    title: str
    tables: Sequence[ReportTable]
    charts: Callable[[], Sequence[Chart]] = _no_charts
    data: Any = None
    lead: str = ""
    remarks: Sequence[str] = ()
    appendix: Callable[[], str] = _no_appendix
    sections: Sequence[Section] = ()


def render_text(report: Report) -> str:
    """Return tables and remarks for a terminal."""
    tables = (_fit_table(table).render() for table in report.tables)
    return "".join(tables) + "".join(f"{printable(remark)}\n" for remark in report.remarks)


def _fit_table(table: ReportTable) -> Table:
    """Return the table for a terminal, without the optional columns for which it is too narrow."""
    width = find_console().width
    heads = list(table.heads)
    terminal_table = _terminal_table(table, heads)
    for head in table.optional:
        if terminal_table.full_width <= width:
            break
        if head in heads:
            heads.remove(head)
            terminal_table = _terminal_table(table, heads)
    return terminal_table


def _terminal_table(table: ReportTable, heads: Sequence[str]) -> Table:
    chosen = [index for index, head in enumerate(table.heads) if head in heads]
    columns = [
        Column(table.heads[index], "right", wrap=True) if index else Column(head, min_width=None)
        for index, head in ((index, table.heads[index]) for index in chosen)
    ]
    terminal_table = Table(columns, title=table.title, caption=table.caption, rule=True)
    for number, row in enumerate(table.rows):
        style = "bold" if number in table.bold_rows else ""
        terminal_table.add_row(*(row[index] for index in chosen), style=style)
    return terminal_table


def render_markdown(report: Report) -> str:
    """Return lead, tables and remarks as Markdown; the sections of a report that has some."""
    parts = [report.lead] if report.lead else []
    if report.sections:
        parts += report.remarks
        for section in report.sections:
            parts += [f"## {section.title}", *map(_markdown_table, section.tables)]
            parts += section.paragraphs
        return "\n\n".join(parts) + "\n"
    for table in report.tables:
        title = f"{table.title}: {table.caption}" if table.caption else f"{table.title}:"
        parts += [title, _markdown_table(table)]
    if report.remarks:
        parts.append("\n".join(f"- {remark}" for remark in report.remarks))
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: ReportTable) -> str:
    """Return the rows of a table; numbers are aligned to the right."""
    marks = ("---|" if head in table.text_heads else "---:|" for head in table.heads[1:])
    lines = [_markdown_row(table.heads), f"|---|{''.join(marks)}"]
    return "\n".join([*lines, *map(_markdown_row, table.rows)])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def render_json(report: Report) -> str:
    """Return the data, or the tables, as JSON; a mean of nothing is null."""
    data = report.data
    if data is None:
        data = [
            {
                "title": table.title,
                "heads": list(table.heads),
                "rows": [list(row) for row in table.rows],
                "caption": table.caption,
            }
            for table in report.tables
        ]
    return json.dumps(_replace_nan(data), ensure_ascii=False, indent=2) + "\n"


def _replace_nan(value: Any) -> Any:
    """Return plain data with None instead of NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _replace_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_nan(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value
