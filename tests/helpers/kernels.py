"""Compiled modules, which are private to their rooms, and plain forms of what they compute."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tamis.page import Page

ALIGN: Any = import_module("tamis.records._align")
DATE_MARKS: Any = import_module("tamis.records.date_marks")  # uses compiled loops to search texts
RENDER: Any = import_module("tamis.content._render")
TEXT: Any = import_module("tamis.store._text")

Span = tuple[int, int, bool]


def mark_inline(page: Page, kind: np.ndarray, min_text_per_link: int) -> list[bool]:
    """Mark the elements that are part of a line, one parent after the other."""
    inline = [False] * len(page)
    chars = [int(page.chars[row : page.end[row]].sum()) for row in range(len(page))]
    for parent in range(len(page)):
        for line in split_lines([n for n in range(len(page)) if page.parent[n] == parent], kind):
            with_text = [n for n in line if chars[n]]
            bare = sum(chars[n] for n in with_text if kind[n] == ALIGN.TEXT)
            if not bare:
                continue
            inner = [n for child in line for n in range(child, int(page.end[child]))]
            links = [n for n in inner if kind[n] == ALIGN.LINK and chars[n]]
            first = range(with_text[0], int(page.end[with_text[0]]))
            is_led_by_words = len(links) == 1 and links[0] not in first
            for n in line:
                if kind[n] == ALIGN.LINK:
                    is_short = bare > min_text_per_link * chars[n]
                    inline[n] = chars[n] > 0 and (is_led_by_words or is_short)
                else:
                    inline[n] = not (n == with_text[0] and kind[n] == ALIGN.DATE)
    for n in range(1, len(page)):
        if inline[page.parent[n]] and kind[n] in (ALIGN.FORMAT, ALIGN.DATE):
            inline[n] = True
    return inline


def split_lines(children: list[int], kind: np.ndarray) -> list[list[int]]:
    """Return children in lines, without those that end a line."""
    lines: list[list[int]] = [[]]
    for child in children:
        if kind[child] == ALIGN.ENDS_LINE:
            lines.append([])
        else:
            lines[-1].append(child)
    return lines


def cut_source(source: bytes, runs: list[Span]) -> list[Span]:
    """Return where a source is cut, given the runs of bytes that blocks own."""
    pieces: list[Span] = []
    begin = blocks = own = 0
    end: int | None = None  # of the last informative block of the open piece
    for start, stop, informative in runs:
        if end is not None and not (informative and start - end <= 256):
            end = skip_space(source, end, stop)
            pieces.append((begin, end, True))
            begin, end, blocks = end, None, 0
        if stop <= begin:
            continue
        blocks += 1
        if informative:
            start = max(start, begin)
            if end is None or own >= 240 or own % 8 == 0 or blocks > 64:
                if start > begin or end is not None:
                    pieces.append((begin, start, end is not None))
                begin, blocks = start, 1
            end, own = stop, stop - start
        elif blocks >= 64 or ((stop - start) % 8 == 0 and stop - begin >= 2048):
            pieces.append((begin, stop, False))
            begin, blocks = stop, 0
    if end is not None:
        end = skip_space(source, end, len(source))
        pieces.append((begin, end, True))
        begin = end
    if begin < len(source):
        pieces.append((begin, len(source), False))
    return pieces


def skip_space(source: bytes, start: int, limit: int) -> int:
    """Return where the white space at a start ends."""
    rest = source[start:limit]
    return start + len(rest) - len(rest.lstrip(b" \t\n\v\f\r"))
