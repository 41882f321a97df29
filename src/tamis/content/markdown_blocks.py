"""Blocks of Markdown: how they are joined, and how cells become a GFM table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from tamis.content._render import NO_ROWS, Block
from tamis.content.markdown_inline import longest_run, render_code_span
from tamis.page import SpanningCell, build_grid, slot_limit

ListKind = Literal["bullets", "numbers"]
LISTS: Final = ("bullets", "numbers")
Rows = tuple[int, int]  # first and last row of the page that something is from

_LINE_START: Final = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))"  # 1. a list
    r"|(?=#{1,6}(?:\s|$)|[-+:](?:\s|$)|>"  # headings, lists, definitions, quotes
    r"|[-:|=][-:|= ]*$))",  # rules, headings that are underlined, tables
    re.MULTILINE | re.ASCII,
)
_CELL_EDGE: Final = re.compile(r"(?<!\\)\|")
_CLOSING_HASHES: Final = re.compile(r"(?:^|(?<=\s))(?=#+$)")


def covered_rows(blocks: Iterable[Block]) -> Rows:
    """Return the first and the last row of the page that blocks are from."""
    rows = [block.rows if block.rows[0] >= 0 else covered_rows(block.blocks) for block in blocks]
    rows = [pair for pair in rows if pair[0] >= 0]
    return (rows[0][0], rows[-1][1]) if rows else NO_ROWS


# Joining blocks -----------------------------------------------------------------------------------


def join_blocks(blocks: Iterable[Block], *, tight: bool = False) -> str:
    """Return blocks as Markdown; `tight` puts no blank line between an item's text and its list."""
    parts: list[str] = []
    previous: Block | None = None
    other_mark = False
    for block in blocks:
        # Two lists that follow each other would be one if their marks were the same.
        follows = previous is not None and previous.kind == block.kind and block.kind in LISTS
        other_mark = follows and not other_mark
        if previous is not None:
            parts.append("\n" if follows_closely(block, previous, tight=tight) else "\n\n")
        parts.append(_render_block(block, other_mark=other_mark))
        previous = block
    return "".join(parts)


def follows_closely(block: Block, previous: Block, *, tight: bool) -> bool:
    """Return whether a block follows another without a blank line."""
    if block.kind == "definition":
        return previous.kind in ("term", "definition")
    # A list that begins with another number than 1 cannot interrupt a paragraph.
    in_item = tight and previous.kind == "paragraph"
    return in_item and (block.kind == "bullets" or (block.kind == "numbers" and block.number == 1))


def _render_block(block: Block, *, other_mark: bool = False) -> str:
    """Return the lines of a block."""
    if block.kind in ("paragraph", "term"):
        return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", block.text)
    if block.kind == "heading":
        return f"{'#' * block.number} {_CLOSING_HASHES.sub(lambda _: chr(92), block.text)}"
    if block.kind == "code":
        fence = "`" * max(3, longest_run(block.text, "`") + 1)
        return f"{fence}{block.label}\n{block.text}\n{fence}"
    if block.kind == "quote":
        lines = join_blocks(block.blocks).split("\n")
        return "\n".join(f"> {line}" if line else ">" for line in lines)
    if block.kind in LISTS:
        items = zip(_item_marks(block, other_mark=other_mark), block.blocks, strict=True)
        return "\n".join(
            _indent(mark, join_blocks(item.blocks, tight=True)) for mark, item in items
        )
    if block.kind == "definition":
        return _indent(":", join_blocks(block.blocks))
    return block.text


def _item_marks(block: Block, *, other_mark: bool = False) -> list[str]:
    """Return the marks before the items of a list."""
    if block.kind == "bullets":
        return ["*" if other_mark else "-"] * len(block.blocks)
    delimiter = ")" if other_mark else "."
    return [f"{number}{delimiter}" for number, _ in enumerate(block.blocks, block.number)]


def _indent(mark: str, text: str) -> str:
    """Return a text behind a mark, its further lines indented as far."""
    first, *others = text.split("\n")
    margin = " " * (len(mark) + 1)
    return "\n".join([f"{mark} {first}", *(f"{margin}{line}" if line else "" for line in others)])


