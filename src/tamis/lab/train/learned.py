"""Trains the learned method on a data set: writes the model, the models of the folds and the card.

The model card says what the model was learned from, and how good the answers are on sites that a
model has not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TagSet
from tamis.lab.datasets import Dataset
from tamis.lab.metrics.statistics import calibration, mean_of
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
    write_model,
)
from tamis.lab.train.trainer import SETTINGS
from tamis.page import parse
from tamis.verdict import Learned, PageVerdict
from tamis.verdict.learned import PAGE_TYPES, LearnedModel, model_arrays

# How often each kind of step is taken.
LEARNED_STEPS: Final = {"reading pages": 1, "copying pages": 1, **FIT_STEPS}
_DIGITS: Final = 4


def train_learned(
    dataset: Dataset,
    out: Path,
    *,
    folds_out: Path | None = None,
    seed: int = 0,
    track: Track = iter,
    on_step: OnStep = ignore_step,
) -> dict[str, Any]:
    """Train the learned method, write its model and the card beside it, and return the card.

    With `folds_out` the models of the folds are written too. `track` takes pages and passes them
    on, `on_step` takes each step of LEARNED_STEPS as it begins.
    """
    # Libraries and folds are checked first, so that no pages are read in vain.
    import_library("lightgbm", "LightGBM")
    import_library("rapidfuzz", "rapidfuzz")
    if not has_all_folds(item.group for item in dataset.items):
        raise too_few_sites(dataset)
    on_step("reading pages", f"{len(dataset.items):,} in all")
    examples = list(read_examples(dataset, track))
    on_step("copying pages", f"{len(examples):,} in all")
    copies = list(copy_examples(dataset, examples, track))
    fitted = fit_models([*examples, *copies], seed=seed, on_step=on_step)
    card = _build_card(dataset, examples, fitted, seed)
    write_model(out, archive_bytes(model_arrays(fitted.model)))
    write_model(out.with_suffix(".json"), card_bytes(card))
    if folds_out is not None:
        write_model(folds_out, archive_bytes(_fold_arrays(fitted.folds, dataset.digest)))
    return card


def _fold_arrays(folds: Sequence[LearnedModel], digest: str) -> dict[str, NDArray[Any]]:
    """Return the models of the folds as arrays, with the digest of the gold they learned from."""
    arrays: dict[str, NDArray[Any]] = {"gold": np.array(digest)}
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
    dataset: Dataset, examples: Sequence[Example], fitted: FittedModels, seed: int
) -> dict[str, Any]:
    """Return the card of a model; the quality is that on all pages of the data set."""
    return {
        "method": "learned",
        **describe_dataset(dataset),
        "pages": len(dataset.items),
        "examples": len(examples),
        "blocks": sum(len(example.target) for example in examples),
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "settings": {kind: dict(settings) for kind, settings in SETTINGS.items()},
        "out_of_fold": _summarise_scores(_score_pages(dataset, examples, fitted)),
    }


def _score_pages(
    dataset: Dataset, examples: Sequence[Example], fitted: FittedModels
) -> list[_PageScore]:
    """Return the scores of all pages of a data set. Those without blocks get the empty answer."""
    triples = zip(examples, fitted.judgements, fitted.confidence, strict=True)
    scores = [
        _PageScore(
            example.page_type,
            PageVerdict(PAGE_TYPES[int(np.argmax(judgement.types))], float(confidence)),
            judgement.f1,
        )
        for example, judgement, confidence in triples
    ]
    scored_ids = {example.id for example in examples}
    empty = _empty_verdict(fitted.model)
    scores += [
        _PageScore(item.gold.get("page_type"), empty, word_counts("", item.gold["main_content"]).f1)
        for item in dataset.items
        if item.id not in scored_ids
    ]
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
    fit = calibration(confidences, [score.f1 for score in scores])
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
    mean = mean_of([score.f1 for score in scores])
    error = None if mean.error is None else round(mean.error, _DIGITS)
    return {"mean": round(mean.value, _DIGITS), "error": error, "pages": mean.count}


def _type_accuracy(scores: Sequence[_PageScore]) -> float | None:
    """Return the share of pages with the right page type, or None without pages."""
    is_right = [score.verdict.page_type == score.page_type for score in scores]
    return round(sum(is_right) / len(is_right), _DIGITS) if is_right else None
