"""learned: the default. Forests of trees over the evidence on each block, by two views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from tamis.arrays import Arrays
from tamis.blocks import Blocks
from tamis.errors import InputError, check_argument
from tamis.verdict.learned import candidate_features, page_features
from tamis.verdict.learned.features import (
    BLOCK_FEATURES,
    CONTEXT_FEATURES,
    Features,
    extract_features,
    write_context_features,
)
from tamis.verdict.learned.forest import Forest, logistic
from tamis.verdict.learned.frameless import CHANCE, frameless
from tamis.verdict.learned.reasons import REASONS, choose_reasons
from tamis.verdict.learned.threshold import (
    Choice,
    ExpertProbabilities,
    Floats,
    choose_blocks,
    find_not_rendered,
)
from tamis.verdict.verdict import PageVerdict, Verdict, build_verdict

PAGE_TYPES: Final = (
    "article",
    "collection",
    "documentation",
    "forum",
    "listing",
    "product",
    "service",
)
EXPERTS: Final = ("article", "other")  # what a page may be: one text, or something else
FIRST_FEATURES: Final = BLOCK_FEATURES
SECOND_FEATURES: Final = (*BLOCK_FEATURES, *CONTEXT_FEATURES)
TYPE_FEATURES: Final = (*page_features.PAGE_FEATURES, *candidate_features.CANDIDATE_FEATURES)
CONFIDENCE_FEATURES: Final = (
    *"expected_f1 expected_precision expected_recall kept_share expected_terms best cut".split(),
    *"doubtful kept_blocks article".split(),
    *(f"type_{name}" for name in PAGE_TYPES),
    *TYPE_FEATURES,
)
FORMAT: Final = 4
LIKELY: Final = 0.03  # belief of the first forest from which on the second is asked
DROPPED: Final = 0.1  # a view that is less likely is not pursued
UNKNOWN: Final = 0.5  # confidence in the empty answer to a page without blocks


@dataclass(frozen=True, eq=False)
class Expert:
    """Two forests that judge blocks by one view of the page."""

    first: Forest
    second: Forest


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """What `tamis train` makes: forests for blocks by view, for page types, and for quality."""

    article: Expert
    other: Expert
    types: Forest  # a sum each
    plain: Forest  # tells whether a page without elements of HTML 5 is an article
    quality: Forest

    def __post_init__(self) -> None:
        wanted = (
            (self.article.first, FIRST_FEATURES, 1),
            (self.article.second, SECOND_FEATURES, 1),
            (self.other.first, FIRST_FEATURES, 1),
            (self.other.second, SECOND_FEATURES, 1),
            (self.types, TYPE_FEATURES, len(PAGE_TYPES)),
            (self.plain, candidate_features.SHAPE, 1),
            (self.quality, CONFIDENCE_FEATURES, 1),
        )
        for forest, names, outputs in wanted:
            check_argument("a forest of the model", forest, Forest, "a Forest")
            if forest.names != tuple(names) or forest.outputs != outputs:
                raise InputError(
                    f"a forest over {len(forest.names)} features with {forest.outputs} sums is "
                    f"where one over {len(names)} with {outputs} belongs: make the model with "
                    "tamis train"
                )


@dataclass(frozen=True)
class Learned:
    """Keeps the blocks that maximise the expected F1 of the page's words.

    A page is seen in two ways: as one text, and as anything else. For each view a first forest,
    learned from such pages, judges the blocks by their evidence, and a second one sees what the
    first thinks of their surroundings. Which view is how likely is told from the page and from both
    answers. A block's score is its chance to be content. Of all cuts through the scores, that of
    the greatest expected F1 over both views is taken, or nothing at all where no block is likely.
    On a page without HTML 5 the headline of an article is as likely as its text, on a page with
    layout blocks that are not shown have no chance. On a short page that has no frame all is
    content but controls: see `frameless`. Of a page without any blocks nothing is told: it has no
    type, and a confidence of 0.5.

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
            return empty_verdict()
        model = self.model or shipped_model()
        found = extract_features(blocks, len(CONTEXT_FEATURES))
        beliefs = first_probabilities((model.article.first, model.other.first), found)
        traits = type_features(found, beliefs)
        types = type_probabilities(model.types, traits)
        views = refine_probabilities(
            model, found, beliefs, article_probability(model.plain, found, traits, types)
        )
        unseen = find_not_rendered(blocks, views, found.frame.terms)
        if unseen is not None:
            views = views.without(unseen)
        cut = choose_blocks(views, found.frame.terms, self.favor)
        score, kept = views.score, cut.kept
        bare = frameless(found, unseen)
        if bare is not None:
            score, kept, sure = bare.score(score), bare.kept(kept), CHANCE
        else:
            sure = predict_confidence(
                model.quality, confidence_features(found, views, cut, types, traits)
            )
        return build_verdict(
            score,
            kept,
            choose_reasons(found, kept, unseen, bare),
            score,
            *REASONS.values(),
            page=PageVerdict(PAGE_TYPES[int(np.argmax(types))], sure),
        )


