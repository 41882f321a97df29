"""Columns → names by what they hold: title, price, picture, rating, date, description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tamis.blocks.regions import Region
from tamis.content.records import names
from tamis.content.records.column import Column
from tamis.page import tags

if TYPE_CHECKING:
    from tamis.content.records.fields import Draft

COMMON: Final = 0.5  # share of records that a title must have

_HEADING: Final = tags.tag_table(tags.HEADINGS)


def title_of(region: Region, drafts: Sequence[Draft], titles: frozenset[str]) -> int | None:
    """Return which column is the title: words that differ, in a heading or link, early, long."""
    page, best, most = region.page, None, 0.0
    for place, draft in enumerate(drafts):
        column = draft.column
        known = [text for text in column.texts if text]
        if not draft.is_text or len(known) < COMMON * len(region):
            continue
        row = int(region.cells.first[column.first])
        above = range(region.level, int(page.depth[row]) + 1)
        heading, at = False, row
        for _ in above:
            heading |= bool(_HEADING[page.tag[at]])
            at = int(page.parent[at])
        worth = 2.0 * heading + 1.5 * bool(page.in_link[row]) + 2.0 * (draft.name == "title")
        worth += len(set(known)) / len(known) - 0.1 * place
        worth += 4.0 * sum(text in titles for text in known) / len(known)
        if worth > most:
            best, most = place, worth
    return best


def role_names(region: Region, drafts: Sequence[Draft], title: int | None) -> dict[int, str]:
    """Return the names of the columns that are recognised by what they hold."""
    roles: dict[int, str] = {}
    if title is not None:
        roles[title] = "title"
    free = [n for n, draft in enumerate(drafts) if n != title and not draft.given]
    prices = [n for n in free if drafts[n].typed.type == "money"]
    roles |= price_names([drafts[n] for n in prices], prices)
    pictures = [n for n in free if drafts[n].column.is_picture]
    roles |= dict.fromkeys(pictures, "image")
    for kind in ("rating", "date"):
        of_kind = [n for n in free if drafts[n].typed.type == kind and n not in roles]
        if of_kind and not any(draft.name == kind for draft in drafts):
            roles[of_kind[0]] = kind
    rated = any(draft.typed.type == "rating" for draft in drafts)
    for n in free:
        if rated and drafts[n].typed.type == "number" and in_brackets(drafts[n].column):
            roles.setdefault(n, "reviews")
            rated = False
        if drafts[n].typed.type == "flag" and n not in roles:
            roles[n] = names.slug(drafts[n].typed.note or "") or "badge"
    words = [n for n in free if drafts[n].is_text and n not in roles]
    long = {n: sum(map(len, drafts[n].column.texts)) / max(1, drafts[n].column.fill) for n in words}
    if title is not None and long and not any(draft.name == "description" for draft in drafts):
        longest = max(long, key=long.__getitem__)
        titles = [len(text) for text in drafts[title].column.texts if text]
        if long[longest] > sum(titles) / len(titles) and drafts[longest].name is None:
            roles[longest] = "description"
    return {n: name for n, name in roles.items() if not (drafts[n].name == "title" and n != title)}


def in_brackets(column: Column) -> bool:
    """Say whether all texts of a column stand in brackets, as numbers of reviews do."""
    return all(text[0] + text[-1] == "()" for text in column.texts if text)


def price_names(prices: Sequence[Draft], places: Sequence[int]) -> dict[int, str]:
    """Return which column of money is the price and which the list price.

    That one is struck out or named so; where nothing says it, it is the one that is never less.
    """
    struck = [n for n, draft in enumerate(prices) if draft.name == "list_price"]
    plain = [n for n in range(len(prices)) if n not in struck]
    if len(plain) > 1 and not struck:
        pairs = zip(prices[plain[0]].typed.values, prices[plain[1]].typed.values, strict=True)
        both = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None]
        if both and all(a >= b for a, b in both) and any(a > b for a, b in both):
            struck, plain = [plain[0]], plain[1:]
        elif both and all(a <= b for a, b in both) and any(a < b for a, b in both):
            struck, plain = [plain[1]], [plain[0], *plain[2:]]
    roles = {places[n]: "list_price" for n in struck}
    return roles | {places[n]: "price" for n in plain}
