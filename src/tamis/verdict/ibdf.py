"""ibdf: ContentExtractor (Debnath et al. 2005 §3.2 and §4).

Blocks that are similar to blocks of many pages of a site are noise. An index finds similar blocks
without comparing all with all, and without missing any.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from tamis.blocks import (
    Blocks,
    BlockVector,
    Maxima,
    block_counts,
    block_vector,
    greatest_counts,
)
from tamis.errors import InputError, UnknownName, check_number
from tamis.verdict.verdict import Floats, Verdict, build_verdict

_T = TypeVar("_T")


@dataclass(frozen=True)
class IbdfTemplate:
    """The vectors of blocks that occur in several pages of a site, and in how many.

    A block of a single page that is similar to one of several pages is included: its df differs.
    """

    pages: int
    vectors: tuple[BlockVector, ...]
    frequencies: tuple[int, ...]
    epsilon: float
    maxima: Maxima = ()  # features are scaled by them, those of further pages too

    @cached_property
    def index(self) -> SimilarIndex:
        """The vectors, for search."""
        return SimilarIndex(self.vectors, self.epsilon)

    def frequency(self, vector: BlockVector) -> int:
        """Return df, the number of pages with a block similar to this one; 0 if there is none.

        For a vector that was not learned it is the greatest df among those similar to it.
        """
        number = self.index.numbers.get(vector)
        if number is not None:
            return self.frequencies[number]
        return max((self.frequencies[number] for number in self.index.similar(vector)), default=0)


@dataclass(frozen=True)
class Ibdf:
    """Takes the blocks that occur in few pages of one site (Debnath et al. 2005, Algorithm 1).

    Two blocks are the same when the cosine of their vectors is above `epsilon`, with features
    scaled over all pages learned from; df(b) is the number of pages with the same block. b is
    informative when df(b) ≤ max(1, θ·M) for M pages. The score is IBDF(b) = 1/(df(b) + 1), or
    with `scale="log"` 1/(1 + log(df(b) + 1)). (The paper prints the comparison the other way
    round three times.) `fit` learns from pages.
    """

    epsilon: float = 0.9
    theta: float = 0.02
    scale: Literal["linear", "log"] = "linear"
    template: IbdfTemplate | None = None

    def __post_init__(self) -> None:
        if self.scale not in ("linear", "log"):
            raise UnknownName(f"no scale {self.scale!r}: take linear or log")
        check_number("epsilon", self.epsilon, 0, 1, above=True)
        check_number("theta", self.theta, 0, 1)

    def fit(self, pages: Iterable[Blocks]) -> Ibdf:
        """Return an identifier that has learned from the blocks of pages of one site."""
        holders, page_count = collect_holders(map(block_counts, pages))
        maxima = greatest_counts(holders)
        vectors = {block_vector(block, maxima): numbers for block, numbers in holders.items()}
        template = build_ibdf_template(vectors, page_count, self.epsilon, maxima)
        return Ibdf(self.epsilon, self.theta, self.scale, template)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks of low document frequency as informative."""
        if self.template is None:
            raise InputError("ibdf needs several pages of one site: call fit(pages) first")
        template = self.template
        vectors = (block_vector(block, template.maxima) for block in block_counts(blocks))
        frequencies = [template.frequency(vector) for vector in vectors]
        df = np.maximum(np.array(frequencies, dtype=np.float64), 1.0)  # its own page has it
        return build_verdict(
            self._ibdf(df),
            df <= max(1.0, self.theta * template.pages),
            np.zeros(len(blocks), dtype=np.uint8),
            df,
            f"in {{:.0f}} of {template.pages} pages",
        )

    def _ibdf(self, df: Floats) -> Floats:
        return 1 / (df + 1) if self.scale == "linear" else 1 / (1 + np.log(df + 1))


def collect_holders(pages: Iterable[Iterable[_T]]) -> tuple[dict[_T, list[int]], int]:
    """Return, for each different block, the numbers of the pages with it; and how many pages."""
    holders: dict[_T, list[int]] = {}
    page_count = 0
    for page_count, page in enumerate(pages, 1):
        for block in dict.fromkeys(page):
            holders.setdefault(block, []).append(page_count)
    if not page_count:
        raise InputError("there is no page to learn from: give at least one")
    return holders, page_count


