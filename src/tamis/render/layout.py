"""The browser's elements and texts ↔ the rows of a page.

What the browser tells of a document → the layout of a page.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import Misaligned
from tamis.page import CLEARS, DISPLAYS, FLOATS, POSITIONS, Layout, Page, freeze, tags

Indices = NDArray[np.int64]

MAX_MATCHED_CHILDREN: Final = (
    2000  # children above which only the same beginning and end are matched
)


def match_elements(page: Page, names: Sequence[str], parents: Sequence[int]) -> Indices:
    """Return for each row the browser's element that it is, or -1.

    The browser's elements are given in document order, by name and parent. Both trees come from
    the same algorithm of the HTML standard, so nearly always they are the same. Where they are
    not, they are walked side by side from the root, children matched by their names.
    """
    rows = np.flatnonzero(page.tag != tags.TEXT)
    ours = [page.name(row).lower() for row in rows.tolist()]
    found = np.full(len(page), -1, dtype=np.int64)
    number = np.full(len(page) + 1, -1, dtype=np.int64)  # of elements; -1 above the root
    number[rows] = np.arange(len(rows))
    above = number[page.parent[rows]].tolist()
    if above == list(parents) and ours == [name.lower() for name in names]:
        found[rows] = np.arange(len(rows))
        return found
    here = children_lists(above)
    there = children_lists(list(parents))
    waiting = [(-1, -1)]
    while waiting:
        above, other = waiting.pop()
        kids, others = here.get(above, []), there.get(other, [])
        pairs = match_names([ours[kid] for kid in kids], [names[kid].lower() for kid in others])
        for a, b in pairs:
            found[rows[kids[a]]] = others[b]
            waiting.append((kids[a], others[b]))
    return found


def children_lists(parents: Sequence[int]) -> dict[int, list[int]]:
    """Return the children of each node that has some; the root is a child of -1."""
    found: dict[int, list[int]] = {}
    for child, parent in enumerate(parents):
        found.setdefault(parent, []).append(child)
    return found


def match_names(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places at which two sequences of names agree, in order."""
    if ours == theirs:
        return [(place, place) for place in range(len(ours))]
    if max(len(ours), len(theirs)) > MAX_MATCHED_CHILDREN:
        return match_ends(ours, theirs)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]


