"""Parameters of identifiers: values that mean nothing are refused when one is made."""

from __future__ import annotations

import warnings
from dataclasses import fields
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from helpers.samples import sample
from tamis.blocks import TagSet
from tamis.errors import InputError, TamisError, UnknownName, WrongType
from tamis.verdict import IDENTIFIERS

FLOATS = [
    (name, field.name)
    for name, identifier in IDENTIFIERS.items()
    for field in fields(identifier)  # type: ignore[arg-type]
    if str(field.type).startswith("float")
]


def build(name: str, **parameters: Any) -> Any:
    return IDENTIFIERS[name](**parameters)


@pytest.mark.parametrize(("name", "parameter"), FLOATS)
@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_every_number_is_finite(name: str, parameter: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"{parameter} is -?(nan|inf): take a number"):
        build(name, **{parameter: value})


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("coreex", {"min_ratio": 1.5}, "min_ratio is 1.5: take a number from 0 to 1"),
        ("eifce", {"min_terms": -1}, "min_terms is -1: take a whole number from 0"),
        ("eifce", {"max_link": 1.5}, "max_link is 1.5: take a number from 0 to 1"),
        ("eifce", {"link_weight": 1000}, "link_weight is 1000: take a number from 0 to 10"),
        ("entropy", {"threshold": 2.0}, "threshold is 2.0: take a number from 0 to 1"),
        ("entropy", {"language": ""}, "no language ''"),
        ("feature", {"desired": ()}, "desired is empty: name at least one"),
        ("feature", {"min_terms": -3}, "min_terms is -3"),
        ("feature", {"weights": (("img", nan),)}, "the weight of img is nan"),
        ("feature", {"weights": (("img", -1.0),)}, "the weight of img is -1.0"),
        ("kfeature", {"ks": (0,)}, "a k of ks is 0: take a whole number from 1"),
        ("kfeature", {"ks": ()}, "ks is empty"),
        ("ibdf", {"epsilon": 0}, "epsilon is 0: take a number above 0 and up to 1"),
        ("ibdf", {"theta": 5.0}, "theta is 5.0: take a number from 0 to 1"),
        ("importance", {"threshold": -1.0}, "threshold is -1.0: take a number from 0"),
        ("optimum", {"max_link": 1.5}, "max_link is 1.5: take a number from 0 to 1"),
        ("optimum", {"beta": 1e300}, r"beta is 1e\+300: take a number from 0 to 1e\+12"),
        ("optimum", {"beta": 10**400}, "take a number from 0 to 1e"),
        ("shingle", {"window": 0}, "window is 0: take a whole number from 1"),
        ("shingle", {"count": 0}, "count is 0: take a whole number from 1"),
        ("shingle", {"min_match": 5.0}, "min_match is 5.0: take a number above 0 and up to 1"),
        ("shingle", {"share_pages": 0}, "share_pages is 0: take a whole number from 2"),
        ("shingle", {"share": -0.1}, "share is -0.1: take a number from 0 to 1"),
        ("sitestyle", {"threshold": 2.0}, "threshold is 2.0: take a number from 0 to 1"),
        ("sitestyle", {"gamma": -1}, "gamma is -1: take a number from 0 to 1"),
        ("sitestyle", {"attributes": ("Class",)}, "no attribute 'Class'"),
        ("tagwindow", {"alpha": (1.0, 1.0, 1.0, nan)}, "a weight of alpha is nan"),
        ("tagwindow", {"alpha": (1.0,)}, "alpha has 1 weights: give four"),
        ("tagwindow", {"noise_words": -1}, "noise_words is -1"),
    ],
)
def test_values_that_mean_nothing(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(name, **parameters)


@pytest.mark.parametrize("name", ["feature", "kfeature"])
def test_features_are_checked_before_a_page_is_read(name: str) -> None:
    with pytest.raises(UnknownName, match="no feature 'nosuch': take text, "):
        build(name, desired=("nosuch",))
    with pytest.raises(UnknownName, match="no feature 'foo': take text, "):
        build(name, weights=(("foo", 2.0),))
    with pytest.raises(WrongType, match="desired is of type str: give a tuple"):
        build(name, desired="text")


def test_a_number_is_no_text() -> None:
    with pytest.raises(WrongType, match="max_link is of type str: give a number"):
        build("optimum", max_link="0.4")
    with pytest.raises(WrongType, match="min_terms is of type float: give a whole number"):
        build("eifce", min_terms=1.5)
    assert build("optimum", max_link=np.float64(0.2)).max_link == 0.2


@pytest.mark.parametrize("value", [0, 0.5, 1, 1e12])
@pytest.mark.parametrize(("name", "parameter"), FLOATS)
def test_no_value_that_is_accepted_overflows(name: str, parameter: str, value: float) -> None:
    try:
        identifier = build(name, **{parameter: value})
    except TamisError:
        return
    if name in ("eifce", "entropy"):  # the one needs layout, the other optional libraries
        return
    blocks = [TagSet().segment(sample(page)) for page in ("article", "docs")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = identifier.fit(blocks) if hasattr(identifier, "fit") else identifier
        fitted.identify(blocks[0])
