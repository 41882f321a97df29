"""What the study over folds changes in the code of records."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest

from tamis.lab.studies import find_study

STUDY: Any = find_study("records-folds")


@pytest.mark.parametrize("values", STUDY.constants, ids=lambda values: values[0].attribute)
def test_the_first_value_of_each_constant_ships(values: Sequence[Any]) -> None:
    first = values[0]
    for module in first.modules:
        assert getattr(import_module(f"tamis.records.{module}"), first.attribute) == first.value


@pytest.mark.parametrize("rule", STUDY.rules, ids=lambda rule: rule.label)
def test_each_rule_is_where_it_is_switched_off(rule: Any) -> None:
    attributes = {
        getattr(import_module(f"tamis.records.{module}"), rule.attribute) for module in rule.modules
    }
    assert len(attributes) == 1
    assert attributes != {rule.value}
