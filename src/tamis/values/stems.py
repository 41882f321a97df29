"""Stems of words, by the algorithms of Snowball (PyStemmer), for all rooms that compare words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

StemWords = Callable[[list[str]], list[str]]

_ALGORITHMS: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip


def load_stemmer(language: str) -> StemWords | None:
    """Return a function from words to their stems; None for a language without a stemmer.

    Raises ImportError if PyStemmer is not installed.
    """
    import Stemmer

    name = _ALGORITHMS.get(language)
    # Without its cache: callers remember the stems of the words that they meet again.
    stem_words: StemWords | None = Stemmer.Stemmer(name, 0).stemWords if name else None
    return stem_words
