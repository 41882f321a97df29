"""Stems: the terms of a language without its stop words, each cut to its stem."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tamis.errors import Unavailable, unavailable
from tamis.page import Page
from tamis.page.attributes import declared_language

_LANGUAGE: Final = re.compile(r"([A-Za-z]{2,3})\b")


@dataclass
class Stems:
    """Terms → stems by language, each found once; None for a stop word."""

    known: dict[str, dict[str, str | None]] = field(default_factory=dict)

    def of(self, words: list[str], language: str | None) -> list[str | None]:
        """Return the stems of words; of a language that nobody knows, the words themselves."""
        if language is None:
            return list(words)
        memory = self.known.setdefault(language, {})
        fresh = set(words).difference(memory)
        if fresh:
            stem, stops = stemmer(language), stop_words(language)
            memory |= {word: None if word in stops else stem(word) for word in fresh}
        return [memory[word] for word in words]


def page_language(page: Page) -> str | None:
    """Return the two or three letters of the language that a page declares."""
    match = _LANGUAGE.match(declared_language(page))
    return match[1].lower() if match else None


def stemmer(language: str) -> Callable[[str], str]:
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
