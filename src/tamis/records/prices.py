"""Prices: amounts that a page shows in parts, former prices, and amounts that are no prices.

A currency sign, an amount and cents in small print are joined into one price. `was $5 now $4` is
split into two. An amount with a unit, or with words for a saving or a delivery, is no price.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from tamis.page import Budget
from tamis.records.column import Column, ColumnCandidate, combine_columns
from tamis.values import (
    SAMPLE_SIZE,
    Locale,
    TypedColumn,
    Value,
    find_amounts,
    merge_columns,
    parse_currency,
)

_MAX_LETTERS: Final = 20  # that a price may have beside it
_MIN_ADJACENT_SHARE: Final = 0.8  # share of the shorter column's cells that follow the other's

SAVING: Final = "saving"
NEVER_PRICES: Final = frozenset((SAVING, "shipping"))  # purposes that no price has
_OTHER_PURPOSE: Final = "amount"
_MINUS_SIGNS: Final = ("-", "−", "–")
_PURPOSES: Final[Mapping[str, re.Pattern[str]]] = {
    SAVING: re.compile(
        r"(?i)\b(?:sav(?:e|es|ed|ings?)\b|off\b|discounts?(?! price)\b|(?:ge)?spar(?!preis)|"
        r"ersparnis|rabatt|économi|remise|ahorr|descuento|desconto|risparmi|sconto|korting|bespaar|скидк)"
    ),
    "shipping": re.compile(
        r"(?i)\b(?:ship|deliver|postage|versand|liefer|livraison|env[ií]o|spedizione|consegna|verzend|"
        r"frakt|frete|доставк)"
    ),
    "unit_price": re.compile(r"(?i)[=/]|\bper\b|\b(?:pro|je|par|por)\s\S{1,3}$"),
}
_WAS: Final = re.compile(
    r"(?i)\b(?:was|old|regular|reg\b|list|rrp|msrp|original|before|statt|vorher|bisher|früher|uvp|"
    r"avant|antes|prima|было)"
)
_NOW: Final = re.compile(
    r"(?i)\b(?:now|sale|today|only|jetzt|nur|heute|maintenant|ahora|agora|ora|сейчас)\b"
)
_WAS_OR_NOW: Final = re.compile(f"{_WAS.pattern}|{_NOW.pattern.removeprefix('(?i)')}")
_THREE_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
_CENTS: Final = re.compile(r"\d\d")

_Currencies = tuple[str | None, ...]  # of each record


def assemble_prices(
    candidates: Sequence[ColumnCandidate], locale: Locale, budget: Budget
) -> list[ColumnCandidate]:
    """Return columns with the parts of prices joined, and former prices split off."""
    columns = _split_former_prices(candidates)
    for sign in budget.watch([column for column in columns if _is_currency_sign(column.column)]):
        amount = next(
            (column for column in columns if _is_number(column) and _follows(column, sign)), None
        )
        if amount is None:
            continue
        cents = next(
            (column for column in columns if _is_cents(column) and _follows(column, amount)), None
        )
        currencies = tuple(parse_currency(text, locale) for text in sign.column.texts)
        columns.remove(sign)
        index = columns.index(amount)
        columns[index : index + 1] = [
            replace(sign, typed=TypedColumn("text", currencies), name="currency"),
            _join_price(currencies, amount, cents),
        ]
        if cents is not None:
            columns.remove(cents)
    return _join_alternative_prices(columns, budget)


# Amounts that are no prices ---------------------------------------------------------------------


def find_column_purpose(column: Column) -> str | None:
    """Return what most amounts of a column are for, None if they are prices."""
    texts = islice(filter(None, column.texts), SAMPLE_SIZE // 2)
    purposes = Counter(map(find_amount_purpose, texts)).most_common(1)
    return purposes[0][0] if purposes else None


def find_amount_purpose(text: str) -> str | None:
    """Return what the amount in a text is for, None if it is a price.

    A price has little text beside it: no unit, no other number, no word for a saving; and it is
    never negative.
    """
    if text.startswith(_MINUS_SIGNS):
        return SAVING
    parts, offset = [], 0
    for start, stop, _ in find_amounts(text):
        parts.append(text[offset:start])
        offset = stop
    if not parts:  # the text was joined from parts, and its currency sign is in another column
        return None
    residual_text = " ".join((*parts, text[offset:])).strip()
    if not residual_text:
        return None
    for purpose, words in _PURPOSES.items():
        if words.search(residual_text):
            return purpose
    letters = sum(map(str.isalpha, residual_text))
    is_sum = text[0] == "+" or any(map(str.isdigit, residual_text))
    return _OTHER_PURPOSE if letters > _MAX_LETTERS or is_sum else None


# Former prices ----------------------------------------------------------------------------------


def _split_former_prices(candidates: Sequence[ColumnCandidate]) -> list[ColumnCandidate]:
    """Split columns that tell a former and a current price in one text into two columns."""
    split: list[ColumnCandidate] = []
    for candidate in candidates:
        pairs: list[tuple[float | None, float | None]] = []
        if _is_money(candidate) and _has_price_words(candidate.column.texts):
            pairs = [parse_was_and_now(text) for text in candidate.column.texts]
        if any(was is not None for was, _ in pairs):
            columns = zip(("list_price", "price"), zip(*pairs, strict=True), strict=True)
            split += [
                replace(
                    candidate, typed=replace(candidate.typed, values=values, upper=()), name=name
                )
                for name, values in columns
            ]
        else:
            split.append(candidate)
    return split


def _is_money(candidate: ColumnCandidate) -> bool:
    """Say whether a column is money without a name from a header or label."""
    return candidate.typed.type == "money" and not candidate.is_name_given


def _has_price_words(texts: Sequence[str]) -> bool:
    """Say whether texts have words for a former or current price."""
    text = " ".join(texts)
    # Few columns of money have letters at all, which is fast to find out.
    return _THREE_LETTERS.search(text) is not None and _WAS_OR_NOW.search(text) is not None


def parse_was_and_now(text: str) -> tuple[float | None, float | None]:
    """Return the former price in a text, if words distinguish it from another, and the price."""
    amounts = find_amounts(text)
    if len(amounts) != 2:
        return None, amounts[0][2] if amounts else None
    (start, stop, first), (second_start, _, second) = amounts
    before, between = text[:start], text[stop:second_start]
    if _WAS.search(before) or _NOW.search(between):
        return first, second
    if _NOW.search(before) or _WAS.search(between):
        return second, first
    return None, first


# Prices in parts --------------------------------------------------------------------------------


def _is_currency_sign(column: Column) -> bool:
    """Say whether a column has only currency signs."""
    return any(column.texts) and all(parse_currency(text) for text in set(column.texts) if text)


def _is_number(candidate: ColumnCandidate) -> bool:
    """Say whether a column has bare numbers."""
    return candidate.typed.type == "number"


def _is_cents(candidate: ColumnCandidate) -> bool:
    """Say whether a column has numbers of two digits."""
    texts = candidate.column.texts
    return any(texts) and all(_CENTS.fullmatch(text) for text in texts if text)


def _follows(candidate: ColumnCandidate, other: ColumnCandidate) -> bool:
    """Say whether the cells of a column come right after those of another."""
    first, second = other.column, candidate.column
    pairs = zip(first.cells, second.cells, strict=True)
    adjacent = sum(bool(a and b) and b[0] == a[-1] + 1 for a, b in pairs)
    shorter = min(first.record_count, second.record_count)
    return adjacent > 0 and adjacent >= _MIN_ADJACENT_SHARE * shorter


def _join_price(
    currencies: _Currencies, amount: ColumnCandidate, cents: ColumnCandidate | None
) -> ColumnCandidate:
    """Return a price that is joined from currencies, amounts and cents."""
    column, values = amount.column, amount.typed.values
    if cents is not None:
        cents_texts = cents.column.texts
        texts = tuple(
            f"{text}.{cents_text}" if text and cents_text else text
            for text, cents_text in zip(column.texts, cents_texts, strict=True)
        )
        column = replace(column, texts=texts)
        values = tuple(_add_cents(*pair) for pair in zip(values, cents_texts, strict=True))
    numbers = tuple(None if value is None else float(value) for value in values)
    typed = TypedColumn("money", numbers, currencies=currencies)
    name = None if amount.name == "price" else amount.name
    return replace(amount, column=column, typed=typed, name=name)


def _add_cents(amount: Value, cents: str) -> Value:
    """Return an amount with its cents."""
    return amount + int(cents) / 100 if isinstance(amount, int) and cents else amount


# Alternative prices -----------------------------------------------------------------------------


def _join_alternative_prices(
    candidates: Sequence[ColumnCandidate], budget: Budget
) -> list[ColumnCandidate]:
    """Join columns of money of which no record has both: a price and a sale price."""
    joined: list[ColumnCandidate] = []
    for candidate in budget.watch(candidates):
        for index, other in enumerate(joined) if _is_money(candidate) else ():
            if _are_alternatives(candidate, other):
                column = combine_columns(other.column, candidate.column)
                typed = merge_columns(other.typed, candidate.typed)
                joined[index] = replace(other, column=column, typed=typed)
                break
        else:
            joined.append(candidate)
    return [candidate for candidate in joined if not _is_rare(candidate)]


def _are_alternatives(candidate: ColumnCandidate, other: ColumnCandidate) -> bool:
    """Say whether two columns are both prices, and no record has both."""
    if not _is_money(other) or not candidate.column.is_disjoint(other.column):
        return False
    both = (candidate, other)
    has_other_name = any(price.name not in (None, "price") for price in both)
    return not has_other_name and not any(find_column_purpose(price.column) for price in both)


def _is_rare(candidate: ColumnCandidate) -> bool:
    """Say whether only one of many records has a column, and it is no list price."""
    column = candidate.column
    if column.table_column is not None:
        return False
    return column.is_in_single_record() and candidate.name != "list_price"
