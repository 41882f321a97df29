"""shingle: fragments that pages share, by shingles (Ramaswamy et al. 2004).

Debnath et al. 2005 §6.7 compare with it.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, block_terms
from tamis.errors import InputError, check_number
from tamis.verdict.verdict import Verdict, build_verdict

Shingles = tuple[int, ...]  # distinct, ascending

_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class ShingleTemplate:
    """The shingles of fragments that several pages of a site share, and how many pages do.

    It also has fragments of a single page that resemble a shared one, with a share of 0, so that
    they are not mistaken for it.
    """

    pages: int
    fragments: tuple[Shingles, ...]
    shares: tuple[int, ...]
    min_match: float

    @cached_property
    def index(self) -> ResemblanceIndex:
        """The fragments, for search."""
        return ResemblanceIndex(self.fragments, self.min_match)

    def count_pages(self, shingles: Shingles) -> int:
        """Return how many pages have a fragment that resembles this one; 0 if fewer than two."""
        number = self.index.numbers.get(shingles)
        if number is not None:
            return self.shares[number]
        return max((self.shares[number] for number in self.index.similar(shingles)), default=0)


@dataclass(frozen=True)
class Shingle:
    """Takes the blocks that are in no fragment that pages share.

    A fragment is represented by its shingles: the `count` smallest hashes of all runs of `window`
    tokens in it (of a shorter one, the hash of all its tokens). Two fragments resemble each other
    when `|A ∩ B| / |A ∪ B|` is at least `min_match`. A fragment that resembles fragments of at
    least `share_pages` pages, and of at least a `share` of all pages, is shared: everything in it
    is noise. Made for the blocks of `Fragments()`. `fit` learns from pages.
    """

    window: int = 10
    count: int = 50
    min_match: float = 0.7
    share_pages: int = 2
    share: float = 0.1
    template: ShingleTemplate | None = None

    def __post_init__(self) -> None:
        check_number("window", self.window, 1, whole=True)
        check_number("count", self.count, 1, whole=True)
        check_number("min_match", self.min_match, 0, 1, above=True)
        check_number("share_pages", self.share_pages, 2, whole=True)
        check_number("share", self.share, 0, 1)

    def fit(self, pages: Iterable[Blocks]) -> Shingle:
        """Return an identifier that has learned from the blocks of pages of one site."""
        shingles = (block_shingles(page, self.window, self.count) for page in pages)
        return replace(self, template=build_shingle_template(shingles, self.min_match))

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks outside of shared fragments as informative."""
        if self.template is None:
            raise InputError("shingle needs several pages of one site: call fit(pages) first")
        template = self.template
        fragments = block_shingles(blocks, self.window, self.count)
        counts = [template.count_pages(fragment) if fragment else 0 for fragment in fragments]
        pages = np.maximum(np.array(counts, dtype=np.float64), 1.0)
        shared = pages >= max(self.share_pages, self.share * template.pages)
        inside = blocks.within(shared)
        informative = ~inside
        return build_verdict(
            1 / pages * informative,
            informative,
            np.where(shared, 1, np.where(inside, 2, 0)),
            pages,
            f"in {{:.0f}} of {template.pages} pages",
            f"shared by {{:.0f}} of {template.pages} pages",
            "in a shared fragment",
        )


def build_shingle_template(pages: Iterable[list[Shingles]], min_match: float) -> ShingleTemplate:
    """Return the template of pages: the fragments that two or more of them have.

    Resemblance is not transitive: a fragment may resemble another one of its own page which, unlike
    itself, resembles one of another page. The template has such fragments too, with a share of 0.
    """
    holders: dict[Shingles, list[int]] = {}  # for each fragment, the pages that have it
    page_count = 0
    for page_count, page in enumerate(pages, 1):
        for shingles in dict.fromkeys(page):
            if shingles:
                holders.setdefault(shingles, []).append(page_count)
    if not page_count:
        raise InputError("there is no page to learn from: give at least one")
    index = ResemblanceIndex(holders, min_match)
    pages_by_number = list(holders.values())
    similar = [index.similar(shingles) for shingles in holders]
    shares = [len(set().union(*(pages_by_number[n] for n in near))) for near in similar]
    included = [number for number, near in enumerate(similar) if any(shares[n] > 1 for n in near)]
    return ShingleTemplate(
        page_count,
        tuple(index.fragments[number] for number in included),
        tuple(shares[number] if shares[number] > 1 else 0 for number in included),
        min_match,
    )


