"""learned: the default method. Two experts of forests judge blocks by their features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from tamis.arrays import Arrays
from tamis.blocks import Blocks
from tamis.errors import InputError, check_argument
from tamis.page import Bools
from tamis.verdict.learned._answers import compute_confidence_features, compute_type_features
from tamis.verdict.learned._features import Features
from tamis.verdict.learned.feature_names import (
    ANSWER_FEATURES,
    BLOCK_FEATURES,
    CANDIDATE_FEATURES,
    PAGE_FEATURES,
    SHAPE_FEATURES,
    STACKED_FEATURES,
    TOKEN_FEATURES,
)
from tamis.verdict.learned.features import (
    extract_features,
    first_features,
    read_title,
    second_features,
)
from tamis.verdict.learned.forest import Forest, logistic
from tamis.verdict.learned.frameless import FRAMELESS_PROBABILITY, judge_frameless
from tamis.verdict.learned.messages import bind_messages
from tamis.verdict.learned.reasons import REASONS, choose_reasons
from tamis.verdict.learned.threshold import (
    Choice,
    ExpertProbabilities,
    choose_blocks,
    find_not_rendered,
    keep_prose,
)
from tamis.verdict.learned.tokens import PageTokenWeights, TokenWeights
from tamis.verdict.learned.units import bind_sections, find_further_articles, find_units
from tamis.verdict.verdict import Floats, PageVerdict, Verdict, build_verdict

PAGE_TYPES: Final = (
    "article",
    "collection",
    "documentation",
    "forum",
    "listing",
    "product",
    "service",
)
_FORUM: Final = PAGE_TYPES.index("forum")
EXPERTS: Final = ("article", "other")  # a page is one text, or something else
FIRST_FEATURES: Final = (*BLOCK_FEATURES, *TOKEN_FEATURES)
SECOND_FEATURES: Final = (*FIRST_FEATURES, *STACKED_FEATURES)
TYPE_FEATURES: Final = (
    *PAGE_FEATURES,
    *CANDIDATE_FEATURES,
    *(f"tokens_{name}" for name in PAGE_TYPES),
)
CONFIDENCE_FEATURES: Final = (
    *ANSWER_FEATURES,
    *(f"type_{name}" for name in PAGE_TYPES),
    *TYPE_FEATURES,
)
MIN_LIKELY_PROBABILITY: Final = 0.03  # by the first forest, for the second to be evaluated
MIN_EXPERT_PROBABILITY: Final = 0.1  # an expert that is less probable is left out
_LIKELY: Final = 0.5  # to be an article
_EMPTY_CONFIDENCE: Final = 0.5  # in the empty answer to a page without blocks
_FORMAT: Final = 5  # of model files


@dataclass(frozen=True, eq=False)
class Expert:
    """Two forests that were trained on one kind of page."""

    first: Forest
    second: Forest


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """What `tamis train` makes: weights of tokens, and forests for blocks by expert, page types and
    confidence.
    """

    tokens: TokenWeights
    page_tokens: PageTokenWeights
    article: Expert
    other: Expert
    types: Forest  # one output per page type
    plain: Forest  # decides whether a page without elements of HTML 5 is an article
    confidence: Forest

    def __post_init__(self) -> None:
        check_argument("the tokens of the model", self.tokens, TokenWeights, "TokenWeights")
        check_argument(
            "the page tokens of the model", self.page_tokens, PageTokenWeights, "PageTokenWeights"
        )
        if self.page_tokens.bias.shape != (len(PAGE_TYPES),):
            raise InputError("the page tokens of the model are of other page types")
        wanted = (
            (self.article.first, FIRST_FEATURES, 1),
            (self.article.second, SECOND_FEATURES, 1),
            (self.other.first, FIRST_FEATURES, 1),
            (self.other.second, SECOND_FEATURES, 1),
            (self.types, TYPE_FEATURES, len(PAGE_TYPES)),
            (self.plain, SHAPE_FEATURES, 1),
            (self.confidence, CONFIDENCE_FEATURES, 1),
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
    """Takes the blocks that maximise the expected F1 of the page's words.

    There are two experts: one for articles, one for all other pages. The first forest of an expert
    judges blocks by their features; the second one also sees the probabilities that the first gave
    to a block's surroundings. The probability of each expert is derived from the page and from the
    answers of both. The posts of a thread are as probable as the most probable one, and comments
    below a text are no content unless `comments` asks for them. The score of a block is its
    probability to be content. Tables, lists, code and figures are content as a whole or not at all.
    Of all thresholds, the one with the greatest expected F1 over both experts is used; if no block
    is probable, none is informative. On a page without HTML 5 the headline of an article is as
    probable as its text. On a page with layout, blocks that are not shown have a probability of 0.
    On a short page without a frame everything but controls is content: see `judge_frameless`. A
    page without blocks has no type, and a confidence of 0.5.

    `favor="precision"` takes fewer doubtful blocks, "recall" more. Without a model the shipped one
    is used. Made for the blocks of `TagSet()`.
    """

    favor: Literal["precision", "recall"] | None = None
    model: LearnedModel | None = None
    comments: bool = False

    def __post_init__(self) -> None:
        if self.favor not in (None, "precision", "recall"):
            raise InputError(f"cannot favor {self.favor!r}: take precision, recall or None")

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the verdict on the blocks, with the type of the page and the confidence."""
        if not len(blocks):
            return _empty_verdict()
        model = self.model or shipped_model()
        features = extract_features(blocks)
        answer = answer_page(model, features, favor=self.favor, comments=self.comments)
        score, informative = answer.experts.score, answer.choice.informative
        frameless = judge_frameless(features, answer.not_rendered)
        if frameless is not None:
            score, informative = frameless.score(score), frameless.informative(informative)
            confidence = FRAMELESS_PROBABILITY
        else:
            confidence = predict_confidence(model.confidence, confidence_features(features, answer))
        return build_verdict(
            score,
            informative,
            choose_reasons(features, informative, answer.not_rendered, frameless),
            score,
            *REASONS.values(),
            page=PageVerdict(answer.page_type, confidence),
        )


