"""Query: what a user typed, as words of an index. Nothing that can be typed is an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.store.words import Words, folded, is_spaceless, runs, split

MOST: Final = 32  # parts of a query that are looked for, and words of a part
_PARTS: Final = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass(frozen=True)
class Part:
    """Something that a page should have: one of several rows of words that follow each other."""

    choices: tuple[tuple[str, ...], ...]
    is_beginning: bool = False  # whether longer words that begin so will do


def query_parts(query: str, words: Words, languages: Iterable[str | None]) -> list[Part]:
    """Return the parts of a query.

    The language of a query is not known, so each word stands for its stems in all languages that
    the store has. Words in quotes follow each other. A run of a script without spaces is the row
    of its pairs of characters; a single character is the beginning of a pair.
    """
    known = sorted({language or "" for language in languages} | {""})
    found: dict[Part, None] = {}
    for match in _PARTS.finditer(query):
        for piece in pieces_of(match[1] or "", match[2] or ""):
            found.update(dict.fromkeys(parts_of(piece, words, known)))
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


def pieces_of(quoted: str, bare: str) -> list[str]:
    """Return what is looked up as one: quoted words, if they are of a script with spaces."""
    text = folded(quoted or bare)
    if quoted and not is_spaceless(text):
        return [text]
    return [part for run in runs(text) for part in split(run)]


def parts_of(piece: str, words: Words, languages: Sequence[str]) -> list[Part]:
    """Return the parts that a piece of a query stands for."""
    if not is_spaceless(piece):
        rows = dict.fromkeys(
            tuple(words.of(piece, language or None)[:MOST]) for language in languages
        )
        choices = tuple(row for row in rows if row)
        return [Part(choices)] if choices else []
    if len(piece) == 1:
        return [Part(((piece,),), is_beginning=True)]
    return [Part((tuple(words.of(piece, None)[:-1][:MOST]),))]
