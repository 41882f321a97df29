"""All evidence on the blocks of a page, as the rows of one matrix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import tags
from tamis.verdict.evidence import (
    containers,
    letters,
    names,
    neighbours,
    own,
    places,
    repetition,
    titles,
    whole,
)
from tamis.verdict.evidence.frame import Frame, Matrix, Numbers
from tamis.verdict.kernel.passes import add_elements

_GROUPS: Final = {
    "own": own.NAMES,
    "letters": letters.NAMES,
    "titles": titles.NAMES,
    "names": names.NAMES,
    "places": places.NAMES,
    "containers": containers.NAMES,
    "repetition": repetition.NAMES,
    "neighbours": neighbours.NAMES,
}
NAMES: Final = tuple(chain.from_iterable(_GROUPS.values()))


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence on the blocks of a page, and what further evidence is computed from."""

    frame: Frame
    columns: Matrix
    room: Matrix  # the columns, and below them room for more, to be written later
    page: NDArray[np.float64]
    levels: Numbers
    paths: Numbers
    named_paths: Numbers
    records: repetition.Records
    headline: titles.Headline
    plain: bool  # whether the page has none of the elements that HTML 5 brought


def evidence(blocks: Blocks, more: int = 0) -> Evidence:
    """Return all evidence on the blocks of a page, with room for some more rows of it."""
    frame = Frame(blocks)
    levels = containers.levels_above(frame)
    paths, named_paths = repetition.path_keys(frame)
    records = repetition.records_of(frame)
    masks = names.named_rows(blocks.page)
    add_elements(masks, blocks.page.tag, _ELEMENTS)
    room = np.empty((len(NAMES) + more, len(frame)), dtype=np.float32)
    columns = room[: len(NAMES)]
    own.own(frame, columns[_PARTS["own"]])
    letters.letters(frame, columns[_PARTS["letters"]])
    headline = titles.titles(frame, columns[_PARTS["titles"]])
    names.names(frame, masks, columns[_AROUND])
    places.places(frame, columns[_PARTS["places"]])
    containers.containers(frame, levels, columns[_PARTS["containers"]])
    repetition.repetition(frame, paths, named_paths, records, columns[_PARTS["repetition"]])
    neighbours.neighbours(frame, columns[_PARTS["neighbours"]])
    named = names.page_names(frame, masks, columns[_PARTS["names"]])
    page = whole.whole(frame, records, columns[_PARTS["letters"]], named)
    plain = not frame.rows_by_tag[_OF_HTML5].any()
    return Evidence(
        frame, columns, room, page, levels, paths, named_paths, records, headline, plain
    )


def group_slices() -> dict[str, slice]:
    """Return the rows of the matrix that each group of features is written into."""
    ends = list(accumulate((len(group) for group in _GROUPS.values()), initial=0))
    return {name: slice(*rows) for name, rows in zip(_GROUPS, pairwise(ends), strict=True)}


_PARTS: Final = group_slices()
# The counts of elements of some kinds around a block stand below those of elements of some names.
_AROUND: Final = slice(_PARTS["names"].start, _PARTS["places"].start + len(places.AROUND))
_ELEMENTS: Final = places.element_groups(len(names.WORDS))
_OF_HTML5: Final = tags.tag_table(tags.OF_HTML5)
