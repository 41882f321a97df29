"""shingle: shared fragments by shingles, Ramaswamy et al. (004 §6.7)."""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, block_terms
from tamis.errors import InputError
from tamis.verdict.verdict import Verdict, build_verdict

Shingles = tuple[int, ...]  # distinct, ascending

BASE: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class ShingleTemplate:
    """What was learned: the shingles of fragments that several pages share, and how many do.

    A fragment of one page that resembles a shared one is known too, with 0 pages: it is not to be
    taken for the other.
    """

    pages: int
    fragments: tuple[Shingles, ...]
    shares: tuple[int, ...]
    min_match: float

    @cached_property
    def index(self) -> ResemblanceIndex:
        """The fragments, for search."""
        return ResemblanceIndex(self.fragments, self.min_match)

    def share(self, shingles: Shingles) -> int:
        """Return how many of the pages have a fragment like one; 0 where at most one has."""
        known = self.index.known.get(shingles)
        if known is not None:
            return self.shares[known]
        return max((self.shares[number] for number in self.index.similar(shingles)), default=0)


@dataclass(frozen=True)
class Shingle:
    """Takes what is in no fragment that pages share.

    A fragment is known by its shingles: the `count` smallest hashes of all runs of `window` tokens
    in it (of a shorter one, the hash of all its tokens). Two resemble each other when |A ∩ B| /
    |A ∪ B| is at least `min_match`. A fragment that resembles fragments of at least `share_pages`
    pages, and of a `share` of them, is shared: all in it is noise. Made for the blocks of
    `Fragments()`. `fit` learns from pages.
    """

    window: int = 10
    count: int = 50
    min_match: float = 0.7
    share_pages: int = 2
    share: float = 0.1
    template: ShingleTemplate | None = None

    def fit(self, pages: Iterable[Blocks]) -> Shingle:
        """Return an identifier that has learned from the blocks of pages of one site."""
        if not 0 < self.min_match <= 1:
            raise InputError(f"min_match is {self.min_match}: take a number above 0 and up to 1")
        if self.window < 1 or self.count < 1:
            raise InputError("window and count of shingles are numbers from 1")
        found = (block_shingles(page, self.window, self.count) for page in pages)
        learned = build_shingle_template(found, self.min_match)
        parameters = (self.window, self.count, self.min_match, self.share_pages, self.share)
        return Shingle(*parameters, learned)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks outside of shared fragments as informative."""
        if self.template is None:
            raise InputError("shingle needs several pages of one site: call fit(pages) first")
        template = self.template
        shingles = block_shingles(blocks, self.window, self.count)
        found = [template.share(said) if said else 0 for said in shingles]
        pages = np.maximum(np.array(found, dtype=np.float64), 1.0)
        alone = pages >= max(self.share_pages, self.share * template.pages)
        inside = blocks.within(alone)
        kept = ~inside
        why = np.where(alone, 1, np.where(inside, 2, 0))
        return build_verdict(
            1 / pages * kept,
            kept,
            why,
            pages,
            f"in {{:.0f}} of {template.pages} pages",
            f"shared by {{:.0f}} of {template.pages} pages",
            "in a shared fragment",
        )


def build_shingle_template(pages: Iterable[list[Shingles]], min_match: float) -> ShingleTemplate:
    """Return the template of pages: the fragments that two or more of them have.

    Resemblance is not transitive: a fragment may resemble another one of its own page which, unlike
    itself, resembles one of another page. Such fragments are held as well, as shared by none.
    """
    holders: dict[Shingles, list[int]] = {}  # of each set, the pages that hold it
    count = 0
    for count, page in enumerate(pages, 1):
        for shingles in dict.fromkeys(page):
            if shingles:
                holders.setdefault(shingles, []).append(count)
    if not count:
        raise InputError("there is no page to learn from: give at least one")
    index = ResemblanceIndex(holders, min_match)
    with_it = list(holders.values())
    similar = [index.similar(shingles) for shingles in holders]
    shares = [len(set().union(*(with_it[one] for one in near))) for near in similar]
    held = [number for number, near in enumerate(similar) if any(shares[one] > 1 for one in near)]
    return ShingleTemplate(
        count,
        tuple(index.fragments[number] for number in held),
        tuple(shares[number] if shares[number] > 1 else 0 for number in held),
        min_match,
    )


class ResemblanceIndex:
    """Different sets of shingles, and for any set those of them that resemble it.

    |A ∩ B| ≥ τ|A ∪ B| needs τ|A| common shingles, so of any |A| − ⌈τ|A|⌉ + 1 of A at least one is
    common. The rarest so many of each set are the keys: none is missed, as in `SimilarIndex`.
    """

    def __init__(self, fragments: Iterable[Shingles], min_match: float) -> None:
        self.min_match = min_match
        self.fragments = list(dict.fromkeys(fragments))
        self.known = {shingles: number for number, shingles in enumerate(self.fragments)}
        self.counts = Counter(chain.from_iterable(self.fragments))
        self.holders: defaultdict[int, list[int]] = defaultdict(list)
        for number, shingles in enumerate(self.fragments):
            for key in self._keys(shingles):
                self.holders[key].append(number)

    def similar(self, shingles: Shingles) -> list[int]:
        """Return the numbers of all sets that resemble one, an equal one included."""
        here = set(shingles)
        near = {n for key in self._keys(shingles) for n in self.holders.get(key, ())}
        return [number for number in sorted(near) if self._resembles(here, number)]

    def _resembles(self, here: set[int], number: int) -> bool:
        there = self.fragments[number]
        both = len(here.intersection(there))
        return both >= self.min_match * (len(here) + len(there) - both) - 1e-9

    def _keys(self, shingles: Shingles) -> list[int]:
        counts = self.counts
        needed = math.ceil(self.min_match * len(shingles) - 1e-9)
        rarest = sorted(shingles, key=lambda shingle: (counts[shingle], shingle))
        return rarest[: len(shingles) - needed + 1]


def block_shingles(blocks: Blocks, window: int, count: int) -> list[Shingles]:
    """Return the shingles of each block with all that lies in it; none for one without terms.

    From the inside out: runs of tokens inside a child block are known there, so a block only adds
    its own and those across the edges of its children.
    """
    terms = block_terms(blocks)
    hashes = token_hashes(terms.words)
    runs = run_hashes(hashes, window)
    # The tokens of a block with its child blocks are a range, as blocks are ranges of rows.
    first = np.searchsorted(terms.row, blocks.first).tolist()
    stop = np.searchsorted(terms.row, blocks.stop).tolist()
    children: defaultdict[int, list[int]] = defaultdict(list)
    for index, above in enumerate(blocks.parent.tolist()):
        children[above].append(index)
    found: list[NDArray[np.uint64]] = [np.zeros(0, dtype=np.uint64)] * len(first)
    for index in range(len(first) - 1, -1, -1):
        start, end = first[index], stop[index]
        if end - start < window:
            found[index] = run_hashes(hashes[start:end], max(end - start, 1))
            continue
        parts, at = [], start
        for child in children[index]:
            if stop[child] - first[child] >= window:
                parts += [runs[at : first[child]], found[child]]
                at = stop[child] - window + 1
        parts.append(runs[at : end - window + 1])
        found[index] = np.unique(np.concatenate(parts))[:count]
    return [tuple(said.tolist()) for said in found]


def token_hashes(words: list[str]) -> NDArray[np.uint64]:
    """Return the hashes of tokens, the same on every machine."""
    codes: dict[str, int] = {}
    for word in words:
        if word not in codes:
            data = word.encode("utf-8", "replace")
            codes[word] = zlib.crc32(data) << 32 | zlib.adler32(data)
    return np.array([codes[word] for word in words], dtype=np.uint64)


def run_hashes(hashes: NDArray[np.uint64], window: int) -> NDArray[np.uint64]:
    """Return a hash for each run of so many tokens, by where it begins."""
    runs = max(len(hashes) - window + 1, 0)
    found = np.zeros(runs, dtype=np.uint64)
    for place in range(window):
        found = found * BASE + hashes[place : place + runs]
    return mixed(found)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return hashes whose bits depend on all bits, so that their order is no order of words."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
