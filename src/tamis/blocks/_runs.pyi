"""Types of the compiled search for runs of rows."""

from tamis.page import Bools, Ints

def find_blocks(is_boundary: Bools, end: Ints, is_leaf: Bools) -> tuple[Ints, Ints, Ints, Ints]: ...
