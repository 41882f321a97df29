"""Region → fields: columns with names, types and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.blocks.regions import Region
from tamis.content.records import names
from tamis.content.records.column_types import FULL, typed_column
from tamis.content.records.columns import Column, columns_of
from tamis.content.records.field import Field, unique
from tamis.content.records.home import Home, home_of
from tamis.content.records.links import addresses, alternatives, pictures
from tamis.content.records.odd import says_ad, sponsored
from tamis.content.records.prices import whole_prices
from tamis.content.records.tables import is_table, table_columns
from tamis.content.records.values import SAMPLE, Type, Typed, has_digit, typed
from tamis.page import tags

COMMON: Final = 0.5  # share of records that a title or a picture must have

_AMOUNT: Final = ("number", "count")
_TYPED_NAMES: Final[Mapping[str | None, Sequence[Type]]] = {
    "title": (),  # there is one title
    "price": ("money", *_AMOUNT),
    "list_price": ("money", *_AMOUNT),
    "rating": ("rating", *_AMOUNT),
    "reviews": _AMOUNT,
    "comments": _AMOUNT,
    "views": _AMOUNT,
}

_BUTTON: Final = tags.CODE["button"]
_HEADING: Final = tags.tag_table(tags.HEADINGS)


@dataclass(frozen=True, eq=False)
class Draft:
    """A column on its way to a field."""

    column: Column
    typed: Typed
    name: str | None
    given: bool = False  # by a table's header or a label: no guess is better
    label: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether it holds words."""
        return self.typed.type == "text" and not self.column.is_picture


def fields_of(region: Region, titles: frozenset[str] = frozenset()) -> tuple[Field, ...]:
    """Return the fields of the records of a region.

    `titles` are what linked data calls the items of the page, as a witness for which column is the
    title.
    """
    home = home_of(region.page)
    drafts = whole_prices(drafts_of(region, home), home)
    named = is_table(region) and any(draft.given for draft in drafts)
    title = None if named else title_of(region, drafts, titles)
    roles = role_names(region, drafts, title)
    found: list[Field] = []
    for place, draft in enumerate(drafts):
        name = roles.get(place) or stated(draft) or f"{draft.typed.type}_{place + 1}"
        found += made(region, draft, name)
        if place == title:
            found += link_field(region, draft.column)
    if title is None:
        found += link_field(region, first_linked(region, drafts))
    marks = ad_field(region)
    if marks:
        found = [field for field in found if not (field.type == "flag" and says_ad(field.texts))]
    return tuple(unique(found + marks))


def stated(draft: Draft) -> str | None:
    """Return the name that the page gives to a column, unless its values cannot be that."""
    if draft.given or draft.name not in _TYPED_NAMES:
        return draft.name
    return draft.name if draft.typed.type in _TYPED_NAMES[draft.name] else None


def drafts_of(region: Region, home: Home) -> list[Draft]:
    """Return the columns of a region, typed, with the names that the page gives them."""
    if is_table(region):
        heads = names.header_names(region)
        return list(table_drafts(region, heads, home))
    drafts: list[Draft] = []
    label: str | None = None
    found = columns_of(region)
    for one in found:
        label_of_next = one is not found[-1] and names.is_label(region, one)
        if label_of_next and one.fill >= FULL * len(region):
            label = next(filter(None, one.texts))
            continue
        if not is_button(region, one):
            drafts.append(named_draft(region, one, label, home))
        label = None
    return drafts


def table_drafts(region: Region, heads: Mapping[int, str], home: Home) -> Iterator[Draft]:
    """Yield the columns of a table by the names of its headers, or by what they hold."""
    for one in table_columns(region, named=bool(heads)):
        head = names.slug(heads.get(one.grid or 0, ""))
        if head:
            yield Draft(one, typed_column(region, one, home), head, given=True)
        else:
            yield named_draft(region, one, None, home)


def is_button(region: Region, column: Column) -> bool:
    """Say whether a column is in a button of one text, which says nothing of any record."""
    if len(set(filter(None, column.texts))) != 1:
        return False
    page, row = region.page, int(region.cells.node[column.first])
    while row > 0 and page.depth[row] >= region.level:
        if page.tag[row] == _BUTTON:
            return True
        row = int(page.parent[row])
    return False


def named_draft(region: Region, column: Column, label: str | None, home: Home) -> Draft:
    """Return a column with the name of its label, its markup or its unit."""
    if label:
        value = typed_column(region, column, home)
        return Draft(column, value, names.slug(label), given=True, label=label)
    shared = names.shared_label(column.texts)
    if shared:
        bare = tuple(text.partition(":")[2].strip() for text in column.texts)
        return Draft(column, typed(bare, home), names.slug(shared))
    value = typed_column(region, column, home)
    name = names.stated_name(region, column)
    if value.type == "count" and value.note and name in (None, "rating"):
        name = names.slug(value.note)
    return Draft(column, value, name)


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


def made(region: Region, draft: Draft, name: str) -> list[Field]:
    """Return the field of a draft; a price has its currency beside it."""
    column, value = draft.column, draft.typed
    first = region.row_of
    rows = tuple([first[some[0]] if some else -1 for some in column.cells])
    if column.is_picture:
        if any(map(has_digit, alternatives(region.page, rows[:SAMPLE]))):
            texts = alternatives(region.page, rows)
            stars = typed(texts)
            if stars.type == "rating":
                return [Field("rating", "rating", stars.values, texts, rows)]
        return [Field(name, "image", pictures(region.page, rows), ("",) * len(rows), rows)]
    field = Field(name, value.type, value.values, column.texts, rows, draft.label, column.grid)
    return [field, *beside(field, value)]


def beside(field: Field, value: Typed) -> Iterator[Field]:
    """Yield what belongs to amounts of money: their currencies, and the upper ends of ranges."""
    none = ("",) * len(field.rows)
    if any(value.currencies):
        yield Field("currency", "text", value.currencies, none, field.rows)
    if value.upper:
        yield Field(f"{field.name}_max", "money", value.upper, none, field.rows)


def first_linked(region: Region, drafts: Sequence[Draft]) -> Column | None:
    """Return the first column whose texts are links."""
    linked = region.page.in_link[region.cells.first]
    return next((draft.column for draft in drafts if linked[draft.column.first]), None)


def link_field(region: Region, column: Column | None) -> list[Field]:
    """Return the addresses that a column, or the first link of each record, leads to."""
    found, rows = addresses(region, column)
    if not any(found):
        return []
    return [Field("url", "url", found, ("",) * len(found), rows)]


def ad_field(region: Region) -> list[Field]:
    """Return the mark of records that are advertisements, where some are."""
    marks = sponsored(region)
    if not marks.any() or marks.all():
        return []
    rows = tuple(region.start.tolist())
    return [Field("sponsored", "flag", tuple(marks.tolist()), ("",) * len(rows), rows)]
