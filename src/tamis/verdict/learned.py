"""learned: the default. Two forests of trees over the evidence on each block."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.errors import InputError
from tamis.verdict import evidence as facts
from tamis.verdict.cut import Cut, best_cut
from tamis.verdict.evidence import Evidence, context, evidence, whole
from tamis.verdict.evidence.places import AROUND
from tamis.verdict.forest import Forest, chance
from tamis.verdict.verdict import PageVerdict, Verdict, verdict

PAGE_TYPES: Final = (
    "article",
    "collection",
    "documentation",
    "forum",
    "listing",
    "product",
    "service",
)
FIRST_NAMES: Final = facts.NAMES
SECOND_NAMES: Final = (*facts.NAMES, *context.NAMES, *(f"type_{name}" for name in PAGE_TYPES))
QUALITY_NAMES: Final = (
    *"expected_f1 expected_precision expected_recall kept_share expected_terms best cut".split(),
    *"doubtful kept_blocks".split(),
    *(f"type_{name}" for name in PAGE_TYPES),
    *whole.NAMES,
)
FORMAT: Final = 1
REASONS: Final = (
    "content, chance {:.2f}",
    "chance {:.2f}",
    "in nav, chance {:.2f}",
    "in header, chance {:.2f}",
    "in footer, chance {:.2f}",
    "in aside, chance {:.2f}",
    "mostly links, chance {:.2f}",
    "hidden, chance {:.2f}",
    "no text",
)


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """What `tamis train` makes: forests for blocks (two), page types (one each) and quality."""

    first: Forest
    second: Forest
    types: tuple[Forest, ...]
    quality: Forest


@dataclass(frozen=True)
class Learned:
    """Keeps the blocks that maximise the expected F1 of the page's words.

    The first forest judges each block by its own evidence; the second sees what the first thinks of
    the block's surroundings, and the type that the page seems to have. The mean of both is the
    block's score, its chance to be content. Of all cuts through the scores, that of the greatest
    expected F1 is taken, or nothing at all where no block is likely.

    `favor="precision"` keeps fewer doubtful blocks, "recall" more. Without a model the shipped one
    is taken. Made for the blocks of `TagSet()`.
    """

    favor: Literal["precision", "recall"] | None = None
    model: LearnedModel | None = None

    def __post_init__(self) -> None:
        if self.favor not in (None, "precision", "recall"):
            raise InputError(f"cannot favor {self.favor!r}: take precision, recall or None")

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the verdict on the blocks, with the type of the page and how sure it is."""
        if not len(blocks):
            return verdict(*np.zeros((4, 0)), "", page=PageVerdict(None, 0.5))
        model = self.model or shipped_model()
        found = evidence(blocks)
        types = type_chances(model.types, found)
        score = block_chances(model.first, model.second, found, types)
        cut = best_cut(score, found.frame.terms, self.favor)
        sure = quality(model, quality_features(found, score, cut, types))
        return verdict(
            score,
            cut.kept,
            reasons(found, cut),
            score,
            *REASONS,
            page=PageVerdict(PAGE_TYPES[int(np.argmax(types))], sure),
        )


def block_chances(
    first: Forest, second: Forest, found: Evidence, types: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return each block's chance to be content."""
    belief = chance(first.sums(found.columns))
    features = second_features(found, belief, types)
    return (belief + chance(second.sums(features))) / 2


def second_features(
    found: Evidence, belief: NDArray[np.float64], types: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the evidence of the second forest: the first's, its beliefs around, the page type."""
    features = np.empty((len(SECOND_NAMES), len(found.frame)), dtype=np.float32)
    first, last = len(FIRST_NAMES), len(SECOND_NAMES) - len(types)
    features[:first] = found.columns
    context.context(found, belief, features[first:last])
    features[last:] = types[:, None]
    return features


def type_chances(types: Sequence[Forest], found: Evidence) -> NDArray[np.float64]:
    """Return the chance of each page type."""
    page = found.page.astype(np.float32)[:, None]
    sums = np.array([forest.sums(page)[0] for forest in types])
    chances = np.exp(sums - sums.max())
    return np.asarray(chances / chances.sum())


def quality_features(
    found: Evidence, score: NDArray[np.float64], cut: Cut, types: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return what the quality of a page's answer is told from."""
    terms = found.frame.terms
    expected = float(score @ terms)
    doubtful = float(terms[np.abs(score - 0.5) < 0.25].sum()) / found.frame.all_terms
    values = (
        cut.expected_f1,
        cut.expected_precision,
        cut.expected_recall,
        float(terms[cut.kept].sum()) / found.frame.all_terms,
        np.log1p(expected),
        float(score.max()),
        cut.threshold,
        doubtful,
        float(cut.kept.mean()),
    )
    return np.concatenate((values, types, found.page)).astype(np.float32)


def quality(model: LearnedModel, features: NDArray[np.float32]) -> float:
    """Return the F1 that the answer is expected to have, between 0 and 1."""
    return float(np.clip(model.quality.sums(features[:, None])[0], 0.0, 1.0))


def reasons(found: Evidence, cut: Cut) -> NDArray[np.int64]:
    """Return the number of the reason for each block: of noise, what stands out most."""
    frame, columns = found.frame, found.columns
    inside = columns[_AROUND_AT : _AROUND_AT + 4] > 0  # nav, header, footer, aside
    hidden = columns[_HIDDEN_AT] > 0.5
    why = np.where(frame.link_density > 0.5, 6, 1)
    why[hidden] = 7
    for number in range(3, -1, -1):
        why[inside[number]] = 2 + number
    why[cut.kept] = 0
    why[frame.terms == 0] = 8
    return why


@cache
def shipped_model() -> LearnedModel:
    """Return the model that ships with the package, read at first use."""
    return model_of_bytes(files("tamis.verdict").joinpath("models/learned.npz").read_bytes())


def read_model(path: Path) -> LearnedModel:
    """Return the model in a file that `tamis train` wrote."""
    try:
        return model_of_bytes(path.read_bytes())
    except (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile) as error:
        raise InputError(
            f"{path} is no model of this version: make one with tamis train"
        ) from error


def model_of_bytes(data: bytes, prefix: str = "") -> LearnedModel:
    """Return a model from the bytes of a file; with a prefix, one of several."""
    with np.load(io.BytesIO(data)) as arrays:
        if int(arrays["format"]) != FORMAT:
            raise ValueError("unknown format")
        return LearnedModel(
            Forest.of_arrays(arrays, f"{prefix}first", FIRST_NAMES),
            Forest.of_arrays(arrays, f"{prefix}second", SECOND_NAMES),
            tuple(
                Forest.of_arrays(arrays, f"{prefix}type_{name}", whole.NAMES) for name in PAGE_TYPES
            ),
            Forest.of_arrays(arrays, f"{prefix}quality", QUALITY_NAMES),
        )


def model_arrays(model: LearnedModel, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return a model as arrays to be saved."""
    arrays = {"format": np.array(FORMAT)}
    arrays |= model.first.arrays(f"{prefix}first")
    arrays |= model.second.arrays(f"{prefix}second")
    for name, forest in zip(PAGE_TYPES, model.types, strict=True):
        arrays |= forest.arrays(f"{prefix}type_{name}")
    return arrays | model.quality.arrays(f"{prefix}quality")


_AROUND_AT = FIRST_NAMES.index(f"in_{AROUND[0][0]}_element")
_HIDDEN_AT = FIRST_NAMES.index("hidden")
