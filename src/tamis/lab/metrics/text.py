"""Measures of extracted text: precision, recall and F1 of words, and snippets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.lab.gold import words as han_words

_WORD: Final = re.compile(r"\w+")
_CHARACTER: Final = re.compile(r"\w")


def plain_words(text: str) -> list[str]:
    r"""Return the lower-case `\w+` words of a text."""
    return _WORD.findall(text.lower())


def characters(text: str) -> list[str]:
    r"""Return the lower-case `\w` characters of a text, each a word."""
    return _CHARACTER.findall(text.lower())


# Ways to count: words parted by spaces, each Han character a word, every character a word.
_TOKENIZERS: Final[Mapping[str, Callable[[str], list[str]]]] = {
    "words": plain_words,
    "han": han_words,
    "characters": characters,
}


@dataclass(frozen=True)
class Counts:
    """How much was predicted, how much was wanted, and how much of it is the same."""

    common: float
    predicted: float
    wanted: float

    @property
    def precision(self) -> float:
        """The share of the prediction that was wanted; of an empty one, 1 if nothing was wanted."""
        return self.common / self.predicted if self.predicted else float(not self.wanted)

    @property
    def recall(self) -> float:
        """The share of what was wanted that was predicted; if nothing was wanted, 1 for nothing."""
        return self.common / self.wanted if self.wanted else float(not self.predicted)

    @property
    def f1(self) -> float:
        """The harmonic mean of both; 1 if nothing was wanted and nothing predicted."""
        both = self.predicted + self.wanted
        return 2 * self.common / both if both else 1.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.common + other.common, self.predicted + other.predicted, self.wanted + other.wanted
        )


_NOTHING: Final = Counts(0, 0, 0)


def word_counts(predicted: str, wanted: str, tokens: str = "words") -> Counts:
    """Compare the multisets of words of two texts."""
    split = _TOKENIZERS[tokens]
    here, there = Counter(split(predicted)), Counter(split(wanted))
    return Counts((here & there).total(), here.total(), there.total())


def snippet_share(text: str, snippets: Sequence[str]) -> float | None:
    """Return the share of snippets that a text holds, ignoring case and spacing."""
    wanted = [squeeze(snippet) for snippet in snippets]
    wanted = [snippet for snippet in wanted if snippet]
    if not wanted:
        return None
    letters = squeeze(text)
    return sum(snippet in letters for snippet in wanted) / len(wanted)


def squeeze(text: str) -> str:
    """Return text without case and white space."""
    return "".join(text.casefold().split())
