"""Text → the tokens that are indexed: stemmed and folded; pairs in scripts without spaces.

The same for both databases: their own tokenizers stem few languages and have no pairs. A text is
read in *parts*, what stands between spaces and ASCII punctuation. Which tokens a part stands for is
kept in a cache of fixed size, with compiled loops around it.
"""

from __future__ import annotations

import re
import secrets
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.store._text import find_parts, find_slots, join_parts, join_tokens, note_lines
from tamis.values import StemWords, load_stemmer

_MAX_TOKEN_CHARS: Final = 64
_MAX_TOKENS: Final = 200_000  # of one page
_MAX_STEMS: Final = 20_000  # of single words that are kept in memory
_SPECIAL_RATIO: Final = 16  # bytes of a text for each special character; with fewer, runs are read
_SAMPLE_CHARS: Final = 2_000  # from which the language is detected
_MIN_COMMON_WORDS: Final = 4  # that count more than the language that a page states

_SLOTS: Final = 2**17  # of the table of a cache
_MAX_KEYS: Final = _SLOTS // 2
_MAX_CACHE_BYTES: Final = 2**20  # of tokens
# Letters and digits of ASCII in lower case, and all that is not ASCII; 0 for gaps between parts.
_FOLDED_BYTES: Final = np.array(
    [n if n > 127 else ord(chr(n).lower()) * bool(re.match(r"\w", chr(n))) for n in range(256)],
    np.uint8,
)

# Scripts without spaces between words: each two neighbouring characters are a token.
_SPACELESS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003347f"
)
# Separate vowel signs and accents are parts of words, but \w does not match them.
_SIGNS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0900-\u0963\u0966-\u0dff"
)
_RUNS: Final = re.compile(f"[{_SPACELESS}]+|[\\w{_SIGNS}]+")
_IS_SPECIAL: Final = re.compile(f"[{_SPACELESS}{_SIGNS}]")
_GAPS: Final = bytes(
    32 if chr(n).isascii() and not re.match(r"\w", chr(n)) else n for n in range(256)
)
# Bytes that start no character of _IS_SPECIAL, or of SCRIPTS, in UTF-8. To look for others is ten
# times faster than to look for the characters.
_NEVER_SPECIAL: Final = bytes(range(0xCC))
_NEVER_SCRIPT: Final = bytes({*range(256)} - {0xE0, *range(0xE3, 0xEE)})
_PUNCTUATION: Final = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u2022\u00b7\u00a0\u00ab\u00bb"
_SPLIT: Final = re.compile(f"([{_SPACELESS}]+)")
_WORD: Final = re.compile(r"\w+")
_IS_SPACELESS: Final = re.compile(f"[{_SPACELESS}]")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")

# Scripts that decide the language; where kana and Han characters are mixed, the kana.
SCRIPTS: Final[Mapping[str, str]] = {
    "ja": "[\u3040-\u30ff]",
    "zh": "[\u4e00-\u9fff]",
    "th": "[\u0e00-\u0e7f]",
    "ko": "[\uac00-\ud7af]",
}
_COMMON_WORDS: Final = {
    "da": "og det er at en den til på som med for ikke der har af vi jeg blev også",
    "de": "der die und das ist nicht mit den von zu ein auf eine auch sich dem für wird bei im",
    "en": "the of and to is that it for was with on as are this by have from not be they which",
    "es": "el la de que y en los se del las un por con para una su es lo como más pero",
    "fi": "ja on ei että se oli ovat hän mutta kun myös tai joka ole mukaan sen",
    "fr": "le la les et des est dans que pour une qui sur pas au plus avec ce il par sont du",
    "hu": "a az és hogy nem is egy ez volt meg csak mint már van azt el",
    "it": "il di che la è per un una non sono con del si gli della nel da le più anche",
    "nl": "de het een van en in is dat op te zijn met voor niet aan er ook door bij naar",
    "no": "og det er som på en til av ikke med for at har de jeg den var fra også etter",
    "pt": "o de que e do da em um para com não uma os no se na por mais as dos como foi ao",
    "ro": "și de în la a cu pe nu că este un din pentru care mai sau au fost să",
    "ru": "и в не на что с как по это он из но за то все она так его от",
    "sv": "och att det som en på är av för med den till inte har de ett om var jag från",
    "tr": "ve bir bu için ile da de çok olarak daha olan gibi ne en kadar sonra",
}


def _languages_by_word() -> dict[str, tuple[str, ...]]:
    languages: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON_WORDS.items():
        for word in words.split():
            languages[word] = (*languages.get(word, ()), language)
    return languages


