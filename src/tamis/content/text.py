"""A selection as plain text."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.content.selection import Selection
from tamis.page import Bools, Ints, Page, separator, tags

_ITEM: Final = tags.CODE["li"]
_IS_LIST: Final = tags.tag_table(("ul", "ol", "menu", "dir"))


def render_text(selection: Selection) -> str:
    """Return the selected text: blank lines between paragraphs, tabs between cells, list dashes.

    The page's text buffer already separates texts as a reader sees them, so most of it is copied
    in slices. A slice ends where something was left out, a list item begins or code ends (whose
    last line break belongs to the code).
    """
    page, rows = selection.page, selection.text_rows
    if not len(rows):
        return ""
    depths = _item_depths(page, rows)
    numbers, code = page.text_number[rows], (page.flags[rows] & tags.PREFORMATTED) != 0
    begins = depths > 0
    has_items = begins.any()
    begins[0] = True
    begins[1:] |= (numbers[1:] != numbers[:-1] + 1) | (code[:-1] & ~code[1:])
    starts = np.flatnonzero(begins)
    firsts, lasts = rows[starts], rows[np.append(starts[1:], len(rows)) - 1]
    goes_on = _continues_list(page, firsts, lasts) if has_items else starts < 0
    slices = zip(
        page.text_start[firsts].tolist(),
        page.text_stop[lasts].tolist(),
        depths[starts].tolist(),
        goes_on.tolist(),
        code[starts].tolist(),
        strict=True,
    )
    parts: list[str] = []
    previous_stop, text = 0, page.text
    for start, stop, depth, same_list, is_code in selection.budget.watch(slices):
        gap = text[previous_stop:start]
        if parts:
            parts.append("\n" if depth and same_list and "\n" in gap else separator(gap))
        if depth:
            parts.append("  " * (depth - 1) + "- ")
        elif is_code:
            parts.append(_last_indent(gap))
        parts.append(text[start:stop])
        previous_stop = stop
    return "".join(parts)


def _last_indent(gap: str) -> str:
    """Return the white space at the beginning of the last line of a gap."""
    line = gap[gap.rfind("\n") + 1 :]
    return "" if line.strip() else line


def _item_depths(page: Page, rows: Ints) -> Ints:
    """Return for each text row the depth of the list whose item it begins, 0 if it begins none."""
    depths = np.zeros(len(rows), dtype=np.int64)
    items = np.flatnonzero(page.tag == _ITEM)
    first_text = np.searchsorted(rows, items.astype(rows.dtype))
    has_text = np.append(rows, len(page))[first_text] < page.end[items]
    items, first_text = items[has_text], first_text[has_text]
    if len(items):
        lists = _list_rows(page)
        opened = np.searchsorted(lists, items, side="right")
        closed = np.searchsorted(np.sort(page.end[lists]), items, side="right")
        # Items come outer ones first, so of two that begin with the same text the inner one stays.
        depths[first_text] = np.maximum(opened - closed, 1)
    return depths


def _continues_list(page: Page, firsts: Ints, lasts: Ints) -> Bools:
    """Return for each slice, by first and last row, whether it continues the list before it.

    Lists in lists are parts of the outermost one.
    """
    outer = page.outermost(_list_rows(page))
    opened, opened_before = (
        np.searchsorted(outer, rows, side="right") for rows in (firsts[1:], lasts[:-1])
    )
    still_open = lasts[:-1] < np.append(0, page.end[outer])[opened_before]
    return np.append(False, (opened == opened_before) & still_open)


def _list_rows(page: Page) -> Ints:
    """Return the rows of the lists of a page."""
    return np.flatnonzero(_IS_LIST[page.tag])
