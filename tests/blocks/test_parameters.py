"""Parameters of segmenters: values that mean nothing are refused when one is made."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from tamis.blocks import SEGMENTERS
from tamis.errors import InputError, UnknownName, WrongType


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("tagset", {"tags": ()}, "tags is empty: name a set, or at least one tag"),
        ("tagset", {"tags": ""}, "tags is empty"),
        ("chunks", {"tags": ()}, "tags is empty: name at least one"),
        ("fragments", {"min_size": -1}, "min_size is -1: take a whole number from 0"),
        ("vips", {"pdoc": 0}, "pdoc is 0: take a whole number from 1 to 10"),
        ("vips", {"pdoc": 11}, "pdoc is 11: take a whole number from 1 to 10"),
        ("vips", {"rounds": 0}, "rounds is 0"),
        ("vips", {"size": nan}, "size is nan: take a number from 0 to 1"),
        ("visual", {"rules": (1, 11)}, "a rule is 11: take a whole number from 1 to 10"),
        ("visual", {"limit": -1}, "limit is -1"),
        ("visual", {"levels": 0}, "levels is 0: take a whole number from 1"),
        ("visual", {"tolerance": inf}, "tolerance is inf"),
        ("visual", {"min_height": nan}, "min_height is nan"),
        ("visual", {"min_area": 2.0}, "min_area is 2.0: take a number from 0 to 1"),
        ("visual", {"same": -0.1}, "same is -0.1"),
    ],
)
def test_values_that_mean_nothing(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SEGMENTERS[name](**parameters)


@pytest.mark.parametrize("name", ["tagset", "chunks"])
def test_tags_are_names_of_elements(name: str) -> None:
    segmenter: Any = SEGMENTERS[name]
    with pytest.raises(UnknownName, match="no tag 'foo': take names of HTML elements, such as"):
        segmenter(tags=("table", "foo"))
    with pytest.raises(WrongType, match="tags is of type int"):
        segmenter(tags=5)
