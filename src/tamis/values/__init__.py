"""Values: what the texts of a column say, and of what type they are.

`numerals`, `currencies`, `money` and `ago` know how people write, `readers` read one text, `rest`
tells what a text says besides, `typed` reads a column.
"""

from __future__ import annotations
