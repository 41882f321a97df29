"""Block elements that close → blocks of Markdown in the element around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tamis.content.grid import columns_spanned, rows_spanned
from tamis.content.kept import Kept
from tamis.content.layout import Block, ListKind, on_one_line
from tamis.content.numbers import item_numbers
from tamis.content.parts import Part, listed
from tamis.content.table import Cell
from tamis.page.reading import one_line

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# Lists and quotes beyond this depth lose their marks: each level costs the width of a mark on
# every line, and readers of Markdown give up at about a hundred.
MAX_NESTING: Final = 20


def words_of(blocks: list[Block]) -> str:
    """Return blocks as Markdown for an element that has one line."""
    return one_line(" ".join(on_one_line(block, " ") for block in blocks))


def close_heading(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render h1 to h6."""
    part.finish()
    words = words_of(part.blocks)
    stack[-1].add(*[Block("heading", words, number=int(part.name[1]))] if words else [])


def close_quote(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a block quote."""
    part.finish()
    quoted = part.nesting <= MAX_NESTING and part.blocks
    stack[-1].add(*[Block("quote", blocks=tuple(part.blocks))] if quoted else part.blocks)


def close_item(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a list item."""
    above = stack[-1]
    part.finish()
    if not part.blocks or part.nesting > MAX_NESTING:
        above.add(*part.blocks)
        return
    above.add(Block("item", blocks=tuple(part.blocks), number=part.row))
    above.stray = above.name not in _LISTS


def close_list(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a list."""
    part.finish()
    kind = _LISTS[part.name]
    numbers = item_numbers(kept, part.row) if kind == "numbers" else None
    stack[-1].add(*listed(part.blocks, kind, numbers))


def close_term(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a term of a definition list."""
    part.finish()
    words = words_of(part.blocks)
    stack[-1].add(*[Block("term", words)] if words else [])


def close_definition(kept: Kept, part: Part, stack: list[Part]) -> None:
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


def close_cell(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Hand a cell on to its row."""
    part.finish()
    found = kept.attributes(part.row)
    header = part.name == "th" or any(around.name == "thead" for around in stack[-2:])
    columns, rows = columns_spanned(found.get("colspan")), rows_spanned(found.get("rowspan"))
    if not stack[-1].rows:
        stack[-1].rows.append([])
    stack[-1].rows[-1].append(Cell(tuple(part.blocks), columns, rows, header))


def close_row(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Hand rows on to the table; text outside cells stays where it is."""
    part.end_line()
    stack[-1].rows += part.rows or ([[]] if part.name == "tr" else [])
    stack[-1].add(*part.blocks)


def close_table(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a table."""
    part.finish()
    stack[-1].add(*part.blocks)


Closer = Callable[[Kept, Part, list[Part]], None]
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
