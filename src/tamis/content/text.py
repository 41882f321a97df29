"""Kept rows → plain text."""

from __future__ import annotations

import numpy as np

from tamis.content.kept import Kept
from tamis.page import Page, tags
from tamis.page.page import Ints
from tamis.page.reading import separator

_IS_ITEM = tags.tag_table(("li",))
_IS_LIST = tags.tag_table(("ul", "ol", "menu", "dir"))


def text(kept: Kept) -> str:
    """Return the kept text: paragraphs apart, cells by tabs, list items with a dash.

    The page's text buffer already separates texts as a reader sees them, so most of it is copied
    in slices; a slice ends where something was left out or a list item begins.
    """
    page, rows = kept.page, kept.text_rows
    if not len(rows):
        return ""
    depths = item_depths(page, rows)
    jumps = np.diff(page.text_number[rows], prepend=-1) != 1
    starts = np.flatnonzero(jumps | (depths > 0))
    begin = page.text_start[rows[starts]].tolist()
    stop = page.text_stop[rows[np.append(starts[1:] - 1, len(rows) - 1)]].tolist()
    parts: list[str] = []
    last, nested = 0, 0
    for low, high, depth in zip(begin, stop, depths[starts].tolist(), strict=True):
        if parts:
            gap = separator(page.text[last:low])
            parts.append("\n" if depth and nested and gap == "\n\n" else gap)
        if depth:
            parts.append("  " * (depth - 1) + "- ")
        parts.append(page.text[low:high])
        last, nested = high, depth
    return "".join(parts)


def item_depths(page: Page, rows: Ints) -> Ints:
    """Return for each text row 0, or how deep the list is whose item it begins."""
    depths = np.zeros(len(rows), dtype=np.int32)
    items = np.flatnonzero(_IS_ITEM[page.tag])
    if not len(items):
        return depths
    at = np.searchsorted(rows, items)
    inside = at < len(rows)
    inside[inside] &= rows[at[inside]] < page.end[items[inside]]
    items, at = items[inside], at[inside]
    edges = np.zeros(len(page) + 1, dtype=np.int32)
    lists = np.flatnonzero(_IS_LIST[page.tag])
    np.add.at(edges, lists, 1)
    np.subtract.at(edges, page.end[lists], 1)
    nesting = np.cumsum(edges)[items]
    # Items come outer ones first, so of two that begin with the same text the inner one stays.
    depths[at] = np.maximum(nesting, 1)
    return depths
