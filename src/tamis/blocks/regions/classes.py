"""Page → what the classes of its elements say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.kernel.aligned import number_keys
from tamis.page import Page
from tamis.page.page import Bools

Keys = NDArray[np.uint64]

DAYS: Final = (b"date", b"time", b"posted", b"publish")  # in the names of what is a day

_DIGITS: Final = b"0123456789"
# What style sheets of wide use (Bootstrap, HTML5 boilerplate, WordPress, Drupal, …) hide.
_HIDING: Final = frozenset(
    b"hidden hide invisible offscreen off-screen d-none display-none is-hidden u-hidden js-hidden "
    b"is-hide js-hide a-hidden a-offscreen u-offscreen is-invisible u-invisible sr-only "
    b"visually-hidden visuallyhidden visuallyHidden screen-reader screenreader screen-reader-only "
    b"screen-reader-text element-invisible assistive-text accessible-text accessible-description "
    b"accessibility-text".split()
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
    keys = page.class_key[rows].astype(np.uint64)
    table = np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int64)
    group = np.empty(len(keys), dtype=np.int64)
    number_keys(keys, table, group)
    heads = rows[np.flatnonzero(np.diff(np.maximum.accumulate(group), prepend=-1))]
    places = zip(page.class_start[heads].tolist(), page.class_stop[heads].tolist(), strict=True)
    values = b"\0".join([page.source[start:stop] for start, stop in places])
    names = [value.split() for value in values.translate(None, _DIGITS).split(b"\0")]
    symbol[rows] = symbols(names, np.bincount(group).tolist())[group]
    hides[rows] = np.array([not _HIDING.isdisjoint(some) for some in names])[group]
    day[rows] = named_days(values.lower(), len(names))[group]
    return Classes(symbol, hides, day)


def named_days(values: bytes, count: int) -> Bools:
    """Return which of some names, with a zero between them, are those of a day."""
    found = np.zeros(count, dtype=np.bool_)
    for word in DAYS:
        place = values.find(word)
        while place >= 0:
            found[values.count(b"\0", 0, place)] = True
            place = values.find(word, place + 1)
    return found


def symbols(names: list[list[bytes]], counts: list[int]) -> Keys:
    """Return a number for the most frequent name of each class."""
    often: dict[bytes, int] = {}
    for found, count in zip(names, counts, strict=True):
        for name in found:
            often[name] = often.get(name, 0) + count
    numbers: dict[bytes, int] = {}
    chosen = [
        numbers.setdefault(
            found[0] if len(found) == 1 else max(found, key=often.__getitem__), len(numbers) + 1
        )
        if found
        else 0
        for found in names
    ]
    return np.array(chosen, dtype=np.uint64)
