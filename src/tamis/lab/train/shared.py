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
from tamis.lab.systems.methods import FOLDS, domain_key, site_fold

Track = Callable[[Sequence[Any]], Iterable[Any]]  # takes pages and passes them on
OnStep = Callable[[str, str], object]  # takes the kind of the step that begins, and its details

# Authors and terms of the data sets that the shipped models were trained on.
_CREDITS: Final = {
    "wcxb-dev": "WCXB, Murrough Foley, CC BY 4.0",
    "news-dev": "fundus, flairNLP, MIT",
    "articles-dev": "parser, Postlight, MIT or Apache-2.0",
    "forums-dev": "magic-html, OpenDataLab, Apache-2.0",
    "posts-dev": "harvest, FHGR, Apache-2.0",
    "snippets-dev": "trafilatura, Adrien Barbaresi, Apache-2.0",
}
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
    return {site_fold(group) for group in groups} == set(range(FOLDS))


def too_few_sites(datasets: Sequence[Dataset]) -> InputError:
    """Return the error for data sets whose sites do not fill all folds."""
    names = " and ".join(dataset.name for dataset in datasets)
    verb = "has" if len(datasets) == 1 else "have"
    return InputError(f"{names} {verb} too few sites for {FOLDS} folds: add pages of others")


def training_arrays(datasets: Sequence[Dataset]) -> dict[str, NDArray[Any]]:
    """Return what `read_training` reads from a file of folds: digests of the gold, and domains."""
    domains = {domain_key(item.group) for dataset in datasets for item in dataset.items}
    return {
        "gold": np.array([dataset.digest for dataset in datasets]),
        "domains": np.array(sorted(domains), dtype=np.uint32),
    }


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
