"""MinHash signatures of texts, and the pages whose texts are the same or nearly the same.

A signature is computed from the tokens of a text, taken three by three (shingles). The share of
values that two signatures have in common estimates the share of shingles that their texts have in
common. Similar pairs are found by locality-sensitive hashing (LSH).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.store._text import hash_tokens
from tamis.store.columns import (
    DIGEST_OR_NULL,
    MINHASH_OR_NULL,
    MINHASH_VALUE_SIZE,
    MINHASH_VALUES,
    NUMBER,
    TEXT,
    damaged,
)
from tamis.store.database import Connection, Query

MIN_SIMILARITY: Final = 0.8  # of texts that count as nearly the same
# Bands and rows of LSH, by the least similarity that is searched for: these find 99 % of the pairs
# at that similarity, and nearly all above it.
_BANDS: Final = {0.7: (16, 4), 0.4: (32, 2), 0.0: (64, 1)}
_MIN_WORDS: Final = 20  # shorter texts have no signature and are compared as a whole
_MAX_SHINGLES: Final = 16_384
_SCHEME: Final = "affine32"  # of datasketch: the values are stored, so it is not left to a default
_VALUE: Final = np.dtype(f"<u{MINHASH_VALUE_SIZE}")
_ODD: Final = np.array([0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35], np.uint32)  # large primes
_MIX: Final = np.array([0x85EBCA6B, 0xC2B2AE35], np.uint32)

_CURRENT_PAGES: Final = Query(
    "SELECT v.content_id, p.url FROM page p JOIN version v ON v.page_id = p.id "
    "WHERE v.content_id IS NOT NULL AND v.current = 1 ORDER BY p.id",
    (NUMBER, TEXT),
)
_CURRENT_CONTENTS: Final = Query(
    "SELECT id, said, sketch FROM content "
    "WHERE id IN (SELECT content_id FROM version WHERE current = 1) ORDER BY id",
    (NUMBER, DIGEST_OR_NULL, MINHASH_OR_NULL),
)


@dataclass(frozen=True)
class Duplicates:
    """URLs of pages with the same text, or nearly the same, the first one stored first."""

    urls: tuple[str, ...]
    exact: bool


def find_duplicates(
    connection: Connection, *, near: bool, min_similarity: float
) -> Iterator[Duplicates]:
    """Yield the groups of pages with the same text; with `near`, with nearly the same."""
    urls_by_content: defaultdict[int, list[str]] = defaultdict(list)
    for content_id, url in connection.rows(_CURRENT_PAGES):
        urls_by_content[content_id].append(url)
    rows = [row for row in connection.rows(_CURRENT_CONTENTS) if row[0] in urls_by_content]
    if len(rows) < len(urls_by_content):
        raise damaged("the content of a page")
    first: dict[bytes, int] = {}
    equal_pairs = [
        (first.setdefault(digest, content_id), content_id) for content_id, digest, _ in rows
    ]
    signatures = {content_id: data for content_id, _, data in rows if near and data is not None}
    digests = {content_id: digest for content_id, digest, _ in rows}
    pairs = chain(equal_pairs, _find_similar(signatures, min_similarity))
    for group in _group_pairs(urls_by_content, pairs):
        urls = tuple(url for content_id in group for url in urls_by_content[content_id])
        if len(urls) > 1:
            yield Duplicates(urls, exact=len({digests[content_id] for content_id in group}) == 1)


def similarity(first: bytes, second: bytes) -> float:
    """Return the share of shingles that two texts have in common, estimated by signatures."""
    equal = np.frombuffer(first, _VALUE) == np.frombuffer(second, _VALUE)
    return int(np.count_nonzero(equal)) / MINHASH_VALUES


def _find_similar(
    signatures: Mapping[int, bytes], min_similarity: float
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of contents whose signatures are similar, found by LSH."""
    from datasketch import MinHash, MinHashLSH

    bands = next(bands for low, bands in _BANDS.items() if low <= min_similarity)
    index = MinHashLSH(num_perm=MINHASH_VALUES, params=bands)
    for content_id, data in signatures.items():
        signature = MinHash(
            MINHASH_VALUES,
            hashfunc=int,
            scheme=_SCHEME,
            hashvalues=np.frombuffer(data, _VALUE),
            permutations=_permutations(),
        )
        for other in index.query(signature):
            if similarity(signatures[other], data) >= min_similarity:
                yield other, content_id
        index.insert(content_id, signature)


def _group_pairs(numbers: Iterable[int], pairs: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield numbers in groups, those of a pair in the same one."""
    parent = {number: number for number in numbers}
    for pair in pairs:
        first, second = sorted(_find_root(parent, number) for number in pair)
        parent[second] = first
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number in parent:
        groups[_find_root(parent, number)].append(number)
    yield from groups.values()


def _find_root(parent: Mapping[int, int], number: int) -> int:
    """Return the first number of the group that a number is in."""
    while parent[number] != number:
        number = parent[number]
    return number


# Signatures -------------------------------------------------------------------------------------


def compute_minhash(line: bytes) -> bytes | None:
    """Return the signature of a line of tokens; None for too few tokens."""
    words = hash_tokens(line)
    if len(words) < _MIN_WORDS:
        return None
    factor, term = _permutations()
    values = factor[:, None] * _mix(hash_shingles(words))
    values += term[:, None]
    return bytes(values.min(axis=1).astype(_VALUE).tobytes())


def hash_shingles(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a hash of each three tokens that follow each other, of very many the smallest ones.

    Texts of like length that are nearly the same have nearly the same smallest hashes.
    """
    hashes = words[:-2] * _ODD[0]
    hashes += words[1:-1] * _ODD[1]
    hashes += words[2:] * _ODD[2]
    hashes.sort()
    is_new = np.empty(len(hashes), np.bool_)
    is_new[0] = True
    np.not_equal(hashes[1:], hashes[:-1], out=is_new[1:])
    distinct: NDArray[np.uint32] = hashes[is_new]
    return distinct[:_MAX_SHINGLES]


def _mix(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return numbers with all their bits mixed by the last step of MurmurHash3.

    With the permutations this is what datasketch does with values one by one (its scheme
    "affine32"), in a third of the time.
    """
    values = values ^ (values >> np.uint32(16))
    values = values * _MIX[0]
    values = values ^ (values >> np.uint32(13))
    values = values * _MIX[1]
    return values ^ (values >> np.uint32(16))


@cache  # creating them takes longer than using them
def _permutations() -> Any:
    from datasketch import MinHash

    return MinHash(MINHASH_VALUES, scheme=_SCHEME).permutations