def empty_verdict() -> Verdict:
    """Return the verdict on a page without blocks.

    Nobody knows whether it is empty or whether its content was lost on the way, in a script say:
    the empty answer is right or wrong.
    """
    nothing = np.zeros(0)
    page = PageVerdict(None, UNKNOWN)
    return build_verdict(nothing, nothing > 0, nothing.astype(np.int64), nothing, page=page)


def first_probabilities(firsts: Sequence[Forest], found: Features) -> Floats:
    """Return what the first forest of each view thinks of the blocks with text, a row a view."""
    beliefs = logistic(np.concatenate([first.sums(found.columns) for first in firsts]))
    beliefs[:, found.frame.terms == 0] = 0.0
    return beliefs


def type_features(found: Features, beliefs: Floats) -> NDArray[np.float32]:
    """Return what the type of a page is told from: the page, and the answers by both views."""
    return np.concatenate(
        (found.page, candidate_features.compute_candidate_features(found, beliefs))
    ).astype(np.float32)


def type_probabilities(types: Forest, traits: NDArray[np.float32]) -> Floats:
    """Return the chance of each page type."""
    sums = types.sums(traits[:, None])[:, 0]
    chances = np.exp(sums - sums.max())
    return np.asarray(chances / chances.sum())


def article_probability(
    plain: Forest, found: Features, traits: NDArray[np.float32], types: Floats
) -> float:
    """Return the chance that a page is an article, 0 or 1 where it nearly is.

    Names and elements of pages without HTML 5 mean other things than those that the types are
    learned from; there the shape of the answers decides.
    """
    if found.plain:
        shape = traits[len(found.page) : len(found.page) + len(candidate_features.SHAPE)]
        article = float(logistic(plain.sums(shape[:, None])[0, 0]))
    else:
        article = float(types[PAGE_TYPES.index("article")])
    return 0.0 if article < DROPPED else 1.0 if article > 1 - DROPPED else article


def refine_probabilities(
    model: LearnedModel, found: Features, beliefs: Floats, article: float
) -> ExpertProbabilities:
    """Return the chances of the blocks by each view; an impossible one is not pursued."""
    chances = np.array((article, 1.0 - article))
    seconds = (model.article.second, model.other.second)
    refined = [
        refine_expert(second, found, belief) if possible else belief
        for second, belief, possible in zip(seconds, beliefs, chances > 0, strict=True)
    ]
    if found.plain:
        refined[0] = raise_headline(found, refined[0])
    return ExpertProbabilities(np.stack(refined), chances)


def raise_headline(found: Features, belief: Floats) -> Floats:
    """Return the belief in an article's blocks, its headline as likely as the text that follows.

    For pages without HTML 5, where a headline is the first line of its text. Those that the forests
    learned from have it in a header, apart from the text, and their gold leaves it out.
    """
    headline = found.headline.block
    if headline < 0 or not belief[headline]:
        return belief
    belief = belief.copy()
    belief[headline] = belief[headline:].max()
    return belief


