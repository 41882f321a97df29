"""Sketches: MinHash of what pages say, to find those that say nearly the same."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from datasketch import MinHash

SIZE: Final = 64  # values of a sketch: similarity is known to ± 0.05
BANDS: Final = (16, 4)  # of LSH: finds 99 % of pairs at 0.7, all but one in a thousand at 0.8
FEWEST: Final = 20  # words: what says less is compared as a whole only
MANY: Final = 1_000  # threes of words
LEAST: Final = 0.8  # similarity of what counts as nearly the same
_SCHEME: Final = "affine32"  # stored with every sketch's values, so it is named and not left open
_VALUE: Final = np.dtype("<u4")
_ODD: Final = np.array([0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35], np.uint32)  # of large primes

Sketches = Mapping[int, bytes]


def sketch(words: list[str]) -> bytes | None:
    """Return the sketch of words, taken three by three; None where there are too few."""
    if len(words) < FEWEST:
        return None
    made = _min_hash(permutations=_permutations())
    made.update_batch(shingles(words).tolist())
    return bytes(made.hashvalues.astype(_VALUE).tobytes())


def shingles(words: list[str]) -> NDArray[np.uint32]:
    """Return a hash of each three words that follow each other."""
    hashes = np.fromiter(map(zlib.crc32, " ".join(words).encode().split()), np.uint32)
    first, second, third = hashes[:-2], hashes[1:-1], hashes[2:]
    found = np.unique(first * _ODD[0] + second * _ODD[1] + third * _ODD[2])
    # Of many a quarter will do, if it is the same quarter in all texts.
    return found[found & 3 == 0] if len(found) > MANY else found


def values(data: bytes) -> NDArray[np.uint32]:
    """Return the values of a sketch."""
    return np.frombuffer(data, _VALUE)


def similarity(one: bytes, other: bytes) -> float:
    """Return the share of threes of words that two texts have in common, as far as known."""
    return int(np.count_nonzero(values(one) == values(other))) / SIZE


def similar_pairs(sketches: Sketches, least: float = LEAST) -> Iterator[tuple[int, int]]:
    """Yield the pairs of numbers whose sketches are similar, found by LSH."""
    from datasketch import MinHashLSH

    index = MinHashLSH(num_perm=SIZE, params=BANDS)
    for number, data in sketches.items():
        made = _min_hash(hashvalues=values(data), permutations=_permutations())
        for other in index.query(made):
            if similarity(sketches[other], data) >= least:
                yield other, number
        index.insert(number, made)


def _min_hash(**state: Any) -> MinHash:
    from datasketch import MinHash

    return MinHash(SIZE, hashfunc=int, scheme=_SCHEME, **state)


@cache  # making them takes longer than using them
def _permutations() -> Any:
    from datasketch import MinHash

    return MinHash(SIZE, scheme=_SCHEME).permutations
