"""Page → cells: the runs of text that a reader takes as one, and the pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags
from tamis.page.page import Bools, Ints

Numbers = NDArray[np.int64]

PICTURE_WEIGHT: Final = 1.0  # as of one word
LINK_SHARE: Final = 3  # a link is part of a sentence that is so many times longer around it

HALF: Final = 0.5  # share of the text that must remain where class names hide some

# What style sheets of wide use (Bootstrap, HTML5 boilerplate, WordPress, Drupal, …) hide.
_HIDING: Final = re.compile(
    rb"(?<![\w-])(?:(?:u-|is-|a-|js-)?(?:hidden|hide|invisible|off-?screen)|d-none|display-none|"
    rb"sr-only|visually-?hidden|visuallyHidden|screen-?reader(?:-only|-text)?|element-invisible|"
    rb"assistive-text|accessib(?:le|ility)-[a-z]+)(?![\w-])"
)
_BARE: Final = len("<time>") - 1
_DATE: Final = re.compile(rb"(?i)<time|(?:class|itemprop)=\"[^\"]*(?:date|time|posted|publish)")
_IMG: Final = tags.CODE["img"]
_A: Final = tags.CODE["a"]
# Elements that browsers do not know are shown inside the line.
_IS_INLINE: Final = (np.arange(256) == tags.OTHER) | tags.tag_table(
    name for name in tags.TEXT_LEVEL if name not in ("br", "wbr")
)
_IN_LINE: Final = _IS_INLINE | tags.tag_table(("a", "wbr", *tags.OBJECTS))
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
    texts = texts if texts.any() else page.visible
    named = texts & ~hidden_by_name(page)
    if page.chars[named].sum() >= HALF * page.chars[texts].sum():
        texts = named
    shown &= texts | (page.tag == _IMG)
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


def hidden_by_name(page: Page) -> Bools:
    """Return the rows in elements whose class says, by custom, that they are not to be seen."""
    edges = np.zeros(len(page) + 1, dtype=np.int64)
    rows = np.flatnonzero(page.class_stop > page.class_start)
    _, first, group = np.unique(page.class_key[rows], return_index=True, return_inverse=True)
    heads = rows[first]
    places = zip(page.class_start[heads].tolist(), page.class_stop[heads].tolist(), strict=True)
    said = [_HIDING.search(page.source, start, stop) is not None for start, stop in places]
    rows = rows[np.array(said, dtype=np.bool_)[group]]
    edges[rows] += 1
    np.subtract.at(edges, page.end[rows], 1)
    return np.cumsum(edges[:-1]) > 0


def holders(page: Page, rows: Ints) -> Numbers:
    """Return the element that holds each text row, past those that mark up parts of sentences."""
    inline = marks_up(page)
    above = page.parent[rows].astype(np.int64)
    while (inner := inline[above]).any():
        above = np.where(inner, page.parent[above], above)
    return above


def marks_up(page: Page) -> Bools:
    """Return the elements that mark up a part of a sentence: there is text beside them in the line.

    A link does so in a line that is much longer than the link, or that begins with words and has no
    other link (`by <a>somebody</a>, yesterday`).
    """
    inline = np.zeros(len(page), dtype=np.bool_)
    texts = np.flatnonzero(page.visible)
    around = np.zeros(len(page), dtype=np.bool_)
    around[page.parent[texts]] = True
    formats = _IS_INLINE[page.tag]
    mixed = np.zeros(len(page), dtype=np.bool_)
    mixed[page.parent[1:][(formats | (page.tag == _A))[1:]]] = True
    mixed &= around
    rows = np.flatnonzero(mixed[page.parent[1:]]) + 1
    if len(rows) == 0:
        return inline
    rows = rows[np.argsort(page.parent[rows], kind="stable")]
    inside = np.concatenate(([0], np.cumsum(page.chars)))
    tag = page.tag[rows]
    ends = (tag != tags.TEXT) & ~_IN_LINE[tag]
    line = np.cumsum(ends | (np.diff(page.parent[rows], prepend=-1) != 0))
    long = inside[page.end[rows]] - inside[rows]
    shown = np.flatnonzero((long > 0) & ~ends)
    rows, tag, line, long = rows[shown], tag[shown], line[shown], long[shown]
    first = np.flatnonzero(np.diff(line, prepend=-1))
    size = np.diff(first, append=len(line))
    linked = np.concatenate(([0], np.cumsum(page.tag == _A)))
    links = linked[page.end[rows]] - linked[rows]
    bare = np.repeat(np.add.reduceat(np.where(tag == tags.TEXT, long, 0), first), size)
    led = np.repeat((np.add.reduceat(links, first) == 1) & (links[first] == 0), size)
    in_line = (bare > 0) & ~opens(page, rows, first)
    inline[rows] = np.where(tag == _A, (bare > LINK_SHARE * long) | (led & (bare > 0)), in_line)
    while (more := formats & inline[page.parent] & ~inline).any():
        inline |= more
    return inline


def opens(page: Page, rows: Ints, first: Numbers) -> Bools:
    """Return which rows are days that lines begin with, by their tag, class or microdata."""
    found = np.zeros(len(rows), dtype=np.bool_)
    heads = rows[first]
    marked = page.head[heads] - page.start[heads] > _BARE
    for at, row in zip(first[marked].tolist(), heads[marked].tolist(), strict=True):
        found[at] = _DATE.search(page.source, page.start[row], page.head[row]) is not None
    return found
