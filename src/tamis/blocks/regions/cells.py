"""Page → cells: the runs of text that a reader takes as one, and the pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags
from tamis.page.page import Bools, Ints

Numbers = NDArray[np.int64]

PICTURE_WEIGHT: Final = 1.0  # as of one word
LINK_SHARE: Final = 3  # a link is part of a sentence that is so many times longer around it

_IMG: Final = tags.CODE["img"]
_A: Final = tags.CODE["a"]
_IS_INLINE: Final = tags.tag_table(name for name in tags.TEXT_LEVEL if name not in ("br", "wbr"))
_IN_LINE: Final = tags.tag_table(
    (*(name for name in tags.TEXT_LEVEL if name != "br"), "a", *tags.OBJECTS)
)
_IS_CHOICE: Final = tags.tag_table(("select", "option", "optgroup", "datalist", "textarea"))


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a page in document order.

    Cell `i` is the text rows from `first[i]` to `last[i]`, or a picture; `node[i]` is the element
    that holds it. Elements that only mark up a part of a sentence hold no cell of their own:
    `<p>some <b>bold</b> words</p>` is one cell. `weight[i]` is the root of its number of terms, so
    that one long text does not outweigh many short ones.
    """

    page: Page
    first: Numbers
    last: Numbers
    node: Numbers
    weight: NDArray[np.float64]
    before: Numbers  # for each row of the page, and its end, the number of cells before it

    def __len__(self) -> int:
        return len(self.first)

    def texts(self, some: Numbers) -> list[str]:
        """Return the texts of some cells, each on one line; that of a picture is empty."""
        page, first = self.page, self.first[some]
        stops = page.text_stop[self.last[some]]
        starts = np.where(page.tag[first] == _IMG, stops, page.text_start[first])
        whole = page.text
        found = [whole[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
        return [" ".join(text.split()) if "\n" in text or "  " in text else text for text in found]


def cells_of(page: Page, interest: NDArray[np.floating] | None = None) -> Cells:
    """Return the cells of a page; `interest` (a number a row) scales their weights.

    What is hidden by markup or style sheet does not count, unless everything is.
    """
    shown = page.visible | ((page.tag == _IMG) & ((page.flags & tags.INVISIBLE) == 0))
    shown &= ~_IS_CHOICE[page.tag[page.parent]]
    texts = page.visible & ~page.hidden
    shown &= (texts if texts.any() else page.visible) | (page.tag == _IMG)
    rows = np.flatnonzero(shown)
    node = holders(page, rows)
    is_picture = page.tag[rows] == _IMG
    node[is_picture] = rows[is_picture]
    begins = np.ones(len(rows), dtype=np.bool_)
    begins[1:] = node[1:] != node[:-1]
    starts = np.flatnonzero(begins)
    terms = np.add.reduceat(page.terms[rows], starts) if len(rows) else np.zeros(0)
    first = rows[starts]
    weight = np.sqrt(np.where(is_picture[starts], PICTURE_WEIGHT, np.maximum(terms, 0.1)))
    if interest is not None:
        weight = weight * interest[first]
    last = rows[np.append(starts[1:], len(rows)) - 1] if len(rows) else rows
    before = np.zeros(len(page) + 1, dtype=np.int64)
    before[first + 1] = 1
    return Cells(page, first, last, node[starts], weight, np.cumsum(before))


def holders(page: Page, rows: Ints) -> Numbers:
    """Return the element that holds each text row, past those that mark up parts of sentences."""
    inline = marks_up(page)
    above = page.parent[rows].astype(np.int64)
    while (inner := inline[above]).any():
        above = np.where(inner, page.parent[above], above)
    return above


def marks_up(page: Page) -> Bools:
    """Return the elements that mark up a part of a sentence: there is text beside them.

    A link does so in a sentence that is much longer than the link, and in a line that begins with
    words and has no other link (`by <a>somebody</a>, yesterday`).
    """
    texts = np.flatnonzero(page.visible)
    beside = np.bincount(page.parent[texts], weights=page.chars[texts], minlength=len(page))
    formats = _IS_INLINE[page.tag]
    inline: Bools = formats & (beside[page.parent] > 0)
    links = np.flatnonzero(page.tag == _A)
    links = links[beside[page.parent[links]] > 0]
    inside = np.concatenate(([0], np.cumsum(page.chars)))
    long = inside[page.end[links]] - inside[links]
    inline[links] = beside[page.parent[links]] > LINK_SHARE * long
    inline[led_links(page, links, inside)] = True
    inline[:1] = False
    while (more := formats & inline[page.parent] & ~inline).any():
        inline |= more
    return inline


def led_links(page: Page, links: Ints, inside: Numbers) -> Numbers:
    """Return those of some links that are alone in a line of text that begins with words.

    `inside` is how many characters there are before each row.
    """
    if len(links) == 0:
        return np.zeros(0, dtype=np.int64)
    around = np.zeros(len(page), dtype=np.bool_)
    around[page.parent[links]] = True
    rows = np.flatnonzero(around[page.parent[1:]]) + 1
    rows = rows[np.argsort(page.parent[rows], kind="stable")]
    tag, above = page.tag[rows], page.parent[rows]
    ends = (tag != tags.TEXT) & ~_IN_LINE[tag]
    line = np.cumsum(ends | (np.diff(above, prepend=-1) != 0))
    shown = np.flatnonzero((inside[page.end[rows]] > inside[rows]) & ~ends)
    rows, tag, line = rows[shown], tag[shown], line[shown]
    first = np.flatnonzero(np.diff(line, prepend=-1))
    linked = np.concatenate(([0], np.cumsum(page.tag == _A)))
    held = linked[page.end[rows]] - linked[rows]
    alone = np.add.reduceat(held, first) == 1
    led = np.repeat(alone & (held[first] == 0), np.diff(first, append=len(line)))
    found: Numbers = rows[led & (tag == _A)]
    return found
