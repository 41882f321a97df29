"""What the study over folds changes in the code of records."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import pytest

from tamis.lab.studies.record_folds import CONSTANTS, RULES, Change


@pytest.mark.parametrize("values", CONSTANTS, ids=lambda values: values[0].attribute)
def test_the_first_value_of_each_constant_ships(values: Sequence[Change]) -> None:
    first = values[0]
    for module in first.modules:
        assert getattr(import_module(f"tamis.records.{module}"), first.attribute) == first.value


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.label)
def test_each_rule_is_where_it_is_switched_off(rule: Change) -> None:
    attributes = {
        getattr(import_module(f"tamis.records.{module}"), rule.attribute) for module in rule.modules
    }
    assert len(attributes) == 1
    assert attributes != {rule.value}
