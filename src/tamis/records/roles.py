"""Ratings that a page does not say in words of their own: empty elements, and `4.5 (12)`.

Columns → names by what they hold: title, price, picture, rating, date, description.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tamis.records import column_names
from tamis.records.column import Column, in_heading
from tamis.records.links import plain
from tamis.records.prices import purpose
from tamis.records.regions import Region
from tamis.values import MIN_TYPE_SHARE, TypedColumn, Value, parse_count, parse_rating

if TYPE_CHECKING:
    from tamis.records.fields import ColumnCandidate


MIN_RATED_SHARE: Final = 0.5  # share of records that must have a rating
FIRST: Final = 2  # records of which one must have a rating for others to be looked at

_SAID: Final = [
    re.compile(rb'%b="([^"\d]{0,40}\d[^"]{0,40})"' % name) for name in (b"title", b"aria-label")
]
_BOTH: Final = re.compile(
    r"(?P<rating>[0-4](?:[.,]\d{1,2})?|5(?:[.,]0{1,2})?)\s?(?P<count>\(.{1,9}\))"
)

Star = tuple[float | None, int]  # a rating, and the row that has it


def empty_stars(region: Region) -> list[Star]:
    """Return the ratings that empty elements have as their label, a star for each record."""
    starts = region.start.tolist()
    last = max(int(region.page.end[starts[-1]]), int(region.cells.last[region.cell[-1]]) + 1)
    found: list[Star] = []
    for start, stop in pairwise([*starts, last]):
        found.append(star_of(region, start, stop))
        if len(found) == FIRST and not any(row >= 0 for _, row in found):
            return []
    having = sum(row >= 0 for _, row in found)
    return found if having >= MIN_RATED_SHARE * len(found) else []


def star_of(region: Region, start: int, stop: int) -> Star:
    """Return the rating that empty elements in some rows have as their label.

    Several of them are for readers to choose from.
    """
    page, before = region.page, region.cells.before
    end = int(page.start[stop]) if stop < len(page) else len(page.source)
    found: dict[float, int] = {}
    for said in chain(*(one.finditer(page.source, int(page.start[start]), end) for one in _SAID)):
        value = parse_rating(" ".join(plain(said[1]).split()))
        if value is None:
            continue
        row = int(np.searchsorted(page.start, said.start(), side="right")) - 1
        if before[page.end[row]] == before[row]:
            found.setdefault(float(value.value), row)
    return next(iter(found.items())) if len(found) == 1 else (None, -1)


def parted_ratings(drafts: Sequence[ColumnCandidate]) -> list[ColumnCandidate]:
    """Return columns with those of ratings, and how many there are in brackets, parted in two."""
    found: list[ColumnCandidate] = []
    for draft in drafts:
        texts = draft.column.texts if draft.is_text and not draft.given else ()
        if not any(map(_BOTH.fullmatch, islice(filter(None, texts), FIRST))):
            found.append(draft)
            continue
        pairs = [_BOTH.fullmatch(text) for text in texts]
        known = sum(map(bool, texts))
        if sum(pair is not None for pair in pairs) >= MIN_TYPE_SHARE * known:
            stars = [float(pair["rating"].replace(",", ".")) if pair else None for pair in pairs]
            counts = [parse_count(pair["count"]) if pair else None for pair in pairs]
            numbers = tuple(one.value() if one else None for one in counts)
            found += [
                replace(draft, typed=TypedColumn("rating", tuple(stars)), name="rating"),
                replace(draft, typed=TypedColumn("number", numbers), name="reviews"),
            ]
        else:
            found.append(draft)
    return found


MIN_ROLE_SHARE: Final = 0.5  # share of records that a title must have


def title_of(
    region: Region, drafts: Sequence[ColumnCandidate], titles: frozenset[str]
) -> int | None:
    """Return which column is the title: words that differ, in a heading or link, early, long."""
    page, best, most = region.page, None, 0.0
    for place, draft in enumerate(drafts):
        column = draft.column
        known = [text for text in column.texts if text]
        if not draft.is_text or len(known) < MIN_ROLE_SHARE * len(region):
            continue
        linked = bool(page.in_link[region.cells.first[column.first]])
        worth = 2.0 * in_heading(region, column) + 1.5 * linked + 2.0 * (draft.name == "title")
        worth += len(set(known)) / len(known) - 0.1 * place
        worth += 4.0 * sum(text in titles for text in known) / len(known)
        if worth > most:
            best, most = place, worth
    return best


def role_names(
    drafts: Sequence[ColumnCandidate], title: int | None, *, rated: bool
) -> dict[int, str]:
    """Return the names of the columns that are recognised by what they hold.

    A column has one role: what an earlier one of these takes is not free for the others. `rated`
    says whether records have ratings.
    """
    taken: dict[int, str] = {} if title is None else {title: "title"}
    for roles in (price_roles, picture_roles, kind_roles, flag_roles):
        taken |= roles(drafts, free_of(drafts, taken))
    if rated:
        taken |= review_role(drafts, free_of(drafts, taken))
    taken |= description_role(drafts, free_of(drafts, taken), title)
    return {n: name for n, name in taken.items() if n == title or drafts[n].name != "title"}


def free_of(drafts: Sequence[ColumnCandidate], taken: Mapping[int, str]) -> list[int]:
    """Return the columns that have no role yet, and no name that the page gives them."""
    return [n for n, draft in enumerate(drafts) if n not in taken and not draft.given]


def price_roles(drafts: Sequence[ColumnCandidate], free: Sequence[int]) -> dict[int, str]:
    """Return which columns of money are prices, old prices, or amounts beside them.

    An old price is struck out or named so; where nothing says it, it is the one of the first two
    that is never less. Where all amounts are such as stand beside a price, they are prices.
    """
    money = [n for n in free if drafts[n].typed.type == "money"]
    struck = [n for n in money if drafts[n].name == "list_price"]
    plain = [n for n in money if drafts[n].name != "list_price"]
    beside: dict[int, str] = {}
    if len(plain) > 1:
        beside = {n: said for n in plain if (said := purpose(drafts[n].column))}
    if len(beside) < len(plain):
        plain = [n for n in plain if n not in beside]
    else:
        beside = {}
    if len(plain) > 1 and not struck:
        old = never_less(drafts[plain[0]].typed.values, drafts[plain[1]].typed.values)
        struck = [] if old is None else [plain[old]]
    return beside | dict.fromkeys(plain, "price") | dict.fromkeys(struck, "list_price")


def never_less(one: Sequence[Value], other: Sequence[Value]) -> int | None:
    """Return which of two columns, 0 or 1, has greater amounts and never less, if one has."""
    pairs = zip(one, other, strict=True)
    both = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
    if all(a == b for a, b in both):
        return None
    if all(a >= b for a, b in both):
        return 0
    return 1 if all(a <= b for a, b in both) else None


def picture_roles(drafts: Sequence[ColumnCandidate], free: Sequence[int]) -> dict[int, str]:
    """Return the columns of pictures."""
    return {n: "image" for n in free if drafts[n].column.is_picture}


def kind_roles(drafts: Sequence[ColumnCandidate], free: Sequence[int]) -> dict[int, str]:
    """Return the first rating and the first date, where no column has that name."""
    roles: dict[int, str] = {}
    for kind in ("rating", "date"):
        found = next((n for n in free if drafts[n].typed.type == kind), None)
        if found is not None and not any(draft.name == kind for draft in drafts):
            roles[found] = kind
    return roles


def review_role(drafts: Sequence[ColumnCandidate], free: Sequence[int]) -> dict[int, str]:
    """Return the first number in brackets as that of reviews."""
    numbers = (n for n in free if drafts[n].typed.type == "number")
    found = next((n for n in numbers if in_brackets(drafts[n].column)), None)
    return {} if found is None else {found: "reviews"}


def in_brackets(column: Column) -> bool:
    """Say whether all texts of a column stand in brackets, as numbers of reviews do."""
    return all(text[0] + text[-1] == "()" for text in column.texts if text)


def flag_roles(drafts: Sequence[ColumnCandidate], free: Sequence[int]) -> dict[int, str]:
    """Return badges by what they say."""
    flags = (n for n in free if drafts[n].typed.type == "flag")
    return {n: column_names.slug(drafts[n].typed.note or "") or "badge" for n in flags}


def description_role(
    drafts: Sequence[ColumnCandidate], free: Sequence[int], title: int | None
) -> dict[int, str]:
    """Return the column of the longest texts, if they are longer than the titles."""
    words = [n for n in free if drafts[n].is_text]
    if title is None or not words or any(draft.name == "description" for draft in drafts):
        return {}
    longest = max(words, key=lambda n: mean_length(drafts[n].column))
    if mean_length(drafts[longest].column) <= mean_length(drafts[title].column):
        return {}
    return {longest: "description"} if drafts[longest].name is None else {}


def mean_length(column: Column) -> float:
    """Return how many characters the texts of a column have, on average."""
    return sum(map(len, column.texts)) / max(1, column.fill)