class ResemblanceIndex:
    """Finds, among different sets of shingles, those that resemble a given one.

    |A ∩ B| ≥ τ|A ∪ B| needs τ|A| common shingles, so among any |A| − ⌈τ|A|⌉ + 1 shingles of A at
    least one is common. That many of the rarest shingles of each set are its keys: a search by
    keys misses no set.
    """

    def __init__(self, fragments: Iterable[Shingles], min_match: float) -> None:
        self.min_match = min_match
        self.fragments = list(dict.fromkeys(fragments))
        self.numbers = {shingles: number for number, shingles in enumerate(self.fragments)}
        self.counts = Counter(chain.from_iterable(self.fragments))
        self.holders: defaultdict[int, list[int]] = defaultdict(list)
        for number, shingles in enumerate(self.fragments):
            for key in self._keys(shingles):
                self.holders[key].append(number)

    def similar(self, shingles: Shingles) -> list[int]:
        """Return the numbers of all sets that resemble this one, including an equal one."""
        distinct = set(shingles)
        near = {n for key in self._keys(shingles) for n in self.holders.get(key, ())}
        return [number for number in sorted(near) if self._resembles(distinct, number)]

    def _resembles(self, shingles: set[int], number: int) -> bool:
        other = self.fragments[number]
        common = len(shingles.intersection(other))
        union = len(shingles) + len(other) - common
        return common >= self.min_match * union - _ROUNDING

    def _keys(self, shingles: Shingles) -> list[int]:
        counts = self.counts
        needed = math.ceil(self.min_match * len(shingles) - _ROUNDING)
        rarest = sorted(shingles, key=lambda shingle: (counts[shingle], shingle))
        return rarest[: len(shingles) - needed + 1]


def block_shingles(blocks: Blocks, window: int, count: int) -> list[Shingles]:
    """Return the shingles of each block with its child blocks; none for a block without terms.

    Blocks are computed from the inside out: runs of tokens inside a child block were hashed there,
    so a block adds only its own runs and those across the edges of its children.
    """
    terms = block_terms(blocks)
    hashes = token_hashes(terms.words)
    runs = run_hashes(hashes, window)
    # The tokens of a block with its child blocks are a range, as blocks are ranges of rows.
    first = np.searchsorted(terms.row, blocks.first).tolist()
    stop = np.searchsorted(terms.row, blocks.stop).tolist()
    children: defaultdict[int, list[int]] = defaultdict(list)
    for index, parent in enumerate(blocks.parent.tolist()):
        children[parent].append(index)
    by_block: list[NDArray[np.uint64]] = [np.zeros(0, dtype=np.uint64)] * len(first)
    for index in range(len(first) - 1, -1, -1):
        start, end = first[index], stop[index]
        if end - start < window:
            by_block[index] = run_hashes(hashes[start:end], max(end - start, 1))
            continue
        parts, offset = [], start
        for child in children[index]:
            if stop[child] - first[child] >= window:
                parts += [runs[offset : first[child]], by_block[child]]
                offset = stop[child] - window + 1
        parts.append(runs[offset : end - window + 1])
        by_block[index] = np.unique(np.concatenate(parts))[:count]
    return [tuple(shingles.tolist()) for shingles in by_block]


def token_hashes(words: list[str]) -> NDArray[np.uint64]:
    """Return the hashes of tokens, the same on every machine."""
    codes: dict[str, int] = {}
    for word in words:
        if word not in codes:
            encoded = word.encode("utf-8", "replace")
            codes[word] = zlib.crc32(encoded) << 32 | zlib.adler32(encoded)
    return np.array([codes[word] for word in words], dtype=np.uint64)


def run_hashes(hashes: NDArray[np.uint64], window: int) -> NDArray[np.uint64]:
    """Return a hash for each run of `window` tokens, by the index of its first token."""
    run_count = max(len(hashes) - window + 1, 0)
    combined = np.zeros(run_count, dtype=np.uint64)
    for offset in range(window if run_count else 0):
        combined = combined * _BASE + hashes[offset : offset + run_count]
    return _mix(combined)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes whose bits depend on all bits, so that their order does not follow words."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
