"""What a page was asked, and which cells have the words of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.regions.cells import Cells, Numbers
from tamis.page.attributes import places_in

ASKED: Final = 10.0  # times that what answers counts more than what does not

Phrase = Sequence[str]  # its words, in lower case


class Asked:
    """What the cells of a page answer to the phrases that it was asked.

    A page that lists what was found for some words shows them in its field of search. Of two
    regions the one that has these words is more likely to be what was found. That is a share of the
    region's weight, so that it depends little on how records are cut.
    """

    def __init__(self, cells: Cells, phrases: Sequence[Phrase]) -> None:
        self._answers = [
            cells.weight * (number_with(cells, words) / len(words)) for words in phrases
        ]
        self._sums = [np.append(0.0, np.cumsum(answers)) for answers in self._answers]

    def __bool__(self) -> bool:
        return bool(self._answers)

    def by_group(
        self, low: Numbers, high: Numbers, group: Numbers, count: int
    ) -> NDArray[np.float64]:
        """Return the weight that answers in ranges of cells, added up by their groups."""
        found = np.zeros(count)
        for sums in self._sums:
            np.maximum(found, np.bincount(group, sums[high] - sums[low], count), out=found)
        return found

    def answered(self, cell: Numbers, whole: float) -> float:
        """Return the share of the weight of some cells that has the words of the best phrase."""
        most = max((float(answers[cell].sum()) for answers in self._answers), default=0.0)
        return most / whole if whole > 0 else 0.0


def number_with(cells: Cells, words: Phrase) -> NDArray[np.float64]:
    """Return how many of some words are in each cell, or begin words of it."""
    page = cells.page
    start, stop = page.text_start[cells.first], page.text_stop[cells.last]
    found = np.zeros(len(cells))
    for word in words:
        at = np.array(places_of(page.text, word), dtype=np.int64)
        cell = np.searchsorted(start, at, side="right") - 1
        having = np.zeros(len(cells), dtype=np.bool_)
        having[cell[(cell >= 0) & (at < stop[cell])]] = True
        found += having
    return found


def places_of(text: str, word: str) -> list[int]:
    """Return where words of a text begin with a word, in small letters, in capitals or with one.

    To look for these three is sooner done than to make the letters of a whole page small.
    """
    places: list[int] = []
    for form in {word, word.capitalize(), word.upper()}:
        found = places_in(text, form)
        places += [at for at in found if at == 0 or not text[at - 1].isalnum()]
    return places
