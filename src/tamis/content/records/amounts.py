"""Columns of money → what their amounts are: prices, or what is paid or saved beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from tamis.content.records.column import Column
from tamis.content.records.values.money import amounts
from tamis.content.records.values.typed import SAMPLE

if TYPE_CHECKING:
    from tamis.content.records.fields import Draft

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
    texts = islice(filter(None, column.texts), SAMPLE // 2)
    found = Counter(map(purpose_of, texts)).most_common(1)
    return found[0][0] if found else None


def purpose_of(text: str) -> str | None:
    """Return what the amount in a text is if it is no price."""
    parts, at = [], 0
    for start, stop, _ in amounts(text):
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


def parted_sales(drafts: Sequence[Draft]) -> list[Draft]:
    """Return columns with those that say what a price was and what it is now parted in two."""
    found: list[Draft] = []
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


def is_money(draft: Draft) -> bool:
    """Say whether a column is money that the page does not name in so many words."""
    return draft.typed.type == "money" and not draft.given


def has_words(texts: Sequence[str]) -> bool:
    """Say whether texts have words for what was and is. Few have any, which is soon known."""
    whole = " ".join(texts)
    return _LETTERS.search(whole) is not None and _WORDS.search(whole) is not None


def was_and_now(text: str) -> tuple[float | None, float | None]:
    """Return the old price in a text, if words tell it from a new one, and the price."""
    found = amounts(text)
    if len(found) != 2:
        return None, found[0][2] if found else None
    (start, stop, first), (after, _, second) = found
    before, between = text[:start], text[stop:after]
    if _WAS.search(before) or _NOW.search(between):
        return first, second
    if _NOW.search(before) or _WAS.search(between):
        return second, first
    return None, first
