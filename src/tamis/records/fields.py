"""Fields: the columns of a region with names, types and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from tamis.page import tags
from tamis.records import column_names
from tamis.records.ads import are_ad_words, find_ads
from tamis.records.column import MIN_FULL_SHARE, Column, ColumnCandidate, is_in_heading
from tamis.records.columns import build_columns
from tamis.records.links import find_alt_texts, find_image_urls, find_record_urls
from tamis.records.prices import assemble_prices
from tamis.records.ratings import find_label_ratings, split_ratings
from tamis.records.regions import Region
from tamis.records.roles import find_title, name_roles
from tamis.records.tables import build_table_columns, find_header_names, is_table
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

_MAX_BADGE_WORDS: Final = 3
_MAX_RATING: Final = 100  # per cent
_NUMBER_TYPES: Final = ("number", "count")
_MIXED_TYPES: Final = ("money", "date", "rating")  # values that may have words beside them
# Names that only columns of certain types can have.
_TYPES_BY_NAME: Final[Mapping[str | None, Sequence[Type]]] = {
    "title": (),  # there is one title
    "price": ("money", *_NUMBER_TYPES),
    "list_price": ("money", *_NUMBER_TYPES),
    "rating": ("rating", *_NUMBER_TYPES),
    "reviews": _NUMBER_TYPES,
    "comments": _NUMBER_TYPES,
    "views": _NUMBER_TYPES,
    "saving": ("money", *_NUMBER_TYPES),
}
_PRICE_NAMES: Final = ("price", "list_price", "saving")

_BUTTON: Final = tags.CODE["button"]


@dataclass(frozen=True, eq=False)
class Field:
    """A column of a table of records: its name and type, and a value per record."""

    name: str
    type: Type
    values: tuple[Value, ...]
    texts: tuple[str, ...]  # as they are in the page
    rows: tuple[int, ...]  # of the page, -1 if a record lacks the field
    label: str | None = None  # a text of its own before each value that names it
    table_column: int | None = None  # index of the table column that it is in


def build_fields(
    region: Region, titles: frozenset[str] = frozenset(), fetched: date | None = None
) -> tuple[Field, ...]:
    """Return the fields of the records of a region.

    `titles` are the names of the items in the page's structured data. They help to find the column
    of titles. `fetched` is the day from which relative dates count.
    """
    locale = page_locale(region.page, fetched)
    budget = region.cells.budget
    candidates = _build_candidates(region, locale)
    candidates = split_ratings(assemble_prices(candidates, locale, budget))
    has_rating = any(candidate.typed.type == "rating" for candidate in candidates)
    label_ratings = [] if has_rating else _build_label_rating_field(region)
    has_headers = is_table(region) and any(candidate.is_name_given for candidate in candidates)
    title = None if has_headers else find_title(region, candidates, titles)
    roles = name_roles(candidates, title, has_rating=has_rating or bool(label_ratings))
    fields: list[Field] = []
    for index, candidate in enumerate(budget.watch(candidates)):
        default_name = f"{candidate.typed.type}_{index + 1}"
        name = roles.get(index) or _plausible_name(candidate) or default_name
        fields += _build_candidate_fields(region, candidate, name)
        if index == title:
            fields += _build_url_field(region, candidate.column)
    if title is None:
        fields += _build_url_field(region, _find_linked_column(region, candidates))
    ad_marks = _build_ad_field(region)
    if ad_marks:
        fields = [
            field for field in fields if not (field.type == "flag" and are_ad_words(field.texts))
        ]
    return tuple(make_names_unique(fields + label_ratings + ad_marks))


def _plausible_name(candidate: ColumnCandidate) -> str | None:
    """Return the name that the page gives to a column, unless its values cannot be that.

    A percentage in the element of a price is a discount, and a number that no scale of ratings has
    is how many there are.
    """
    if candidate.is_name_given or candidate.name not in _TYPES_BY_NAME:
        return candidate.name
    if candidate.name in _PRICE_NAMES and candidate.column.first_text.endswith("%"):
        return "discount"
    if candidate.name == "rating" and _exceed_ratings(candidate.typed.values):
        return "reviews"
    return candidate.name if candidate.typed.type in _TYPES_BY_NAME[candidate.name] else None


def _exceed_ratings(values: Iterable[Value]) -> bool:
    """Say whether there are numbers beyond the greatest rating of any usual scale."""
    return any(isinstance(value, int | float) and value > _MAX_RATING for value in values)


def make_names_unique(fields: Iterable[Field]) -> list[Field]:
    """Return fields with unique names: the second `price` is `price_2`, unless that is taken.

    Prices of a record with the same currency share one `currency` field. There is at most one
    `sponsored` field.
    """
    fields = list(fields)
    original_names = {field.name for field in fields}
    unique: dict[str, Field] = {}
    last_number: dict[str, int] = {}  # of the fields with a name so far
    for field in fields:
        if field.name in unique and field.name == "sponsored":
            continue
        if field.name in unique and field.name == "currency":
            if merged := _merge_currencies(unique["currency"], field):
                unique["currency"] = merged
                continue
            field = replace(field, name=f"{next(reversed(unique))}_currency")
        number = last_number.get(field.name, 1)
        name = field.name if number == 1 else f"{field.name}_{number}"
        while name in unique or (number > 1 and name in original_names):
            number += 1
            name = f"{field.name}_{number}"
        last_number[field.name] = number
        unique[name] = field if number == 1 else replace(field, name=name)
    return list(unique.values())


def _merge_currencies(first: Field, second: Field) -> Field | None:
    """Return two fields of currencies as one; None if a record has two different ones."""
    pairs = list(zip(first.values, second.values, strict=True))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return None
    rows = zip(pairs, first.rows, second.rows, strict=True)
    return replace(
        first,
        values=tuple([b if a is None else a for a, b in pairs]),
        rows=tuple([row_b if a is None else row_a for (a, _), row_a, row_b in rows]),
    )


# Column candidates ------------------------------------------------------------------------------


def _build_candidates(region: Region, locale: Locale) -> list[ColumnCandidate]:
    """Return the columns of a region, typed, with the names that the page gives them."""
    if is_table(region):
        return list(_build_table_candidates(region, find_header_names(region), locale))
    candidates: list[ColumnCandidate] = []
    label: str | None = None
    columns = build_columns(region)
    for column in region.cells.budget.watch(columns):
        is_label = column is not columns[-1] and column_names.is_label(region, column)
        if is_label and column.record_count >= MIN_FULL_SHARE * len(region):
            label = column.first_text
            continue
        if not _is_button(region, column):
            candidates.append(_build_candidate(region, column, label, locale))
        label = None
    return candidates


def _build_table_candidates(
    region: Region, headers: Mapping[int, str], locale: Locale
) -> Iterator[ColumnCandidate]:
    """Yield the columns of a table, named by its headers or by what they hold."""
    columns = build_table_columns(region, has_headers=bool(headers))
    for column in region.cells.budget.watch(columns):
        name = column_names.slugify(headers.get(column.table_column or 0, ""))
        if name:
            typed = _type_column(region, column, locale, is_named=True)
            yield ColumnCandidate(column, typed, name, is_name_given=True)
        else:
            yield _build_candidate(region, column, None, locale)


def _build_candidate(
    region: Region, column: Column, label: str | None, locale: Locale
) -> ColumnCandidate:
    """Return a column with the name of its label, its markup or its unit."""
    if label:
        typed = _type_column(region, column, locale, is_named=True)
        name = column_names.slugify(label)
        return ColumnCandidate(column, typed, name, is_name_given=True, label=label)
    shared_label = column_names.find_shared_label(column.texts)
    if shared_label:
        texts = tuple(column_names.split_label(text)[1] for text in column.texts)
        name = column_names.slugify(shared_label)
        return ColumnCandidate(column, infer_column(texts, locale), name)
    typed = _type_column(region, column, locale)
    markup_name = column_names.find_markup_name(region, column)
    if typed.type == "count" and typed.note and markup_name in (None, "rating"):
        markup_name = column_names.slugify(typed.note)
    return ColumnCandidate(column, typed, markup_name)


def _type_column(
    region: Region, column: Column, locale: Locale, *, is_named: bool = False
) -> TypedColumn:
    """Return the type and values of a column.

    A text that some records have and others lack is a badge, unless the column has a name. A
    heading with a price or a date in it stays a text.
    """
    if column.is_image:
        return TypedColumn("image", (None,) * len(column.cells))
    texts = set(filter(None, column.texts))
    is_full = column.record_count >= MIN_FULL_SHARE * len(column.cells)
    if len(texts) == 1 and not is_full and not is_named and _is_badge(column.first_text):
        return TypedColumn("flag", tuple(bool(text) for text in column.texts), column.first_text)
    typed = infer_column(column.texts, locale)
    if typed.type in _MIXED_TYPES and is_in_heading(region, column):
        return infer_column(column.texts, locale, max_residuals=0)
    return typed


def _is_badge(text: str) -> bool:
    """Say whether a text is a few words without a number."""
    return len(text.split()) <= _MAX_BADGE_WORDS and not any(map(str.isdigit, text))


def _is_button(region: Region, column: Column) -> bool:
    """Say whether a column is a button with the same text in all records."""
    if len(set(filter(None, column.texts))) != 1:
        return False
    page, row = region.page, int(region.cells.element[column.first_cell])
    while row > 0 and page.depth[row] >= region.record_depth:
        if page.tag[row] == _BUTTON:
            return True
        row = int(page.parent[row])
    return False


# Fields of candidates ---------------------------------------------------------------------------


def _build_candidate_fields(region: Region, candidate: ColumnCandidate, name: str) -> list[Field]:
    """Return the field of a candidate; a price has its currency after it."""
    column, typed = candidate.column, candidate.typed
    cell_rows = region.cell_rows
    rows = tuple([cell_rows[cells[0]] if cells else -1 for cells in column.cells])
    if column.is_image:
        return [_build_image_field(region, name, rows)]
    field = Field(
        name, typed.type, typed.values, column.texts, rows, candidate.label, column.table_column
    )
    return [field, *_build_money_fields(field, typed)]


def _build_image_field(region: Region, name: str, rows: tuple[int, ...]) -> Field:
    """Return the field of images: their URLs, or ratings if their alternative texts are such."""
    if any(map(may_be_typed, find_alt_texts(region.page, rows[:SAMPLE_SIZE]))):
        texts = find_alt_texts(region.page, rows)
        typed = infer_column(texts)
        if typed.type == "rating":
            return Field("rating", "rating", typed.values, texts, rows)
    return Field(name, "image", find_image_urls(region.page, rows), ("",) * len(rows), rows)


def _build_money_fields(field: Field, typed: TypedColumn) -> Iterator[Field]:
    """Yield what belongs to amounts of money: their currencies, and the upper ends of ranges."""
    no_texts = ("",) * len(field.rows)
    if any(typed.currencies):
        yield Field("currency", "text", typed.currencies, no_texts, field.rows)
    if typed.upper:
        yield Field(f"{field.name}_max", "money", typed.upper, no_texts, field.rows)


def _find_linked_column(region: Region, candidates: Sequence[ColumnCandidate]) -> Column | None:
    """Return the first column whose texts are links."""
    is_linked = region.page.in_link[region.cells.first_row]
    columns = (candidate.column for candidate in candidates)
    return next((column for column in columns if is_linked[column.first_cell]), None)


def _build_url_field(region: Region, column: Column | None) -> list[Field]:
    """Return the URLs of a column's links, or of the first link of each record."""
    urls, rows = find_record_urls(region, column)
    if not any(urls):
        return []
    return [Field("url", "url", urls, ("",) * len(urls), rows)]


def _build_label_rating_field(region: Region) -> list[Field]:
    """Return the ratings that only the labels of empty elements tell."""
    ratings = find_label_ratings(region)
    if not ratings:
        return []
    values, rows = zip(*ratings, strict=True)
    return [Field("rating", "rating", values, ("",) * len(rows), rows)]


def _build_ad_field(region: Region) -> list[Field]:
    """Return the field that marks advertisements, if some records are and some are not."""
    is_ad = find_ads(region)
    if not is_ad.any() or is_ad.all():
        return []
    rows = tuple(region.start.tolist())
    return [Field("sponsored", "flag", tuple(is_ad.tolist()), ("",) * len(rows), rows)]
