"""Types of the compiled loops over rows, cells and candidates."""

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Ints, Page
from tamis.records.cells import Cells
from tamis.records.signatures import PathKeys

_Keys = NDArray[np.uint64]
_Int64s = NDArray[np.int64]
_Floats = NDArray[np.float64]

ENDS_LINE: int
TEXT: int
FORMAT: int
DATE: int
LINK: int
OBJECT: int

def group_equal(keys: _Keys) -> tuple[_Int64s, int]: ...
def hash_names(source: bytes, start: Ints, stop: Ints) -> tuple[_Keys, _Int64s, Bools]: ...
def mark_inline(
    kind: NDArray[np.uint8],
    end: Ints,
    parent: Ints,
    chars_before: _Int64s,
    links_before: _Int64s,
    min_text_per_link: int,
) -> Bools: ...
def find_holders(rows: Ints, parent: Ints, is_inline: Bools) -> _Int64s: ...
def hash_paths(symbols: _Keys, parent: Ints, step: int) -> _Keys: ...
def find_stops(
    rows: _Int64s, group: _Int64s, group_count: int, limit: Ints, end: int
) -> _Int64s: ...
def sum_groups(
    group: _Int64s, group_count: int, weight: _Floats, cells: _Int64s, is_alone: Bools
) -> _Floats: ...
def align_cells(
    start: _Int64s,
    stop: _Int64s,
    cells: Cells,
    page: Page,
    paths: PathKeys,
    tag_symbol: _Keys,
    factor: int,
) -> tuple[_Int64s, _Int64s, _Int64s, _Int64s, _Floats, _Int64s]: ...
def list_members(group: _Int64s, group_count: int) -> tuple[_Int64s, _Int64s]: ...
