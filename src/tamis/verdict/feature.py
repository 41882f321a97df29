"""feature: FeatureExtractor, 004 §5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TEXT, Blocks, count_features, scale_to_maximum
from tamis.page import Bools
from tamis.verdict.verdict import Verdict, build_verdict

OUTWEIGHED = "other features {:.2f} outweigh the desired"
SHORT = "{:.0f} terms are too few"


@dataclass(frozen=True)
class Feature:
    """Takes the one block with most of the desired features (004, Algorithm 3).

    A block enters the basket when its desired features outweigh all others; in the basket the
    one with the greatest desired value wins. Blocks under `min_terms` never win the text (the
    paper's own caveat about a one-word block). `weights` weigh features for pages whose content
    is a mix (004 §6.4).
    """

    desired: tuple[str, ...] = (TEXT,)
    min_terms: int = 3
    weights: tuple[tuple[str, float], ...] = ()

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the winner as the only informative block."""
        found = basket(blocks, self.desired, self.min_terms, MappingProxyType(dict(self.weights)))
        won = np.zeros(len(blocks), dtype=np.bool_)
        able = found.inside & ~found.short
        if able.any():
            won[np.argmax(np.where(able, found.value, -1.0))] = True
        why = np.where(won, 0, np.where(able, 1, np.where(found.inside, 3, 2)))
        detail = np.where(why == 2, found.others, np.where(why == 3, found.terms, found.value))
        return build_verdict(
            found.value,
            won,
            why,
            detail,
            "greatest desired value of the basket",
            "in the basket with {:.2f}, not the greatest",
            OUTWEIGHED,
            SHORT,
        )


@dataclass(frozen=True, eq=False)
class Basket:
    """The blocks whose desired features outweigh the others, with what was weighed."""

    inside: Bools
    value: NDArray[np.float64]  # desired value, by the basket's own maxima where inside
    others: NDArray[np.float64]
    terms: NDArray[np.float64]
    short: Bools  # which have too few terms to be taken


def basket(
    blocks: Blocks, desired: tuple[str, ...], min_terms: int, weights: Mapping[str, float]
) -> Basket:
    """Return the blocks for which Σ v_F over desired F exceeds Σ v_F over the rest (004 §5)."""
    features = count_features(blocks, desired, tuple(weights))
    is_desired = np.array([name in desired for name in features])
    weight = np.array([[weights.get(name, 1.0)] for name in features])
    counts = np.array(list(features.values()))  # a row a feature, a column a block
    values = scale_to_maximum(counts) * weight
    wanted, others = values[is_desired].sum(axis=0), values[~is_desired].sum(axis=0)
    terms = features[TEXT]
    short = (terms < min_terms) if TEXT in desired else np.zeros(len(blocks), dtype=np.bool_)
    inside = wanted > others
    value = wanted.copy()
    value[inside] = (scale_to_maximum(counts[is_desired][:, inside]) * weight[is_desired]).sum(
        axis=0
    )
    return Basket(inside, value, others, terms, short)
