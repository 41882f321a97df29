"""Languages: which have a stemmer, and the commonest words to know them by.

A lexicon: which words the parts of texts stand for, remembered.

Text → the words that are searched for: stemmed, folded, in n-grams where there are no spaces.
"""

from __future__ import annotations

import re
import secrets
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.store.kernel.words import (
    count_bytes,
    find_parts,
    find_slots,
    note_lines,
    write_parts,
    write_words,
)

# By the code that pages state; the stemmers are Snowball's.
STEMMERS: Final[Mapping[str, str]] = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
# Scripts that tell the language; where kana and Han characters are mixed, the kana.
SCRIPTS: Final[Mapping[str, str]] = {
    "ja": "[\u3040-\u30ff]",
    "zh": "[\u4e00-\u9fff]",
    "th": "[\u0e00-\u0e7f]",
    "ko": "[\uac00-\ud7af]",
}
_COMMON: Final = {
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


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


STOP_WORDS: Final[Mapping[str, tuple[str, ...]]] = _by_word()


SLOTS: Final = 2**17  # of the table
MOST_KEYS: Final = SLOTS // 2
ROOM: Final = 2**20  # bytes of words
# Letters and digits of ASCII in one case, and all that is not ASCII; 0 for gaps between parts.
FOLDS: Final = np.array(
    [n if n > 127 else ord(chr(n).lower()) * bool(re.match(r"\w", chr(n))) for n in range(256)],
    np.uint8,
)

Making = Callable[[bytes], bytes]  # parts, a line each, and the words of each


@dataclass(frozen=True)
class Parts:
    """The parts of a text: their keys, and where they are."""

    text: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]

    def lines(self, chosen: NDArray[np.int32]) -> bytes:
        """Return some of the parts, a line each."""
        out = np.empty(len(self.text) + len(chosen), np.uint8)
        size = write_parts(self.text, FOLDS, self.starts, self.stops, chosen, out)
        return out[:size].tobytes()


