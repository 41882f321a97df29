"""What the trainings of all methods share: callbacks for progress, checks, and files of models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError, unavailable
from tamis.files import explain_write_errors, write_whole
from tamis.lab.datasets import Dataset
from tamis.lab.systems.methods import FOLDS, fold_of

Track = Callable[[Sequence[Any]], Iterable[Any]]  # takes pages and passes them on
OnStep = Callable[[str, str], object]  # takes the kind of the step that begins, and its details

_CREDITS: Final = {"wcxb-dev": "WCXB, Murrough Foley, CC BY 4.0"}
_DATE: Final = (1980, 1, 1, 0, 0, 0)  # of all members of an archive, whenever it is written
_UNIX: Final = 3  # likewise the system, wherever it is written


def ignore_step(_kind: str, _details: str) -> None:
    """Do nothing with a step that begins."""


def import_library(module: str, name: str) -> Any:
    """Return a library of the extra `train`, or raise an error that says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise unavailable(f"training needs {name}", "train") from error


def has_all_folds(groups: Iterable[str]) -> bool:
    """Return whether every fold has a page, so that models can be judged out of fold."""
    return {fold_of(group) for group in groups} == set(range(FOLDS))


def too_few_sites(dataset: Dataset) -> InputError:
    """Return the error for a data set whose sites do not fill all folds."""
    return InputError(f"{dataset.name} has too few sites for {FOLDS} folds: add pages of others")


def describe_dataset(dataset: Dataset) -> dict[str, Any]:
    """Return the fields of a model card that name the data set, and its authors if it is known."""
    credit = _CREDITS.get(dataset.name)
    return {
        "data": dataset.name,
        "gold": dataset.digest,
        **({"credit": credit} if credit else {}),
    }


def archive_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as a compressed numpy archive. Equal arrays always give equal bytes."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            member = BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array).reshape(array.shape))
            info = ZipInfo(f"{name}.npy", _DATE)
            info.create_system = _UNIX
            archive.writestr(info, member.getvalue(), ZIP_DEFLATED, 9)
    return buffer.getvalue()


def card_bytes(card: Mapping[str, Any]) -> bytes:
    """Return a model card as JSON."""
    return (json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode()


def write_model(path: Path, content: bytes) -> None:
    """Write a model file and create its folder. The file is complete or does not exist."""
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
