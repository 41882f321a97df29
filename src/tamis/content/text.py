"""Kept rows → plain text."""

from __future__ import annotations

import numpy as np

from tamis.content.selection import Selection
from tamis.page import Bools, Ints, Page, separator, tags

_ITEM = tags.CODE["li"]
_IS_LIST = tags.tag_table(("ul", "ol", "menu", "dir"))


def text(kept: Selection) -> str:
    """Return the kept text: paragraphs apart, cells by tabs, list items with a dash.

    The page's text buffer already separates texts as a reader sees them, so most of it is copied
    in slices; a slice ends where something was left out, a list item begins or code ends (whose
    last line break is its own).
    """
    page, rows = kept.page, kept.text_rows
    if not len(rows):
        return ""
    depths = item_depths(page, rows)
    numbers, code = page.text_number[rows], (page.flags[rows] & tags.PREFORMATTED) != 0
    begins = depths > 0
    has_items = begins.any()
    begins[0] = True
    begins[1:] |= (numbers[1:] != numbers[:-1] + 1) | (code[:-1] & ~code[1:])
    starts = np.flatnonzero(begins)
    firsts, lasts = rows[starts], rows[np.append(starts[1:], len(rows)) - 1]
    goes_on = continued_lists(page, firsts, lasts) if has_items else starts < 0
    slices = zip(
        page.text_start[firsts].tolist(),
        page.text_stop[lasts].tolist(),
        depths[starts].tolist(),
        goes_on.tolist(),
        code[starts].tolist(),
        strict=True,
    )
    parts: list[str] = []
    last, whole = 0, page.text
    for low, high, depth, same_list, is_code in kept.budget.watch(slices):
        gap = whole[last:low]
        if parts:
            parts.append("\n" if depth and same_list and "\n" in gap else separator(gap))
        if depth:
            parts.append("  " * (depth - 1) + "- ")
        elif is_code:
            parts.append(indent(gap))
        parts.append(whole[low:high])
        last = high
    return "".join(parts)


def indent(gap: str) -> str:
    """Return the white space at the beginning of the last line of a gap."""
    line = gap[gap.rfind("\n") + 1 :]
    return "" if line.strip() else line


def item_depths(page: Page, rows: Ints) -> Ints:
    """Return for each text row 0, or how deep the list is whose item it begins."""
    depths = np.zeros(len(rows), dtype=np.int64)
    items = np.flatnonzero(page.tag == _ITEM)
    at = np.searchsorted(rows, items.astype(rows.dtype))
    has_text = np.append(rows, len(page))[at] < page.end[items]
    items, at = items[has_text], at[has_text]
    if len(items):
        lists = lists_of(page)
        begun = np.searchsorted(lists, items, side="right")
        ended = np.searchsorted(np.sort(page.end[lists]), items, side="right")
        # Items come outer ones first, so of two that begin with the same text the inner one stays.
        depths[at] = np.maximum(begun - ended, 1)
    return depths


def continued_lists(page: Page, firsts: Ints, lasts: Ints) -> Bools:
    """Say of slices, given their first and last rows, which go on with the list of the one before.

    Lists in lists are parts of the outermost one.
    """
    outer = page.outermost(lists_of(page))
    begun, begun_before = (
        np.searchsorted(outer, rows, side="right") for rows in (firsts[1:], lasts[:-1])
    )
    still_open = lasts[:-1] < np.append(0, page.end[outer])[begun_before]
    return np.append(False, (begun == begun_before) & still_open)


def lists_of(page: Page) -> Ints:
    """Return the lists of a page."""
    return np.flatnonzero(_IS_LIST[page.tag])
