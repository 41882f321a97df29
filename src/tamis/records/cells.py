"""Elements → numbers for their paths: equal paths, equal numbers, also below any element.

Page → what the classes of its elements say.

Page → cells: the runs of text that a reader takes as one, and the pictures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import group_equal
from tamis.blocks.kernel import kinds, lines
from tamis.blocks.kernel.aligned import hash_paths
from tamis.blocks.kernel.names import hash_names
from tamis.page import (
    MAX_DEPTH,
    UNLIMITED,
    Bools,
    Budget,
    Ints,
    Layout,
    Page,
    find_offsets,
    freeze,
    tags,
)

Keys = NDArray[np.uint64]

SIMPLE: Final = 2  # texts and pictures in a cell of a table of data

SPREAD: Final = np.uint64(0xE7037ED1A0B428DB)  # odd, with bits that look like chance

_STEP: Final = 0x9E3779B97F4A7C15
_IS_CELL: Final = tags.tag_table(("td", "th"))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)


@dataclass(frozen=True, eq=False)
class Paths:
    """A number for the path of each row, from the root down.

    The number is a polynomial of the symbols on the path, so that the path below an ancestor is a
    difference.
    """

    depth: Ints
    key: Keys
    power: Keys

    def below(self, rows: Ints, above: Ints) -> Keys:
        """Return numbers for the paths of rows below ancestors of theirs."""
        steps: Keys = self.power[self.depth[rows] - self.depth[above]]
        return self.key[rows] - steps * self.key[above]


def build_paths(page: Page, symbols: Keys) -> Paths:
    """Return the paths of all rows, given a symbol for each row."""
    keys = np.empty(len(page), dtype=np.uint64)
    hash_paths(symbols, page.parent, _STEP, keys)
    return Paths(page.depth, keys, powers())


@cache
def powers() -> Keys:
    """Return the powers of the step from one level to the next, for as many as a page can have."""
    power = np.full(MAX_DEPTH + 1, _STEP, dtype=np.uint64)
    power[0] = 1
    return freeze(np.cumprod(power))


def mixed(values: Keys) -> Keys:
    """Return numbers whose bits depend on all bits of the given ones."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return values ^ (values >> np.uint64(33))


def tag_symbols(page: Page) -> Keys:
    """Return a symbol for the tag of each row."""
    return _TAG_SYMBOLS[page.tag]


def cell_numbers(page: Page, held: Ints) -> Keys:
    """Return a symbol for the number of each table cell in its row, 0 for all other rows.

    `held` is how many texts and pictures a row holds. What holds more than a few, or headings, is
    a part of the page's layout, such as a product, and has no number: its neighbours are its like.
    """
    numbers = np.zeros(len(page), dtype=np.uint64)
    rows = np.flatnonzero(_IS_CELL[page.tag])
    if len(rows):
        rows = rows[np.argsort(page.parent[rows], kind="stable")]
        above = page.parent[rows]
        begins = np.flatnonzero(np.diff(above, prepend=-1))
        number = np.arange(len(rows)) - np.repeat(begins, np.diff(begins, append=len(rows)))
        symbol = (number.astype(np.uint64) + np.uint64(1)) << np.uint64(32)
        headings = np.concatenate(([0], np.cumsum(_IS_HEADING[page.tag])))
        simple = (held[rows] <= SIMPLE) & (headings[page.end[rows]] == headings[rows])
        numbers[rows] = np.where(simple, symbol, np.uint64(0))
    return numbers


_TAG_SYMBOLS: Final = mixed(np.arange(1, 257, dtype=np.uint64))


ClassKeys = NDArray[np.uint64]

# What style sheets of wide use (Bootstrap, HTML5 boilerplate, WordPress, Drupal, Google's search
# of sites, …) hide.
HIDING: Final = (
    b"hidden hide invisible offscreen off-screen d-none display-none is-hidden u-hidden js-hidden "
    b"is-hide js-hide a-hidden a-offscreen u-offscreen is-invisible u-invisible sr-only "
    b"visually-hidden visuallyhidden visuallyHidden screen-reader screenreader screen-reader-only "
    b"screen-reader-text element-invisible assistive-text accessible-text accessible-description "
    b"accessibility-text gs-visibleUrl-short gs-watermark"
)


