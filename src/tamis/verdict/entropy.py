"""Stems: the terms of a language without its stop words, each cut to its stem.

entropy: InfoDiscoverer by Lin and Ho (004 §6.1, 000 §2, 003 §2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, block_terms
from tamis.errors import InputError, Unavailable, unavailable
from tamis.page import Page, declared_language
from tamis.verdict.verdict import Verdict, build_verdict

_LANGUAGE: Final = re.compile(r"([A-Za-z]{2,3})\b")


@dataclass
class Stemmer:
    """Terms → stems by language, each found once; None for a stop word."""

    known: dict[str, dict[str, str | None]] = field(default_factory=dict)

    def of(self, words: list[str], language: str | None) -> list[str | None]:
        """Return the stems of words; of a language that nobody knows, the words themselves."""
        if language is None:
            return list(words)
        memory = self.known.setdefault(language, {})
        fresh = set(words).difference(memory)
        if fresh:
            stem, stops = load_stemmer(language), stop_words(language)
            memory |= {word: None if word in stops else stem(word) for word in fresh}
        return [memory[word] for word in words]


def page_language(page: Page) -> str | None:
    """Return the two or three letters of the language that a page declares."""
    match = _LANGUAGE.match(declared_language(page))
    return match[1].lower() if match else None


def load_stemmer(language: str) -> Callable[[str], str]:
    """Return the stemmer of a language; where there is none, what changes nothing."""
    try:
        import snowballstemmer
    except ImportError as error:
        raise missing() from error
    name = SNOWBALL.get(language)
    stem: Callable[[str], str] = snowballstemmer.stemmer(name).stemWord if name else str
    return stem


def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language; where there are none, nothing."""
    try:
        import stopwordsiso
    except ImportError as error:
        raise missing() from error
    lists: Any = stopwordsiso
    return frozenset(lists.stopwords(language)) if lists.has_lang(language) else frozenset()


def missing() -> Unavailable:
    """Return the error for libraries that are not installed."""
    without = "Entropy(language=None), which takes terms as they are, goes without"
    return unavailable(f"stemming needs snowballstemmer and stopwordsiso ({without})", "entropy")


SNOWBALL: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


DECLARED: Final = "declared"
STEP: Final = 0.1
LAST: Final = 0.8  # the threshold where every step adds a block


@dataclass(frozen=True)
class EntropyTemplate:
    """What was learned: the entropy of each term over the pages, and the threshold."""

    pages: int
    terms: tuple[tuple[str, float], ...]
    threshold: float

    @cached_property
    def entropies(self) -> Mapping[str, float]:
        """The entropy of each term."""
        return dict(self.terms)


@dataclass(frozen=True)
class Entropy:
    """Takes the blocks whose terms are spread unevenly over the pages of one site.

    H(t) = −Σ_j w_tj log_n w_tj, with w_tj the share of the occurrences of t that are in page j of
    n; H of a block is the mean over its different terms, and a block at or below the threshold is
    informative. Without a `threshold` the greedy rule finds it: from 0.1 in steps of 0.1, up to
    the first step that adds no informative block to those of the pages learned from. Terms are
    stems without stop words, by the `language` that each page declares, or one that is given (two
    letters); with None they are taken as they are. Made for the blocks of `Tables()`.
    """

    threshold: float | None = None
    language: str | None = DECLARED
    template: EntropyTemplate | None = None

    def fit(self, pages: Iterable[Blocks]) -> Entropy:
        """Return an identifier that has learned from the blocks of several pages of one site."""
        stems = Stemmer()
        found = [self._terms(page, stems) for page in pages]
        if len(found) < 2:
            raise InputError(
                f"entropy needs several pages of one site, and there are {len(found)}: give more"
            )
        entropies = term_entropies(found)
        threshold = self.threshold
        if threshold is None:
            values = [block_entropy(block, entropies) for page in found for block in page if block]
            threshold = greedy_threshold(np.array(values))
        learned = EntropyTemplate(len(found), tuple(entropies.items()), threshold)
        return Entropy(self.threshold, self.language, learned)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks of low entropy as informative; the score is 1 − H."""
        if self.template is None:
            raise InputError("entropy needs several pages of one site: call fit(pages) first")
        bound, entropies = self.template.threshold, self.template.entropies
        terms = self._terms(blocks, Stemmer())
        value = np.array([block_entropy(block, entropies) for block in terms], dtype=np.float64)
        kept = value <= bound
        return build_verdict(
            1 - value,
            kept,
            np.where(kept, 0, 1),
            value,
            f"entropy {{:.2f}}, up to {bound:.1f}",
            f"entropy {{:.2f}}, above {bound:.1f}",
        )

    def _terms(self, blocks: Blocks, stems: Stemmer) -> list[list[str]]:
        """Return the terms of each block, stemmed and without stop words."""
        declared = self.language == DECLARED
        language = page_language(blocks.page) if declared else self.language
        found = block_terms(blocks).by_block(len(blocks))
        return [[stem for stem in stems.of(words, language) if stem] for words in found]


def term_entropies(pages: Iterable[Iterable[Iterable[str]]]) -> dict[str, float]:
    """Return H of each term over pages, given as the terms of their blocks.

    With c_j occurrences in page j of C in all, H = log_n C − Σ_j (c_j log_n c_j) / C.
    """
    total: dict[str, int] = {}
    spread: dict[str, float] = {}
    count = 0
    for page in pages:
        count += 1
        here: dict[str, int] = {}
        for block in page:
            for term in block:
                here[term] = here.get(term, 0) + 1
        for term, times in here.items():
            total[term] = total.get(term, 0) + times
            spread[term] = spread.get(term, 0.0) + times * float(np.log(times))
    base = float(np.log(count))
    return {
        term: min(max(float(np.log(times)) - spread[term] / times, 0.0) / base, 1.0)
        for term, times in total.items()
    }


def block_entropy(terms: Iterable[str], entropies: Mapping[str, float]) -> float:
    """Return the mean entropy of a block's terms; one that no page had says nothing repeats."""
    different = set(terms)
    return sum(sorted(entropies.get(term, 0.0) for term in different)) / max(len(different), 1)


def greedy_threshold(values: NDArray[np.float64]) -> float:
    """Return the step of 0.1 after which the next adds no informative block, or 0.8.

    Steps before the first informative block do not count: no block at all is no answer.
    """
    ordered = np.sort(values)
    steps = [round(STEP * number, 1) for number in range(1, round(LAST / STEP) + 1)]
    counts = [int(np.searchsorted(ordered, step, side="right")) for step in steps]
    for place in range(1, len(steps)):
        if counts[place] == counts[place - 1] > 0:
            return steps[place - 1]
    return LAST
