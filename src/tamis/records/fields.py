"""Field: a column of a table of records.

Region → fields: columns with names, types and values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tamis.page import tags
from tamis.records import column_names
from tamis.records.ads import says_ad, sponsored
from tamis.records.column import Column
from tamis.records.columns import FULL, columns_of, typed_column
from tamis.records.links import addresses, alternatives, pictures
from tamis.records.prices import whole_prices
from tamis.records.regions import Region
from tamis.records.roles import empty_stars, parted_ratings, role_names, title_of
from tamis.records.tables import header_names, is_table, table_columns
from tamis.values import (
    SAMPLE_SIZE,
    Locale,
    Type,
    TypedColumn,
    Value,
    infer_column,
    may_be_typed,
    page_locale,
)


@dataclass(frozen=True, eq=False)
class Field:
    """A column of a table of records: its name, its type, and for each record value and place."""

    name: str
    type: Type
    values: tuple[Value, ...]
    texts: tuple[str, ...]  # as they stand in the page
    rows: tuple[int, ...]  # of the page, -1 where a record lacks the field
    label: str | None = None  # a text of its own before each value that names it
    grid: int | None = None  # number of the table column that it is in


def unique(fields: Iterable[Field]) -> list[Field]:
    """Return fields whose names differ: the second `price` is `price_2`, unless another is.

    One currency is enough where all prices of a record have the same, and so is one mark.
    """
    fields = list(fields)
    stated = {field.name for field in fields}
    kept: dict[str, Field] = {}
    last: dict[str, int] = {}  # the number of the last field of a name
    for field in fields:
        if field.name in kept and field.name == "sponsored":
            continue
        if field.name in kept and field.name == "currency":
            if one := one_currency(kept["currency"], field):
                kept["currency"] = one
                continue
            field = replace(field, name=f"{next(reversed(kept))}_currency")
        number = last.get(field.name, 1)
        name = field.name if number == 1 else f"{field.name}_{number}"
        while name in kept or (number > 1 and name in stated):
            number += 1
            name = f"{field.name}_{number}"
        last[field.name] = number
        kept[name] = field if number == 1 else replace(field, name=name)
    return list(kept.values())


def one_currency(one: Field, other: Field) -> Field | None:
    """Return two fields of currencies as one; None where they differ."""
    pairs = list(zip(one.values, other.values, strict=True))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return None
    rows = zip(pairs, one.rows, other.rows, strict=True)
    return replace(
        one,
        values=tuple([b if a is None else a for a, b in pairs]),
        rows=tuple([second if a is None else first for (a, _), first, second in rows]),
    )


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


@dataclass(frozen=True, eq=False)
class ColumnCandidate:
    """A column on its way to a field."""

    column: Column
    typed: TypedColumn
    name: str | None
    given: bool = False  # by a table's header or a label: no guess is better
    label: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether it holds words."""
        return self.typed.type == "text" and not self.column.is_picture


def build_fields(region: Region, titles: frozenset[str] = frozenset()) -> tuple[Field, ...]:
    """Return the fields of the records of a region.

    `titles` are what linked data calls the items of the page, as a witness for which column is the
    title.
    """
    home = page_locale(region.page)
    budget = region.cells.budget
    drafts = parted_ratings(whole_prices(column_candidates(region, home), home, budget))
    rated = any(draft.typed.type == "rating" for draft in drafts)
    stars = [] if rated else star_field(region)
    named = is_table(region) and any(draft.given for draft in drafts)
    title = None if named else title_of(region, drafts, titles)
    roles = role_names(drafts, title, rated=rated or bool(stars))
    found: list[Field] = []
    for place, draft in enumerate(budget.watch(drafts)):
        name = roles.get(place) or stated(draft) or f"{draft.typed.type}_{place + 1}"
        found += made(region, draft, name)
        if place == title:
            found += link_field(region, draft.column)
    if title is None:
        found += link_field(region, first_linked(region, drafts))
    marks = ad_field(region)
    if marks:
        found = [field for field in found if not (field.type == "flag" and says_ad(field.texts))]
    return tuple(unique(found + stars + marks))


def stated(draft: ColumnCandidate) -> str | None:
    """Return the name that the page gives to a column, unless its values cannot be that."""
    if draft.given or draft.name not in _TYPED_NAMES:
        return draft.name
    return draft.name if draft.typed.type in _TYPED_NAMES[draft.name] else None


