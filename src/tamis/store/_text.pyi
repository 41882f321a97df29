"""Types of the compiled loops over sources and texts."""

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Ints

_Keys = NDArray[np.uint64]
_Int32s = NDArray[np.int32]
_Bytes = NDArray[np.uint8]

def find_owners(start: Ints, stop: Ints, parent: Ints, owner: Ints) -> tuple[Ints, Ints]: ...
def find_spans(source: bytes, starts: Ints, stops: Ints, is_informative: Bools) -> Ints: ...
def find_parts(data: bytes, folded: _Bytes, seed: int) -> tuple[_Keys, _Int32s, _Int32s]: ...
def join_parts(
    data: bytes, folded: _Bytes, starts: _Int32s, stops: _Int32s, indices: _Int32s
) -> bytes: ...
def find_slots(keys: _Keys, table: _Keys) -> tuple[_Int32s, _Int32s]: ...
def note_lines(
    slots: _Int32s,
    indices: _Int32s,
    lines: _Bytes,
    offset: int,
    starts: _Int32s,
    stops: _Int32s,
) -> None: ...
def join_tokens(slots: _Int32s, starts: _Int32s, stops: _Int32s, tokens: _Bytes) -> bytes: ...
def hash_tokens(line: bytes) -> NDArray[np.uint32]: ...
