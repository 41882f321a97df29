"""svm: L-Extractor, 004 §7."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import CLASSIC, TEXT, Blocks, count_tags
from tamis.errors import InputError
from tamis.page import tags
from tamis.verdict.verdict import Verdict, build_verdict

# Of the text the logarithm counts, of the tags the number.
FEATURES: Final = (TEXT, *(tag for tag in tags.TAGS[1:] if tag not in CLASSIC))

HEAVIEST: Final = 1e12  # so that the sum over a page is a number


@dataclass(frozen=True)
class LinearModel:
    """A plane between informative blocks and noise: a weight per feature, and a bias."""

    weights: tuple[tuple[str, float], ...]
    bias: float

    def __post_init__(self) -> None:
        for name, weight in (*self.weights, (TEXT, self.bias)):
            if name != TEXT and name not in tags.CODE:
                raise InputError(f"no feature {name!r} in a linear model: take text or a tag")
            if not abs(weight) <= HEAVIEST:  # as is not so of what is no number
                raise InputError(
                    f"the weight of {name!r} in a linear model is {weight}, not from "
                    f"-{HEAVIEST:.0e} to {HEAVIEST:.0e}: make one with tamis train -m svm"
                )


@dataclass(frozen=True)
class Svm:
    """Takes the blocks on the informative side of a linear support-vector classifier.

    Features are the number of each HTML tag that the paper's segmenter does not cut at, and the
    number of terms (as log(1 + n), so that one long block does not outweigh all others). The score
    is the signed distance from the plane in units of the margin. Without a model the shipped one
    is taken; `tamis.lab.train.svm.fit_svm` makes others. Made for the blocks of
    `TagSet("classic")`.
    """

    model: LinearModel | None = None

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks on the positive side as informative."""
        model = self.model or shipped_model()
        score = decision_distances(blocks, model)
        return build_verdict(
            score, score > 0, np.zeros(len(blocks), dtype=np.uint8), score, "svm {:.2f}"
        )


def decision_distances(blocks: Blocks, model: LinearModel) -> NDArray[np.float64]:
    """Return w·x + b of each block.

    The weights of the elements that a block owns are summed up as they stand in the page: the
    matrix of all features would be many times as large as the page.
    """
    weight = np.zeros(256)
    for name, value in model.weights:
        weight[tags.TEXT if name == TEXT else tags.CODE[name]] = value
    by_row = weight[blocks.page.tag] * (blocks.page.tag != tags.TEXT)
    by_row[blocks.node[blocks.node == blocks.first]] = 0.0  # a block is not a feature of itself
    terms = np.log1p(blocks.owned(blocks.page.terms))
    found: NDArray[np.float64] = blocks.owned(by_row) + weight[tags.TEXT] * terms + model.bias
    return found


def svm_features(blocks: Blocks) -> NDArray[np.float64]:
    """Return the feature vectors of 004 §7: a row a block, a column a name of `FEATURES`."""
    counts = count_tags(blocks)
    found = counts[:, [tags.TEXT, *(tags.CODE[name] for name in FEATURES[1:])]]
    found[:, 0] = np.log1p(blocks.owned(blocks.page.terms))
    return found


@cache
def shipped_model() -> LinearModel:
    """Return the model that comes with tamis, read at first use."""
    from importlib.resources import files  # slow to import, and of no use to other methods

    return load_model((files("tamis.verdict") / "models" / "svm.json").read_text("utf-8"))


def read_model(path: str | Path) -> LinearModel:
    """Return the model in a file that `tamis train -m svm` wrote."""
    try:
        return load_model(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the model {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{path}: no linear model, as it is no text in UTF-8") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def load_model(text: str) -> LinearModel:
    """Return the model that a JSON text holds: an object with weights by feature, and a bias."""
    try:
        data: Any = json.loads(text)
        weights = tuple((str(name), float(value)) for name, value in data["weights"].items())
        return LinearModel(weights, float(data["bias"]))
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        OverflowError,
    ) as error:
        raise InputError(
            f"no linear model: {error!r}; it is a JSON object with weights and a bias"
        ) from error
