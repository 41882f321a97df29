"""Fits the linear support-vector classifier of L-Extractor, 004 §7."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, TagSet
from tamis.errors import InputError, unavailable
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.gold import informative_blocks, segment_blocks
from tamis.lab.metrics.blocks import CONTENT
from tamis.lab.metrics.text import Counts
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train.save import CREDITS, archive_bytes, card_bytes, write_model
from tamis.lab.train.steps import Step, Watch, say_nothing
from tamis.page import Bools, parse
from tamis.verdict import SVM_FEATURES, LinearModel, Svm, shipped_linear_model, svm_features

COST: Final = 1.0
DIGITS: Final = 6
CURVE: Final = (5, 10, 20, 50, 100, 200, 300)
PLAN: Final = {"reading pages": 1, "classifier": 1 + FOLDS}  # how often each step is taken


@dataclass(frozen=True, eq=False)
class SvmExample:
    """The blocks of a page as a learner sees them."""

    group: str  # the site; pages of one site are in one fold
    features: Any  # a sparse matrix: a row a block, a column a name of FEATURES
    labels: Bools


@dataclass(frozen=True)
class Score:
    """How well blocks are told apart: accuracy, and b-precision, b-recall, b-F (004 eq. 5–7)."""

    accuracy: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class CurvePoint:
    """Accuracy after learning from so many pages: mean and standard deviation over the folds."""

    pages: int
    accuracy: float
    spread: float


def fit_svm(pages: Iterable[tuple[Blocks, Bools]], *, seed: int = 0) -> Svm:
    """Return the classifier that is learned from blocks and which of them are informative."""
    return fitted([example("", blocks, labels) for blocks, labels in pages], seed=seed)


def example(group: str, blocks: Blocks, labels: Bools) -> SvmExample:
    """Return the blocks of a page as a learner sees them; those without text have no label."""
    sparse, _ = _libraries()
    some = blocks.owned(blocks.page.terms) > 0
    return SvmExample(group, sparse.csr_matrix(svm_features(blocks)[some]), labels[some])


def fitted(examples: Sequence[SvmExample], *, seed: int = 0) -> Svm:
    """Return the classifier that is learned from examples (C = 1, all blocks weigh the same).

    The paper took C-SVC with a linear kernel. LinearSVC solves its primal form with the squared
    hinge, which converges to one answer within seconds on half a million blocks.
    """
    labels = np.concatenate([np.zeros(0, dtype=np.bool_), *(page.labels for page in examples)])
    if labels.all() or not labels.any():
        raise InputError("an svm learns from informative blocks and from noise: label some of both")
    sparse, classifier = _libraries()
    learner = classifier(C=COST, dual=False, random_state=seed)
    learner.fit(sparse.vstack([page.features for page in examples]), labels)
    weights = zip(SVM_FEATURES, learner.coef_[0].tolist(), strict=True)
    rounded = tuple((name, round(value, DIGITS)) for name, value in weights if round(value, DIGITS))
    return Svm(LinearModel(rounded, round(float(learner.intercept_[0]), DIGITS)))


def _libraries() -> tuple[Any, Any]:
    """Return scipy's sparse matrices and scikit-learn's classifier."""
    try:
        from scipy import sparse
        from sklearn.svm import LinearSVC
    except ImportError as error:
        raise unavailable("training needs scikit-learn", "train") from error
    return sparse, LinearSVC


def fold_svms(
    examples: Sequence[SvmExample], *, seed: int = 0, step: Step = say_nothing
) -> tuple[Svm, ...]:
    """Return for each fold the classifier that is learned from all other folds."""
    svms = []
    for fold in range(FOLDS):
        step("classifier", f"without fold {fold}")
        svms.append(fitted([page for page in examples if fold_of(page.group) != fold], seed=seed))
    return tuple(svms)


def fold_scores(examples: Sequence[SvmExample], svms: Sequence[Svm]) -> tuple[Score, ...]:
    """Return how well each classifier tells the blocks of its own fold apart."""
    return tuple(
        score(svm, [page for page in examples if fold_of(page.group) == fold])
        for fold, svm in enumerate(svms)
    )


def accuracy_curve(
    examples: Sequence[SvmExample], sizes: Sequence[int] = CURVE, *, seed: int = 0
) -> tuple[CurvePoint, ...]:
    """Return the accuracy against the number of pages learned from, as in 004's Figure 10.

    In each fold, so many pages of the other folds are drawn to learn from, a greater number with
    all pages of a smaller one; the whole fold is tested. Numbers that a fold cannot give are left
    out.
    """
    order = np.random.default_rng(seed).permutation(len(examples))
    mixed = [examples[place] for place in order]
    parts = [
        (
            [page for page in mixed if fold_of(page.group) != fold],
            [page for page in mixed if fold_of(page.group) == fold],
        )
        for fold in range(FOLDS)
    ]
    most = min(len(known) for known, _ in parts)
    points: list[CurvePoint] = []
    for size in (size for size in sizes if size <= most):
        found = [score(fitted(known[:size], seed=seed), rest).accuracy for known, rest in parts]
        points.append(CurvePoint(size, mean(found), stdev(found)))
    return tuple(points)


def score(svm: Svm, examples: Sequence[SvmExample]) -> Score:
    """Return how well a classifier tells the blocks of some pages apart."""
    kept = np.concatenate([np.zeros(0, np.bool_), *(decisions(svm, page) for page in examples)])
    wanted = np.concatenate([np.zeros(0, np.bool_), *(page.labels for page in examples)])
    counts = Counts(int((kept & wanted).sum()), int(kept.sum()), int(wanted.sum()))
    right = int((kept == wanted).sum())
    return Score(right / max(len(kept), 1), counts.precision, counts.recall, counts.f1)


def decisions(svm: Svm, page: SvmExample) -> Bools:
    """Return which blocks of an example a classifier takes for informative."""
    model = model_of(svm)
    return np.asarray(page.features @ weights_of(model) + model.bias > 0)


def model_of(svm: Svm) -> LinearModel:
    """Return the model of a classifier, the shipped one where it has none of its own."""
    return svm.model or shipped_linear_model()


def weights_of(model: LinearModel) -> NDArray[np.float64]:
    """Return the weights of a model in the order of FEATURES."""
    by_name = dict(model.weights)
    return np.array([by_name.get(name, 0.0) for name in SVM_FEATURES])


def labelled_examples(dataset: Dataset, watch: Watch = iter) -> Iterator[SvmExample]:
    """Yield the pages of a data set as examples, cut by the paper's tag set.

    Labels come from the text of the content, or from labelled segments (headline and full text).
    Pages that do not hold the text of their content, or have none, say nothing about their blocks
    and are left out.
    """
    if dataset.truth not in ("text", "labelled"):
        raise InputError(f"an svm learns from pages with main_content or segments: {dataset.name}")
    for item in watch(dataset.items):
        blocks = TagSet("classic").segment(parse(item.html, item.url, deadline=None))
        labels = labels_of(blocks, item, dataset.truth)
        if labels.any() or dataset.truth == "labelled":
            yield example(item.group, blocks, labels)


def labels_of(blocks: Blocks, item: Item, truth: str) -> Bools:
    """Return which blocks of a page are informative by the truth about it."""
    if truth == "text":
        return informative_blocks(blocks, item.gold["main_content"])
    segments = item.gold["segments"]
    wanted = [segment["label"] in CONTENT for segment in segments]
    return segment_blocks(blocks, [segment["text"] for segment in segments], wanted)


def train_svm(
    dataset_folder: Path,
    out: Path,
    *,
    folds_out: Path | None = None,
    seed: int = 0,
    watch: Watch = iter,
    step: Step = say_nothing,
) -> Svm:
    """Fit a classifier on a labelled folder and write it; with `folds_out` those of the folds too.

    `watch` is given the pages and passes them on, `step` is told each step of PLAN as it begins.
    """
    dataset = load(str(dataset_folder))
    step("reading pages", f"{len(dataset.items):,} in all")
    examples = list(labelled_examples(dataset, watch))
    step("classifier", "all pages")
    svm = fitted(examples, seed=seed)
    can_fold = {fold_of(page.group) for page in examples} == set(range(FOLDS))
    if folds_out is not None and not can_fold:
        raise InputError(f"{dataset.name} has too few sites for {FOLDS} folds: add pages of others")
    folds = fold_svms(examples, seed=seed, step=step) if can_fold else ()
    facts = {"seed": seed, **card(dataset, examples), **checked(examples, folds)}
    write_model(out, card_bytes({**facts, **model_facts(svm)}))
    if folds_out is not None:
        write_model(folds_out, folds_bytes(folds, dataset.digest))
    return svm


def card(dataset: Dataset, examples: Sequence[SvmExample]) -> dict[str, Any]:
    """Return what a model was learned from."""
    return {
        "method": "svm",
        "data": dataset.name,
        "gold": dataset.digest,
        **({"credit": CREDITS[dataset.name]} if dataset.name in CREDITS else {}),
        "pages": len(examples),
        "blocks": sum(len(page.labels) for page in examples),
        "informative": sum(int(page.labels.sum()) for page in examples),
        "cost": COST,
    }


def checked(examples: Sequence[SvmExample], folds: Sequence[Svm]) -> dict[str, Any]:
    """Return how well the classifiers of the folds do, if there are any, for the card."""
    if not folds:
        return {}
    found = fold_scores(examples, folds)
    names = ("accuracy", "precision", "recall", "f1")
    means = {name: round(mean(getattr(one, name) for one in found), 4) for name in names}
    return {"out_of_fold": {"folds": len(folds), **means}}


def model_facts(svm: Svm) -> dict[str, Any]:
    """Return a classifier as plain data."""
    model = model_of(svm)
    return {"bias": model.bias, "weights": dict(model.weights)}


def folds_bytes(svms: Sequence[Svm], digest: str) -> bytes:
    """Return classifiers as a numpy archive.

    It has `features`, a row a fold of `weights` and `bias`, and as `gold` the digest of the gold
    that they were learned from.
    """
    models = [model_of(svm) for svm in svms]
    arrays = {
        "gold": np.array(digest),
        "features": np.array(SVM_FEATURES),
        "weights": np.array([weights_of(model) for model in models]),
        "bias": np.array([model.bias for model in models]),
    }
    return archive_bytes(arrays)
