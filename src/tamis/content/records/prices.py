"""Prices that a page shows in pieces: a sign, an amount and small cents, or was and now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tamis.content.home import Home
from tamis.content.records.amounts import is_money, parted_sales, purpose
from tamis.content.records.column import Column, apart, both, is_single
from tamis.content.records.values.currencies import currency
from tamis.content.records.values.typed import Typed, Value, both_typed
from tamis.page.limits import Budget

if TYPE_CHECKING:
    from tamis.content.records.fields import Draft

NEXT: Final = 0.8  # share of the shorter column's cells that must follow one of the other

_CENTS: Final = re.compile(r"\d\d")

Signs = tuple[str | None, ...]  # the currency of each record


def whole_prices(drafts: Sequence[Draft], home: Home, budget: Budget) -> list[Draft]:
    """Return columns with the pieces of prices put together."""
    kept = parted_sales(drafts)
    for sign in budget.watch([draft for draft in kept if is_sign(draft.column)]):
        amount = next((one for one in kept if is_amount(one) and follows(one, sign)), None)
        if amount is None:
            continue
        cents = next((one for one in kept if is_cents(one) and follows(one, amount)), None)
        signs = tuple(currency(text, home) for text in sign.column.texts)
        kept.remove(sign)
        place = kept.index(amount)
        kept[place : place + 1] = [
            replace(sign, typed=Typed("text", signs), name="currency"),
            price(signs, amount, cents),
        ]
        if cents is not None:
            kept.remove(cents)
    return sales(kept, budget)


def is_sign(column: Column) -> bool:
    """Say whether a column holds signs of a currency alone."""
    return any(column.texts) and all(currency(text) for text in set(column.texts) if text)


def is_amount(draft: Draft) -> bool:
    """Say whether a column holds bare numbers."""
    return draft.typed.type == "number"


def is_cents(draft: Draft) -> bool:
    """Say whether a column holds numbers of two digits."""
    texts = draft.column.texts
    return any(texts) and all(_CENTS.fullmatch(text) for text in texts if text)


def follows(one: Draft, other: Draft) -> bool:
    """Say whether the cells of a column come right after those of another."""
    pairs = zip(one.column.cells, other.column.cells, strict=True)
    after = sum(bool(a and b) and a[0] == b[-1] + 1 for a, b in pairs)
    return after > 0 and after >= NEXT * min(one.column.fill, other.column.fill)


def price(signs: Signs, amount: Draft, cents: Draft | None) -> Draft:
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
    value = Typed("money", numbers, currencies=signs)
    name = None if amount.name == "price" else amount.name
    return replace(amount, column=column, typed=value, name=name)


def with_cents(amount: Value, cents: str) -> Value:
    """Return an amount with its cents."""
    return amount + int(cents) / 100 if isinstance(amount, int) and cents else amount


def sales(drafts: Sequence[Draft], budget: Budget) -> list[Draft]:
    """Join columns of money that no record has both of: a price and a price on sale."""
    kept: list[Draft] = []
    for draft in budget.watch(drafts):
        for place, other in enumerate(kept) if is_money(draft) else ():
            if is_money(other) and apart(draft.column, other.column) and both_prices(draft, other):
                kept[place] = either(other, draft)
                break
        else:
            kept.append(draft)
    return [draft for draft in kept if not is_chance(draft)]


def either(one: Draft, other: Draft) -> Draft:
    """Return a price with the amounts of two; pieces that were put together are no longer read."""
    column = both(one.column, other.column)
    return replace(one, column=column, typed=both_typed(one.typed, other.typed))


def is_chance(draft: Draft) -> bool:
    """Say whether a column is an amount that one record alone has, and that is no old price."""
    column = draft.column
    return column.grid is None and is_single(column) and draft.name != "list_price"


def both_prices(*drafts: Draft) -> bool:
    """Say whether columns of money are not named otherwise, and nothing beside a price."""
    named = any(draft.name not in (None, "price") for draft in drafts)
    return not named and not any(purpose(draft.column) for draft in drafts)
