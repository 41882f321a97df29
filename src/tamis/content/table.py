"""Cells → a GFM table."""

from __future__ import annotations

from dataclasses import dataclass

MAX_SPAN = 100  # a hostile colspan must not blow up the table


@dataclass(frozen=True, slots=True)
class Cell:
    """A rendered table cell."""

    text: str
    columns: int = 1
    rows: int = 1
    header: bool = False


def markdown_table(rows: list[list[Cell]]) -> str | None:
    """Return a GFM table, or None where the cells are a page's layout rather than data.

    A cell that spans columns or rows stands in the first of its places; the others stay empty.
    """
    if not rows or any("\n\n" in cell.text for row in rows for cell in row):
        return None
    grid = filled_grid(rows)
    width = max(map(len, grid))
    if width < 2 or len(grid) < 2:
        return None
    for line in grid:
        line += [""] * (width - len(line))
    has_header = all(cell.header or is_bold(cell.text) for cell in rows[0])
    head, body = (grid[0], grid[1:]) if has_header else ([""] * width, grid)
    return "\n".join([_line(head), _line(["---"] * width), *map(_line, body)])


def filled_grid(rows: list[list[Cell]]) -> list[list[str]]:
    """Lay cells out on a grid, empty strings where a cell spans more than one place."""
    grid: list[list[str]] = []
    taken: dict[int, int] = {}  # column → rows that a cell from above still covers
    for row in rows:
        line: list[str] = []
        covered = {column for column, left in taken.items() if left > 0}
        taken = {column: left - 1 for column, left in taken.items() if left > 1}
        for cell in row:
            while len(line) in covered:
                line.append("")
            span = min(cell.columns, MAX_SPAN)
            for column in range(len(line), len(line) + span):
                if cell.rows > 1:
                    taken[column] = min(cell.rows, MAX_SPAN) - 1
            line += [cell.text] + [""] * (span - 1)
        grid.append(line)
    return grid


def is_bold(text: str) -> bool:
    """Say whether all of a cell is bold: the header of tables older than `th`."""
    return len(text) > 4 and text.startswith("**") and text.endswith("**")


def _line(cells: list[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", "<br>").strip() for cell in cells)
    return "| " + " | ".join(escaped) + " |"
