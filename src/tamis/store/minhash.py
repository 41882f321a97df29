"""Sketches: MinHash of what pages say, to find those that say nearly the same.

Duplicates: pages, also of different sites, that say the same or nearly the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from tamis.store.database import damaged
from tamis.store.kernel.words import hash_words
from tamis.store.tables import CONTENT, PAGE, SKETCH, SKETCH_VALUE, VERSION

if TYPE_CHECKING:
    from datasketch import MinHash


# Of LSH, from which similarity on: these find 99 % of the pairs there, and nearly all above it.
BANDS: Final = {0.7: (16, 4), 0.4: (32, 2), 0.0: (64, 1)}
FEWEST: Final = 20  # words: what says less is compared as a whole only
LEAST: Final = 0.8  # similarity of what counts as nearly the same
MOST: Final = 16_384  # threes of words that are looked at
_SCHEME: Final = "affine32"  # stored with every sketch's values, so it is named and not left open
_POLYNOMIAL: Final = 0xEDB88320  # of CRC-32
_VALUE: Final = np.dtype(f"<u{SKETCH_VALUE}")
_ODD: Final = np.array([0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35], np.uint32)  # of large primes
_MIX: Final = np.array([0x85EBCA6B, 0xC2B2AE35], np.uint32)

Sketches = Mapping[int, bytes]


def compute_minhash(line: bytes) -> bytes | None:
    """Return the sketch of a line of words, taken three by three; None of too few."""
    words = word_hashes(line)
    if len(words) < FEWEST:
        return None
    factor, term = _permutations()
    found = factor[:, None] * mixed(shingles(words))
    found += term[:, None]
    return bytes(found.min(axis=1).astype(_VALUE).tobytes())


def word_hashes(line: bytes) -> NDArray[np.uint32]:
    """Return the CRC-32 of each word of a line."""
    found = np.empty(len(line) // 2 + 1, np.uint32)
    return found[: hash_words(np.frombuffer(line, np.uint8), _crc_table(), found)]


def mixed(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return numbers with all their bits mixed, as MurmurHash3 does it in the end.

    With the permutations it is what datasketch does with values one by one (its scheme
    "affine32"), in a third of the time.
    """
    values = values ^ (values >> np.uint32(16))
    values = values * _MIX[0]
    values = values ^ (values >> np.uint32(13))
    values = values * _MIX[1]
    return values ^ (values >> np.uint32(16))


def shingles(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a hash of each three words that follow each other, of very many the smallest ones.

    Texts of like length that say nearly the same have nearly the same smallest hashes.
    """
    found = words[:-2] * _ODD[0]
    found += words[1:-1] * _ODD[1]
    found += words[2:] * _ODD[2]
    found.sort()
    is_new = np.empty(len(found), np.bool_)
    is_new[0] = True
    np.not_equal(found[1:], found[:-1], out=is_new[1:])
    distinct: NDArray[np.uint32] = found[is_new]
    return distinct[:MOST]


def values(data: bytes) -> NDArray[np.uint32]:
    """Return the values of a sketch."""
    return np.frombuffer(data, _VALUE)


def similarity(one: bytes, other: bytes) -> float:
    """Return the share of threes of words that two texts have in common, as far as known."""
    return int(np.count_nonzero(values(one) == values(other))) / SKETCH


def similar_pairs(sketches: Sketches, least: float = LEAST) -> Iterator[tuple[int, int]]:
    """Yield the pairs of numbers whose sketches are similar, found by LSH."""
    from datasketch import MinHashLSH

    index = MinHashLSH(num_perm=SKETCH, params=next(BANDS[low] for low in BANDS if low <= least))
    for number, data in sketches.items():
        made = _min_hash(hashvalues=values(data), permutations=_permutations())
        for other in index.query(made):
            if similarity(sketches[other], data) >= least:
                yield other, number
        index.insert(number, made)


def _min_hash(**state: Any) -> MinHash:
    from datasketch import MinHash

    return MinHash(SKETCH, hashfunc=int, scheme=_SCHEME, **state)


@cache  # making them takes longer than using them
def _permutations() -> Any:
    from datasketch import MinHash

    return MinHash(SKETCH, scheme=_SCHEME).permutations


@cache
def _crc_table() -> NDArray[np.uint32]:
    """Return what each byte does to a CRC-32."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table


_PAGES: Final = (
    select(VERSION.c.content_id, PAGE.c.url)
    .join(VERSION, VERSION.c.page_id == PAGE.c.id)
    .where(VERSION.c.content_id.is_not(None), VERSION.c.current == 1)
    .order_by(PAGE.c.id)
)
_CONTENTS: Final = (
    select(CONTENT.c.id, CONTENT.c.said, CONTENT.c.sketch)
    .where(CONTENT.c.id.in_(select(VERSION.c.content_id).where(VERSION.c.current == 1)))
    .order_by(CONTENT.c.id)
)


@dataclass(frozen=True)
class Duplicates:
    """Addresses of pages that say the same, or nearly the same, the first one stored first."""

    urls: tuple[str, ...]
    exact: bool


def find_duplicates(connection: Connection, *, near: bool, least: float) -> Iterator[Duplicates]:
    """Yield the groups of pages that say the same; with `near`, of those that nearly do."""
    pages: defaultdict[int, list[str]] = defaultdict(list)
    for content, url in connection.execute(_PAGES):
        pages[content].append(url)
    contents = [row for row in connection.execute(_CONTENTS) if row.id in pages]
    if len(contents) < len(pages):
        raise damaged("what a page says")
    first: dict[bytes, int] = {}
    pairs = [(first.setdefault(row.said, row.id), row.id) for row in contents]
    sketches = {row.id: row.sketch for row in contents if near and row.sketch is not None}
    said = {row.id: row.said for row in contents}
    for group in groups(pages, chain(pairs, similar_pairs(sketches, least))):
        urls = tuple(url for content in group for url in pages[content])
        if len(urls) > 1:
            yield Duplicates(urls, exact=len({said[content] for content in group}) == 1)


def groups(numbers: Iterable[int], pairs: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield numbers in groups, those of a pair in the same one."""
    leader = {number: number for number in numbers}
    for one, other in pairs:
        first, second = sorted((led_by(leader, one), led_by(leader, other)))
        leader[second] = first
    found: defaultdict[int, list[int]] = defaultdict(list)
    for number in leader:
        found[led_by(leader, number)].append(number)
    yield from found.values()


def led_by(leader: Mapping[int, int], number: int) -> int:
    """Return the first number of the group that a number is in."""
    while leader[number] != number:
        number = leader[number]
    return number
