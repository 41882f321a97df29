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
    in slices; a slice ends where something was left out, a list item begins or code ends (whose
    last line break is its own).
    """
    page, rows = kept.page, kept.text_rows
    if not len(rows):
        return ""
    nesting, number = list_nesting(page)
    depths = item_depths(page, rows, nesting)
    numbers, code = page.text_number[rows], (page.flags[rows] & tags.PREFORMATTED) != 0
    begins = depths > 0
    begins[0] = True
    begins[1:] |= (numbers[1:] != numbers[:-1] + 1) | (code[:-1] & ~code[1:])
    starts = np.flatnonzero(begins)
    firsts, lasts = rows[starts], rows[np.roll(starts, -1) - 1]
    same_list = np.zeros(len(starts), dtype=np.bool_)
    same_list[1:] = (number[firsts[1:]] == number[lasts[:-1]]) & (nesting[lasts[:-1]] > 0)
    slices = zip(
        page.text_start[firsts].tolist(),
        page.text_stop[lasts].tolist(),
        depths[starts].tolist(),
        same_list.tolist(),
        code[starts].tolist(),
        strict=True,
    )
    parts: list[str] = []
    last, whole = 0, page.text
    for low, high, depth, listed, is_code in slices:
        gap = whole[last:low]
        if parts:
            parts.append("\n" if depth and listed and "\n" in gap else separator(gap))
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


def list_nesting(page: Page) -> tuple[Ints, Ints]:
    """Return for each row how many lists are around it, and how many have begun up to it.

    Lists in lists are not counted among those that have begun.
    """
    lists = np.flatnonzero(_IS_LIST[page.tag])
    edges = -np.bincount(page.end[lists], minlength=len(page) + 1)
    edges[lists] += 1
    nesting = np.cumsum(edges)[:-1]
    begun = np.zeros(len(page), dtype=np.int64)
    begun[lists[nesting[lists] == 1]] = 1
    return nesting, np.cumsum(begun)


def item_depths(page: Page, rows: Ints, nesting: Ints) -> Ints:
    """Return for each text row 0, or how deep the list is whose item it begins."""
    depths = np.zeros(len(rows), dtype=np.int32)
    items = np.flatnonzero(_IS_ITEM[page.tag])
    if not len(items):
        return depths
    at = np.searchsorted(rows, items)
    inside = at < len(rows)
    inside[inside] &= rows[at[inside]] < page.end[items[inside]]
    items, at = items[inside], at[inside]
    # Items come outer ones first, so of two that begin with the same text the inner one stays.
    depths[at] = np.maximum(nesting[items], 1)
    return depths
