"""Cutting a page takes time in proportion to the page."""

from __future__ import annotations

import pytest

from helpers.growth import LINEAR, growth
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.shapes import SHAPES, shape


@pytest.mark.parametrize("name", SEGMENTER_NAMES)
@pytest.mark.parametrize("kind", SHAPES)
def test_time_grows_linearly(name: str, kind: str) -> None:
    small, large = shape(kind, 2500), shape(kind, 20_000)
    cut = segmenter(name)
    assert growth(lambda: cut.segment(small), lambda: cut.segment(large)) < LINEAR


@pytest.mark.parametrize("name", SEGMENTER_NAMES)
def test_time_grows_linearly_up_to_very_many_siblings(name: str) -> None:
    small, large = shape("siblings", 12_500), shape("siblings", 100_000)
    cut = segmenter(name)
    assert growth(lambda: cut.segment(small), lambda: cut.segment(large)) < LINEAR
    assert len(cut.segment(large)) == {"tagset": 100_000, "keypattern": 1, "chunks": 100_001}.get(
        name, len(cut.segment(large))
    )
