"""entropy: InfoDiscoverer (Lin & Ho 2002; also Debnath et al. 2005 §6.1).

Terms that are spread evenly over the pages of a site are noise. Terms are stems without stop
words, by the language of each page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from tamis.blocks import Blocks, block_terms
from tamis.errors import InputError, Unavailable, check_number, unavailable
from tamis.page import Page, declared_language
from tamis.verdict.verdict import Floats, Verdict, build_verdict

_DECLARED: Final = "declared"
_STEP: Final = 0.1
_MAX_THRESHOLD: Final = 0.8  # used if every step adds a block
_LANGUAGE_CODE: Final = re.compile(r"([A-Za-z]{2,3})\b")


@dataclass(frozen=True)
class EntropyTemplate:
    """The entropy of each term over the pages of a site, and the threshold."""

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
    stemmed and stop words left out, by the `language` that each page declares or the one that is
    given (two letters); with None, terms are used as they are. Made for the blocks of `Tables()`.
    """

    threshold: float | None = None
    language: str | None = _DECLARED
    template: EntropyTemplate | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None:
            check_number("threshold", self.threshold, 0, 1)
        if self.language not in (None, _DECLARED) and not _LANGUAGE_CODE.fullmatch(self.language):
            raise InputError(
                f"no language {self.language!r}: take a code such as en, declared or None"
            )

    def fit(self, pages: Iterable[Blocks]) -> Entropy:
        """Return an identifier that has learned from the blocks of several pages of one site."""
        stemmer = Stemmer()
        terms = [self._stem_blocks(page, stemmer) for page in pages]
        if len(terms) < 2:
            raise InputError(
                f"entropy needs several pages of one site, and there are {len(terms)}: give more"
            )
        entropies = term_entropies(terms)
        threshold = self.threshold
        if threshold is None:
            values = [block_entropy(block, entropies) for page in terms for block in page if block]
            threshold = find_greedy_threshold(np.array(values))
        template = EntropyTemplate(len(terms), tuple(entropies.items()), threshold)
        return Entropy(self.threshold, self.language, template)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks of low entropy as informative; the score is 1 − H."""
        if self.template is None:
            raise InputError("entropy needs several pages of one site: call fit(pages) first")
        threshold, entropies = self.template.threshold, self.template.entropies
        terms = self._stem_blocks(blocks, Stemmer())
        entropy = np.array([block_entropy(block, entropies) for block in terms], dtype=np.float64)
        informative = entropy <= threshold
        return build_verdict(
            1 - entropy,
            informative,
            np.where(informative, 0, 1),
            entropy,
            f"entropy {{:.2f}}, up to {threshold:.1f}",
            f"entropy {{:.2f}}, above {threshold:.1f}",
        )

    def _stem_blocks(self, blocks: Blocks, stemmer: Stemmer) -> list[list[str]]:
        """Return the terms of each block, stemmed and without stop words."""
        is_declared = self.language == _DECLARED
        language = page_language(blocks.page) if is_declared else self.language
        words_by_block = block_terms(blocks).by_block(len(blocks))
        return [
            [stem for stem in stemmer.stem(words, language) if stem] for words in words_by_block
        ]


def term_entropies(pages: Iterable[Iterable[Iterable[str]]]) -> dict[str, float]:
    """Return H of each term over pages, given as the terms of their blocks.

    With c_j occurrences in page j of C in all, H = log_n C − Σ_j (c_j log_n c_j) / C.
    """
    total: dict[str, int] = {}
    spread: dict[str, float] = {}
    page_count = 0
    for page in pages:
        page_count += 1
        in_page: dict[str, int] = {}
        for block in page:
            for term in block:
                in_page[term] = in_page.get(term, 0) + 1
        for term, times in in_page.items():
            total[term] = total.get(term, 0) + times
            spread[term] = spread.get(term, 0.0) + times * float(np.log(times))
    base = float(np.log(page_count))
    return {
        term: min(max(float(np.log(times)) - spread[term] / times, 0.0) / base, 1.0)
        for term, times in total.items()
    }


def block_entropy(terms: Iterable[str], entropies: Mapping[str, float]) -> float:
    """Return the mean entropy of a block's different terms; that of unknown terms is 0."""
    different = set(terms)
    return sum(sorted(entropies.get(term, 0.0) for term in different)) / max(len(different), 1)


def find_greedy_threshold(values: Floats) -> float:
    """Return the first step of 0.1 after which the next adds no informative block, or 0.8.

    Steps before the first informative block do not count: an answer without blocks is useless.
    """
    ordered = np.sort(values)
    steps = [round(_STEP * number, 1) for number in range(1, round(_MAX_THRESHOLD / _STEP) + 1)]
    counts = [int(np.searchsorted(ordered, step, side="right")) for step in steps]
    for index in range(1, len(steps)):
        if counts[index] == counts[index - 1] > 0:
            return steps[index - 1]
    return _MAX_THRESHOLD


@dataclass
class Stemmer:
    """Turns words into stems, by language. Each word is stemmed once."""

    # By language, the stem of each word seen so far; None for a stop word.
    cache: dict[str, dict[str, str | None]] = field(default_factory=dict)

    def stem(self, words: list[str], language: str | None) -> list[str | None]:
        """Return the stem of each word, None for stop words; without a language, the words."""
        if language is None:
            return list(words)
        stems = self.cache.setdefault(language, {})
        fresh = set(words).difference(stems)
        if fresh:
            stop_words = _load_stop_words(language)
            stems |= dict.fromkeys(fresh & stop_words)
            terms = list(fresh - stop_words)
            stems |= zip(terms, _stem_terms(terms, language), strict=True)
        return [stems[word] for word in words]


def page_language(page: Page) -> str | None:
    """Return the two or three letters of the language that a page declares."""
    match = _LANGUAGE_CODE.match(declared_language(page))
    return match[1].lower() if match else None


def _stem_terms(terms: list[str], language: str) -> list[str]:
    """Return the stem of each term; the terms if their language has no stemmer."""
    from tamis.values import load_stemmer

    try:
        stem_words = load_stemmer(language)
    except ImportError as error:
        raise _missing_libraries() from error
    return stem_words(terms) if stem_words else terms


def _load_stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language; an empty set if there is no list of them."""
    try:
        import stopwordsiso
    except ImportError as error:
        raise _missing_libraries() from error
    lists: Any = stopwordsiso
    return frozenset(lists.stopwords(language)) if lists.has_lang(language) else frozenset()


def _missing_libraries() -> Unavailable:
    """Return the error for libraries that are not installed."""
    without = "Entropy(language=None), which takes terms as they are, goes without"
    return unavailable(f"stemming needs PyStemmer and stopwordsiso ({without})", "entropy")
