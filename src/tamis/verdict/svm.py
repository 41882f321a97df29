"""svm: L-Extractor (Debnath et al. 2005 §7)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from tamis.blocks import CLASSIC, TEXT, Blocks, count_tags
from tamis.errors import InputError
from tamis.page import tags
from tamis.verdict.verdict import Floats, Verdict, build_verdict

# Text counts with its logarithm, tags count with their number.
SVM_FEATURES: Final = (TEXT, *(tag for tag in tags.TAGS[1:] if tag not in CLASSIC))

_MAX_WEIGHT: Final = 1e12  # so that the sum over a page is a number
# What a damaged model file can raise.
_MODEL_ERRORS: Final = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
    OverflowError,
)


@dataclass(frozen=True)
class LinearModel:
    """A plane that separates informative blocks from noise: a weight per feature, and a bias."""

    weights: tuple[tuple[str, float], ...]
    bias: float

    def __post_init__(self) -> None:
        for name, weight in (*self.weights, (TEXT, self.bias)):
            if name != TEXT and name not in tags.CODE:
                raise InputError(f"no feature {name!r} in a linear model: take text or a tag")
            if not abs(weight) <= _MAX_WEIGHT:  # as is not so of what is no number
                raise InputError(
                    f"the weight of {name!r} in a linear model is {weight}, not from "
                    f"-{_MAX_WEIGHT:.0e} to {_MAX_WEIGHT:.0e}: make one with tamis train -m svm"
                )


@dataclass(frozen=True)
class Svm:
    """Takes the blocks on the informative side of a linear support-vector classifier.

    Features are the number of each HTML tag that the paper's segmenter does not split at, and the
    number of terms (as log(1 + n), so that a long block does not outweigh all others). The score
    is the signed distance from the plane in units of the margin. Without a model the shipped one
    is used; `tamis train -m svm` trains others. Made for the blocks of `TagSet("classic")`.
    """

    model: LinearModel | None = None

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks on the positive side as informative."""
        model = self.model or shipped_linear_model()
        score = decision_distances(blocks, model)
        return build_verdict(
            score, score > 0, np.zeros(len(blocks), dtype=np.uint8), score, "svm {:.2f}"
        )


def decision_distances(blocks: Blocks, model: LinearModel) -> Floats:
    """Return w·x + b of each block.

    The weights of the elements that a block owns are summed row by row: a matrix of all features
    would be many times as large as the page.
    """
    weight = np.zeros(256)
    for name, value in model.weights:
        weight[tags.TEXT if name == TEXT else tags.CODE[name]] = value
    by_row = weight[blocks.page.tag] * (blocks.page.tag != tags.TEXT)
    by_row[blocks.node[blocks.node == blocks.first]] = 0.0  # a block is not a feature of itself
    terms = np.log1p(blocks.owned(blocks.page.terms))
    distances: Floats = blocks.owned(by_row) + weight[tags.TEXT] * terms + model.bias
    return distances


def svm_features(blocks: Blocks) -> Floats:
    """Return the features of §7: one row per block, one column per name of `SVM_FEATURES`."""
    counts = count_tags(blocks)
    features = counts[:, [tags.TEXT, *(tags.CODE[name] for name in SVM_FEATURES[1:])]]
    features[:, 0] = np.log1p(blocks.owned(blocks.page.terms))
    return features


@cache
def shipped_linear_model() -> LinearModel:
    """Return the model that comes with tamis, read at first use."""
    from importlib.resources import files  # slow to import, and only this method needs it

    return parse_linear_model((files("tamis.verdict") / "models" / "svm.json").read_text("utf-8"))


def read_linear_model(path: str | Path) -> LinearModel:
    """Return the model in a file that `tamis train -m svm` wrote."""
    try:
        return parse_linear_model(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the model {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{path}: no linear model, as it is no text in UTF-8") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def parse_linear_model(text: str) -> LinearModel:
    """Return the model in a JSON text: an object with weights by feature name, and a bias."""
    try:
        content: Any = json.loads(text)
        weights = tuple((str(name), float(value)) for name, value in content["weights"].items())
        return LinearModel(weights, float(content["bias"]))
    except _MODEL_ERRORS as error:
        raise InputError(
            "no linear model: give a JSON object with the weights of features and a bias, as "
            "tamis train -m svm writes it"
        ) from error
