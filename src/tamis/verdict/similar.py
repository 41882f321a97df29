"""Similar vectors of blocks, found without comparing all with all, and without missing any."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from tamis.blocks.fingerprints import BlockVector


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
