"""Similar vectors of blocks, found without comparing all with all, and without missing any.

ibdf: ContentExtractor, 004 §3.2 and §4.
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
from numpy.typing import NDArray

from tamis.blocks import (
    Blocks,
    BlockVector,
    Maxima,
    block_counts,
    block_vector,
    greatest_counts,
)
from tamis.errors import InputError, UnknownName
from tamis.verdict.verdict import Verdict, build_verdict


class Trait(NamedTuple):
    """What tells that two vectors cannot be similar before their cosine is computed."""

    lacking: int  # terms that a similar one can lack
    bits: int  # the terms as 256 bits: where two sets differ, they differ here or nowhere


class SimilarIndex:
    """Different vectors, and for any vector those of them with a cosine above `epsilon`.

    A vector similar to b has more than ε²|b|² − a of the terms of b, with a the square of the
    length of b's features: at best the rest of it is parallel to b. So fewer than (1 − ε²)|b|² of
    its terms lack, and of any so many plus one at least one is there. The rarest terms of each
    vector, so many plus one, are the keys of the index: the rarest common term of two similar
    vectors is a key of both. (Vectors that may have no term in common are a list of their own.)
    """

    def __init__(self, vectors: Iterable[BlockVector], epsilon: float) -> None:
        self.epsilon = epsilon
        self.vectors = list(dict.fromkeys(vectors))
        self.known = {vector: number for number, vector in enumerate(self.vectors)}
        counts = Counter(term for vector in self.vectors for term in vector.terms)
        rarest = sorted(counts, key=lambda term: (counts[term], term))
        self.rank = {term: place for place, term in enumerate(rarest)}
        self.traits = [self._trait(vector) for vector in self.vectors]
        self.holders: defaultdict[str, list[int]] = defaultdict(list)
        self.bare: list[int] = []
        for number, (vector, trait) in enumerate(zip(self.vectors, self.traits, strict=True)):
            for key in self._keys(vector, trait):
                self.holders[key].append(number)
            if trait.lacking >= len(vector.terms):
                self.bare.append(number)

    def similar(self, vector: BlockVector) -> list[int]:
        """Return the numbers of all vectors with a cosine above ε, an equal one included."""
        known = self.known.get(vector)
        trait = self._trait(vector) if known is None else self.traits[known]
        near = {n for key in self._keys(vector, trait) for n in self.holders.get(key, ())}
        if trait.lacking >= len(vector.terms):
            near.update(self.bare)
        return [
            number
            for number in sorted(near)
            if (trait.bits ^ self.traits[number].bits).bit_count()
            <= trait.lacking + self.traits[number].lacking
            and (number == known or vector.cosine(self.vectors[number]) > self.epsilon)
        ]

    def _trait(self, vector: BlockVector) -> Trait:
        bits = 0
        for term in vector.terms:
            bits ^= 1 << (hash(term) & 255)
        # A little more for rounding: too many keys do no harm.
        return Trait(math.ceil((1 - self.epsilon**2) * vector.size + 1e-9) - 1, bits)

    def _keys(self, vector: BlockVector, trait: Trait) -> list[str]:
        """Return the rarest terms, those that no vector of the index has before all others."""
        rank = self.rank
        ordered = sorted(vector.terms, key=lambda term: rank.get(term, -1))
        return ordered[: trait.lacking + 1]


T = TypeVar("T")


@dataclass(frozen=True)
class IbdfTemplate:
    """What was learned: the vectors of blocks that stand in several pages, and in how many.

    A block of one page that is similar to one of several is held as well: it has a df of its own.
    """

    pages: int
    vectors: tuple[BlockVector, ...]
    frequencies: tuple[int, ...]
    epsilon: float
    maxima: Maxima = ()  # what features are scaled by, on further pages too

    @cached_property
    def index(self) -> SimilarIndex:
        """The vectors, for search."""
        return SimilarIndex(self.vectors, self.epsilon)

    def frequency(self, vector: BlockVector) -> int:
        """Return df: how many of the pages hold a block similar to one; 0 where it is not known.

        Of a vector that was not learned it is the greatest df among those similar to it.
        """
        known = self.index.known.get(vector)
        if known is not None:
            return self.frequencies[known]
        return max((self.frequencies[number] for number in self.index.similar(vector)), default=0)


@dataclass(frozen=True)
class Ibdf:
    """Takes the blocks that stand in few of the pages of one site (004, Algorithm 1).

    Two blocks are the same when the cosine of their vectors is above `epsilon`, features scaled
    over all pages learned from; df(b) is the number of pages with the same block. b is informative
    when df(b) ≤ max(1, θ·M) for M pages. The score is IBDF(b) = 1/(df(b) + 1), or with
    `scale="log"` 1/(1 + log(df(b) + 1)). (Three places of the paper print the comparison the other
    way round.) `fit` learns from pages.
    """

    epsilon: float = 0.9
    theta: float = 0.02
    scale: Literal["linear", "log"] = "linear"
    template: IbdfTemplate | None = None

    def __post_init__(self) -> None:
        if self.scale not in ("linear", "log"):
            raise UnknownName(f"no scale {self.scale!r}: take linear or log")

    def fit(self, pages: Iterable[Blocks]) -> Ibdf:
        """Return an identifier that has learned from the blocks of pages of one site."""
        holders, count = page_holders(map(block_counts, pages))
        maxima = greatest_counts(holders)
        vectors = {block_vector(block, maxima): held for block, held in holders.items()}
        learned = build_ibdf_template(vectors, count, self.epsilon, maxima)
        return Ibdf(self.epsilon, self.theta, self.scale, learned)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks of low document frequency as informative."""
        if self.template is None:
            raise InputError("ibdf needs several pages of one site: call fit(pages) first")
        template = self.template
        vectors = (block_vector(block, template.maxima) for block in block_counts(blocks))
        found = [template.frequency(vector) for vector in vectors]
        df = np.maximum(np.array(found, dtype=np.float64), 1.0)  # its own page holds it
        kept = df <= max(1.0, self.theta * template.pages)
        said = f"in {{:.0f}} of {template.pages} pages"
        return build_verdict(
            self._scaled(df), kept, np.zeros(len(blocks), dtype=np.uint8), df, said
        )

    def _scaled(self, df: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1 / (df + 1) if self.scale == "linear" else 1 / (1 + np.log(df + 1))


def page_holders(pages: Iterable[Iterable[T]]) -> tuple[dict[T, list[int]], int]:
    """Return, of each different block of pages, the pages that hold it, and how many there are."""
    holders: dict[T, list[int]] = {}
    count = 0
    for count, page in enumerate(pages, 1):
        for block in dict.fromkeys(page):
            holders.setdefault(block, []).append(count)
    if not count:
        raise InputError("there is no page to learn from: give at least one")
    return holders, count


def build_ibdf_template(
    holders: Mapping[BlockVector, Sequence[int]], pages: int, epsilon: float, maxima: Maxima = ()
) -> IbdfTemplate:
    """Return the template of pages: the vectors with a df of two or more, and those like them."""
    if not 0 < epsilon <= 1:
        raise InputError(f"epsilon is {epsilon}: take a number above 0 and up to 1")
    vectors = list(holders)
    near, df = frequencies(holders, epsilon)
    known = [n for n, others in enumerate(near) if max(df[other] for other in others) > 1]
    return IbdfTemplate(
        pages, tuple(vectors[n] for n in known), tuple(df[n] for n in known), epsilon, maxima
    )


def frequencies(
    holders: Mapping[BlockVector, Sequence[int]], epsilon: float
) -> tuple[list[list[int]], list[int]]:
    """Return, for each vector, those similar to it, and the number of pages that hold any."""
    index = SimilarIndex(holders, epsilon)
    pages = list(holders.values())
    near = [index.similar(vector) for vector in index.vectors]
    df = [
        len(pages[number]) if others == [number] else len({*chain(*(pages[n] for n in others))})
        for number, others in enumerate(near)
    ]
    return near, df
