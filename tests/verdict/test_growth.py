"""Judging blocks takes time in proportion to the page."""

from __future__ import annotations

import pytest

from helpers.growth import LINEAR, growth
from helpers.instances import IDENTIFIER_NAMES, identifier, segmenter
from helpers.shapes import SHAPES, shape

# The segmenters that each is paired with, and the one with the most nesting.
CUT_BY = ("tagset", "chunks")


@pytest.mark.parametrize("name", IDENTIFIER_NAMES)
@pytest.mark.parametrize("cut_by", CUT_BY)
@pytest.mark.parametrize("kind", SHAPES)
def test_time_grows_linearly(name: str, cut_by: str, kind: str) -> None:
    small, large = (segmenter(cut_by).segment(shape(kind, size)) for size in (2500, 20_000))
    judge = identifier(name)
    assert growth(lambda: judge.identify(small), lambda: judge.identify(large)) < LINEAR


@pytest.mark.parametrize("name", IDENTIFIER_NAMES)
def test_time_grows_linearly_up_to_very_many_siblings(name: str) -> None:
    small, large = (
        segmenter("tagset").segment(shape("siblings", size)) for size in (12_500, 100_000)
    )
    judge = identifier(name)
    assert growth(lambda: judge.identify(small), lambda: judge.identify(large)) < LINEAR