@dataclass(frozen=True, eq=False)
class PageAnswer:
    """The answer of a model to a page, and what it follows from."""

    types: Floats  # the probability of each page type
    type_values: NDArray[np.float32]
    experts: ExpertProbabilities
    not_rendered: Bools | None
    choice: Choice
    is_thread: bool = False  # as its posts show

    @property
    def page_type(self) -> str:
        """The most probable page type; that of a thread if the page has its posts."""
        if self.is_thread:
            return PAGE_TYPES[_FORUM]
        return PAGE_TYPES[int(np.argmax(self.types))]


def answer_page(
    model: LearnedModel,
    features: Features,
    *,
    favor: Literal["precision", "recall"] | None = None,
    comments: bool = False,
) -> PageAnswer:
    """Return the answer of a model to a page: probabilities of blocks, then a choice of units."""
    blocks, terms = features.context.blocks, features.context.terms
    firsts = (model.article.first, model.other.first)
    probabilities = first_probabilities(firsts, model.tokens, features)
    type_values = type_features(features, probabilities, model.page_tokens)
    types = type_probabilities(model.types, type_values)
    article = article_probability(model.plain, features, type_values, types)
    experts = refine_probabilities(model, features, probabilities, article)
    messages = bind_messages(
        features,
        experts,
        PAGE_TYPES[int(np.argmax(types))],
        float(types[_FORUM]),
        comments=comments,
    )
    units = find_units(blocks, terms)
    by_expert = bind_sections(blocks, messages.experts.by_expert, terms, units)
    experts = replace(messages.experts, by_expert=by_expert)
    not_rendered = find_not_rendered(blocks, experts, terms)
    if not_rendered is not None:
        experts = experts.without(not_rendered)
    if article > _LIKELY and not messages.is_thread:
        further = find_further_articles(blocks, read_title(blocks.page))
        experts = experts if further is None else experts.without(further)
    choice = keep_prose(choose_blocks(experts, terms, favor, units), blocks, experts.score)
    return PageAnswer(types, type_values, experts, not_rendered, choice, messages.is_thread)


def _empty_verdict() -> Verdict:
    """Return the verdict on a page without blocks.

    It is unknown whether the page is empty or its content was lost, in a script for example: the
    empty answer is right or wrong.
    """
    nothing = np.zeros(0)
    page = PageVerdict(None, _EMPTY_CONFIDENCE)
    return build_verdict(nothing, nothing > 0, nothing.astype(np.int64), nothing, page=page)


def first_probabilities(
    firsts: Sequence[Forest], tokens: TokenWeights, features: Features
) -> Floats:
    """Return the probabilities of the blocks by first forests, one row each; 0 without text."""
    matrix = first_features(features, tokens)
    probabilities = logistic(np.concatenate([first.sums(matrix) for first in firsts]))
    probabilities[:, features.context.terms == 0] = 0.0
    return probabilities


def type_features(
    features: Features, probabilities: Floats, page_tokens: PageTokenWeights
) -> NDArray[np.float32]:
    """Return what the type of a page is derived from: the page, the answers of both experts, and
    what its tokens say.
    """
    values = compute_type_features(features, probabilities)
    return np.concatenate((values, page_tokens.sums(features)))


def type_probabilities(types: Forest, type_values: NDArray[np.float32]) -> Floats:
    """Return the probability of each page type."""
    sums = types.sums(type_values[:, None])[:, 0]
    weights = np.exp(sums - sums.max())
    return np.asarray(weights / weights.sum())


