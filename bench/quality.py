"""Word F1 of every method on wcxb-dev: `tamis evaluate`, with the peers of the README.

    TAMIS_BENCH=… python bench/quality.py [options of tamis evaluate]

Here is also the measure itself, for the small studies beside this file.
"""

from __future__ import annotations

import re
import sys
from collections import Counter

WORD = re.compile(r"\w+")


def main() -> None:
    """Run `tamis evaluate` on wcxb-dev."""
    from tamis.cli import main as tamis

    sys.argv[1:] = ["evaluate", "wcxb-dev", *sys.argv[1:]]
    tamis()


def f1(found: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two multisets of words; 1 if both are empty."""
    from tamis.lab.metrics.text import Counts

    return Counts((found & wanted).total(), found.total(), wanted.total()).f1


if __name__ == "__main__":
    main()
