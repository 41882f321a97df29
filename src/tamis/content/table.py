"""Cells → a GFM table."""

from __future__ import annotations

from dataclasses import dataclass

from tamis.content.grid import Spanning, grid_of, room_for
from tamis.content.layout import Block, on_one_line


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
    grid = filled_grid(rows, most)
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


def filled_grid(rows: list[list[Cell]], most: int) -> list[list[str]]:
    """Lay cells out on a grid, empty strings where a cell spans more than one place.

    A grid of more than `most` places is not finished: it is empty.
    """
    spanning = ([Spanning(cell, cell.columns, cell.rows) for cell in row] for row in rows)
    grid: list[list[str]] = []
    for places in grid_of(spanning, most) or []:
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
