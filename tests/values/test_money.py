"""Money: amounts, currency signs and what only looks like money."""

from __future__ import annotations

import pytest

from tamis.values import find_amounts, parse_currency, parse_money


@pytest.mark.parametrize(
    "text",
    [
        "20 results",
        "no price",
        "Oak chair with arms voucher $25",
        "The 25 EUR that nobody wanted to have",
        "$1.2.3",
        "TOP 10",
        "A song about $5 and a very long story of how it was lost and found again",
    ],
)
def test_texts_without_an_amount(text: str) -> None:
    assert parse_money(text) is None


@pytest.mark.parametrize(
    ("text", "expected"), [("$", "USD"), ("CA$", "CAD"), ("€", "EUR"), ("x", None), ("$5", None)]
)
def test_currency_signs(text: str, expected: str | None) -> None:
    assert parse_currency(text) == expected


def test_all_amounts_of_a_text() -> None:
    assert find_amounts("was $10.50, now $5") == [(4, 10, 10.5), (16, 18, 5.0)]
    assert find_amounts("nothing") == []
