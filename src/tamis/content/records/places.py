"""Cells on one path → columns: which of several like cells of a record is which."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from tamis.blocks.regions import Region
from tamis.content.records.column import Column, Texts, column
from tamis.content.records.values.typed import kind_of

MOST_REPEATS: Final = 12  # columns that one path can have; what is beyond joins the last
REGULAR: Final = 0.95  # share of records that must have as many of a path as most have
AGAIN: Final = 2  # records that have a text in one place from which on it is at home there
PROSE: Final = 80  # characters that texts have on average from which on they are paragraphs

Cells = list[list[int]]  # those of each record


def parts(region: Region, cells: Cells, text: Texts) -> Iterator[Column]:
    """Yield one column for the cells of a path, or several where records have several of them.

    Where their number varies, texts are told apart by type, and prose is paragraphs of one text.
    """
    most = max(map(len, cells))
    if most == 1:
        yield column(region, cells, text)
        return
    times = Counter(len(some) for some in cells if some)
    if times[most] >= REGULAR * times.total():
        yield from by_place(region, cells, text)
        return
    kinds: defaultdict[str, list[list[int]]] = defaultdict(lambda: [[] for _ in cells])
    known = {said: kind_of(said) for said in {text[cell] for some in cells for cell in some}}
    for record, some in enumerate(cells):
        for cell in some:
            kinds[known[text[cell]]][record].append(cell)
    for alike in kinds.values():
        lengths = [len(text[cell]) for some in alike for cell in some]
        if sum(lengths) > PROSE * len(lengths):
            yield column(region, alike, text)
        else:
            yield from by_place(region, alike, text)


def by_place(region: Region, cells: Cells, text: Texts) -> Iterator[Column]:
    """Yield a column for the first cells of all records, one for the second ones, and so on.

    What is beyond the last column joins it. A record that lacks some cells has the others where
    whole records have the same texts, else from the first place on.
    """
    most = max(map(len, cells))
    if most <= MOST_REPEATS and any(0 < len(some) < most for some in cells):
        for one in zip(*at_home(cells, text, most), strict=True):
            yield column(region, one, text)
        return
    for number in range(min(most, MOST_REPEATS)):
        stop = None if number == MOST_REPEATS - 1 else number + 1
        yield column(region, [some[number:stop] for some in cells], text)


def at_home(cells: Cells, text: Texts, most: int) -> Iterator[list[list[int]]]:
    """Yield the cells of each record by their places."""
    homes = homes_of([[text[cell] for cell in some] for some in cells if len(some) == most])
    for some in cells:
        row: list[list[int]] = [[] for _ in range(most)]
        whole = len(some) in (0, most) or not homes
        places = () if whole else places_of([homes.get(text[cell]) for cell in some], most)
        for place, cell in zip(range(len(some)) if whole else places, some, strict=True):
            row[place].append(cell)
        yield row


def homes_of(whole: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the place of texts that several records have there, and more often than elsewhere."""
    times = Counter((text, place) for texts in whole for place, text in enumerate(texts))
    every = Counter(text for texts in whole for text in texts)
    return {
        text: place
        for (text, place), number in times.items()
        if number >= AGAIN and 2 * number > every[text]
    }


def places_of(homes: Sequence[int | None], most: int) -> tuple[int, ...]:
    """Return places for cells in their order, so that as many as can be are at home.

    Of several ways it is the one with the first places.
    """
    free = most - len(homes)  # places that stay empty
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())] * (free + 1)  # by those passed at most
    for number, home in enumerate(homes):
        ways: list[tuple[int, tuple[int, ...]]] = []
        for passed in range(free + 1):
            before, places = best[passed]
            way = (before + (home == number + passed), (*places, number + passed))
            ways.append(way if not ways or way[0] > ways[-1][0] else ways[-1])
        best = ways
    return best[-1][1]
