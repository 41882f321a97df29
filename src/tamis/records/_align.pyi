"""Types of the compiled loops over rows, cells and candidates."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Ints, Page
from tamis.records.cells import Cells
from tamis.records.signatures import PathKeys

_Keys = NDArray[np.uint64]
_Int64s = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Bytes = NDArray[np.uint8]

ENDS_LINE: int
TEXT: int
FORMAT: int
DATE: int
LINK: int
OBJECT: int
IMAGE: int
DRAWING: int
CHOICE: int
TABLE_CELL: int
HEADING: int

def group_equal(keys: _Keys) -> tuple[_Int64s, int]: ...
def read_class_names(page: Page, hiding: _Keys) -> tuple[_Keys, Bools, Bools]: ...
def hash_names(names: bytes) -> _Keys: ...
def mark_inline(
    kind: _Bytes,
    end: Ints,
    parent: Ints,
    chars_before: _Int64s,
    links_before: _Int64s,
    min_text_per_link: int,
) -> Bools: ...
def find_cells(
    page: Page, texts: Bools, is_date: Bools, traits: _Bytes, min_text_per_link: int
) -> tuple[_Int64s, _Int64s, _Int64s, _Int64s, _Int64s]: ...
def hash_paths(symbols: _Keys, parent: Ints, step: int) -> _Keys: ...
def name_rows(
    page: Page, before: _Int64s, symbol: _Keys, tag_symbol: _Keys, traits: _Bytes, max_cells: int
) -> tuple[_Keys, _Keys]: ...
def find_stops(
    rows: _Int64s, group: _Int64s, group_count: int, limit: Ints, end: int
) -> _Int64s: ...
def sum_groups(
    group: _Int64s, group_count: int, weight: _Floats, cells: _Int64s, is_alone: Bools
) -> _Floats: ...
def list_members(group: _Int64s, group_count: int) -> tuple[_Int64s, _Int64s]: ...
def find_date_digits(text: str) -> list[int]: ...
def find_times(text: str) -> list[int]: ...
def find_words(text: str, words: tuple[str, ...]) -> list[int]: ...
def find_surroundings(text: str, offsets: list[int], margin: int) -> list[tuple[int, int]]: ...
def find_attributes(
    source: bytes, start: Ints, head: Ints, is_included: _Bytes, names: tuple[bytes, ...]
) -> list[tuple[int, int]]: ...
def find_values_with(source: bytes, start: Ints, stop: Ints, letters: bytes) -> list[int]: ...
def find_tags_with(
    source: bytes, start: Ints, head: Ints, rows: _Int64s, letters: bytes
) -> _Int64s: ...
def read_values(
    source: bytes,
    start: Ints,
    head: Ints,
    rows: Iterable[int],
    max_bytes: int,
    names: tuple[bytes, ...],
) -> list[bytes]: ...
def find_message_elements(marks: _Int64s, parent: Ints, end: Ints) -> _Int64s: ...
def count_siblings(start: _Int64s, stop: _Int64s, end: Ints) -> _Int64s: ...
def skip_siblings(start: _Int64s, stop: _Int64s, end: Ints, count: int) -> _Int64s: ...
def find_common_child(
    start: _Int64s, stop: _Int64s, page: Page, symbol: _Keys, sums: _Floats
) -> tuple[_Int64s, float, int]: ...

class Groups:
    row: _Int64s
    stop: _Int64s
    number: _Int64s
    members: _Int64s
    offset: _Int64s
    max_score: _Floats
    factor: _Floats
    count: int
    def __init__(
        self,
        cells: Cells,
        page: Page,
        path_key: _Keys,
        class_symbol: _Keys,
        weight_before: _Floats,
        rules: Mapping[str, float],
    ) -> None: ...

class Aligner:
    def __init__(
        self,
        cells: Cells,
        page: Page,
        paths: PathKeys,
        tag_symbol: _Keys,
        rules: Mapping[str, float],
    ) -> None: ...
    def score(self, groups: Groups, group: int) -> float: ...
    def align(
        self, start: _Int64s, stop: _Int64s
    ) -> tuple[_Int64s, _Int64s, _Int64s, _Int64s, float, float]: ...
