"""Trains the learned method on a data set and writes the model, its folds and its card."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError, unavailable
from tamis.lab.datasets import Dataset
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train.augmentation import copied_examples
from tamis.lab.train.examples import examples_of
from tamis.lab.train.learned import STEPS, trained
from tamis.lab.train.model_card import card
from tamis.lab.train.save import archive_bytes, card_bytes, write_model
from tamis.lab.train.steps import Step, Watch, say_nothing
from tamis.verdict.learned import LearnedModel, model_arrays

PLAN: Final = {"reading pages": 1, "copying pages": 1, **STEPS}  # how often each step is taken


def train_learned(
    dataset: Dataset,
    out: Path,
    *,
    folds_out: Path | None = None,
    seed: int = 0,
    watch: Watch = iter,
    step: Step = say_nothing,
) -> dict[str, Any]:
    """Train the learned method on a data set, write its model and a card beside it, return that.

    With `folds_out` the models of the folds are written too. `watch` is given pages and passes them
    on, `step` is told each step of PLAN as it begins.
    """
    check_installed("lightgbm", "LightGBM")
    check_installed("rapidfuzz", "rapidfuzz")
    if {fold_of(item.group) for item in dataset.items} != set(range(FOLDS)):
        raise InputError(f"{dataset.name} has too few sites for {FOLDS} folds: add pages of others")
    step("reading pages", f"{len(dataset.items):,} in all")
    examples = list(examples_of(dataset, watch))
    step("copying pages", f"{len(examples):,} in all")
    copies = list(copied_examples(dataset, examples, watch))
    found = trained([*examples, *copies], seed=seed, step=step)
    facts = card(dataset, examples, found, seed)
    write_model(out, archive_bytes(model_arrays(found.model)))
    write_model(card_path(out), card_bytes(facts))
    if folds_out is not None:
        write_model(folds_out, archive_bytes(fold_arrays(found.folds, dataset.digest)))
    return facts


def fold_arrays(folds: Sequence[LearnedModel], digest: str) -> dict[str, NDArray[Any]]:
    """Return the models of the folds as arrays, with the digest of the gold they learned from."""
    arrays: dict[str, NDArray[Any]] = {"gold": np.array(digest)}
    for fold, model in enumerate(folds):
        arrays |= model_arrays(model, f"{fold}.")
    return arrays


def card_path(out: Path) -> Path:
    """Return the file of the card of a model."""
    return out.with_suffix(".json")


def check_installed(module: str, name: str) -> None:
    """Raise an error if a library is missing, before pages are read in vain."""
    try:
        import_module(module)
    except ImportError as error:
        raise unavailable(f"training needs {name}", "train") from error
