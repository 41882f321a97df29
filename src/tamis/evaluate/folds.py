"""Folds: which model may judge which page.

A model that was trained on a data set is never judged on it. For the pages of that set there are
models of five folds, each of which has seen nothing of the sites of its own fold.
"""

from __future__ import annotations

import zlib
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Final

import numpy as np

from tamis.pipeline import METHODS, Method
from tamis.verdict import Identifier, Learned, Svm
from tamis.verdict.learned import model_of_bytes
from tamis.verdict.svm import LinearModel

FOLDS: Final = 5


def fold_of(group: str) -> int:
    """Return the fold of a site, the same in all of the project's cross-validations."""
    return zlib.crc32(group.encode("utf-8")) % FOLDS


def method_for(name: str, digest: str, group: str) -> Method:
    """Return the method of a name that may judge a page.

    `digest` is that of the data set's gold, `group` the page's site. If the shipped model was
    trained on the set it is the method with the model of the site's fold.
    """
    method = METHODS[name]
    if name not in READERS or digest != trained_on(name):
        return method
    return Method(method.segmenter, fold_identifiers(name)[fold_of(group)])


@cache
def trained_on(name: str) -> str:
    """Return the digest of the data set that a shipped model was trained on."""
    with np.load(BytesIO(fold_bytes(name))) as arrays:
        return str(arrays["gold"])


@cache
def fold_identifiers(name: str) -> tuple[Identifier, ...]:
    """Return the identifiers of all folds of a name, read at first use."""
    return READERS[name](fold_bytes(name))


def fold_bytes(name: str) -> bytes:
    """Return the file with the models of the folds."""
    return files("tamis.evaluate").joinpath(f"folds/{name}.npz").read_bytes()


def svm_folds(data: bytes) -> tuple[Identifier, ...]:
    """Return the support-vector classifiers of the folds."""
    with np.load(BytesIO(data)) as arrays:
        names = arrays["features"].tolist()
        pairs = zip(arrays["weights"].tolist(), arrays["bias"].tolist(), strict=True)
        return tuple(
            Svm(LinearModel(tuple(zip(names, weights, strict=True)), bias))
            for weights, bias in pairs
        )


def learned_folds(data: bytes) -> tuple[Identifier, ...]:
    """Return the learned method with the models of the folds."""
    return tuple(Learned(model=model_of_bytes(data, f"{fold}.")) for fold in range(FOLDS))


READERS: Final = {"svm": svm_folds, "learned": learned_folds}
