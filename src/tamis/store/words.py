"""Text → the words that are searched for: stemmed, folded, in n-grams where there are no spaces."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tamis.store.languages import SCRIPTS, STEMMERS, STOP_WORDS

LONGEST: Final = 64  # characters of a word
MOST: Final = 200_000  # words of one page
SAMPLE: Final = 2_000  # characters that tell the language
FEW_WORDS: Final = 4  # common words that say more than what a page states
KNOWN: Final = 100_000  # words whose stem is kept in memory

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
        self._known: dict[str, dict[bytes, str]] = {}
        self._stemmers: dict[str, Any] = {}

    def of(self, text: str, language: str | None) -> list[str]:
        """Return the words of a text in order."""
        return self.line(text, language).split()

    def line(self, text: str, language: str | None) -> str:
        """Return the words of a text in order, with a space between each two.

        A run of a script without spaces gives each two neighbouring characters, and its last one
        by itself, so that a single character is found as the beginning of a word.
        """
        found = parts(folded(text))[:MOST]
        known = self._known.setdefault(language or "", {})
        if len(known) > KNOWN:
            known = self._known[language or ""] = {}  # another thread may be at the old ones
        new = dict.fromkeys([part for part in found if part not in known])
        known.update(self._made(new, language))
        said = " ".join(filter(None, map(known.__getitem__, found)))
        for part in new:
            if len(part) > LONGEST:  # a sentence, if there are no spaces: it will not come again
                del known[part]
        return " ".join(said.split()) if "  " in said else said.strip()

    def _made(self, new: Iterable[bytes], language: str | None) -> Iterator[tuple[bytes, str]]:
        """Yield parts of a text with the words that they stand for."""
        plain = [part for part in new if part.isascii()]
        if plain:
            words = b"\n".join(plain).decode().split("\n")  # no part has one
            yield from zip(plain, self._stems(words, language), strict=True)
        for part in new:
            if not part.isascii():
                found = (split(run) for run in runs(part.decode("utf-8", "replace")))
                yield part, " ".join(word for run in found for word in self._words(run, language))

    def one(self, run: str, language: str | None) -> str:
        """Return the word of a single run of letters of a script with spaces."""
        low = folded(run)
        known = self._known.get(language or "", {}).get(low.encode("utf-8", "replace"))
        return known or self._stems([low], language)[0]

    def _words(self, parts: Iterable[str], language: str | None) -> Iterator[str]:
        """Yield the words of parts of one kind of script each."""
        for part in parts:
            if is_spaceless(part):
                yield from (part[at : at + 2] for at in range(len(part)))
            else:
                yield from self._stems([part], language)

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


def parts(text: str) -> list[bytes]:
    """Return the parts of a text that was folded: what is between spaces and signs of ASCII.

    That is quickly done. Where there are no spaces the parts would be too long; then it is runs.
    """
    data = text.encode("utf-8", "replace")
    if data.translate(None, _NEVER_SPECIAL) and _IS_SPECIAL.search(text):
        return [run.encode("utf-8", "replace") for run in runs(text)]
    return data.translate(_GAPS).split()


def runs(text: str) -> list[str]:
    """Return the runs of letters and digits in a text that was folded."""
    return _RUNS.findall(text)


def run_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the runs of letters and digits are in a text."""
    return (match.span() for match in _RUNS.finditer(text))


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