def article_probability(
    plain: Forest, features: Features, type_values: NDArray[np.float32], types: Floats
) -> float:
    """Return the probability that a page is an article, 0 or 1 if it is close to that.

    Names and elements of pages without HTML 5 differ from those that the types were learned from;
    there the shape of the answers decides.
    """
    if features.plain:
        start = len(features.page_features)
        shape = type_values[start : start + len(SHAPE_FEATURES)]
        article = float(logistic(plain.sums(shape[:, None])[0, 0]))
    else:
        article = float(types[PAGE_TYPES.index("article")])
    if article < MIN_EXPERT_PROBABILITY:
        return 0.0
    return 1.0 if article > 1 - MIN_EXPERT_PROBABILITY else article


def refine_probabilities(
    model: LearnedModel, features: Features, probabilities: Floats, article: float
) -> ExpertProbabilities:
    """Return the probabilities of the blocks by each expert that is possible, both forests used."""
    weights = np.array((article, 1.0 - article))
    seconds = (model.article.second, model.other.second)
    refined = [
        _refine_expert(second, features, probability) if is_possible else probability
        for second, probability, is_possible in zip(
            seconds, probabilities, weights > 0, strict=True
        )
    ]
    if features.plain:
        refined[0] = _raise_headline(features, refined[0])
    return ExpertProbabilities(np.stack(refined), weights)


def _refine_expert(second: Forest, features: Features, probability: Floats) -> Floats:
    """Return an expert's probabilities: for likely blocks the mean of both forests."""
    likely = likely_blocks(features, probability)
    refined = probability.copy()
    refined[likely] += logistic(second.sums(second_features(features, probability), likely)[0])
    refined[likely] /= 2
    return refined


def _raise_headline(features: Features, probability: Floats) -> Floats:
    """Return an article's probabilities, with its headline as probable as the text that follows.

    This is for pages without HTML 5, where a headline is the first line of its text. Pages that the
    forests were trained on have it in a header, apart from the text, and their gold leaves it out.
    """
    headline = features.headline
    if headline < 0 or not probability[headline]:
        return probability
    probability = probability.copy()
    probability[headline] = probability[headline:].max()
    return probability


def likely_blocks(features: Features, probability: Floats) -> NDArray[np.int64]:
    """Return the indices of the blocks for which the second forest is evaluated."""
    is_likely = (probability >= MIN_LIKELY_PROBABILITY) & (features.context.terms > 0)
    return np.flatnonzero(is_likely)


def confidence_features(features: Features, answer: PageAnswer) -> NDArray[np.float32]:
    """Return what the confidence in the answer to a page is derived from."""
    choice = answer.choice
    numbers = (
        choice.best_probability,
        choice.expected_terms,
        choice.threshold,
        choice.expected_f1,
        choice.expected_precision,
        choice.expected_recall,
    )
    return compute_confidence_features(
        features.context,
        answer.experts.score,
        choice.informative,
        numbers,
        float(answer.experts.weights[0]),
        answer.types,
        answer.type_values,
    )


def predict_confidence(forest: Forest, values: NDArray[np.float32]) -> float:
    """Return the F1 that the answer is expected to have, between 0 and 1."""
    return min(max(float(forest.sums(values[:, None])[0, 0]), 0.0), 1.0)


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
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"{path} is no model of this version ({reason}): make one with tamis train"
        ) from error


def load_model(content: bytes, prefix: str = "") -> LearnedModel:
    """Return the model in the bytes of a file; if the file has several, the one with a prefix."""
    arrays = Arrays(content)
    if int(arrays["format"]) != _FORMAT:
        raise ValueError("unknown format")
    article, other = (
        Expert(
            Forest.from_arrays(arrays, f"{prefix}{name}.first", FIRST_FEATURES),
            Forest.from_arrays(arrays, f"{prefix}{name}.second", SECOND_FEATURES),
        )
        for name in EXPERTS
    )
    return LearnedModel(
        TokenWeights.from_arrays(arrays, f"{prefix}tokens"),
        PageTokenWeights.from_arrays(arrays, f"{prefix}page_tokens"),
        article,
        other,
        Forest.from_arrays(arrays, f"{prefix}types", TYPE_FEATURES),
        Forest.from_arrays(arrays, f"{prefix}plain", SHAPE_FEATURES),
        Forest.from_arrays(arrays, f"{prefix}quality", CONFIDENCE_FEATURES),
    )


def model_arrays(model: LearnedModel, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return a model as arrays to save."""
    arrays = {"format": np.array(_FORMAT), **model.tokens.to_arrays(f"{prefix}tokens")}
    arrays |= model.page_tokens.to_arrays(f"{prefix}page_tokens")
    for name, expert in zip(EXPERTS, (model.article, model.other), strict=True):
        arrays |= expert.first.to_arrays(f"{prefix}{name}.first")
        arrays |= expert.second.to_arrays(f"{prefix}{name}.second")
    arrays |= model.types.to_arrays(f"{prefix}types")
    arrays |= model.plain.to_arrays(f"{prefix}plain")
    return arrays | model.confidence.to_arrays(f"{prefix}quality")