_LANGUAGES_BY_WORD: Final[Mapping[str, tuple[str, ...]]] = _languages_by_word()

_Tokenize = Callable[[bytes], bytes]  # parts, one per line, → the tokens of each


class Tokenizer:
    """Turns text into tokens, with a bounded memory of what it did before."""

    def __init__(self) -> None:
        self._caches: dict[str, TokenCache] = {}
        self._stems: dict[str, dict[str, str]] = {}
        self._stemmers: dict[str, StemWords | None] = {}

    def tokens(self, text: str, language: str | None) -> list[str]:
        """Return the tokens of a text in order."""
        return self.token_line(text, language).split()

    def token_line(self, text: str, language: str | None) -> str:
        """Return the tokens of a text in order, with a space between each two.

        Parts between spaces and ASCII punctuation are quick to find, and looked up as they are. In
        scripts without spaces these would be too long; there, runs of letters are read.
        """
        text = _replace_punctuation(text)
        data = text.encode("utf-8", "replace")
        special = len(data.translate(None, _NEVER_SPECIAL))
        if special * _SPECIAL_RATIO > len(data) and _IS_SPECIAL.search(text):
            return self._tokenize_runs(text, language)
        cache = self._caches.get(language or "")
        if cache is None:
            cache = self._caches.setdefault(language or "", TokenCache())
        return cache.token_line(
            data, _MAX_TOKENS, lambda parts: self._tokenize_parts(parts, language)
        )

    def token(self, run: str, language: str | None) -> str:
        """Return the token of a single run of letters of a script with spaces."""
        stems = self._stems.setdefault(language or "", {})
        if run not in stems:
            if len(stems) > _MAX_STEMS:
                stems = self._stems[language or ""] = {}  # another thread may read the old one
            stems[run] = self._stem([fold(run)], language)[0]
        return stems[run]

    def _tokenize_runs(self, text: str, language: str | None) -> str:
        """Return the tokens of a text by its runs of letters.

        A run of a script without spaces gives each two neighbouring characters, and its last one
        by itself, so that a single character is always the prefix of a token.
        """
        parts = [part for run in find_runs(fold(text))[:_MAX_TOKENS] for part in split_scripts(run)]
        stems = iter(self._stem([part for part in parts if not is_spaceless(part)], language))
        tokens = (_join_pairs(part) if is_spaceless(part) else next(stems) for part in parts)
        return " ".join(" ".join(tokens).split())

    def _tokenize_parts(self, lines: bytes, language: str | None) -> bytes:
        """Return the tokens of parts of texts, one line for each."""
        parts = lines.decode("utf-8", "replace").split("\n")[:-1]
        stems = iter(self._stem([part for part in parts if part.isascii()], language))
        tokens = [
            next(stems) if part.isascii() else self._tokenize_runs(part, language) for part in parts
        ]
        return ("\n".join(tokens) + "\n").encode()

    def _stem(self, words: list[str], language: str | None) -> list[str]:
        """Return the token of each folded word: its stem, without accents."""
        stems = [word[:_MAX_TOKEN_CHARS] for word in words]
        if language is not None:
            if language not in self._stemmers:
                self._stemmers[language] = load_stemmer(language)
            if stem_words := self._stemmers[language]:
                stems = stem_words(stems)
        if all(stems) and "".join(stems).isascii():
            return stems
        return [
            (stem if stem.isascii() else remove_accents(stem)) or word
            for stem, word in zip(stems, words, strict=True)
        ]


# Folding and splitting --------------------------------------------------------------------------


def fold(text: str) -> str:
    """Return text in one case and one form of each character."""
    text = _replace_punctuation(text)
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def _replace_punctuation(text: str) -> str:
    """Return text with spaces for common punctuation that is not ASCII.

    It is most of what is not ASCII in English, and ASCII alone is faster to handle.
    """
    if not text.isascii():
        for mark in _PUNCTUATION:
            text = text.replace(mark, " ")
    return text


def remove_accents(word: str) -> str:
    """Return a word without its accents."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word))
    return unicodedata.normalize("NFC", bare) or word


def find_runs(text: str) -> list[str]:
    """Return the runs of letters and digits in a folded text."""
    return _RUNS.findall(text)


def find_run_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the runs of letters and digits in a text."""
    return (match.span() for match in _RUNS.finditer(text))


def is_spaceless(text: str) -> bool:
    """Say whether a text has a character of a script without spaces."""
    return _IS_SPACELESS.search(text) is not None


def split_scripts(run: str) -> list[str]:
    """Return the parts of a run that are of one kind of script."""
    return [part for part in _SPLIT.split(run) if part]


