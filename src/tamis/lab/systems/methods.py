"""Systems: what is measured. Here methods of tamis, and baselines that need no method at all.

A model is never judged on a site that it was trained on, whatever set a page is from. For the sites
that the shipped model has seen there are models of five folds, each of which has seen nothing of
the sites of its fold. A site is a registered domain.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, Final

import numpy as np

from tamis.blocks import Blocks, TagSet
from tamis.content import Document
from tamis.errors import unavailable
from tamis.lab.datasets import Dataset, Item
from tamis.pipeline import METHODS, Method, extract, look_up
from tamis.render import Browser
from tamis.verdict import Identifier, Learned, LinearModel, Svm, Verdict, build_verdict
from tamis.verdict.learned import load_model

FOLDS: Final = 5


@cache
def registered_domain(group: str) -> str:
    """Return the domain that the owner of a site registered; the name itself if it is no domain."""
    return _suffix_list()(group).top_domain_under_public_suffix or group


@cache
def _suffix_list() -> Callable[[str], Any]:
    """Return tldextract with the list of public suffixes that it ships."""
    try:
        from tldextract import TLDExtract
    except ImportError as error:
        raise unavailable("telling sites apart needs tldextract", "evaluate", "train") from error
    return TLDExtract(cache_dir=None, suffix_list_urls=())


def domain_key(group: str) -> int:
    """Return the number by which the domain of a site is known in files of folds."""
    return zlib.crc32(registered_domain(group).encode("utf-8"))


def site_fold(group: str) -> int:
    """Return the fold of a site, the same in all of the project's cross-validations."""
    return domain_key(group) % FOLDS


def find_method(name: str, digest: str, group: str) -> Method:
    """Return the method of a name that may judge a page.

    `digest` is that of the data set's gold, `group` the page's site. If the shipped model was
    trained on the set or on other pages of the site, it is the method with the model of the site's
    fold.
    """
    method = METHODS[name]
    if name not in FOLD_PARSERS:
        return method
    training = read_training(name)
    if digest not in training.digests and domain_key(group) not in training.domains:
        return method
    return Method(method.segmenter, read_fold_identifiers(name)[site_fold(group)])


@dataclass(frozen=True)
class Training:
    """What a shipped model was trained on: digests of the gold, and keys of domains."""

    digests: frozenset[str]
    domains: frozenset[int]


@cache
def read_training(name: str) -> Training:
    """Return what a shipped model was trained on."""
    with np.load(BytesIO(_read_folds(name))) as arrays:
        digests, domains = arrays["gold"], arrays["domains"]
        return Training(frozenset(digests.tolist()), frozenset(domains.tolist()))


@cache
def read_fold_identifiers(name: str) -> tuple[Identifier, ...]:
    """Return the identifiers of all folds of a name, read at first use."""
    return FOLD_PARSERS[name](_read_folds(name))


def _read_folds(name: str) -> bytes:
    """Return the file with the models of the folds."""
    return files("tamis.lab.systems").joinpath(f"folds/{name}.npz").read_bytes()


def parse_svm_folds(data: bytes) -> tuple[Identifier, ...]:
    """Return the support-vector classifiers of the folds."""
    with np.load(BytesIO(data)) as arrays:
        names = arrays["features"].tolist()
        pairs = zip(arrays["weights"].tolist(), arrays["bias"].tolist(), strict=True)
        return tuple(
            Svm(LinearModel(tuple(zip(names, weights, strict=True)), bias))
            for weights, bias in pairs
        )


def parse_learned_folds(data: bytes) -> tuple[Identifier, ...]:
    """Return the learned method with the models of the folds."""
    return tuple(Learned(model=load_model(data, f"{fold}.")) for fold in range(FOLDS))


FOLD_PARSERS: Final = {"svm": parse_svm_folds, "learned": parse_learned_folds}


@dataclass(frozen=True)
class Answer:
    """What a system gives for a page."""

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


def method_systems(names: Sequence[str], dataset: Dataset, version: str) -> list[System]:
    """Return methods of tamis as systems; what was trained on the set is taken out of fold."""
    return [_method_system(name, dataset, version) for name in names]


def _method_system(name: str, dataset: Dataset, version: str) -> System:
    """Return a method of tamis as a system."""
    plain = look_up(METHODS, name, "method")
    folded = name in FOLD_PARSERS and dataset.digest in read_training(name).digests

    @contextmanager
    def started() -> Iterator[Extractor]:
        def answer(html: str, item: Item) -> Answer:
            page = browser.render(html) if browser else html
            document = extract(page, item.url, method=chosen[item.group])
            return Answer(document.text, document=document)

        # Loading models is no part of the time that a page takes.
        chosen = {item.group: find_fold_method(name, dataset, item) for item in dataset.items}
        with Browser() if plain.needs_layout else nullcontext() as browser:
            yield answer

    return System(name, version, started, note="out of fold" if folded else "")


def find_fold_method(name: str, dataset: Dataset, item: Item) -> Method:
    """Return the method for a page: one that has not learned from the page's site."""
    return find_method(name, dataset.digest, item.group)


@dataclass(frozen=True)
class _AllText:
    """Takes every block: all text that a page shows."""

    def identify(self, blocks: Blocks) -> Verdict:
        """Return all blocks as informative."""
        score = np.ones(len(blocks))
        return build_verdict(score, score > 0, np.zeros(len(blocks), np.uint8), score, "all text")


@dataclass(frozen=True)
class _Largest:
    """Takes the block with most words (McKeown et al., discussed in the optimum-node paper)."""

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the block with most words, the first of several, as informative."""
        terms = blocks.owned(blocks.page.terms)
        kept = np.zeros(len(blocks), dtype=np.bool_)
        if terms.any():
            kept[np.argmax(terms)] = True
        return build_verdict(
            terms, kept, np.where(kept, 0, 1), terms, "{:.0f} words, most", "{:.0f}"
        )


BASELINES: Final[Mapping[str, Method]] = {
    "all text": Method(TagSet(), _AllText()),
    "largest": Method(TagSet(), _Largest()),
}


def baseline_systems(version: str) -> list[System]:
    """Return the baselines as systems. They stand beside methods as peers do."""
    return [fixed_system(name, method, version, is_peer=True) for name, method in BASELINES.items()]


def fixed_system(name: str, method: Method, version: str, *, is_peer: bool = False) -> System:
    """Return a method as a system that is the same for all pages."""

    @contextmanager
    def started() -> Iterator[Extractor]:
        yield answer

    def answer(html: str, item: Item) -> Answer:
        document = extract(html, method=method)
        return Answer(document.text, document=document)

    return System(name, version, started, is_peer=is_peer)
