"""Page → what the classes of its elements say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.groups import groups_of
from tamis.blocks.kernel.names import hash_names
from tamis.page import Page
from tamis.page.page import Bools, Ints

Keys = NDArray[np.uint64]

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

    symbol: Keys
    hides: Bools
    day: Bools


def classes_of(page: Page) -> Classes:
    """Return what the classes of a page say."""
    symbol = np.zeros(len(page), dtype=np.uint64)
    hides, day = np.zeros((2, len(page)), dtype=np.bool_)
    rows = np.flatnonzero(page.class_stop > page.class_start)
    if len(rows) == 0:
        return Classes(symbol, hides, day)
    group, count = groups_of(page.class_key[rows].astype(np.uint64))
    first = np.empty(count, dtype=np.int64)
    first[group[::-1]] = np.arange(len(rows) - 1, -1, -1)  # the last write counts
    heads = rows[first]
    names = names_in(page.source, page.class_start[heads], page.class_stop[heads])
    number, distinct = groups_of(names.key)
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

    key: Keys
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
