"""What a page was asked, and which cells have the words of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tamis.blocks.regions.cells import Cells, Numbers
from tamis.page.page import Bools

ASKED: Final = 10.0  # times that what answers counts more than what does not

Phrase = Sequence[str]  # its words, in lower case


class Asked:
    """What the cells of a page answer to the phrases that it was asked.

    A page that lists what was found for some words shows them in its field of search. Of two
    regions the one that has these words is more likely to be what was found. That is a share of the
    region's weight, so that it depends little on how records are cut.
    """

    def __init__(self, cells: Cells, phrases: Sequence[Phrase]) -> None:
        self._weight = cells.weight
        whole = cells.page.text if phrases else ""
        text = whole.lower()
        if len(text) != len(whole):  # some letters have no small one of the same length
            text = whole
        self._answers = [
            cells.weight * np.mean([cells_with(cells, text, word) for word in words], axis=0)
            for words in phrases
        ]

    def __bool__(self) -> bool:
        return bool(self._answers)

    def answered(self, cell: Numbers) -> float:
        """Return the share of some cells' weight that has the words of the best phrase."""
        whole = float(self._weight[cell].sum())
        most = max((float(answers[cell].sum()) for answers in self._answers), default=0.0)
        return most / whole if whole > 0 else 0.0


def cells_with(cells: Cells, text: str, word: str) -> Bools:
    """Return which cells have a word that begins so."""
    places: list[int] = []
    place = text.find(word)
    while place >= 0:
        if place == 0 or not text[place - 1].isalnum():
            places.append(place)
        place = text.find(word, place + len(word))
    found = np.zeros(len(cells), dtype=np.bool_)
    page, at = cells.page, np.array(places, dtype=np.int64)
    cell = np.searchsorted(page.text_start[cells.first], at, side="right") - 1
    inside = (cell >= 0) & (at < page.text_stop[cells.last[cell]])
    found[cell[inside]] = True
    return found