@dataclass(frozen=True, eq=False)
class Classes:
    """What classes say of each row.

    `symbol` is a number for the class, 0 for none: of several names in a class the one that the
    page has most often counts, digits aside, as `item odd`, `item first` and `item-3 item` are all
    items. `hides`: by custom this is not to be seen. `day`: it is a date or a time.
    """

    symbol: ClassKeys
    hides: Bools
    day: Bools


def read_classes(page: Page) -> Classes:
    """Return what the classes of a page say."""
    symbol = np.zeros(len(page), dtype=np.uint64)
    hides, day = np.zeros((2, len(page)), dtype=np.bool_)
    rows = np.flatnonzero(page.class_stop > page.class_start)
    if len(rows) == 0:
        return Classes(symbol, hides, day)
    group, count = group_equal(page.class_key[rows].astype(np.uint64))
    first = np.empty(count, dtype=np.int64)
    first[group[::-1]] = np.arange(len(rows) - 1, -1, -1)  # the last write counts
    heads = rows[first]
    names = names_in(page.source, page.class_start[heads], page.class_stop[heads])
    number, distinct = group_equal(names.key)
    often = np.bincount(number, np.bincount(group)[names.owner], distinct)
    chosen, hiding = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.bool_)
    # The last write counts: of the names of a class the most frequent one, the first of several.
    order = np.argsort(often[number[::-1]], kind="stable")
    chosen[names.owner[::-1][order]] = number[::-1][order] + 1
    for key in hiding_names().intersection(names.key.tolist()):
        hiding[names.owner[names.key == np.uint64(key)]] = True
    symbol[rows], hides[rows], day[rows] = chosen[group], hiding[group], names.day[group]
    return Classes(symbol, hides, day)


class Names(NamedTuple):
    """The names in some classes: a number for each, its class, and which classes are days."""

    key: ClassKeys
    owner: NDArray[np.int64]
    day: Bools


def names_in(source: bytes, start: Ints, stop: Ints) -> Names:
    """Return the names in parts of a text."""
    room = int((stop - start).sum()) // 2 + len(start) + 1
    key, owner = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int64)
    day = np.zeros(len(start), dtype=np.uint8)
    count = hash_names(np.frombuffer(source, dtype=np.uint8), start, stop, key, owner, day)
    return Names(key[:count], owner[:count], day.view(np.bool_))


@cache
def hiding_names() -> frozenset[int]:
    """Return the numbers of names that hide by custom."""
    whole = np.array([0, len(HIDING)], dtype=np.int32)
    return frozenset(names_in(HIDING, whole[:1], whole[1:]).key.tolist())


Numbers = NDArray[np.int64]

PICTURE_WEIGHT: Final = 1.0  # as of one word
LINK_SHARE: Final = 3  # a link is part of a sentence that is so many times longer around it

HALF: Final = 0.5  # share of the text that must remain where class names or layout hide some
POINT: Final = 1.5  # pixels

_PROPERTY: Final = b'itemprop="'
_DAY: Final = re.compile(rb'itemprop="[^"]{0,9}(?i:date|time|publish)')
_TIME: Final = tags.CODE["time"]
_BODY: Final = tags.CODE["body"]
_IMG: Final = tags.CODE["img"]
_KIND: Final = np.full(256, kinds.ENDS, dtype=np.uint8)
_KIND[[tags.CODE[name] for name in tags.TEXT_LEVEL if name != "br"]] = kinds.FORMAT
_KIND[[tags.CODE[name] for name in (*tags.OBJECTS, "wbr")]] = kinds.OBJECT
_KIND[[tags.TEXT, tags.OTHER, tags.CODE["a"]]] = kinds.TEXT, kinds.FORMAT, kinds.LINK
_IS_PICTURE: Final = tags.tag_table(("img", "svg"))
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
    classes: Classes
    budget: Budget = UNLIMITED  # for the search of records in them

    def __len__(self) -> int:
        return len(self.first)

    def texts(self, some: Numbers) -> list[str]:
        """Return the texts of some cells, each on one line; that of a picture is empty."""
        page, first = self.page, self.first[some]
        stops = page.text_stop[self.last[some]]
        starts = np.where(page.tag[first] == _IMG, stops, page.text_start[first])
        whole = page.text
        places = self.budget.watch(zip(starts.tolist(), stops.tolist(), strict=True))
        found = [whole[a:b] for a, b in places]
        return [" ".join(text.split()) if "\n" in text or "  " in text else text for text in found]