class TokenCache:
    """Remembers words in tables of a fixed size; when they are full it begins anew.

    Parts are known by a hash of 64 bits that begins with a random number. Two of all that there is
    room for have the same one in one lexicon of ten thousand millions, and nobody can make it so.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seed = secrets.randbits(64) | 1
        self._known = np.zeros(SLOTS, np.uint64)
        self._first, self._stop = np.empty((2, SLOTS), np.int32)
        self._words = np.empty(ROOM, np.uint8)
        self._count = self._used = 0

    def line(self, data: bytes, most: int, made: Making) -> str:
        """Return the words of the first parts of a text, with a space between each two.

        `made` is asked for the words of the parts that are new.
        """
        parts = self._parts(data, most)
        with self._lock:
            line = self._remembered(parts, made)
            if line is None:
                self._clear()
                line = self._remembered(parts, made)
            if line is None:
                self._clear()
        if line is None:  # there is more in it than a lexicon has room for
            line = made(parts.lines(np.arange(len(parts.keys), dtype=np.int32)))
            line = b" ".join(line.split())
        return line.decode()

    def _parts(self, data: bytes, most: int) -> Parts:
        """Return the first parts of a text."""
        text = np.frombuffer(data, np.uint8)
        room = len(data) // 2 + 1
        keys = np.empty(room, np.uint64)
        starts, stops = np.empty((2, room), np.int32)
        count = find_parts(text, FOLDS, self._seed, keys, starts, stops)
        count = min(count, most)
        return Parts(text, keys[:count], starts[:count], stops[:count])

    def _remembered(self, parts: Parts, made: Making) -> bytes | None:
        """Return the words of parts, of which the new ones are learned; None without room."""
        if self._count + len(parts.keys) > MOST_KEYS:
            return None
        slots, new = np.empty((2, len(parts.keys)), np.int32)
        new = new[: find_slots(parts.keys, self._known, slots, new)]
        if len(new):
            try:
                words = made(parts.lines(new))
            except BaseException:
                self._clear()  # or parts would be known without their words
                raise
            if not self._learned(words):
                return None
            begin = self._used - len(words)
            note_lines(slots, new, self._words, begin, self._first, self._stop)
            self._count += len(new)
        out = np.empty(count_bytes(slots, self._first, self._stop), np.uint8)
        size = write_words(slots, self._first, self._stop, self._words, out)
        return out[: max(size - 1, 0)].tobytes()

    def _learned(self, words: bytes) -> bool:
        """Keep words, a line each, if there is room for them, and say whether there was."""
        end = self._used + len(words)
        if end > ROOM:
            return False
        self._words[self._used : end] = np.frombuffer(words, np.uint8)
        self._used = end
        return True

    def _clear(self) -> None:
        """Forget everything."""
        self._known[:] = 0
        self._count = self._used = 0


FEW_SPECIAL: Final = 16  # bytes of a text, and more, for each character of such a script
LONGEST: Final = 64  # characters of a word
MOST: Final = 200_000  # words of one page
SAMPLE: Final = 2_000  # characters that tell the language
FEW_WORDS: Final = 4  # common words that say more than what a page states

KNOWN: Final = 20_000  # single words whose stem is kept in memory

# Scripts without spaces between words: each two neighbouring characters are searched for.
SPACELESS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003347f"
)
# Vowel signs and accents that stand by themselves are parts of words, which \w does not know.
_SIGNS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u0900-\u0963\u0966-\u0dff"
)
_RUNS: Final = re.compile(f"[{SPACELESS}]+|[\\w{_SIGNS}]+")
_IS_SPECIAL: Final = re.compile(f"[{SPACELESS}{_SIGNS}]")
_GAPS: Final = bytes(
    32 if chr(n).isascii() and not re.match(r"\w", chr(n)) else n for n in range(256)
)
# What may begin a character of _IS_SPECIAL, and of _IS_SCRIPT, in UTF-8 is none of these bytes. To
# look for others is ten times faster than to look for the characters.
_NEVER_SPECIAL: Final = bytes(range(0xCC))
_NEVER_SCRIPT: Final = bytes({*range(256)} - {0xE0, *range(0xE3, 0xEE)})
_MARKS: Final = "\u2019\u2018\u201c\u201d\u2013\u2014\u2026\u2022\u00b7\u00a0\u00ab\u00bb"
_SPLIT: Final = re.compile(f"([{SPACELESS}]+)")
_WORD: Final = re.compile(r"\w+")
_IS_SPACELESS: Final = re.compile(f"[{SPACELESS}]")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


class Tokenizer:
    """Makes words of text, with a bounded memory of what it did before."""

    def __init__(self) -> None:
        self._lexicons: dict[str, TokenCache] = {}
        self._ones: dict[str, dict[str, str]] = {}
        self._stemmers: dict[str, Any] = {}

    def of(self, text: str, language: str | None) -> list[str]:
        """Return the words of a text in order."""
        return self.line(text, language).split()

    def line(self, text: str, language: str | None) -> str:
        """Return the words of a text in order, with a space between each two.

        What is between spaces and signs of ASCII is quickly found, and looked up as it is. In
        scripts without spaces that would be too long; then it is runs of letters.
        """
        text = unmarked(text)
        data = text.encode("utf-8", "replace")
        special = len(data.translate(None, _NEVER_SPECIAL))
        if special * FEW_SPECIAL > len(data) and _IS_SPECIAL.search(text):
            return self._of_runs(text, language)
        lexicon = self._lexicons.get(language or "")
        if lexicon is None:
            lexicon = self._lexicons.setdefault(language or "", TokenCache())
        return lexicon.line(data, MOST, lambda parts: self._of_parts(parts, language))

    def one(self, run: str, language: str | None) -> str:
        """Return the word of a single run of letters of a script with spaces."""
        known = self._ones.setdefault(language or "", {})
        if run not in known:
            if len(known) > KNOWN:
                known = self._ones[language or ""] = {}  # another thread may be at the old ones
            known[run] = self._stems([folded(run)], language)[0]
        return known[run]

    def _of_runs(self, text: str, language: str | None) -> str:
        """Return the words of a text by its runs of letters.

        A run of a script without spaces gives each two neighbouring characters, and its last one
        by itself, so that a single character is found as the beginning of a word.
        """
        found = [part for run in runs(folded(text))[:MOST] for part in split(run)]
        stems = iter(self._stems([part for part in found if not is_spaceless(part)], language))
        words = (pairs(part) if is_spaceless(part) else next(stems) for part in found)
        return " ".join(" ".join(words).split())

    def _of_parts(self, parts: bytes, language: str | None) -> bytes:
        """Return the words of parts of texts, a line for each of theirs."""
        found = parts.decode("utf-8", "replace").split("\n")[:-1]
        stems = iter(self._stems([part for part in found if part.isascii()], language))
        words = [next(stems) if part.isascii() else self._of_runs(part, language) for part in found]
        return ("\n".join(words) + "\n").encode()

    def _stems(self, words: list[str], language: str | None) -> list[str]:
        """Return what each of some words is found by."""
        name = STEMMERS.get(language or "")
        stems = [word[:LONGEST] for word in words]
        if name is not None:
            if name not in self._stemmers:
                import Stemmer

                self._stemmers[name] = Stemmer.Stemmer(name, 0)  # what it did is kept here
            stems = self._stemmers[name].stemWords(stems)
        if all(stems) and "".join(stems).isascii():
            return stems
        return [
            (stem if stem.isascii() else unaccented(stem)) or word
            for stem, word in zip(stems, words, strict=True)
        ]


def folded(text: str) -> str:
    """Return text in one case and one form of each character."""
    text = unmarked(text)
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def unmarked(text: str) -> str:
    """Return text with spaces for marks that part words.

    They are most of what is not ASCII in English, and without it much is faster.
    """
    if not text.isascii():
        for mark in _MARKS:
            text = text.replace(mark, " ")
    return text


def unaccented(word: str) -> str:
    """Return a word without its accents."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word))
    return unicodedata.normalize("NFC", bare) or word


