"""The layout of a page, from the columns that the script in the browser returns.

Elements and texts of the browser are matched with the rows of the page first.
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

_Indices = NDArray[np.int64]

MAX_MATCHED_CHILDREN: Final = 2000  # of more, only equal beginnings and ends are matched
# The types of the columns of a layout, in order.
COLUMN_TYPES: Final[tuple[type[np.generic], ...]] = (
    *(np.float32, np.float32, np.float32, np.float32, np.bool_),
    *(np.uint8, np.uint8, np.uint8, np.uint8, np.float32, np.float32),
    *(np.uint32, np.uint32, np.bool_, np.float32, np.float32, np.float32, np.float32),
)

_STYLES: Final = 7  # per row: display, position, float, clear, colour, background, image
_CONTENTS: Final = DISPLAYS.index("contents")
_NEVER_SHOWN: Final = tags.INVISIBLE | tags.NOSCRIPT
_COLOUR: Final = re.compile(r"rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.e-]+))?\)")


def build_layout(page: Page, columns: Mapping[str, Any], name: str) -> Layout:
    """Return the layout of a page from the browser's columns; `name` is for warnings.

    Rows that the browser does not have get an empty box. If a reader would see them, there is a
    warning.
    """
    words, rows, texts = columns["words"], columns["rows"], columns["texts"]
    names = [words[index] for index in rows["name"]]
    elements = match_elements(page, names, rows["parent"])
    warn_of_missing(page, elements, name)
    text_indices = match_texts(page, elements, texts["parent"])
    is_text = page.tag == tags.TEXT
    styled = np.where(is_text, elements[page.parent], elements)  # the element whose style applies
    boxes = _take(np.array(rows["box"], dtype=np.float32).reshape(-1, 4), styled)
    text_boxes = _take(np.array(texts["box"], dtype=np.float32).reshape(-1, 4), text_indices)
    boxes = np.where((text_indices >= 0)[:, None], text_boxes, boxes)
    shown = _take(np.array(rows["shown"], dtype=np.bool_), styled)
    styles = np.array(rows["style"], dtype=np.int64).reshape(-1, _STYLES)
    sizes = _take(np.array(rows["size"], dtype=np.float32).reshape(-1, 2), styled)
    borders = _take(np.array(rows["border"], dtype=np.float32).reshape(-1, 4), styled)
    borders[is_text] = 0
    display = _take(encode_styles(DISPLAYS, words)[styles[:, 0]], styled)
    display[is_text & (styled >= 0)] = DISPLAYS.index("inline")
    _fill_contents_boxes(page, display, boxes)
    colours = np.array([parse_colour(word) for word in words], dtype=np.uint32)
    images = np.array([word == "image" for word in words], dtype=np.bool_)
    background = _take(colours[styles[:, 5]], styled)
    background[is_text] = 0
    values = (
        *boxes.T,
        shown,
        display,
        *(
            np.where(is_text, 0, _take(encode_styles(keywords, words)[styles[:, index]], styled))
            for index, keywords in ((1, POSITIONS), (2, FLOATS), (3, CLEARS))
        ),
        *sizes.T,
        _take(colours[styles[:, 4]], styled),
        background,
        _take(images[styles[:, 6]], styled) & ~is_text,
        *borders.T,
    )
    typed = [freeze(np.array(v, dtype=t)) for v, t in zip(values, COLUMN_TYPES, strict=True)]
    return Layout(tuple(columns["screen"]), tuple(columns["size"]), *typed)


def _take(values: NDArray[Any], indices: _Indices) -> NDArray[Any]:
    """Return the values at indices, 0 at index -1."""
    empty = np.zeros((1, *values.shape[1:]), dtype=values.dtype)
    return np.concatenate((values, empty))[indices]


def encode_styles(keywords: Sequence[str], words: Sequence[str]) -> NDArray[np.uint8]:
    """Return the index of each word among the keywords of a property, 0 if it is not among them."""
    codes = {keyword: code for code, keyword in enumerate(keywords)}
    # `display: inline flow-root` and the like: the last word is the kind of box
    return np.array(
        [codes.get(word, codes.get(word.split(" ")[-1], 0)) for word in words], np.uint8
    )


def parse_colour(word: str) -> int:
    """Return a computed colour as 0xRRGGBBAA, 0 for a word that is no colour."""
    match = _COLOUR.fullmatch(word)
    if match is None:
        return 0
    red, green, blue = (min(255, round(float(part))) for part in match.groups()[:3])
    alpha = 255 if match[4] is None else round(255 * min(1.0, float(match[4])))
    return red << 24 | green << 16 | blue << 8 | alpha


def _fill_contents_boxes(page: Page, display: NDArray[Any], boxes: NDArray[Any]) -> None:
    """Give each row of `display: contents`, which has no box, the box around its children."""
    for row in np.flatnonzero(display == _CONTENTS)[::-1].tolist():
        below = boxes[row + 1 : page.end[row]][page.parent[row + 1 : page.end[row]] == row]
        below = below[(below[:, 2] > 0) & (below[:, 3] > 0)]
        if len(below):
            corner = below[:, :2].min(axis=0)
            boxes[row] = [*corner, *((below[:, :2] + below[:, 2:]).max(axis=0) - corner)]


# Matching -----------------------------------------------------------------------------------------


def match_elements(page: Page, names: Sequence[str], parents: Sequence[int]) -> _Indices:
    """Return for each row the index of the browser's element that it is, or -1.

    The browser's elements are given in document order, by name and parent. Both trees come from
    the same algorithm of the HTML standard, so they are nearly always equal. If not, they are
    walked side by side from the root, and children are matched by their names.
    """
    rows = np.flatnonzero(page.tag != tags.TEXT)
    row_names = [page.name(row).lower() for row in rows.tolist()]
    matched = np.full(len(page), -1, dtype=np.int64)
    element_index = np.full(len(page) + 1, -1, dtype=np.int64)  # -1 above the root
    element_index[rows] = np.arange(len(rows))
    row_parents = element_index[page.parent[rows]].tolist()
    if row_parents == list(parents) and row_names == [name.lower() for name in names]:
        matched[rows] = np.arange(len(rows))
        return matched
    ours = _group_children(row_parents)
    theirs = _group_children(list(parents))
    waiting = [(-1, -1)]
    while waiting:
        parent, other_parent = waiting.pop()
        children, others = ours.get(parent, []), theirs.get(other_parent, [])
        pairs = match_names(
            [row_names[child] for child in children], [names[child].lower() for child in others]
        )
        for a, b in pairs:
            matched[rows[children[a]]] = others[b]
            waiting.append((children[a], others[b]))
    return matched


def _group_children(parents: Sequence[int]) -> dict[int, list[int]]:
    """Return the children of each node that has any; the root is a child of -1."""
    children: dict[int, list[int]] = {}
    for child, parent in enumerate(parents):
        children.setdefault(parent, []).append(child)
    return children


def match_names(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of indices at which two sequences of names agree, in order."""
    if ours == theirs:
        return [(index, index) for index in range(len(ours))]
    if max(len(ours), len(theirs)) > MAX_MATCHED_CHILDREN:
        return match_ends(ours, theirs)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]


