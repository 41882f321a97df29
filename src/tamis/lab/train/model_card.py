"""Card: what a model was learned from, and how well it does on sites that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from tamis.blocks import TagSet
from tamis.lab.datasets import Dataset
from tamis.lab.metrics.statistics import calibration, mean_of
from tamis.lab.metrics.text import word_counts
from tamis.lab.systems.methods import FOLDS
from tamis.lab.train.examples import Example
from tamis.lab.train.learned import FIRST, PLAIN, QUALITY, SECOND, TYPE, Trained
from tamis.lab.train.save import CREDITS
from tamis.page import parse
from tamis.verdict import Learned, PageVerdict
from tamis.verdict.learned import PAGE_TYPES

DIGITS: Final = 4

Examples = Sequence[Example]


@dataclass(frozen=True)
class PageScore:
    """How a model that has not seen a page's site does on the page."""

    page_type: str | None  # that the gold tells
    told: PageVerdict
    f1: float


def card(dataset: Dataset, examples: Examples, found: Trained, seed: int) -> dict[str, Any]:
    """Return all there is to say of a model; its quality is that of all pages of the set."""
    settings = {
        "first": FIRST,
        "second": SECOND,
        "type": TYPE,
        "plain": PLAIN,
        "quality": QUALITY,
    }
    return {
        "method": "learned",
        "data": dataset.name,
        "gold": dataset.digest,
        **({"credit": CREDITS[dataset.name]} if dataset.name in CREDITS else {}),
        "pages": len(dataset.items),
        "examples": len(examples),
        "blocks": sum(len(example.target) for example in examples),
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "settings": {name: dict(values) for name, values in settings.items()},
        "out_of_fold": quality_facts(page_scores(dataset, examples, found)),
    }


def page_scores(dataset: Dataset, examples: Examples, found: Trained) -> list[PageScore]:
    """Return the scores of all pages of a set; those without blocks give the empty answer."""
    scores = [
        PageScore(
            example.page_type,
            PageVerdict(PAGE_TYPES[int(np.argmax(judged.types))], float(sure)),
            judged.f1,
        )
        for example, judged, sure in zip(examples, found.judged, found.confidence, strict=True)
    ]
    known = {example.id for example in examples}
    nothing = empty_verdict(found)
    scores += [
        PageScore(
            item.gold.get("page_type"), nothing, word_counts("", item.gold["main_content"]).f1
        )
        for item in dataset.items
        if item.id not in known
    ]
    return scores


def empty_verdict(found: Trained) -> PageVerdict:
    """Return what the method tells of a page without blocks."""
    told = Learned(model=found.model).identify(TagSet().segment(parse(""))).page
    return told or PageVerdict(None, 0.0)


def quality_facts(scores: Sequence[PageScore]) -> dict[str, Any]:
    """Return the word F1, the accuracy of page types, and how well the confidence tells the F1."""
    by_type = {
        kind: [score for score in scores if score.page_type == kind]
        for kind in sorted({str(score.page_type) for score in scores if score.page_type})
    }
    typed = [score for some in by_type.values() for score in some]
    fit = calibration([score.told.confidence for score in scores], [score.f1 for score in scores])
    return {
        "folds": FOLDS,
        "f1": {
            **mean_f1(scores),
            "by_type": {kind: mean_f1(some) for kind, some in by_type.items()},
        },
        "page_type_accuracy": {
            "mean": accuracy(typed),
            "by_type": {kind: accuracy(some) for kind, some in by_type.items()},
        },
        "confidence": {
            "brier": round(fit.brier, DIGITS),
            "constant_brier": round(fit.constant_brier, DIGITS),
            "expected_calibration_error": round(fit.expected_error, DIGITS),
        },
    }


def mean_f1(scores: Sequence[PageScore]) -> Mapping[str, float | int | None]:
    """Return the mean F1 of pages, its standard error, and how many pages they are."""
    mean = mean_of([score.f1 for score in scores])
    error = None if mean.error is None else round(mean.error, DIGITS)
    return {"mean": round(mean.value, DIGITS), "error": error, "pages": mean.count}


def accuracy(scores: Sequence[PageScore]) -> float | None:
    """Return the share of pages whose type is told rightly, or None where no type is known."""
    right = [score.told.page_type == score.page_type for score in scores]
    return round(sum(right) / len(right), DIGITS) if right else None
