"""All evidence on the blocks of a page, as the rows of one matrix."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.verdict.evidence import (
    containers,
    letters,
    names,
    neighbours,
    own,
    places,
    repetition,
    whole,
)
from tamis.verdict.evidence.frame import Frame, Matrix, Numbers

_KINDS = (own, letters, names, places, containers, repetition, neighbours, whole)
NAMES: Final = tuple(name for kind in _KINDS for name in kind.NAMES)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence on the blocks of a page, and what further evidence is computed from."""

    frame: Frame
    columns: Matrix
    page: NDArray[np.float64]
    levels: Numbers
    paths: Numbers
    named_paths: Numbers
    records: repetition.Records


def evidence(blocks: Blocks) -> Evidence:
    """Return all evidence on the blocks of a page."""
    frame = Frame(blocks)
    levels = containers.levels_above(frame)
    paths, named_paths = repetition.path_keys(frame)
    records = repetition.records_of(frame)
    masks = names.named_rows(blocks.page)
    groups = len(names.WORDS)
    both = masks | places.element_groups(blocks.page) << groups
    around = frame.around(both, groups + len(places.AROUND))
    columns = np.empty((len(NAMES), len(frame)), dtype=np.float32)
    own.own(frame, columns[_PARTS[own]])
    letters.letters(frame, columns[_PARTS[letters]])
    names.names(frame, masks, around[:groups], columns[_PARTS[names]])
    places.places(frame, around[groups:], columns[_PARTS[places]])
    containers.containers(frame, levels, columns[_PARTS[containers]])
    repetition.repetition(frame, paths, named_paths, records, columns[_PARTS[repetition]])
    neighbours.neighbours(frame, columns[_PARTS[neighbours]])
    named = names.page_names(frame, masks, columns[_PARTS[names]])
    page = whole.whole(frame, records, columns[_PARTS[letters]], named)
    columns[_PARTS[whole]] = page[:, None]
    return Evidence(frame, columns, page, levels, paths, named_paths, records)


def parts() -> dict[ModuleType, slice]:
    """Return the rows of the matrix that each kind of evidence is written into."""
    places: dict[ModuleType, slice] = {}
    start = 0
    for kind in _KINDS:
        places[kind] = slice(start, start + len(kind.NAMES))
        start += len(kind.NAMES)
    return places


_PARTS: Final = parts()
