"""Text → the words that are searched for: stemmed, folded, in n-grams where there are no spaces."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tamis.store.languages import SCRIPTS, STEMMERS, STOP_WORDS
from tamis.store.lexicon import Lexicon

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


class Words:
    """Makes words of text, with a bounded memory of what it did before."""

    def __init__(self) -> None:
        self._lexicons: dict[str, Lexicon] = {}
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
            lexicon = self._lexicons.setdefault(language or "", Lexicon())
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


def language_of(text: str, stated: str | None) -> str | None:
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