def _join_pairs(run: str) -> str:
    """Return each two neighbouring characters of a run, and the last one."""
    return " ".join(run[index : index + 2] for index in range(len(run)))


# Language ---------------------------------------------------------------------------------------


def detect_language(text: str, stated: str | None) -> str | None:
    """Return the language of a text as two letters: by its commonest words, or the stated one.

    Pages state the language of their template more often than that of their text.
    """
    stated_code = (stated or "").lower().split("-")[0] or None
    sample = _replace_punctuation(text[:_SAMPLE_CHARS]).casefold()
    data = sample.encode("utf-8", "replace")
    if data.translate(None, _NEVER_SCRIPT):
        for language, letters in SCRIPTS.items():
            if len(re.findall(letters, sample)) * 5 > len(sample):
                return language
    counts: dict[str, int] = {}
    # In ASCII the words are what stands between gaps, which is quicker to find.
    words = data.translate(_GAPS).decode().split() if sample.isascii() else _WORD.findall(sample)
    for word, occurrences in Counter(filter(_LANGUAGES_BY_WORD.__contains__, words)).items():
        for language in _LANGUAGES_BY_WORD[word]:
            counts[language] = counts.get(language, 0) + occurrences
    best = max(sorted(counts), key=counts.__getitem__, default=None)
    count = counts[best] if best else 0
    if stated_code is None:
        return best if count >= _MIN_COMMON_WORDS // 2 else None
    is_other = count >= _MIN_COMMON_WORDS and counts.get(stated_code, 0) * 2 < count
    return best if is_other else stated_code


# Cache ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """The parts of a text: their keys and spans."""

    text: bytes
    keys: NDArray[np.uint64]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]

    def lines(self, indices: NDArray[np.int32]) -> bytes:
        """Return some of the parts, one per line."""
        return join_parts(self.text, _FOLDED_BYTES, self.starts, self.stops, indices)


class TokenCache:
    """The tokens of parts that were used lately, in tables of a fixed size.

    When they are full it starts again. Parts are looked up by a hash of 64 bits that starts with a
    random number. The chance that two parts of a full cache share one is one in ten thousand
    million, and nobody can bring it about.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seed = secrets.randbits(64) | 1
        self._keys = np.zeros(_SLOTS, np.uint64)
        self._starts, self._stops = np.empty((2, _SLOTS), np.int32)
        self._tokens = np.empty(_MAX_CACHE_BYTES, np.uint8)
        self._count = self._used = 0

    def token_line(self, data: bytes, max_parts: int, tokenize: _Tokenize) -> str:
        """Return the tokens of the first parts of a text, with a space between each two.

        `tokenize` is called for the tokens of parts that are not cached.
        """
        parts = self._find_parts(data, max_parts)
        with self._lock:
            line = self._look_up(parts, tokenize)
            if line is None:
                self._clear()
                line = self._look_up(parts, tokenize)
            if line is None:
                self._clear()
        if line is None:  # there is more in it than a cache can hold
            tokens = tokenize(parts.lines(np.arange(len(parts.keys), dtype=np.int32)))
            line = b" ".join(tokens.split())
        return line.decode()

    def _find_parts(self, data: bytes, max_parts: int) -> _Parts:
        """Return the first parts of a text."""
        keys, starts, stops = find_parts(data, _FOLDED_BYTES, self._seed)
        return _Parts(data, keys[:max_parts], starts[:max_parts], stops[:max_parts])

    def _look_up(self, parts: _Parts, tokenize: _Tokenize) -> bytes | None:
        """Return the tokens of parts, and cache the new ones; None if they do not fit."""
        if self._count + len(parts.keys) > _MAX_KEYS:
            return None
        slots, new = find_slots(parts.keys, self._keys)
        if len(new):
            try:
                tokens = tokenize(parts.lines(new))
            except BaseException:
                self._clear()  # or parts would be in the table without their tokens
                raise
            if not self._keep(tokens):
                return None
            start = self._used - len(tokens)
            note_lines(slots, new, self._tokens, start, self._starts, self._stops)
            self._count += len(new)
        return join_tokens(slots, self._starts, self._stops, self._tokens)

    def _keep(self, tokens: bytes) -> bool:
        """Keep tokens, one line per part, and say whether there was space for them."""
        end = self._used + len(tokens)
        if end > _MAX_CACHE_BYTES:
            return False
        self._tokens[self._used : end] = np.frombuffer(tokens, np.uint8)
        self._used = end
        return True

    def _clear(self) -> None:
        """Forget everything."""
        self._keys[:] = 0
        self._count = self._used = 0
