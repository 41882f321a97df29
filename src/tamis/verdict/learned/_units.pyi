from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Ints
from tamis.verdict.verdict import Floats

TRAIT_WHOLE: Final = 1
TRAIT_LIST: Final = 2
TRAIT_ITEM: Final = 4
TRAIT_PART: Final = 8
TRAIT_CONTAINER: Final = 16
TRAIT_TABLE: Final = 32
TRAIT_ROW: Final = 64
TRAIT_CELL: Final = 128

def find_unit_rows(
    tag: NDArray[np.uint8], end: Ints, terms: Ints, traits: NDArray[np.uint8]
) -> Ints: ...
def number_units(units: Ints, end: Ints, first: Ints) -> Ints: ...
def average_units(number: Ints, values: Floats, terms: Floats, unit_terms: Floats) -> Floats: ...
def find_opened_rows(
    rows: Iterable[int],
    is_opener: Bools,
    tag: NDArray[np.uint8],
    end: Ints,
    row_terms: Ints,
    owner: Ints,
    terms: Floats,
) -> Ints: ...
def find_sections(
    headings: Ints,
    nodes: Ints,
    level: NDArray[np.uint8],
    h1: int,
    first: Ints,
    end: Ints,
    parent: Ints,
    row_terms: Ints,
    before: Floats,
) -> Ints: ...
def bind_headings(sections: Ints, before: Floats, terms: Floats, by_expert: Floats) -> None: ...
