"""Part: what has been rendered of an open element.

Block elements that close → blocks of Markdown in the element around them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tamis.content.markdown_inline import BREAK, SPACE, Piece, written
from tamis.content.markdown_tables import LISTS, Block, Cell, ListKind, markdown_table, on_one_line
from tamis.content.selection import Selection, item_numbers
from tamis.page import collapse_spaces, columns_spanned, rows_spanned


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


HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# Lists and quotes beyond this depth lose their marks: each level costs the width of a mark on
# every line, and readers of Markdown give up at about a hundred.
MAX_NESTING: Final = 20


def words_of(blocks: list[Block]) -> str:
    """Return blocks as Markdown for an element that has one line."""
    return collapse_spaces(" ".join(on_one_line(block, " ") for block in blocks))


def close_heading(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render h1 to h6."""
    part.finish()
    words = words_of(part.blocks)
    stack[-1].add(*[Block("heading", words, number=int(part.name[1]))] if words else [])


def close_quote(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render a block quote."""
    part.finish()
    quoted = part.nesting <= MAX_NESTING and part.blocks
    stack[-1].add(*[Block("quote", blocks=tuple(part.blocks))] if quoted else part.blocks)


def close_item(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render a list item."""
    above = stack[-1]
    part.finish()
    if not part.blocks or part.nesting > MAX_NESTING:
        above.add(*part.blocks)
        return
    above.add(Block("item", blocks=tuple(part.blocks), number=part.row))
    above.stray = above.name not in _LISTS


def close_list(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render a list."""
    part.finish()
    kind = _LISTS[part.name]
    numbers = item_numbers(kept, part.row) if kind == "numbers" else None
    stack[-1].add(*listed(part.blocks, kind, numbers))


def close_term(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render a term of a definition list."""
    part.finish()
    words = words_of(part.blocks)
    stack[-1].add(*[Block("term", words)] if words else [])


def close_definition(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render a definition below its term.

    CommonMark knows no definitions: it reads the line of the term on to the end of the first
    paragraph, and what follows as indented. So code behind the mark would be no code, and what
    definitions in definitions indent would be.
    """
    above = stack[-1]
    part.finish()
    above.end_line()
    defines = bool(above.blocks) and above.blocks[-1].kind in ("term", "definition")
    begins = bool(part.blocks) and part.blocks[0].kind in ("paragraph", "term")
    deep = any(block.kind == "definition" and len(block.blocks) > 1 for block in part.blocks)
    if defines and begins and not deep and part.nesting <= MAX_NESTING:
        above.add(Block("definition", blocks=tuple(part.blocks)))
    else:
        above.add(*part.blocks)


def close_cell(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Hand a cell on to its row."""
    part.finish()
    found = kept.attributes(part.row)
    header = part.name == "th" or any(around.name == "thead" for around in stack[-2:])
    columns, rows = columns_spanned(found.get("colspan")), rows_spanned(found.get("rowspan"))
    if not stack[-1].rows:
        stack[-1].rows.append([])
    stack[-1].rows[-1].append(Cell(tuple(part.blocks), columns, rows, header))


def close_row(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Hand rows on to the table; text outside cells stays where it is."""
    part.end_line()
    stack[-1].rows += part.rows or ([[]] if part.name == "tr" else [])
    stack[-1].add(*part.blocks)


def close_table(kept: Selection, part: Part, stack: list[Part]) -> None:
    """Render a table."""
    part.finish()
    stack[-1].add(*part.blocks)


Closer = Callable[[Selection, Part, list[Part]], None]
_LISTS: Final[dict[str, ListKind]] = {
    "ul": "bullets",
    "menu": "bullets",
    "dir": "bullets",
    "ol": "numbers",
}
CLOSERS: Final[dict[str, Closer]] = {
    **dict.fromkeys(HEADINGS, close_heading),
    **dict.fromkeys(_LISTS, close_list),
    **dict.fromkeys(("tr", "thead", "tbody", "tfoot"), close_row),
    **dict.fromkeys(("td", "th"), close_cell),
    "blockquote": close_quote,
    "li": close_item,
    "dt": close_term,
    "dd": close_definition,
    "table": close_table,
}
