"""How block elements are rendered into blocks of Markdown when they close."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tamis.content._render import Block, OpenElement
from tamis.content.attributes import item_numbers
from tamis.content.markdown_blocks import (
    LISTS,
    Cell,
    ListKind,
    covered_rows,
    join_on_one_line,
    render_table,
)
from tamis.content.selection import Selection
from tamis.page import collapse_spaces, columns_spanned, rows_spanned

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LIST_KINDS: Final[dict[str, ListKind]] = {
    "ul": "bullets",
    "menu": "bullets",
    "dir": "bullets",
    "ol": "numbers",
}
# Deeper lists and quotes lose their marks: each level costs the width of a mark on every line, and
# readers of Markdown give up at about a hundred.
_MAX_NESTING: Final = 20


def group_blocks(element: OpenElement) -> None:
    """Turn the rows of an element into a table, and items outside lists into a list."""
    if element.rows:
        element.blocks += _table_blocks(element.rows)
        element.rows = []
    if element.has_loose_items:
        element.blocks = _group_items(element.blocks, "bullets")
        element.has_loose_items = False


def _table_blocks(rows: list[list[Cell]]) -> list[Block]:
    """Return a data table as one block, a layout table as the blocks of its cells."""
    cells = [tuple(block for cell in row for block in cell.blocks) for row in rows]
    table = render_table(rows)
    if table is None:
        return [block for row in cells for block in row]
    return [Block("table", table, tuple(Block("row", blocks=row) for row in cells if row))]


def _group_items(
    blocks: list[Block], kind: ListKind, numbers: Mapping[int, int] | None = None
) -> list[Block]:
    """Group items into lists. A list that stands between items belongs to the item before it.

    Markdown counts on from the first number of a list. So where the numbers of the items, given by
    their rows, do not continue, another list begins.
    """
    grouped: list[Block] = []
    items: list[list[Block]] = []
    next_number = 1

    def end_list() -> None:
        if items:
            inner = tuple(Block("item", blocks=tuple(item)) for item in items)
            grouped.append(Block(kind, blocks=inner, number=next_number - len(items)))
        items.clear()

    for block in blocks:
        if block.kind == "item":
            number = numbers.get(block.number, next_number) if numbers else next_number
            if number != next_number:
                end_list()
            items.append([*block.blocks])
            next_number = number + 1
        elif block.kind in LISTS and items:
            items[-1].append(block)
        else:
            end_list()
            grouped.append(block)
    end_list()
    return grouped


def _join_words(blocks: list[Block]) -> str:
    """Return blocks as Markdown for an element that has one line."""
    return collapse_spaces(" ".join(join_on_one_line(block, " ") for block in blocks))


def _render_heading(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Render h1 to h6."""
    element.finish()
    words, rows = _join_words(element.blocks), covered_rows(element.blocks)
    heading = Block("heading", words, number=int(element.name[1]), rows=rows)
    stack[-1].add(*[heading] if words else [])


def _render_quote(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Render a block quote."""
    element.finish()
    is_quote = element.nesting <= _MAX_NESTING and element.blocks
    stack[-1].add(*[Block("quote", blocks=tuple(element.blocks))] if is_quote else element.blocks)


def _render_item(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Render a list item."""
    above = stack[-1]
    element.finish()
    if not element.blocks or element.nesting > _MAX_NESTING:
        above.add(*element.blocks)
        return
    above.add(Block("item", blocks=tuple(element.blocks), number=element.row))
    above.has_loose_items = above.name not in _LIST_KINDS


def _render_list(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Render a list."""
    element.finish()
    kind = _LIST_KINDS[element.name]
    numbers = item_numbers(selection, element.row) if kind == "numbers" else None
    stack[-1].add(*_group_items(element.blocks, kind, numbers))


def _render_term(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Render a term of a definition list."""
    element.finish()
    words = _join_words(element.blocks)
    rows = covered_rows(element.blocks)
    stack[-1].add(*[Block("term", words, rows=rows)] if words else [])


def _render_definition(
    selection: Selection, element: OpenElement, stack: list[OpenElement]
) -> None:
    """Render a definition below its term.

    CommonMark has no definitions: it continues the line of the term to the end of the first
    paragraph, and takes what follows as indented. So code behind the mark would not be code, and
    what definitions in definitions indent would be code.
    """
    above = stack[-1]
    element.finish()
    above.end_line()
    has_term = bool(above.blocks) and above.blocks[-1].kind in ("term", "definition")
    begins = bool(element.blocks) and element.blocks[0].kind in ("paragraph", "term")
    deep = any(block.kind == "definition" and len(block.blocks) > 1 for block in element.blocks)
    if has_term and begins and not deep and element.nesting <= _MAX_NESTING:
        above.add(Block("definition", blocks=tuple(element.blocks)))
    else:
        above.add(*element.blocks)


def _render_cell(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Hand a cell on to its row."""
    element.finish()
    attributes = selection.attributes(element.row)
    is_header = element.name == "th" or any(around.name == "thead" for around in stack[-2:])
    columns = columns_spanned(attributes.get("colspan"))
    rows = rows_spanned(attributes.get("rowspan"))
    if not stack[-1].rows:
        stack[-1].rows.append([])
    stack[-1].rows[-1].append(Cell(tuple(element.blocks), columns, rows, is_header))


def _render_row(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Hand rows on to the table. Text outside cells stays where it is."""
    element.end_line()
    stack[-1].rows += element.rows or ([[]] if element.name == "tr" else [])
    stack[-1].add(*element.blocks)


def _render_table(selection: Selection, element: OpenElement, stack: list[OpenElement]) -> None:
    """Render a table."""
    element.finish()
    stack[-1].add(*element.blocks)


# Each renders an element that closes into the top of the stack, which is the element around it.
_BlockRenderer = Callable[[Selection, OpenElement, list[OpenElement]], None]
BLOCK_RENDERERS: Final[dict[str, _BlockRenderer]] = {
    **dict.fromkeys(HEADINGS, _render_heading),
    **dict.fromkeys(_LIST_KINDS, _render_list),
    **dict.fromkeys(("tr", "thead", "tbody", "tfoot"), _render_row),
    **dict.fromkeys(("td", "th"), _render_cell),
    "blockquote": _render_quote,
    "li": _render_item,
    "dt": _render_term,
    "dd": _render_definition,
    "table": _render_table,
}
