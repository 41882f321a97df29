"""Folds: which model may judge which page.

A model that was trained on a data set is never judged on it. For the pages of that set there are
models of five folds, each of which has seen nothing of the sites of its own fold.

Systems: what is measured, the methods of tamis as well as its peers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Final

import numpy as np

from tamis.content import Document
from tamis.lab.datasets import Dataset, Item
from tamis.pipeline import METHODS, Method, extract, look_up
from tamis.render import Browser
from tamis.verdict import Identifier, Learned, LinearModel, Svm
from tamis.verdict.learned import load_model

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
    return files("tamis.lab.systems").joinpath(f"folds/{name}.npz").read_bytes()


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
    return tuple(Learned(model=load_model(data, f"{fold}.")) for fold in range(FOLDS))


READERS: Final = {"svm": svm_folds, "learned": learned_folds}


@dataclass(frozen=True)
class Answer:
    """What a system makes of a page."""

    text: str
    seconds: float | None = None  # where the system took the time itself
    document: Document | None = None  # where it is a method of tamis


Extractor = Callable[[str, Item], Answer]


@dataclass(frozen=True)
class System:
    """A way to extract text.

    `version` is all that its answers depend on. `started` loads what it needs, and gives a
    function from pages to answers that can be used until the context ends.
    """

    name: str
    version: str
    started: Callable[[], AbstractContextManager[Extractor]]
    is_peer: bool = False
    note: str = ""

    @property
    def label(self) -> str:
        """Its name as people see it."""
        return f"{self.name} ({self.note})" if self.note else self.name


def methods(names: Sequence[str], dataset: Dataset, version: str) -> list[System]:
    """Return methods of tamis as systems; what was trained on the set is taken out of fold."""
    return [method_system(name, dataset, version) for name in names]


def method_system(name: str, dataset: Dataset, version: str) -> System:
    """Return a method of tamis as a system."""
    plain = look_up(METHODS, name, "method")
    folded = bool(dataset.items) and fold_method(name, dataset, dataset.items[0]) is not plain

    @contextmanager
    def started() -> Iterator[Extractor]:
        def answer(html: str, item: Item) -> Answer:
            page = browser.render(html) if browser else html
            document = extract(page, method=chosen[item.group])
            return Answer(document.text, document=document)

        # Loading models is no part of the time that a page takes.
        chosen = {item.group: fold_method(name, dataset, item) for item in dataset.items}
        with Browser() if plain.needs_layout else nullcontext() as browser:
            yield answer

    return System(name, version, started, note="out of fold" if folded else "")


def fold_method(name: str, dataset: Dataset, item: Item) -> Method:
    """Return the method for a page: one that has not learned from the page's site."""
    return method_for(name, dataset.digest, item.group)
