"""Columns of money → what their amounts are: prices, or what is paid or saved beside them.

Prices that a page shows in pieces: a sign, an amount and small cents, or was and now.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from tamis.page import Budget
from tamis.records.column import Column, apart, both, is_single
from tamis.values import (
    SAMPLE_SIZE,
    Locale,
    TypedColumn,
    Value,
    find_amounts,
    merge_columns,
    parse_currency,
)

if TYPE_CHECKING:
    from tamis.records.fields import ColumnCandidate


LITTLE: Final = 20  # letters that may stand beside a price

_OTHER: Final = "amount"
_PURPOSES: Final[Mapping[str, re.Pattern[str]]] = {
    "saving": re.compile(
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
_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
_WORDS: Final = re.compile(f"{_WAS.pattern}|{_NOW.pattern.removeprefix('(?i)')}")


def purpose(column: Column) -> str | None:
    """Return what most amounts of a column are if they are no prices: the name for that.

    A price has little beside it: no unit that it is for, no other number, no word for a saving.
    """
    texts = islice(filter(None, column.texts), SAMPLE_SIZE // 2)
    found = Counter(map(purpose_of, texts)).most_common(1)
    return found[0][0] if found else None


def purpose_of(text: str) -> str | None:
    """Return what the amount in a text is if it is no price."""
    parts, at = [], 0
    for start, stop, _ in find_amounts(text):
        parts.append(text[at:start])
        at = stop
    beside = " ".join((*parts, text[at:])).strip()
    if not beside or not parts:  # or it was put together of pieces, and its sign is another one
        return None
    for name, words in _PURPOSES.items():
        if words.search(beside):
            return name
    letters = sum(map(str.isalpha, beside))
    many = letters > LITTLE or beside[0] == "+" or any(map(str.isdigit, beside))
    return _OTHER if many else None


def parted_sales(drafts: Sequence[ColumnCandidate]) -> list[ColumnCandidate]:
    """Return columns with those that say what a price was and what it is now parted in two."""
    found: list[ColumnCandidate] = []
    for draft in drafts:
        pairs: list[tuple[float | None, float | None]] = []
        if is_money(draft) and has_words(draft.column.texts):
            pairs = [was_and_now(text) for text in draft.column.texts]
        if any(was is not None for was, _ in pairs):
            kinds = zip(("list_price", "price"), zip(*pairs, strict=True), strict=True)
            found += [
                replace(draft, typed=replace(draft.typed, values=values, upper=()), name=name)
                for name, values in kinds
            ]
        else:
            found.append(draft)
    return found


def is_money(draft: ColumnCandidate) -> bool:
    """Say whether a column is money that the page does not name in so many words."""
    return draft.typed.type == "money" and not draft.given


def has_words(texts: Sequence[str]) -> bool:
    """Say whether texts have words for what was and is. Few have any, which is soon known."""
    whole = " ".join(texts)
    return _LETTERS.search(whole) is not None and _WORDS.search(whole) is not None


def was_and_now(text: str) -> tuple[float | None, float | None]:
    """Return the old price in a text, if words tell it from a new one, and the price."""
    found = find_amounts(text)
    if len(found) != 2:
        return None, found[0][2] if found else None
    (start, stop, first), (after, _, second) = found
    before, between = text[:start], text[stop:after]
    if _WAS.search(before) or _NOW.search(between):
        return first, second
    if _NOW.search(before) or _WAS.search(between):
        return second, first
    return None, first


NEXT: Final = 0.8  # share of the shorter column's cells that must follow one of the other

_CENTS: Final = re.compile(r"\d\d")

Signs = tuple[str | None, ...]  # the currency of each record


def whole_prices(
    drafts: Sequence[ColumnCandidate], home: Locale, budget: Budget
) -> list[ColumnCandidate]:
    """Return columns with the pieces of prices put together."""
    kept = parted_sales(drafts)
    for sign in budget.watch([draft for draft in kept if is_sign(draft.column)]):
        amount = next((one for one in kept if is_amount(one) and follows(one, sign)), None)
        if amount is None:
            continue
        cents = next((one for one in kept if is_cents(one) and follows(one, amount)), None)
        signs = tuple(parse_currency(text, home) for text in sign.column.texts)
        kept.remove(sign)
        place = kept.index(amount)
        kept[place : place + 1] = [
            replace(sign, typed=TypedColumn("text", signs), name="currency"),
            price(signs, amount, cents),
        ]
        if cents is not None:
            kept.remove(cents)
    return sales(kept, budget)


def is_sign(column: Column) -> bool:
    """Say whether a column holds signs of a currency alone."""
    return any(column.texts) and all(parse_currency(text) for text in set(column.texts) if text)


def is_amount(draft: ColumnCandidate) -> bool:
    """Say whether a column holds bare numbers."""
    return draft.typed.type == "number"


def is_cents(draft: ColumnCandidate) -> bool:
    """Say whether a column holds numbers of two digits."""
    texts = draft.column.texts
    return any(texts) and all(_CENTS.fullmatch(text) for text in texts if text)


def follows(one: ColumnCandidate, other: ColumnCandidate) -> bool:
    """Say whether the cells of a column come right after those of another."""
    pairs = zip(one.column.cells, other.column.cells, strict=True)
    after = sum(bool(a and b) and a[0] == b[-1] + 1 for a, b in pairs)
    return after > 0 and after >= NEXT * min(one.column.fill, other.column.fill)


def price(signs: Signs, amount: ColumnCandidate, cents: ColumnCandidate | None) -> ColumnCandidate:
    """Return a price of its pieces."""
    column, values = amount.column, amount.typed.values
    if cents is not None:
        small = cents.column.texts
        texts = tuple(
            f"{text}.{part}" if text and part else text
            for text, part in zip(column.texts, small, strict=True)
        )
        column = replace(column, texts=texts)
        values = tuple(with_cents(*pair) for pair in zip(values, small, strict=True))
    numbers = tuple(None if one is None else float(one) for one in values)
    value = TypedColumn("money", numbers, currencies=signs)
    name = None if amount.name == "price" else amount.name
    return replace(amount, column=column, typed=value, name=name)


def with_cents(amount: Value, cents: str) -> Value:
    """Return an amount with its cents."""
    return amount + int(cents) / 100 if isinstance(amount, int) and cents else amount


def sales(drafts: Sequence[ColumnCandidate], budget: Budget) -> list[ColumnCandidate]:
    """Join columns of money that no record has both of: a price and a price on sale."""
    kept: list[ColumnCandidate] = []
    for draft in budget.watch(drafts):
        for place, other in enumerate(kept) if is_money(draft) else ():
            if is_money(other) and apart(draft.column, other.column) and both_prices(draft, other):
                kept[place] = either(other, draft)
                break
        else:
            kept.append(draft)
    return [draft for draft in kept if not is_chance(draft)]


def either(one: ColumnCandidate, other: ColumnCandidate) -> ColumnCandidate:
    """Return a price with the amounts of two; pieces that were put together are no longer read."""
    column = both(one.column, other.column)
    return replace(one, column=column, typed=merge_columns(one.typed, other.typed))


def is_chance(draft: ColumnCandidate) -> bool:
    """Say whether a column is an amount that one record alone has, and that is no old price."""
    column = draft.column
    return column.grid is None and is_single(column) and draft.name != "list_price"


def both_prices(*drafts: ColumnCandidate) -> bool:
    """Say whether columns of money are not named otherwise, and nothing beside a price."""
    named = any(draft.name not in (None, "price") for draft in drafts)
    return not named and not any(purpose(draft.column) for draft in drafts)
