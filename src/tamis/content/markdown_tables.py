"""Blocks of Markdown, and how they stand below each other.

Cells → a GFM table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from tamis.content.markdown_inline import code_span, longest_run
from tamis.page import SpanningCell, build_grid, room_for

ListKind = Literal["bullets", "numbers"]


class Block(NamedTuple):
    """A rendered block; what it needs at the beginning of its lines is added by `laid_out`."""

    kind: Literal[
        "paragraph", "heading", "code", "quote", "table", "item", "bullets", "numbers", "term",
        "definition",
    ]  # fmt: skip
    text: str = ""
    blocks: tuple[Block, ...] = ()  # of quotes, definitions and items, the items of lists; cells'
    number: int = 1  # level of a heading, first number of a list, row of an item
    label: str = ""  # language of code


LISTS: Final = ("bullets", "numbers")
_LINE_START: Final = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))"  # 1. a list
    r"|(?=#{1,6}(?:\s|$)|[-+:](?:\s|$)|>"  # headings, lists, definitions, quotes
    r"|[-:|=][-:|= ]*$))",  # rules, headings that are underlined, tables
    re.MULTILINE | re.ASCII,
)
_CLOSING_HASHES: Final = re.compile(r"(?:^|(?<=\s))(?=#+$)")


def laid_out(blocks: Iterable[Block], *, tight: bool = False) -> str:
    """Return blocks as Markdown; `tight` lets a list follow the text of its item at once."""
    parts: list[str] = []
    previous: Block | None = None
    other_mark = False
    for block in blocks:
        # Two lists that follow each other would be one but for their marks.
        follows = previous is not None and previous.kind == block.kind and block.kind in LISTS
        other_mark = follows and not other_mark
        if previous is not None:
            parts.append("\n" if clings(block, previous, tight=tight) else "\n\n")
        parts.append(lines(block, other_mark=other_mark))
        previous = block
    return "".join(parts)


def clings(block: Block, previous: Block, *, tight: bool) -> bool:
    """Say whether a block follows another without a blank line."""
    if block.kind == "definition":
        return previous.kind in ("term", "definition")
    # A list that begins with another number than 1 cannot interrupt a paragraph.
    in_item = tight and previous.kind == "paragraph"
    return in_item and (block.kind == "bullets" or (block.kind == "numbers" and block.number == 1))


def lines(block: Block, *, other_mark: bool = False) -> str:
    """Return the lines of a block."""
    if block.kind in ("paragraph", "term"):
        return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", block.text)
    if block.kind == "heading":
        return f"{'#' * block.number} {_CLOSING_HASHES.sub(lambda _: chr(92), block.text)}"
    if block.kind == "code":
        fence = "`" * max(3, longest_run(block.text, "`") + 1)
        return f"{fence}{block.label}\n{block.text}\n{fence}"
    if block.kind == "quote":
        quoted = laid_out(block.blocks).split("\n")
        return "\n".join(f"> {line}" if line else ">" for line in quoted)
    if block.kind in LISTS:
        items = zip(marks(block, other_mark=other_mark), block.blocks, strict=True)
        return "\n".join(indented(mark, laid_out(item.blocks, tight=True)) for mark, item in items)
    if block.kind == "definition":
        return indented(":", laid_out(block.blocks))
    return block.text


def marks(block: Block, *, other_mark: bool = False) -> list[str]:
    """Return what stands before the items of a list."""
    if block.kind == "bullets":
        return ["*" if other_mark else "-"] * len(block.blocks)
    last = ")" if other_mark else "."
    return [f"{number}{last}" for number, _ in enumerate(block.blocks, block.number)]


def on_one_line(block: Block, joint: str) -> str:
    """Return a block as it can stand within a line, with joints where it would have line breaks.

    Code keeps its backticks: without them, what it says would be markup.
    """
    if block.kind == "code":
        texts = [code_span(line) for line in block.text.split("\n")]
    elif block.kind in LISTS:
        items = zip(marks(block), block.blocks, strict=True)
        texts = [f"{mark} {on_one_line(item, joint)}" for mark, item in items]
    elif block.blocks:
        texts = [on_one_line(inner, joint) for inner in block.blocks]
    else:
        texts = [line.strip() for line in block.text.split("\n")]
    return joint.join(filter(None, texts))


def indented(mark: str, text: str) -> str:
    """Return a text behind a mark, its further lines indented as far."""
    margin = " " * (len(mark) + 1)
    rest = (f"{margin}{line}" if line else "" for line in text.split("\n")[1:])
    return "\n".join([f"{mark} {text.split(chr(10), 1)[0]}", *rest])


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
        return "<br>".join(on_one_line(block, "<br>") for block in self.blocks).strip()

    @property
    def kinds(self) -> set[str]:
        """The kinds of blocks in the cell."""
        return {block.kind for block in self.blocks}


def markdown_table(rows: list[list[Cell]]) -> str | None:
    """Return a GFM table, or None where the cells are a page's layout rather than data.

    A cell that spans columns or rows stands in the first of its places; the others stay empty.
    Columns and rows without any text are left out.
    """
    if not is_data(rows):
        return None
    most = room_for(sum(map(len, rows)))
    grid = fill_grid(rows, most)
    width = max(map(len, grid), default=0)
    if width * len(grid) > most:
        return None
    used = [any(len(line) > column and line[column] for line in grid) for column in range(width)]
    shown = [
        [text for text, use in zip(padded(line, width), used, strict=True) if use] for line in grid
    ]
    shown = [line for line in shown if any(line)]
    if sum(used) < 2 or len(shown) < 2:
        return None
    first = next(row for row in rows if any(cell.text for cell in row))
    named = all(cell.header or is_bold(cell.text) for cell in first if cell.text)
    head, body = (shown[0], shown[1:]) if named else ([""] * sum(used), shown)
    head = [text[2:-2] if is_bold(text) else text for text in head]
    return "\n".join([_line(head), _line(["---"] * len(head)), *map(_line, body)])


def is_data(rows: list[list[Cell]]) -> bool:
    """Say whether cells hold data: words in each, or a header row above whatever they hold."""
    cells = [cell for row in rows for cell in row]
    if not cells or any(cell.kinds & {"table", "heading"} for cell in cells):
        return False
    plain = all(len(cell.blocks) < 2 and cell.kinds <= {"paragraph"} for cell in cells)
    return plain or (len(rows[0]) > 1 and all(cell.header for cell in rows[0] if cell.blocks))


def fill_grid(rows: list[list[Cell]], most: int) -> list[list[str]]:
    """Lay cells out on a grid, empty strings where a cell spans more than one place.

    A grid of more than `most` places is not finished: it is empty.
    """
    spanning = ([SpanningCell(cell, cell.columns, cell.rows) for cell in row] for row in rows)
    grid: list[list[str]] = []
    for places in build_grid(spanning, most) or []:
        own = [place for place in places if place.own]
        line = [""] * (own[-1].column + own[-1].columns if own else 0)
        for place in own:
            line[place.column] = place.cell.text
        grid.append(line)
    return grid


def padded(line: list[str], width: int) -> list[str]:
    """Return a line of a grid, made as long as the grid is wide."""
    return line + [""] * (width - len(line))


def is_bold(text: str) -> bool:
    """Say whether all of a cell is bold: the header of tables older than `th`."""
    return (
        text.startswith("**") and text.endswith("**") and "**" not in text[2:-2] and len(text) > 4
    )


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
