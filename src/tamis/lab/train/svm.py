"""Trains the linear support-vector classifier of L-Extractor (Debnath et al. 2005 §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, TagSet
from tamis.errors import InputError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.gold import informative_blocks, segment_blocks
from tamis.lab.metrics.blocks import CONTENT
from tamis.lab.metrics.text import Counts
from tamis.lab.systems.methods import FOLDS, site_fold
from tamis.lab.train.shared import (
    OnStep,
    Track,
    archive_bytes,
    card_bytes,
    describe_dataset,
    has_all_folds,
    ignore_step,
    import_library,
    too_few_sites,
    training_arrays,
    write_model,
)
from tamis.page import Bools, parse
from tamis.verdict import SVM_FEATURES, LinearModel, Svm, shipped_linear_model, svm_features

SVM_STEPS: Final = {"reading pages": 1, "classifier": 1 + FOLDS}  # how often each kind is taken
_COST: Final = 1.0
_DIGITS: Final = 6


@dataclass(frozen=True, eq=False)
class SvmExample:
    """The blocks of a page to learn from."""

    group: str  # the site; pages of one site are in one fold
    features: Any  # a sparse matrix: one row per block, one column per name of SVM_FEATURES
    labels: Bools


@dataclass(frozen=True)
class BlockScore:
    """Accuracy on blocks, and b-precision, b-recall, b-F (Debnath et al. 2005, eq. 5–7)."""

    accuracy: float
    precision: float
    recall: float
    f1: float


def train_svm(
    dataset: Dataset,
    out: Path,
    *,
    folds_out: Path | None = None,
    seed: int = 0,
    track: Track = iter,
    on_step: OnStep = ignore_step,
) -> Svm:
    """Fit a classifier to a labelled data set and write it.

    With `folds_out` the classifiers of the folds are written too. `track` takes pages and passes
    them on, `on_step` takes each step of SVM_STEPS as it begins.
    """
    on_step("reading pages", f"{len(dataset.items):,} in all")
    examples = list(read_svm_examples(dataset, track))
    on_step("classifier", "all pages")
    svm = fit_svm_examples(examples, seed=seed)
    can_fold = has_all_folds(example.group for example in examples)
    if folds_out is not None and not can_fold:
        raise too_few_sites([dataset])
    folds = fit_folds(examples, seed=seed, on_step=on_step) if can_fold else ()
    card = {"seed": seed, **_build_card(dataset, examples), **_summarise_folds(examples, folds)}
    write_model(out, card_bytes({**card, **_model_fields(svm)}))
    if folds_out is not None:
        write_model(folds_out, _folds_archive(folds, dataset))
    return svm


def read_svm_examples(dataset: Dataset, track: Track = iter) -> Iterator[SvmExample]:
    """Yield the pages of a data set as examples, segmented by the paper's tag set.

    Labels come from the text of the content, or from labelled segments (headline and full text).
    Pages that do not hold the text of their content, or have none, teach nothing about their blocks
    and are left out.
    """
    if dataset.truth not in ("text", "labelled"):
        raise InputError(f"an svm learns from pages with main_content or segments: {dataset.name}")
    for item in track(dataset.items):
        blocks = TagSet("classic").segment(parse(item.html, item.url, deadline=None))
        labels = _label_blocks(blocks, item, dataset.truth)
        if labels.any() or dataset.truth == "labelled":
            yield build_svm_example(item.group, blocks, labels)


def build_svm_example(group: str, blocks: Blocks, labels: Bools) -> SvmExample:
    """Return the blocks of a page to learn from; those without text have no label."""
    has_text = blocks.owned(blocks.page.terms) > 0
    sparse = import_library("scipy.sparse", "scikit-learn")
    features = sparse.csr_matrix(svm_features(blocks)[has_text])
    return SvmExample(group, features, labels[has_text])


def _label_blocks(blocks: Blocks, item: Item, truth: str) -> Bools:
    """Return which blocks of a page are informative by its gold."""
    if truth == "text":
        return informative_blocks(blocks, item.gold["main_content"])
    segments = item.gold["segments"]
    is_content = [segment["label"] in CONTENT for segment in segments]
    return segment_blocks(blocks, [segment["text"] for segment in segments], is_content)


def fit_svm(pages: Iterable[tuple[Blocks, Bools]], *, seed: int = 0) -> Svm:
    """Return the classifier that is learned from blocks and which of them are informative."""
    examples = [build_svm_example("", blocks, labels) for blocks, labels in pages]
    return fit_svm_examples(examples, seed=seed)


def fit_svm_examples(examples: Sequence[SvmExample], *, seed: int = 0) -> Svm:
    """Return the classifier that is learned from examples (C = 1, all blocks weigh the same).

    The paper took C-SVC with a linear kernel. LinearSVC solves its primal form with the squared
    hinge, which converges to one solution within seconds on half a million blocks.
    """
    labels = _concatenate(example.labels for example in examples)
    if labels.all() or not labels.any():
        raise InputError("an svm learns from informative blocks and from noise: label some of both")
    sparse = import_library("scipy.sparse", "scikit-learn")
    classifier = import_library("sklearn.svm", "scikit-learn").LinearSVC
    learner = classifier(C=_COST, dual=False, random_state=seed)
    learner.fit(sparse.vstack([example.features for example in examples]), labels)
    pairs = zip(SVM_FEATURES, learner.coef_[0].tolist(), strict=True)
    rounded = ((name, round(weight, _DIGITS)) for name, weight in pairs)
    weights = tuple((name, weight) for name, weight in rounded if weight)
    return Svm(LinearModel(weights, round(float(learner.intercept_[0]), _DIGITS)))


def fit_folds(
    examples: Sequence[SvmExample], *, seed: int = 0, on_step: OnStep = ignore_step
) -> tuple[Svm, ...]:
    """Return for each fold the classifier that is learned from all other folds."""
    svms = []
    for fold in range(FOLDS):
        on_step("classifier", f"without fold {fold}")
        others = [example for example in examples if site_fold(example.group) != fold]
        svms.append(fit_svm_examples(others, seed=seed))
    return tuple(svms)


def score_folds(examples: Sequence[SvmExample], svms: Sequence[Svm]) -> tuple[BlockScore, ...]:
    """Return the score of each classifier on its own fold."""
    return tuple(
        score_svm(svm, [example for example in examples if site_fold(example.group) == fold])
        for fold, svm in enumerate(svms)
    )


def score_svm(svm: Svm, examples: Sequence[SvmExample]) -> BlockScore:
    """Return the score of a classifier on the blocks of some pages."""
    predicted = _concatenate(_predict(svm, example) for example in examples)
    labels = _concatenate(example.labels for example in examples)
    counts = Counts(int((predicted & labels).sum()), int(predicted.sum()), int(labels.sum()))
    right = int((predicted == labels).sum())
    accuracy = right / max(len(labels), 1)
    return BlockScore(accuracy, counts.precision, counts.recall, counts.f1)


def _predict(svm: Svm, example: SvmExample) -> Bools:
    """Return which blocks of an example a classifier takes for informative."""
    model = _get_model(svm)
    return np.asarray(example.features @ _weight_vector(model) + model.bias > 0)


def _concatenate(labels: Iterable[Bools]) -> Bools:
    """Return the labels of all pages; none for no pages."""
    return np.concatenate([np.zeros(0, dtype=np.bool_), *labels])


def _get_model(svm: Svm) -> LinearModel:
    """Return the model of a classifier, the shipped one if it has none of its own."""
    return svm.model or shipped_linear_model()


def _weight_vector(model: LinearModel) -> NDArray[np.float64]:
    """Return the weights of a model in the order of SVM_FEATURES."""
    by_name = dict(model.weights)
    return np.array([by_name.get(name, 0.0) for name in SVM_FEATURES])


def _build_card(dataset: Dataset, examples: Sequence[SvmExample]) -> dict[str, Any]:
    """Return what a model was learned from."""
    return {
        "method": "svm",
        **describe_dataset(dataset),
        "pages": len(examples),
        "blocks": sum(len(example.labels) for example in examples),
        "informative": sum(int(example.labels.sum()) for example in examples),
        "cost": _COST,
    }


def _summarise_folds(examples: Sequence[SvmExample], folds: Sequence[Svm]) -> dict[str, Any]:
    """Return the mean scores of the classifiers of the folds for the card, if there are any."""
    if not folds:
        return {}
    scores = score_folds(examples, folds)
    names = ("accuracy", "precision", "recall", "f1")
    means = {name: round(mean(getattr(score, name) for score in scores), 4) for name in names}
    return {"out_of_fold": {"folds": len(folds), **means}}


def _model_fields(svm: Svm) -> dict[str, Any]:
    """Return a classifier as fields of its file."""
    model = _get_model(svm)
    return {"bias": model.bias, "weights": dict(model.weights)}


def _folds_archive(svms: Sequence[Svm], dataset: Dataset) -> bytes:
    """Return the classifiers of the folds as a numpy archive.

    It has `features`, one row per fold in `weights` and `bias`, and what they were learned from.
    """
    models = [_get_model(svm) for svm in svms]
    arrays = {
        **training_arrays([dataset]),
        "features": np.array(SVM_FEATURES),
        "weights": np.array([_weight_vector(model) for model in models]),
        "bias": np.array([model.bias for model in models]),
    }
    return archive_bytes(arrays)