def runs(text: str) -> list[str]:
    """Return the runs of letters and digits in a text that was folded."""
    return _RUNS.findall(text)


def run_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the runs of letters and digits are in a text."""
    return (match.span() for match in _RUNS.finditer(text))


def pairs(run: str) -> str:
    """Return each two characters of a run that are neighbours, and the last one."""
    return " ".join(run[at : at + 2] for at in range(len(run)))


def is_spaceless(text: str) -> bool:
    """Say whether there is a character in a text of a script without spaces."""
    return _IS_SPACELESS.search(text) is not None


def split(run: str) -> list[str]:
    """Return the parts of a run that are of one kind of script."""
    return [part for part in _SPLIT.split(run) if part]


def detect_language(text: str, stated: str | None) -> str | None:
    """Return the language of a text, as two letters: what its commonest words say, or is stated.

    Pages state the language of their template more often than that of their text.
    """
    said = (stated or "").lower().split("-")[0] or None
    sample = unmarked(text[:SAMPLE]).casefold()
    data = sample.encode("utf-8", "replace")
    if data.translate(None, _NEVER_SCRIPT):
        for language, letters in SCRIPTS.items():
            if len(re.findall(letters, sample)) * 5 > len(sample):
                return language
    counts: dict[str, int] = {}
    # Of ASCII alone the words are what is between gaps, which is sooner found.
    plain = data.translate(_GAPS).decode().split() if sample.isascii() else _WORD.findall(sample)
    for word, times in Counter(filter(STOP_WORDS.__contains__, plain)).items():
        for language in STOP_WORDS[word]:
            counts[language] = counts.get(language, 0) + times
    best = max(sorted(counts), key=counts.__getitem__, default=None)
    sure = counts[best] if best else 0
    if said is None:
        return best if sure >= FEW_WORDS // 2 else None
    return best if sure >= FEW_WORDS and counts.get(said, 0) * 2 < sure else said