def join_on_one_line(block: Block, joint: str) -> str:
    """Return a block within a line, with joints in place of its line breaks.

    Code keeps its backticks: without them, its text would be read as markup.
    """
    if block.kind == "code":
        texts = [render_code_span(line) for line in block.text.split("\n")]
    elif block.kind in LISTS:
        items = zip(_item_marks(block), block.blocks, strict=True)
        texts = [f"{mark} {join_on_one_line(item, joint)}" for mark, item in items]
    elif block.kind == "table":
        texts = _table_texts(block.text)
    elif block.blocks:
        texts = [join_on_one_line(inner, joint) for inner in block.blocks]
    else:
        texts = [line.strip() for line in block.text.split("\n")]
    return joint.join(filter(None, texts))


def _table_texts(table: str) -> list[str]:
    """Return the rows of a GFM table as texts, for a table that stands in a cell of another."""
    lines = [_CELL_EDGE.split(line)[1:-1] for line in table.split("\n")]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [", ".join(row).replace("\\|", "|") for row in rows if set(row) != {"---"}]


# Tables -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """A rendered table cell."""

    blocks: tuple[Block, ...] = ()
    columns: int = 1
    rows: int = 1
    header: bool = False

    @property
    def text(self) -> str:
        """The cell on one line."""
        return "<br>".join(join_on_one_line(block, "<br>") for block in self.blocks).strip()

    @property
    def kinds(self) -> set[str]:
        """The kinds of blocks in the cell."""
        return {block.kind for block in self.blocks}


def render_table(rows: list[list[Cell]]) -> str | None:
    """Return a GFM table, or None if the cells are a page's layout rather than data.

    A cell that spans columns or rows stands in the first of them; the others stay empty. Columns
    and rows without any text are left out.
    """
    if not _is_data(rows):
        return None
    capacity = slot_limit(sum(map(len, rows)))
    grid = fill_grid(rows, capacity)
    width = max(map(len, grid), default=0)
    if width * len(grid) > capacity:
        return None
    used = [any(len(line) > column and line[column] for line in grid) for column in range(width)]
    padded = [line + [""] * (width - len(line)) for line in grid]
    lines = [[text for text, use in zip(line, used, strict=True) if use] for line in padded]
    lines = [line for line in lines if any(line)]
    if sum(used) < 2 or len(lines) < 2:
        return None
    first = next(row for row in rows if any(cell.text for cell in row))
    has_header = all(cell.header or _is_bold(cell.text) for cell in first if cell.text)
    header, body = (lines[0], lines[1:]) if has_header else ([""] * sum(used), lines)
    header = [text[2:-2] if _is_bold(text) else text for text in header]
    rule = ["---"] * len(header)
    return "\n".join(map(_table_line, [header, rule, *body]))


def _is_data(rows: list[list[Cell]]) -> bool:
    """Return whether cells hold data: a line of text each, or anything below a header row.

    A table below a header row may have another one in a cell; other tables in tables are layout.
    """
    cells = [cell for row in rows for cell in row]
    if not cells or any("heading" in cell.kinds for cell in cells):
        return False
    plain = all(len(cell.blocks) < 2 and cell.kinds <= {"paragraph"} for cell in cells)
    headers = [cell for cell in rows[0] if cell.blocks]
    if any("table" in cell.kinds for cell in cells) and len(headers) < 2:
        return False
    return plain or (len(rows[0]) > 1 and all(cell.header for cell in headers))


def fill_grid(rows: list[list[Cell]], capacity: int) -> list[list[str]]:
    """Return the texts of cells on a grid, empty strings where a cell spans columns or rows.

    A grid of more than `capacity` slots is not finished: it is empty.
    """
    spanning = ([SpanningCell(cell, cell.columns, cell.rows) for cell in row] for row in rows)
    grid: list[list[str]] = []
    for slots in build_grid(spanning, capacity) or []:
        starts = [slot for slot in slots if slot.starts_here]
        line = [""] * (starts[-1].column + starts[-1].columns if starts else 0)
        for slot in starts:
            line[slot.column] = slot.cell.text
        grid.append(line)
    return grid


def _is_bold(text: str) -> bool:
    """Return whether all of a cell is bold, as headers are in tables older than `th`."""
    return (
        text.startswith("**") and text.endswith("**") and "**" not in text[2:-2] and len(text) > 4
    )


def _table_line(cells: list[str]) -> str:
    """Return a line of a GFM table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