def match_ends(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the longest common beginning and end of two sequences."""
    shorter = min(len(ours), len(theirs))
    begin = 0
    while begin < shorter and ours[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    tail = ((len(ours) - step, len(theirs) - step) for step in range(end, 0, -1))
    return [(place, place) for place in range(begin)] + list(tail)


def match_texts(page: Page, elements: Indices, parents: Sequence[int]) -> Indices:
    """Return for each row the browser's text that it is, or -1.

    The browser's texts are given by the element around them. Where an element has other texts in
    the browser than in the page (there, some are not shown), none of them is matched.
    """
    rows = np.flatnonzero((page.tag == tags.TEXT) & (page.text_stop > page.text_start))
    around = elements[page.parent[rows]]
    theirs = np.asarray(parents, dtype=np.int64)
    size = int(max(around.max(initial=-1), theirs.max(initial=-1))) + 2
    here = np.bincount(around + 1, minlength=size)
    there = np.bincount(theirs + 1, minlength=size)
    same = (here == there) & (np.arange(size) > 0)
    found = np.full(len(page), -1, dtype=np.int64)
    ours = np.flatnonzero(same[around + 1])
    others = np.flatnonzero(same[theirs + 1])
    # In document order inside an element; both are brought into the order of elements.
    ours = ours[np.argsort(around[ours], kind="stable")]
    others = others[np.argsort(theirs[others], kind="stable")]
    found[rows[ours]] = others
    return found


STYLES: Final = 7  # words a row: display, position, float, clear, colour, background, image
CONTENTS: Final = DISPLAYS.index("contents")
# The types of the columns of a layout, in order.
COLUMN_TYPES: Final[tuple[type[np.generic], ...]] = (
    *(np.float32, np.float32, np.float32, np.float32, np.bool_),
    *(np.uint8, np.uint8, np.uint8, np.uint8, np.float32, np.float32),
    *(np.uint32, np.uint32, np.bool_, np.float32, np.float32, np.float32, np.float32),
)
UNSEEN: Final = tags.INVISIBLE | tags.NOSCRIPT

_COLOUR: Final = re.compile(r"rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.e-]+))?\)")


def layout_of(page: Page, told: Mapping[str, Any], name: str) -> Layout:
    """Return the layout of a page that the browser tells of; `name` is for warnings.

    Rows that the browser does not have get an empty box, and a warning if a reader would see them.
    """
    words, rows, texts = told["words"], told["rows"], told["texts"]
    names = [words[number] for number in rows["name"]]
    elements = match_elements(page, names, rows["parent"])
    warn_of_missing(page, elements, name)
    strings = match_texts(page, elements, texts["parent"])
    is_text = page.tag == tags.TEXT
    source = np.where(is_text, elements[page.parent], elements)  # whose style a row has
    boxes = taken(np.array(rows["box"], dtype=np.float32).reshape(-1, 4), source)
    inside = taken(np.array(texts["box"], dtype=np.float32).reshape(-1, 4), strings)
    boxes = np.where((strings >= 0)[:, None], inside, boxes)
    shown = taken(np.array(rows["shown"], dtype=np.bool_), source)
    styles = np.array(rows["style"], dtype=np.int64).reshape(-1, STYLES)
    sizes = taken(np.array(rows["size"], dtype=np.float32).reshape(-1, 2), source)
    borders = taken(np.array(rows["border"], dtype=np.float32).reshape(-1, 4), source)
    borders[is_text] = 0
    display = taken(encode_styles(DISPLAYS, words)[styles[:, 0]], source)
    display[is_text & (source >= 0)] = DISPLAYS.index("inline")
    spread_contents(page, display, boxes)
    colours = np.array([parse_colour(word) for word in words], dtype=np.uint32)
    images = np.array([word == "image" for word in words], dtype=np.bool_)
    background = taken(colours[styles[:, 5]], source)
    background[is_text] = 0
    columns = (
        *boxes.T,
        shown,
        display,
        *(
            np.where(is_text, 0, taken(encode_styles(values, words)[styles[:, place]], source))
            for place, values in ((1, POSITIONS), (2, FLOATS), (3, CLEARS))
        ),
        *sizes.T,
        taken(colours[styles[:, 4]], source),
        background,
        taken(images[styles[:, 6]], source) & ~is_text,
        *borders.T,
    )
    made = [freeze(np.array(c, dtype=t)) for c, t in zip(columns, COLUMN_TYPES, strict=True)]
    return Layout(tuple(told["screen"]), tuple(told["size"]), *made)


def taken(values: NDArray[Any], places: Indices) -> NDArray[Any]:
    """Return the values at places, nothing (0) at place -1."""
    empty = np.zeros((1, *values.shape[1:]), dtype=values.dtype)
    return np.concatenate((values, empty))[places]


def encode_styles(values: Sequence[str], words: Sequence[str]) -> NDArray[np.uint8]:
    """Return the code of each word among the values of a property, 0 if it is none of them."""
    known = {value: code for code, value in enumerate(values)}
    # `display: inline flow-root` and the like: the last word tells the kind of box
    return np.array(
        [known.get(word, known.get(word.split(" ")[-1], 0)) for word in words], np.uint8
    )


def parse_colour(word: str) -> int:
    """Return a computed colour as 0xRRGGBBAA, 0 for a word that is none."""
    match = _COLOUR.fullmatch(word)
    if match is None:
        return 0
    red, green, blue = (min(255, round(float(part))) for part in match.groups()[:3])
    alpha = 255 if match[4] is None else round(255 * min(1.0, float(match[4])))
    return red << 24 | green << 16 | blue << 8 | alpha


def spread_contents(page: Page, display: NDArray[Any], boxes: NDArray[Any]) -> None:
    """Give each row of `display: contents`, which has no box, the box around its children."""
    for row in np.flatnonzero(display == CONTENTS)[::-1].tolist():
        below = boxes[row + 1 : page.end[row]][page.parent[row + 1 : page.end[row]] == row]
        below = below[(below[:, 2] > 0) & (below[:, 3] > 0)]
        if len(below):
            corner = below[:, :2].min(axis=0)
            boxes[row] = [*corner, *((below[:, :2] + below[:, 2:]).max(axis=0) - corner)]


def warn_of_missing(page: Page, elements: Indices, name: str) -> None:
    """Warn of rows that a reader would see and the browser does not have."""
    lost = (page.tag != tags.TEXT) & (elements < 0) & ((page.flags & UNSEEN) == 0)
    if lost.any():
        count, total = int(lost.sum()), int((page.tag != tags.TEXT).sum())
        warnings.warn(
            f"{name}: the browser understood the page differently: {count:,} of {total:,} elements "
            "have no layout",
            Misaligned,
            stacklevel=2,
        )