def build_ibdf_template(
    holders: Mapping[BlockVector, Sequence[int]], pages: int, epsilon: float, maxima: Maxima = ()
) -> IbdfTemplate:
    """Return the template of pages: the vectors with a df of two or more, and those like them."""
    check_number("epsilon", epsilon, 0, 1, above=True)
    vectors = list(holders)
    similar, df = _document_frequencies(holders, epsilon)
    included = [n for n, near in enumerate(similar) if max(df[other] for other in near) > 1]
    return IbdfTemplate(
        pages, tuple(vectors[n] for n in included), tuple(df[n] for n in included), epsilon, maxima
    )


def _document_frequencies(
    holders: Mapping[BlockVector, Sequence[int]], epsilon: float
) -> tuple[list[list[int]], list[int]]:
    """Return, for each vector, the vectors similar to it, and the number of pages with any."""
    index = SimilarIndex(holders, epsilon)
    pages = list(holders.values())
    similar = [index.similar(vector) for vector in index.vectors]
    df = [
        len(pages[number]) if near == [number] else len({*chain(*(pages[n] for n in near))})
        for number, near in enumerate(similar)
    ]
    return similar, df


class _Prefilter(NamedTuple):
    """Shows for most pairs of vectors that they are not similar, without computing a cosine."""

    max_lacking: int  # number of terms that a similar vector can lack
    bits: int  # the terms as 256 bits: term sets differ at least as much as their bits


class SimilarIndex:
    """Finds, among different vectors, those whose cosine with a given one is above `epsilon`.

    A vector similar to b has more than ε²|b|² − a of the terms of b, with a the square of the
    length of b's features: at best the rest of it is parallel to b. So it lacks fewer than
    (1 − ε²)|b|² terms of b, and has at least one of any set of that size plus one. The keys of
    each vector are that many of its rarest terms, so the rarest common term of two similar vectors
    is a key of both. (Vectors that may have no term in common are listed apart.)
    """

    def __init__(self, vectors: Iterable[BlockVector], epsilon: float) -> None:
        self.epsilon = epsilon
        self.vectors = list(dict.fromkeys(vectors))
        self.numbers = {vector: number for number, vector in enumerate(self.vectors)}
        counts = Counter(term for vector in self.vectors for term in vector.terms)
        rarest = sorted(counts, key=lambda term: (counts[term], term))
        self.rank = {term: rank for rank, term in enumerate(rarest)}
        self.prefilters = [self._prefilter(vector) for vector in self.vectors]
        self.holders: defaultdict[str, list[int]] = defaultdict(list)
        self.without_keys: list[int] = []
        pairs = zip(self.vectors, self.prefilters, strict=True)
        for number, (vector, prefilter) in enumerate(pairs):
            for key in self._keys(vector, prefilter):
                self.holders[key].append(number)
            if prefilter.max_lacking >= len(vector.terms):
                self.without_keys.append(number)

    def similar(self, vector: BlockVector) -> list[int]:
        """Return the numbers of all vectors with a cosine above ε, including an equal one."""
        equal = self.numbers.get(vector)
        prefilter = self._prefilter(vector) if equal is None else self.prefilters[equal]
        near = {n for key in self._keys(vector, prefilter) for n in self.holders.get(key, ())}
        if prefilter.max_lacking >= len(vector.terms):
            near.update(self.without_keys)
        return [
            number
            for number in sorted(near)
            if (prefilter.bits ^ self.prefilters[number].bits).bit_count()
            <= prefilter.max_lacking + self.prefilters[number].max_lacking
            and (number == equal or vector.cosine(self.vectors[number]) > self.epsilon)
        ]

    def _prefilter(self, vector: BlockVector) -> _Prefilter:
        bits = 0
        for term in vector.terms:
            bits ^= 1 << (hash(term) & 255)
        # A little more for rounding: too many keys do no harm.
        return _Prefilter(math.ceil((1 - self.epsilon**2) * vector.size + 1e-9) - 1, bits)

    def _keys(self, vector: BlockVector, prefilter: _Prefilter) -> list[str]:
        """Return the rarest terms; those that no vector of the index has come first."""
        rank = self.rank
        ordered = sorted(vector.terms, key=lambda term: rank.get(term, -1))
        return ordered[: prefilter.max_lacking + 1]