def refine_expert(second: Forest, found: Features, belief: Floats) -> Floats:
    """Return a view's belief in the blocks: of likely ones the mean of both forests."""
    some = likely_blocks(found, belief)
    refined = belief.copy()
    refined[some] += logistic(second.sums(second_features(found, belief), some)[0])
    refined[some] /= 2
    return refined


def likely_blocks(found: Features, belief: Floats) -> NDArray[np.int64]:
    """Return the blocks that the second forest is asked for."""
    return np.flatnonzero((belief >= LIKELY) & (found.frame.terms > 0))


def second_features(found: Features, belief: Floats) -> NDArray[np.float32]:
    """Return the evidence of the second forest: the first's, and the beliefs around each block.

    It is written into the room that the evidence has for it, so it holds until the next is made.
    """
    write_context_features(found, belief, found.room[len(FIRST_FEATURES) :])
    return found.room


def confidence_features(
    found: Features,
    views: ExpertProbabilities,
    cut: Choice,
    types: Floats,
    traits: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return what the quality of a page's answer is told from."""
    terms, all_terms = found.frame.terms, found.frame.all_terms
    doubtful = np.abs(views.score - 0.5) < 0.25
    values = (
        cut.expected_f1,
        cut.expected_precision,
        cut.expected_recall,
        float(terms @ cut.kept) / all_terms,
        math.log1p(cut.expected_terms),
        cut.best_chance,
        cut.threshold,
        float(terms @ doubtful) / all_terms,
        np.count_nonzero(cut.kept) / len(terms),
        float(views.chances[0]),
    )
    return np.concatenate((values, types, traits)).astype(np.float32)


def predict_confidence(forest: Forest, features: NDArray[np.float32]) -> float:
    """Return the F1 that the answer is expected to have, between 0 and 1."""
    return min(max(float(forest.sums(features[:, None])[0, 0]), 0.0), 1.0)


@cache
def shipped_model() -> LearnedModel:
    """Return the model that ships with the package, read at first use."""
    return load_model(files("tamis.verdict").joinpath("models/learned.npz").read_bytes())


def read_model(path: str | Path) -> LearnedModel:
    """Return the model in a file that `tamis train` wrote."""
    try:
        return load_model(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"cannot read the model {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, InputError) as error:
        raise InputError(
            f"{path} is no model of this version ({error}): make one with tamis train"
        ) from error


def load_model(data: bytes, prefix: str = "") -> LearnedModel:
    """Return a model from the bytes of a file; with a prefix, one of several."""
    arrays = Arrays(data)
    if int(arrays["format"]) != FORMAT:
        raise ValueError("unknown format")
    article, other = (
        Expert(
            Forest.of_arrays(arrays, f"{prefix}{view}.first", FIRST_FEATURES),
            Forest.of_arrays(arrays, f"{prefix}{view}.second", SECOND_FEATURES),
        )
        for view in EXPERTS
    )
    return LearnedModel(
        article,
        other,
        Forest.of_arrays(arrays, f"{prefix}types", TYPE_FEATURES),
        Forest.of_arrays(arrays, f"{prefix}plain", candidate_features.SHAPE),
        Forest.of_arrays(arrays, f"{prefix}quality", CONFIDENCE_FEATURES),
    )


def model_arrays(model: LearnedModel, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return a model as arrays to be saved."""
    arrays = {"format": np.array(FORMAT)}
    for view, expert in zip(EXPERTS, (model.article, model.other), strict=True):
        arrays |= expert.first.arrays(f"{prefix}{view}.first")
        arrays |= expert.second.arrays(f"{prefix}{view}.second")
    arrays |= model.types.arrays(f"{prefix}types")
    arrays |= model.plain.arrays(f"{prefix}plain")
    return arrays | model.quality.arrays(f"{prefix}quality")
