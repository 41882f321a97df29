"""The reader on html5lib's tests of tree construction, held against the reference parser.

The files are in the source package of html5lib, which `tools/fetch_html5lib_tests` gets.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tamis.lab.studies import Difference, compare_with_reference

FOLDER = Path("build/html5lib-1.1/html5lib/tests/testdata/tree-construction")
FILES = sorted((Path(__file__).parents[2] / FOLDER).glob("*.dat"))
NEEDED = pytest.mark.skipif(not FILES, reason="not there: tools/fetch_html5lib_tests gets them")


def inputs(path: Path) -> Iterator[bytes]:
    """Yield the documents of a file of tests; fragments are left out."""
    for test in path.read_bytes().split(b"#data\n")[1:]:
        html, _, expected = test.partition(b"\n#errors")
        if b"#document-fragment" not in expected:
            yield html


@NEEDED
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_trees_are_those_of_the_reference(path: Path) -> None:
    documents = list(inputs(path))
    outcomes = {html: compare_with_reference(html) for html in documents}
    assert not {html: o for html, o in outcomes.items() if isinstance(o, Difference)}


@NEEDED
def test_most_of_them_are_not_hard() -> None:
    outcomes = [compare_with_reference(html) for path in FILES for html in inputs(path)]
    assert len(outcomes) > 1000
    assert sum(not outcome for outcome in outcomes) > len(outcomes) / 2