def column_candidates(region: Region, home: Locale) -> list[ColumnCandidate]:
    """Return the columns of a region, typed, with the names that the page gives them."""
    if is_table(region):
        heads = header_names(region)
        return list(table_drafts(region, heads, home))
    drafts: list[ColumnCandidate] = []
    label: str | None = None
    found = columns_of(region)
    for one in region.cells.budget.watch(found):
        label_of_next = one is not found[-1] and column_names.is_label(region, one)
        if label_of_next and one.fill >= FULL * len(region):
            label = next(filter(None, one.texts))
            continue
        if not is_button(region, one):
            drafts.append(named_draft(region, one, label, home))
        label = None
    return drafts


def table_drafts(
    region: Region, heads: Mapping[int, str], home: Locale
) -> Iterator[ColumnCandidate]:
    """Yield the columns of a table by the names of its headers, or by what they hold."""
    for one in region.cells.budget.watch(table_columns(region, named=bool(heads))):
        head = column_names.slug(heads.get(one.grid or 0, ""))
        if head:
            yield ColumnCandidate(
                one, typed_column(region, one, home, named=True), head, given=True
            )
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


def named_draft(region: Region, column: Column, label: str | None, home: Locale) -> ColumnCandidate:
    """Return a column with the name of its label, its markup or its unit."""
    if label:
        value = typed_column(region, column, home, named=True)
        return ColumnCandidate(column, value, column_names.slug(label), given=True, label=label)
    shared = column_names.shared_label(column.texts)
    if shared:
        bare = tuple(column_names.parted(text)[1] for text in column.texts)
        return ColumnCandidate(column, infer_column(bare, home), column_names.slug(shared))
    value = typed_column(region, column, home)
    name = column_names.stated_name(region, column)
    if value.type == "count" and value.note and name in (None, "rating"):
        name = column_names.slug(value.note)
    return ColumnCandidate(column, value, name)


def made(region: Region, draft: ColumnCandidate, name: str) -> list[Field]:
    """Return the field of a draft; a price has its currency beside it."""
    column, value = draft.column, draft.typed
    first = region.row_of
    rows = tuple([first[some[0]] if some else -1 for some in column.cells])
    if column.is_picture:
        if any(map(may_be_typed, alternatives(region.page, rows[:SAMPLE_SIZE]))):
            texts = alternatives(region.page, rows)
            stars = infer_column(texts)
            if stars.type == "rating":
                return [Field("rating", "rating", stars.values, texts, rows)]
        return [Field(name, "image", pictures(region.page, rows), ("",) * len(rows), rows)]
    field = Field(name, value.type, value.values, column.texts, rows, draft.label, column.grid)
    return [field, *beside(field, value)]


def beside(field: Field, value: TypedColumn) -> Iterator[Field]:
    """Yield what belongs to amounts of money: their currencies, and the upper ends of ranges."""
    none = ("",) * len(field.rows)
    if any(value.currencies):
        yield Field("currency", "text", value.currencies, none, field.rows)
    if value.upper:
        yield Field(f"{field.name}_max", "money", value.upper, none, field.rows)


def first_linked(region: Region, drafts: Sequence[ColumnCandidate]) -> Column | None:
    """Return the first column whose texts are links."""
    linked = region.page.in_link[region.cells.first]
    return next((draft.column for draft in drafts if linked[draft.column.first]), None)


def link_field(region: Region, column: Column | None) -> list[Field]:
    """Return the addresses that a column, or the first link of each record, leads to."""
    found, rows = addresses(region, column)
    if not any(found):
        return []
    return [Field("url", "url", found, ("",) * len(found), rows)]


def star_field(region: Region) -> list[Field]:
    """Return the ratings that only the labels of empty elements tell."""
    stars = empty_stars(region)
    if not stars:
        return []
    values, rows = zip(*stars, strict=True)
    return [Field("rating", "rating", values, ("",) * len(rows), rows)]


def ad_field(region: Region) -> list[Field]:
    """Return the mark of records that are advertisements, where some are."""
    marks = sponsored(region)
    if not marks.any() or marks.all():
        return []
    rows = tuple(region.start.tolist())
    return [Field("sponsored", "flag", tuple(marks.tolist()), ("",) * len(rows), rows)]