def match_ends(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of indices of the longest common beginning and end of two sequences."""
    shorter = min(len(ours), len(theirs))
    begin = 0
    while begin < shorter and ours[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    tail = ((len(ours) - step, len(theirs) - step) for step in range(end, 0, -1))
    return [(index, index) for index in range(begin)] + list(tail)


def match_texts(page: Page, elements: _Indices, parents: Sequence[int]) -> _Indices:
    """Return for each row the index of the browser's text that it is, or -1.

    The browser's texts are given by the element around them. If an element has another number of
    texts in the browser than in the page (where some are not shown), none of them is matched.
    """
    rows = np.flatnonzero((page.tag == tags.TEXT) & (page.text_stop > page.text_start))
    our_parents = elements[page.parent[rows]]
    their_parents = np.asarray(parents, dtype=np.int64)
    size = int(max(our_parents.max(initial=-1), their_parents.max(initial=-1))) + 2
    our_counts = np.bincount(our_parents + 1, minlength=size)
    their_counts = np.bincount(their_parents + 1, minlength=size)
    same = (our_counts == their_counts) & (np.arange(size) > 0)
    matched = np.full(len(page), -1, dtype=np.int64)
    ours = np.flatnonzero(same[our_parents + 1])
    theirs = np.flatnonzero(same[their_parents + 1])
    # Inside an element both are in document order; they are brought into the order of elements.
    ours = ours[np.argsort(our_parents[ours], kind="stable")]
    theirs = theirs[np.argsort(their_parents[theirs], kind="stable")]
    matched[rows[ours]] = theirs
    return matched


def warn_of_missing(page: Page, elements: _Indices, name: str) -> None:
    """Warn of elements that a reader would see and the browser does not have."""
    is_element = page.tag != tags.TEXT
    missing = is_element & (elements < 0) & ((page.flags & _NEVER_SHOWN) == 0)
    if missing.any():
        count, total = int(missing.sum()), int(is_element.sum())
        warnings.warn(
            f"{name}: the browser understood the page differently: {count:,} of {total:,} elements "
            "have no layout",
            Misaligned,
            stacklevel=2,
        )
