"""The two hot loops: `Guard` reads raw HTML before the parser, `Scanner` the parsed page after it.

Written in Cython's pure Python mode: each `.py` file is plain Python, its `.pxd` file gives the C
types. Compiled by the normal build, the loops run without the GIL; where there is no compiler the
same files run as they are, many times slower. Each file adds one concern to a class:

    lexer ── stack ── formatting ── tables ── rules ── cutter ── guard
      └───── writer ── scanner

`traits` says what they know of tag names, `uncompiled` stands in for the cython package.
"""

from tamis.page.kernel.guard import Guard, Guarded
from tamis.page.kernel.lexer import COMPILED
from tamis.page.kernel.scanner import Scanner

__all__ = ["COMPILED", "Guard", "Guarded", "Scanner"]
