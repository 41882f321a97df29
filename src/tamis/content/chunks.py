"""Chunks: a document cut for retrieval, at units, each with the headings that it stands under."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

import numpy as np

from tamis.content.chunk_units import Atom, Splitter, build_units, find_tail
from tamis.content.markdown import render_blocks
from tamis.content.markdown_blocks import join_blocks
from tamis.content.selection import Selection
from tamis.content.tokens import Tokenizer
from tamis.errors import WrongType, check_number
from tamis.page import Page, collapse_spaces, join_text, row_xpath, tags


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document's Markdown: `text` is `doc.markdown[start:stop]`.

    `headings` are those that all of it stands under, outermost first. `span` is where it is from in
    the page's source, as a start and an end in bytes, and `xpath` leads to the innermost element
    with all of it. The first `overlap` characters of the text are the end of the chunk before it.
    """

    text: str
    tokens: int
    headings: tuple[str, ...]
    start: int
    stop: int
    overlap: int
    span: tuple[int, int]
    xpath: str


def cut_chunks(
    selection: Selection, max_tokens: int, overlap: int, tokenizer: Tokenizer
) -> tuple[Chunk, ...]:
    """Return the Markdown of a selection in chunks of at most `max_tokens` each."""
    check_number("max_tokens", max_tokens, 1, whole=True)
    check_number("overlap", overlap, 0, max_tokens // 2, whole=True)
    blocks = render_blocks(selection)
    text, count = join_blocks(blocks), _counter(tokenizer)
    splitter = Splitter(text, count, max_tokens)
    atoms = list(selection.budget.watch(splitter.split(build_units(blocks))))
    paths = _heading_paths(selection, atoms)
    chunks: list[Chunk] = []
    previous = 0
    for first, stop in selection.budget.watch(_group_atoms(atoms, splitter, overlap)):
        start, end = atoms[first].start, atoms[stop - 1].stop
        begin = start
        if overlap and not atoms[first].level and previous < start:
            begin = _overlap_start(splitter, overlap, previous, start, end)
        span, xpath = _locate(selection.page, atoms[first:stop])
        chunks.append(
            Chunk(
                text=text[begin:end],
                tokens=count(text[begin:end]),
                headings=_common_headings(atoms[first:stop], paths[first:stop]),
                start=begin,
                stop=end,
                overlap=start - begin,
                span=span,
                xpath=xpath,
            )
        )
        previous = start
    return tuple(chunks)


def _counter(tokenizer: Tokenizer) -> Callable[[str], int]:
    """Return a function that counts tokens, for one that counts or lists them."""
    if not callable(tokenizer):
        kind = type(tokenizer).__name__
        raise WrongType(f"tokenizer is of type {kind}: give a function of a text, such as len")

    def count(text: str) -> int:
        tokens = tokenizer(text)
        return tokens if isinstance(tokens, int) else len(tokens)

    return count


# Which atoms a chunk has --------------------------------------------------------------------------


def _group_atoms(
    atoms: Sequence[Atom], splitter: Splitter, overlap: int
) -> Iterator[tuple[int, int]]:
    """Yield the range of atoms of each chunk, with room for an overlap where this is possible."""
    sums = [0, *accumulate(atom.tokens for atom in atoms)]
    first = 0
    while first < len(atoms):
        # A chunk that begins with a heading has no overlap.
        room = splitter.max_tokens - (0 if atoms[first].level else overlap)
        stop = _fill(atoms, sums, splitter, room, first)
        if stop < len(atoms):
            stop = _best_cut(atoms, sums, first, stop)
        yield first, stop
        first = stop


def _fill(atoms: Sequence[Atom], sums: list[int], splitter: Splitter, room: int, first: int) -> int:
    """Return before which atom a chunk is full.

    The text of several atoms may have fewer tokens than they have by themselves, or more.
    """
    stop, tokens = first + 1, atoms[first].tokens
    while True:
        longer = bisect_right(sums, sums[stop] + room - tokens, lo=stop) - 1
        if longer <= stop:
            return stop
        is_too_long = True
        while is_too_long and longer > stop:
            counted = splitter.count(splitter.text[atoms[first].start : atoms[longer - 1].stop])
            is_too_long = counted > room
            if not is_too_long:
                stop, tokens = longer, counted
            elif longer - stop == 1:
                return stop
            else:
                longer = stop + (longer - stop) // 2


def _best_cut(atoms: Sequence[Atom], sums: list[int], first: int, stop: int) -> int:
    """Return where a chunk should end that is full before an atom.

    It ends before a heading rather than within a section, and before a unit rather than within one,
    if half of it is left. No chunk ends with a heading unless it has nothing else.
    """
    half = (sums[stop] + sums[first]) / 2
    best = 0
    for cut in range(stop, first, -1):
        if best and sums[cut] < half:
            break
        if not atoms[cut - 1].level and (not best or atoms[cut].boundary < atoms[best].boundary):
            best = cut
    return best or stop


def _overlap_start(splitter: Splitter, overlap: int, previous: int, start: int, end: int) -> int:
    """Return where a chunk from `start` to `end` begins with the end of the one before it.

    A chunk that is nearly full has a shorter overlap, or none.
    """
    text, count = splitter.text, splitter.count
    room = min(overlap, splitter.max_tokens - count(text[start:end]))
    begin = previous + find_tail(text[previous:start], count, room) if room > 0 else start
    return begin if count(text[begin:end]) <= splitter.max_tokens else start


# Where a chunk is ---------------------------------------------------------------------------------


def _heading_paths(selection: Selection, atoms: Sequence[Atom]) -> list[tuple[str, ...]]:
    """Return the headings that each atom stands under, itself included if it is one."""
    paths: list[tuple[str, ...]] = []
    headings: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    for atom in selection.budget.watch(atoms):
        if atom.level == atom.boundary:
            headings = [heading for heading in headings if heading[0] < atom.level]
            headings.append((atom.level, _plain_text(selection, atom)))
            path = tuple(text for _, text in headings)
        paths.append(path)
    return paths


def _plain_text(selection: Selection, atom: Atom) -> str:
    """Return the text of a heading without markup."""
    rows, (first, last) = selection.text_rows, atom.rows
    inside = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last, side="right")]
    return collapse_spaces(join_text(selection.page, inside))


def _common_headings(atoms: Sequence[Atom], paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all text of a chunk stands under; those in it are no text."""
    texts = [path for atom, path in zip(atoms, paths, strict=True) if not atom.level]
    common, *others = texts or paths
    for path in others:
        if path is not common:
            pairs = zip(common, path, strict=False)
            common = tuple(
                heading for heading, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)
            )
    return common


def _locate(page: Page, atoms: Sequence[Atom]) -> tuple[tuple[int, int], str]:
    """Return the span of a chunk in the source, and the XPath of the element that it is in."""
    rows = [atom.rows for atom in atoms if atom.rows[0] >= 0] or [(0, len(page) - 1)]
    first, last = min(start for start, _ in rows), max(stop for _, stop in rows)
    span = int(page.start[first]), int(page.stop[last])
    row = first
    while row > 0 and (page.end[row] <= last or page.tag[row] == tags.TEXT):
        row = int(page.parent[row])
    return span, row_xpath(page, row)
