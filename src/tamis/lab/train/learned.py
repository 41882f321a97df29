"""Trains the learned method on data sets: writes the model, the models of the folds and the card.

The model card says what the model was learned from, and how good the answers are on sites that a
model has not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from tamis.blocks import TagSet
from tamis.lab.datasets import Dataset
from tamis.lab.metrics.statistics import calibrate, mean_with_error
from tamis.lab.metrics.text import word_counts
from tamis.lab.systems.methods import FOLDS
from tamis.lab.train.augmentation import copy_examples
from tamis.lab.train.cross_validation import FIT_STEPS, FittedModels, fit_models
from tamis.lab.train.examples import Example, read_examples
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
from tamis.lab.train.trainer import SETTINGS
from tamis.page import parse
from tamis.verdict import Learned, PageVerdict
from tamis.verdict.learned import LearnedModel, model_arrays

# How often each kind of step is taken.
LEARNED_STEPS: Final = {"reading pages": 1, "copying pages": 1, **FIT_STEPS}
_DIGITS: Final = 4


def train_learned(
    datasets: Sequence[Dataset],
    out: Path,
    *,
    folds_out: Path | None = None,
    seed: int = 0,
    track: Track = iter,
    on_step: OnStep = ignore_step,
) -> dict[str, Any]:
    """Train the learned method, write its model and the card beside it, and return the card.

    The folds are made of the sites of all data sets together, so that a model that is judged on a
    site has seen it in none of them. With `folds_out` the models of the folds are written too.
    `track` takes pages and passes them on, `on_step` takes each step of LEARNED_STEPS as it begins.
    """
    # Libraries and folds are checked first, so that no pages are read in vain.
    import_library("lightgbm", "LightGBM")
    import_library("rapidfuzz", "rapidfuzz")
    if not has_all_folds(item.group for dataset in datasets for item in dataset.items):
        raise too_few_sites(datasets)
    on_step("reading pages", f"{sum(len(dataset.items) for dataset in datasets):,} in all")
    examples = [example for dataset in datasets for example in read_examples(dataset, track)]
    on_step("copying pages", f"{len(examples):,} in all")
    copies = list(copy_examples(datasets, examples, track))
    fitted = fit_models([*examples, *copies], seed=seed, on_step=on_step)
    card = _build_card(datasets, examples, fitted, seed)
    write_model(out, archive_bytes(model_arrays(fitted.model)))
    write_model(out.with_suffix(".json"), card_bytes(card))
    if folds_out is not None:
        write_model(folds_out, archive_bytes(_fold_arrays(fitted.folds, datasets)))
    return card


def _fold_arrays(
    folds: Sequence[LearnedModel], datasets: Sequence[Dataset]
) -> dict[str, NDArray[Any]]:
    """Return the models of the folds as arrays, with what they learned from."""
    arrays = training_arrays(datasets)
    for fold, model in enumerate(folds):
        arrays |= model_arrays(model, f"{fold}.")
    return arrays


# The model card ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PageScore:
    """How good the answer to a page is, by a model that has not seen the page's site."""

    page_type: str | None  # by the gold
    verdict: PageVerdict
    f1: float


def _build_card(
    datasets: Sequence[Dataset], examples: Sequence[Example], fitted: FittedModels, seed: int
) -> dict[str, Any]:
    """Return the card of a model, with the quality on all pages of each data set with full gold."""
    scores = _score_pages(datasets, examples, fitted)
    return {
        "method": "learned",
        "data": [
            {**describe_dataset(dataset), "pages": len(dataset.items)} for dataset in datasets
        ],
        "examples": len(examples),
        "blocks": sum(len(example.target) for example in examples),
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "settings": {kind: dict(settings) for kind, settings in SETTINGS.items()},
        "out_of_fold": {
            name: _summarise_scores(set_scores) for name, set_scores in scores.items() if set_scores
        },
    }


def _score_pages(
    datasets: Sequence[Dataset], examples: Sequence[Example], fitted: FittedModels
) -> dict[str, list[_PageScore]]:
    """Return the scores of all pages, by data set. Those without blocks get the empty answer."""
    judged = [example for example in examples if example.is_judged]
    scores: dict[str, list[_PageScore]] = {dataset.name: [] for dataset in datasets}
    for example, judgement, confidence in zip(
        judged, fitted.judgements, fitted.confidence, strict=True
    ):
        verdict = PageVerdict(judgement.answer.page_type, float(confidence))
        scores[example.dataset].append(_PageScore(example.page_type, verdict, judgement.f1))
    read_ids = {(example.dataset, example.id) for example in examples}
    empty = _empty_verdict(fitted.model)
    for dataset in datasets:
        for item in dataset.items:
            if "main_content" in item.gold and (dataset.name, item.id) not in read_ids:
                f1 = word_counts("", item.gold["main_content"]).f1
                scores[dataset.name].append(_PageScore(item.gold.get("page_type"), empty, f1))
    return scores


def _empty_verdict(model: LearnedModel) -> PageVerdict:
    """Return the method's verdict on a page without blocks."""
    verdict = Learned(model=model).identify(TagSet().segment(parse("")))
    return verdict.page or PageVerdict(None, 0.0)


def _summarise_scores(scores: Sequence[_PageScore]) -> dict[str, Any]:
    """Return word F1, accuracy of page types, and how well the confidence predicts the F1."""
    by_type = {
        page_type: [score for score in scores if score.page_type == page_type]
        for page_type in sorted({str(score.page_type) for score in scores if score.page_type})
    }
    typed = [score for type_scores in by_type.values() for score in type_scores]
    confidences = [score.verdict.confidence for score in scores]
    fit = calibrate(confidences, [score.f1 for score in scores])
    return {
        "folds": FOLDS,
        "f1": {
            **_mean_f1(scores),
            "by_type": {page_type: _mean_f1(group) for page_type, group in by_type.items()},
        },
        "page_type_accuracy": {
            "mean": _type_accuracy(typed),
            "by_type": {page_type: _type_accuracy(group) for page_type, group in by_type.items()},
        },
        "confidence": {
            "brier": round(fit.brier, _DIGITS),
            "constant_brier": round(fit.constant_brier, _DIGITS),
            "expected_calibration_error": round(fit.expected_error, _DIGITS),
        },
    }


def _mean_f1(scores: Sequence[_PageScore]) -> Mapping[str, float | int | None]:
    """Return the mean F1 of pages, its standard error, and the number of pages."""
    mean = mean_with_error([score.f1 for score in scores])
    error = None if mean.error is None else round(mean.error, _DIGITS)
    return {"mean": round(mean.value, _DIGITS), "error": error, "pages": mean.count}


def _type_accuracy(scores: Sequence[_PageScore]) -> float | None:
    """Return the share of pages with the right page type, or None without pages."""
    is_right = [score.verdict.page_type == score.page_type for score in scores]
    return round(sum(is_right) / len(is_right), _DIGITS) if is_right else None
