"""Roles: the names of columns by what they hold.

Title, price, image, rating, date, badge, number of reviews and description are recognised without
a name in the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from tamis.records.column import Column, ColumnCandidate, is_in_heading
from tamis.records.column_names import slugify
from tamis.records.prices import NEVER_PRICES, SAVING, find_column_purpose
from tamis.records.regions import Region
from tamis.values import Locale, Value, infer_column, value_type

_MIN_TITLE_SHARE: Final = 0.5  # share of records that must have a title
_MIN_DISTINCT_SHARE: Final = 0.34  # share of different texts among titles; buttons have few
_MIN_COMPARED: Final = 3  # titles from which on they must differ
_SOME_DAY: Final = Locale(fetched=date(2000, 1, 1))  # to see whether texts are relative dates

_Candidates = Sequence[ColumnCandidate]
_Roles = dict[int, str]  # name by the index of the candidate


def find_title(region: Region, candidates: _Candidates, titles: frozenset[str]) -> int | None:
    """Return the index of the title: words that differ, in a heading or link, early in the record.

    `titles` are the names of the items in the page's structured data.
    """
    page, best, best_score = region.page, None, 0.0
    for index, candidate in enumerate(candidates):
        column = candidate.column
        texts = [text for text in column.texts if text]
        if not candidate.is_text or len(texts) < _MIN_TITLE_SHARE * len(region):
            continue
        distinct_share = len(set(texts)) / len(texts)
        if len(texts) >= _MIN_COMPARED and distinct_share < _MIN_DISTINCT_SHARE:
            continue
        is_linked = bool(page.in_link[region.cells.first_row[column.first_cell]])
        score = 2.0 * is_in_heading(region, column) + 1.5 * is_linked
        score += 2.0 * (candidate.name == "title")
        score += distinct_share - 0.1 * index
        score += 4.0 * sum(text in titles for text in texts) / len(texts)
        if score > best_score:
            best, best_score = index, score
    return best


def name_roles(candidates: _Candidates, title: int | None, *, has_rating: bool) -> _Roles:
    """Return the names of the columns that are recognised by what they hold.

    A column has one role: a column that an earlier rule takes is not free for later ones.
    """
    roles: _Roles = {} if title is None else {title: "title"}
    for find_roles in (_find_prices, _find_images, _find_typed_roles, _find_badges):
        roles |= find_roles(candidates, _find_free(candidates, roles))
    if has_rating:
        roles |= _find_review_count(candidates, _find_free(candidates, roles))
    roles |= _find_description(candidates, _find_free(candidates, roles), title)
    return {
        index: name
        for index, name in roles.items()
        if index == title or candidates[index].name != "title"
    }


def _find_free(candidates: _Candidates, roles: Mapping[int, str]) -> list[int]:
    """Return the columns that have no role yet, and no name from a header or label."""
    return [
        index
        for index, candidate in enumerate(candidates)
        if index not in roles and not candidate.is_name_given
    ]


def _find_prices(candidates: _Candidates, free: Sequence[int]) -> _Roles:
    """Return which columns of money are prices, list prices, or other amounts.

    A list price is struck out or named so. If there is none, it is the one of the first two prices
    that is never less. If all amounts have another purpose, they are prices, except for savings
    and deliveries.
    """
    money = [n for n in free if candidates[n].typed.type == "money"]
    list_prices = [n for n in money if candidates[n].name == "list_price"]
    prices = [n for n in money if candidates[n].name != "list_price"]
    purposes = {n: find_column_purpose(candidates[n].column) for n in prices}
    others: _Roles = {n: purpose for n, purpose in purposes.items() if purpose}
    others |= {n: SAVING for n in prices if candidates[n].name == SAVING and len(money) > 1}
    if len(others) == len(prices):
        others = {n: purpose for n, purpose in others.items() if purpose in NEVER_PRICES}
    prices = [n for n in prices if n not in others]
    if len(prices) > 1 and not list_prices:
        first, second = (candidates[n].typed.values for n in prices[:2])
        greater = _find_never_less(first, second)
        list_prices = [] if greater is None else [prices[greater]]
    return others | dict.fromkeys(prices, "price") | dict.fromkeys(list_prices, "list_price")


def _find_never_less(first: Sequence[Value], second: Sequence[Value]) -> int | None:
    """Return which of two columns, 0 or 1, has greater amounts and never less; None if neither."""
    pairs = [
        (float(a), float(b))
        for a, b in zip(first, second, strict=True)
        if a is not None and b is not None
    ]
    if all(a == b for a, b in pairs):
        return None
    if all(a >= b for a, b in pairs):
        return 0
    return 1 if all(a <= b for a, b in pairs) else None


def _find_images(candidates: _Candidates, free: Sequence[int]) -> _Roles:
    """Return the columns of images."""
    return {n: "image" for n in free if candidates[n].column.is_image}


def _find_typed_roles(candidates: _Candidates, free: Sequence[int]) -> _Roles:
    """Return the first rating and the first date, unless another column has that name.

    Relative dates are texts if nothing tells from which day they count, and dates all the same.
    """
    roles: _Roles = {}
    for type_name in ("rating", "date"):
        first = next((n for n in free if candidates[n].typed.type == type_name), None)
        if first is None and type_name == "date":
            first = next((n for n in free if _are_relative_dates(candidates[n])), None)
        is_taken = any(candidate.name == type_name for candidate in candidates)
        if first is not None and not is_taken:
            roles[first] = type_name
    return roles


def _are_relative_dates(candidate: ColumnCandidate) -> bool:
    """Say whether a column has texts that would be dates if the page had a day to count from."""
    texts = [text for text in candidate.column.texts if text]
    if not candidate.is_text or not all(
        value_type(text) == "date" for text in (texts[0], texts[-1])
    ):
        return False
    return infer_column(texts, _SOME_DAY).type == "date"


def _find_badges(candidates: _Candidates, free: Sequence[int]) -> _Roles:
    """Return badges, named by their texts."""
    badges = (n for n in free if candidates[n].typed.type == "flag")
    return {n: slugify(candidates[n].typed.note or "") or "badge" for n in badges}


def _find_review_count(candidates: _Candidates, free: Sequence[int]) -> _Roles:
    """Return the first number in brackets as the number of reviews."""
    numbers = (n for n in free if candidates[n].typed.type == "number")
    first = next((n for n in numbers if _is_in_brackets(candidates[n].column)), None)
    return {} if first is None else {first: "reviews"}


def _is_in_brackets(column: Column) -> bool:
    """Say whether all texts of a column are in brackets."""
    return all(text[0] + text[-1] == "()" for text in column.texts if text)


def _find_description(candidates: _Candidates, free: Sequence[int], title: int | None) -> _Roles:
    """Return the column of the longest texts, if they are longer than the titles."""
    text_columns = [n for n in free if candidates[n].is_text]
    is_taken = any(candidate.name == "description" for candidate in candidates)
    if title is None or not text_columns or is_taken:
        return {}
    longest = max(text_columns, key=lambda n: _mean_length(candidates[n].column))
    if _mean_length(candidates[longest].column) <= _mean_length(candidates[title].column):
        return {}
    return {longest: "description"} if candidates[longest].name is None else {}


def _mean_length(column: Column) -> float:
    """Return the mean number of characters of a column's texts."""
    return sum(map(len, column.texts)) / max(1, column.record_count)
