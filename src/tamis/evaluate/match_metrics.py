"""Measures of segmentations and records: what was found is matched one to one with the truth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from tamis.evaluate.metrics import Counts, plain_words

T = TypeVar("T")

FUZZY: Final = 0.8  # least similarity of two texts that are the same block
OVERLAP: Final = 0.5  # least F1 of the words of two records that are the same record

_NO_LETTER: Final = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return only the letters and digits of a text, in lower case."""
    return _NO_LETTER.sub("", text.lower())


def record_counts(
    found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], least: float = OVERLAP
) -> Counts:
    """Compare records, each a row of cells, by the words of the whole record."""
    return Counts(len(record_matches(found, wanted, least)), len(found), len(wanted))


def record_matches(
    found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], least: float = OVERLAP
) -> list[tuple[int, int]]:
    """Return the records that are the same in both lists, by the words of the whole record."""
    here = [Counter(plain_words(" ".join(row))) for row in found]
    there = [Counter(plain_words(" ".join(row))) for row in wanted]
    return matches(here, there, bag_f1, least)


def bag_f1(found: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two multisets of words."""
    return Counts((found & wanted).total(), found.total(), wanted.total()).f1


def matches(
    found: Sequence[T], wanted: Sequence[T], alike: Callable[[T, T], float], least: float
) -> list[tuple[int, int]]:
    """Return the pairs of two lists that match one to one, the most alike first."""
    pairs = [
        (likeness, i, j)
        for i, one in enumerate(found)
        for j, other in enumerate(wanted)
        if (likeness := alike(one, other)) >= least
    ]
    return best_pairs(pairs)


def best_pairs(pairs: Iterable[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Return pairs in which nobody is twice, the most alike first: likeness, one, other."""
    here, there = set[int](), set[int]()
    found = []
    for _, i, j in sorted((-likeness, i, j) for likeness, i, j in pairs):
        if i not in here and j not in there:
            here.add(i)
            there.add(j)
            found.append((i, j))
    return found
