"""feature: FeatureExtractor (Debnath et al. 2005 §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from tamis.blocks import TEXT, Blocks, check_features, count_features, scale_to_maximum
from tamis.errors import check_not_empty, check_number
from tamis.page import Bools
from tamis.verdict.verdict import Floats, Verdict, build_verdict

OUTWEIGHED_REASON: Final = "other features {:.2f} outweigh the desired"
TOO_SHORT_REASON: Final = "{:.0f} terms are too few"


@dataclass(frozen=True)
class Feature:
    """Takes the single block with most of the desired features (Debnath et al. 2005, Algorithm 3).

    A block enters the basket when its desired features outweigh all others; in the basket the
    block with the greatest desired value wins. If text is desired, blocks with fewer than
    `min_terms` terms never win: the paper warns of blocks of a single word. `weights` weigh
    features for pages whose content is a mix (§6.4).
    """

    desired: tuple[str, ...] = (TEXT,)
    min_terms: int = 3
    weights: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        check_basket_parameters(self.desired, self.min_terms, self.weights)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the winner as the only informative block."""
        weights = MappingProxyType(dict(self.weights))
        basket = fill_basket(blocks, self.desired, self.min_terms, weights)
        informative = np.zeros(len(blocks), dtype=np.bool_)
        eligible = basket.inside & ~basket.short
        if eligible.any():
            informative[np.argmax(np.where(eligible, basket.value, -1.0))] = True
        code = np.where(informative, 0, np.where(eligible, 1, np.where(basket.inside, 3, 2)))
        return build_verdict(
            basket.value,
            informative,
            code,
            np.where(code == 2, basket.others, np.where(code == 3, basket.terms, basket.value)),
            "greatest desired value of the basket",
            "in the basket with {:.2f}, not the greatest",
            OUTWEIGHED_REASON,
            TOO_SHORT_REASON,
        )


@dataclass(frozen=True, eq=False)
class Basket:
    """Which blocks have desired features that outweigh the others, with the values compared."""

    inside: Bools
    value: Floats  # desired value; of blocks inside it is scaled by the maxima of the basket
    others: Floats  # value of all other features
    terms: Floats
    short: Bools  # which blocks have too few terms to be taken


def check_basket_parameters(
    desired: tuple[str, ...], min_terms: int, weights: tuple[tuple[str, float], ...]
) -> None:
    """Raise an error for parameters that no basket can be filled with."""
    check_not_empty("desired", desired, "the features of blocks")
    check_features(desired)
    check_number("min_terms", min_terms, 0, whole=True)
    check_features(name for name, _ in weights)
    for name, weight in weights:
        check_number(f"the weight of {name}", weight, 0)


def fill_basket(
    blocks: Blocks, desired: tuple[str, ...], min_terms: int, weights: Mapping[str, float]
) -> Basket:
    """Return the basket: Σ v_F over desired F exceeds Σ v_F over the rest (§5)."""
    features = count_features(blocks, desired, tuple(weights))
    is_desired = np.array([name in desired for name in features])
    weight = np.array([[weights.get(name, 1.0)] for name in features])
    counts = np.array(list(features.values()))  # one row per feature, one column per block
    values = scale_to_maximum(counts) * weight
    value, others = values[is_desired].sum(axis=0), values[~is_desired].sum(axis=0)
    terms = features[TEXT]
    short = (terms < min_terms) if TEXT in desired else np.zeros(len(blocks), dtype=np.bool_)
    inside = value > others
    scaled = scale_to_maximum(counts[is_desired][:, inside]) * weight[is_desired]
    value[inside] = scaled.sum(axis=0)
    return Basket(inside, value, others, terms, short)
