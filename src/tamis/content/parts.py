"""Part: what has been rendered of an open element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tamis.content.emphasis import Piece
from tamis.content.inline import BREAK, SPACE, written
from tamis.content.layout import LISTS, Block, ListKind
from tamis.content.table import Cell, markdown_table


@dataclass(slots=True)
class Part:
    """What has been rendered of an open element: blocks, and the line that is being written."""

    row: int
    name: str
    nesting: int = 0  # lists and quotes around it
    blocks: list[Block] = field(default_factory=list)
    line: list[Piece] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)  # of a table
    language: str | None = None
    linked: bool = False  # holds a link
    stray: bool = False  # holds items, but is no list

    def end_line(self) -> None:
        """Make the line that is being written a paragraph."""
        paragraph = written(self.line) if self.line else ""
        self.line.clear()
        if paragraph:
            self.blocks.append(Block("paragraph", paragraph))

    def finish(self) -> None:
        """Make blocks of all that was rendered; items in no list become one of their own."""
        self.end_line()
        if self.rows:
            self.blocks += table_blocks(self.rows)
            self.rows = []
        if self.stray:
            self.blocks = listed(self.blocks, "bullets")
            self.stray = False

    def add(self, *blocks: Block) -> None:
        """Add blocks below what is there."""
        self.end_line()
        self.blocks += blocks

    def take(self, part: Part) -> None:
        """Take over what is in a part that has no look of its own.

        Lists change hands where they can: in a deep page they would be copied at every level.
        """
        if not part.blocks and not part.rows:
            if self.line:
                self.line += part.line
            else:
                self.line = part.line
            return
        part.finish()
        self.end_line()
        if self.blocks:
            self.blocks += part.blocks
        else:
            self.blocks = part.blocks

    def add_space(self, gap: str) -> None:
        """Add white space to the line: a break where the page has one, else one space."""
        if not self.line:
            return
        if gap == "\n\n":
            self.end_line()
        elif gap == "\n":
            self.line.append(BREAK)
        elif self.line[-1].kind not in ("space", "break"):
            self.line.append(SPACE)

    @property
    def code(self) -> str:
        """The line as code."""
        return "".join(piece.text for piece in self.line)


def listed(
    blocks: list[Block], kind: ListKind, numbers: Mapping[int, int] | None = None
) -> list[Block]:
    """Make lists of items; a list that stands between items belongs to the item before it.

    Markdown counts on from the first number of a list, so that another list begins where the
    numbers of the items, by their rows, do not.
    """
    found: list[Block] = []
    items: list[list[Block]] = []
    following = 1

    def end_list() -> None:
        if items:
            inner = tuple(Block("item", blocks=tuple(item)) for item in items)
            found.append(Block(kind, blocks=inner, number=following - len(items)))
        items.clear()

    for block in blocks:
        if block.kind == "item":
            number = numbers.get(block.number, following) if numbers else following
            if number != following:
                end_list()
            items.append([*block.blocks])
            following = number + 1
        elif block.kind in LISTS and items:
            items[-1].append(block)
        else:
            end_list()
            found.append(block)
    end_list()
    return found


def table_blocks(rows: list[list[Cell]]) -> list[Block]:
    """Return a data table as such, a layout table as the blocks of its cells."""
    table = markdown_table(rows)
    if table:
        return [Block("table", table, tuple(cell_blocks(rows)))]
    return cell_blocks(rows)


def cell_blocks(rows: list[list[Cell]]) -> list[Block]:
    """Return the blocks of all cells of a table."""
    return [block for row in rows for cell in row for block in cell.blocks]
