"""Systems: what is measured, the methods of tamis as well as its peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from tamis.content import Document
from tamis.evaluate import folds
from tamis.evaluate.datasets import Dataset, Item
from tamis.pipeline import METHODS, Method, extract, named
from tamis.render import Browser


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
    plain = named(METHODS, name, "method")
    folded = bool(dataset.items) and method_for(name, dataset, dataset.items[0]) is not plain

    @contextmanager
    def started() -> Iterator[Extractor]:
        def answer(html: str, item: Item) -> Answer:
            page = browser.render(html) if browser else html
            document = extract(page, method=chosen[item.group])
            return Answer(document.text, document=document)

        # Loading models is no part of the time that a page takes.
        chosen = {item.group: method_for(name, dataset, item) for item in dataset.items}
        with Browser() if plain.needs_layout else nullcontext() as browser:
            yield answer

    return System(name, version, started, note="out of fold" if folded else "")


def method_for(name: str, dataset: Dataset, item: Item) -> Method:
    """Return the method for a page: one that has not learned from the page's site."""
    return folds.method_for(name, dataset.digest, item.group)