def build_cells(
    page: Page, interest: NDArray[np.floating] | None = None, budget: Budget = UNLIMITED
) -> Cells:
    """Return the cells of a page; `interest` (a number a row) scales their weights.

    What is hidden by markup or style sheet does not count, unless everything is; where a browser
    has laid the page out, what it does not show does not count either.
    """
    texts = page.visible & ~page.hidden
    texts = texts if texts.any() else page.visible
    classes = read_classes(page)
    if page.layout is not None:
        texts = most_of(page, texts, seen(page, page.layout))
    if classes.hides.any():
        texts = most_of(page, texts, ~page.within(np.flatnonzero(classes.hides)))
    pictures = (page.tag == _IMG) & ((page.flags & tags.INVISIBLE) == 0)
    rows = np.flatnonzero(texts | pictures)
    rows = rows[~_IS_CHOICE[page.tag[page.parent[rows]]]]
    node = holders(page, rows, days_of(page, classes))
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
    counts = np.cumsum(before)
    return Cells(page, first, last, node[starts], weight, counts, classes, budget)


def most_of(page: Page, texts: Bools, some: Bools) -> Bools:
    """Return only some of the texts, unless that leaves less than half of what they say."""
    left = texts & some
    enough = page.chars[left].sum() >= HALF * page.chars[texts].sum()
    return left if enough else texts


def seen(page: Page, layout: Layout) -> Bools:
    """Return the rows that a browser shows on the page, and not in a box of a single point.

    Such a box, and a place beyond the left or upper edge, are for screen readers.
    """
    right, bottom = layout.x + layout.width, layout.y + layout.height
    room = layout.shown & (layout.width > 0) & (layout.height > 0) & (right > 0) & (bottom > 0)
    point = room & (layout.width <= POINT) & (layout.height <= POINT) & (page.tag != tags.TEXT)
    return room & ~page.within(np.flatnonzero(point))


def holders(page: Page, rows: Ints, day: Bools) -> Numbers:
    """Return the element that holds each text row, past those that mark up a part of its line.

    These have text beside them in the line. A link is a part of a line that is much longer than the
    link, or that begins with words and has no other link (`by <a>somebody</a>, yesterday`). A day
    that a line begins with is none, nor is a link that begins with a picture, such as a number of
    stars.
    """
    kind = _KIND[page.tag]
    kind[day & (kind == kinds.FORMAT)] = kinds.DAY
    inside = counted(page.chars)
    kind[pictured(page, np.flatnonzero(kind == kinds.LINK), inside)] = kinds.ENDS
    linked = (kind == kinds.LINK) & (inside[page.end] > inside[:-1])
    inline = np.zeros(len(page), dtype=np.uint8)
    lines.mark_lines(kind, page.end, inside, counted(linked), LINK_SHARE, inline)
    lines.spread_marks(kind, page.parent, inline)
    found = np.empty(len(rows), dtype=np.int64)
    lines.find_holders(rows, page.parent, inline, found)
    return found


def pictured(page: Page, links: Ints, inside: Numbers) -> Ints:
    """Return the links that have a picture before their text; `inside` counts characters."""
    pictures = np.append(np.flatnonzero(_IS_PICTURE[page.tag]), len(page))
    first, end = pictures[np.searchsorted(pictures, links)], page.end[links]
    led: Ints = links[
        (first < end) & (inside[first] == inside[links]) & (inside[end] > inside[first])
    ]
    return led


def counted(values: NDArray[np.generic]) -> Numbers:
    """Return the sum of all values before each row, and of all."""
    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def days_of(page: Page, classes: Classes) -> Bools:
    """Return the elements that are dates or times by their tag, class or microdata."""
    day: Bools = classes.day | (page.tag == _TIME)
    begin = int(page.start[(page.tag == _BODY).argmax()])  # what comes before is mostly scripts
    found = find_offsets(page.source, _PROPERTY, begin)
    places = [place for place in found if _DAY.match(page.source, place)]
    if places:
        day[np.searchsorted(page.start, places, side="right") - 1] = True
    return day
