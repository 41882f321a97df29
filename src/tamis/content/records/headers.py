"""Rows of headers above a region → the names of its table columns."""

from __future__ import annotations

from collections import defaultdict
from itertools import dropwhile, takewhile
from typing import Final

import numpy as np

from tamis.blocks.regions import Region
from tamis.content.records.tables import table_cells, table_grid
from tamis.page import Page, tags

_TR: Final = tags.CODE["tr"]
_TH: Final = tags.CODE["th"]
_TABLE: Final = tags.CODE["table"]
_IS_BOLD: Final = tags.tag_table(("th", "b", "strong"))


def header_names(region: Region) -> dict[int, str]:
    """Return the names of table columns by their number.

    Where there are several rows of headers, a name is what all of them say of a column. Without
    cells for headers, these are a first row that is bold throughout.
    """
    page, first = region.page, int(region.start[0])
    if page.tag[first] != _TR:
        return {}
    table = first
    while table > 0 and page.tag[table] != _TABLE:
        table = int(page.parent[table])
    above = [row for row in range(table, first) if page.tag[row] == _TR]
    rest = dropwhile(lambda row: not has_headers(page, row), above)
    heads = list(takewhile(lambda row: has_headers(page, row), rest))
    if not heads and above and is_bold(page, above[0]) and not is_bold(page, first):
        heads = above[:1]
    return grid_names(page, heads)


def has_headers(page: Page, row: int) -> bool:
    """Say whether the cells of a table row are headers, but for one at most."""
    cells = [cell for cell, _, _ in table_cells(page, row)]
    heads = sum(bool(page.tag[cell] == _TH) for cell in cells)
    return heads > 1 and heads >= len(cells) - 1


def is_bold(page: Page, row: int) -> bool:
    """Say whether all texts of a table row are bold, and none is a link, in several cells."""
    inside = np.arange(row, page.end[row])
    texts = inside[page.visible[inside]]
    if len(texts) < 2 or page.in_link[texts].any() or len(table_cells(page, row)) < 2:
        return False
    bold = page.within(inside[_IS_BOLD[page.tag[inside]]])
    return bool(bold[texts].all())


def grid_names(page: Page, rows: list[int]) -> dict[int, str]:
    """Return what rows of headers say by the column that it is said of.

    What spans several columns is said of all of them, but is the name of the first one alone.
    """
    said: defaultdict[int, dict[str, None]] = defaultdict(dict)
    named: set[int] = set()
    for line in table_grid(page, rows):
        for column, columns, cell, own in line:
            if not own:
                continue
            text = " ".join(page.text[page.text_start[cell] : page.text_stop[cell]].split())
            if not text:
                continue
            named |= {column} if text not in said[column] else set()
            for place in range(column, column + columns):
                said[place][text] = None
    return {place: " ".join(said[place]) for place in sorted(named)}
