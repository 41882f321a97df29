"""Folding: columns that a reader of the table can do without.

A card has far more cells than a reader sees as its columns: colour swatches, icons, buttons, texts
that hardly any record has. Such columns are read like all others, and left out of the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tamis.page import tags
from tamis.records.fields import Field
from tamis.records.regions import Region
from tamis.values import Value

# Chosen by hand with the pages of records-dev in sight; the first hardly matters from 0.1 to 0.2.
_MIN_FILL: Final = 0.15  # share of the records that must have a value without a role
_MIN_IMAGE_FILL: Final = 0.5  # likewise of further images
_MIN_DISTINCT: Final = 0.2  # share of different images among those of a column; icons have few
_MAX_IMAGES: Final = 2  # columns of images; colours, badges and icons have many
_MIN_EQUAL: Final = 0.9  # share of equal values with which a column repeats another
_MIN_RECORDS: Final = 4  # fewer do not tell what is usual
_MAX_COLUMNS: Final = 20  # more than a reader takes in; then rarer ones must go as well
_MAX_BUTTON_WORDS: Final = 4
_MAX_JOINING_LETTERS: Final = 3
_MAX_BUTTON_TEXTS: Final = 2  # "Add to cart", "Notify me"

_DIGIT: Final = re.compile(r"\d")
_BUTTON: Final = tags.CODE["button"]
_LABEL: Final = tags.CODE["label"]
_A: Final = tags.CODE["a"]
_DERIVED: Final = ("currency", "_max")  # endings of the names of fields that stay with a price
# Names of what nobody leaves out of a table, whatever records have it.
_ROLES: Final = frozenset(
    "title url price list_price currency rating reviews date author sponsored image".split()
)


def fold_fields(region: Region, fields: Sequence[Field]) -> tuple[Field, ...]:
    """Return the fields that a table shows: those with a role, a header or values worth a column.

    Left out are further images that few records have, or that are icons; columns without a role
    that nearly all records lack, or most if there are very many; those that have the values of
    another; and buttons.
    """
    if len(region) < _MIN_RECORDS:
        return tuple(fields)
    main_image = _find_main_image(fields)
    shown: list[Field] = []
    for field in fields:
        if field is main_image and field.name != "image":
            field = replace(field, name="image")
        elif field.name == "image" and main_image is not None and field is not main_image:
            field = replace(field, name=main_image.name)
        if not _is_void(region, field, fields) and (
            field.name in _ROLES or _is_named(field) or _is_worth_a_column(region, field, shown)
        ):
            shown.append(field)
    if len(shown) > _MAX_COLUMNS:
        shown = [field for field in shown if _is_usual(field)]
    return tuple(shown or fields)


def _is_usual(field: Field) -> bool:
    """Say whether a field has a role or a name, or half of the records have it."""
    value_count = sum(value not in (None, False) for value in field.values)
    return field.name in _ROLES or _is_named(field) or 2 * value_count >= len(field.values)


def _is_void(region: Region, field: Field, fields: Sequence[Field]) -> bool:
    """Say whether a field says nothing, whatever its role: only columns of tables always stay.

    It has no value, one image for all records, the former price of a price that is the same, or
    a word that only joins others.
    """
    if field.table_column is not None and field.type != "image":
        return False
    values = {value for value in field.values if value not in (None, False)}
    if field.type == "image":
        return len(values) < min(2, len(region))
    if field.name == "list_price":
        price = next((other for other in fields if other.name == "price"), None)
        return price is not None and _is_same_price(field, price)
    texts = {text for text in field.texts if text}
    is_nameless = field.type == "flag" or field.name.startswith("text_")
    joins_words = is_nameless and len(texts) == 1 and _joins_words(*texts)
    return joins_words or (not values and not field.name.endswith(_DERIVED))


def _is_same_price(field: Field, price: Field) -> bool:
    """Say whether a former price is the price in all records that have it."""
    pairs = zip(field.values, price.values, strict=True)
    return all(former is None or former == current for former, current in pairs)


def _joins_words(text: str) -> bool:
    """Say whether a text is a short word in small letters, such as `by` or `, and`."""
    letters = "".join(filter(str.isalpha, text))
    return text.islower() and len(letters) <= _MAX_JOINING_LETTERS and not _DIGIT.search(text)


def _is_named(field: Field) -> bool:
    """Say whether a header or a label of the page names a field, or it belongs to a price."""
    is_in_table = field.table_column is not None and field.type != "image"
    return field.label is not None or is_in_table or field.name.endswith(_DERIVED)


def _is_worth_a_column(region: Region, field: Field, shown: Sequence[Field]) -> bool:
    """Say whether enough records have a field, and it is neither a button nor has what is shown."""
    values = [value for value in field.values if value not in (None, False)]
    min_fill = _MIN_IMAGE_FILL if field.type == "image" else _MIN_FILL
    if len(values) < min_fill * len(region):
        return field.type == "money" and len(values) > 1
    if field.type == "image" and not _is_further_image(values, shown):
        return False
    if _is_button(region, field):
        return False
    return not any(_repeats(field, other) for other in shown if other.type == field.type)


def _is_further_image(values: Sequence[Value], shown: Sequence[Field]) -> bool:
    """Say whether images differ from record to record, and only one other column of images does."""
    is_icon = len(set(values)) <= max(1, _MIN_DISTINCT * len(values))
    return not is_icon and sum(field.type == "image" for field in shown) < _MAX_IMAGES


def _repeats(field: Field, other: Field) -> bool:
    """Say whether a field has the values of another; few different numbers are equal by chance."""
    pairs = [
        (a, b) for a, b in zip(field.values, other.values, strict=True) if a not in (None, False)
    ]
    equal = sum(a == b for a, b in pairs)
    has_many = 2 * len({a for a, _ in pairs}) > len(pairs)
    return has_many and equal >= _MIN_EQUAL * len(pairs)


def _is_button(region: Region, field: Field) -> bool:
    """Say whether a field is a link, button or label of a control with the same few words in all.

    A button that does one of two things may have two texts.
    """
    texts = {text for text in field.texts if text}
    if field.type not in ("text", "flag") or not 1 <= len(texts) <= _MAX_BUTTON_TEXTS:
        return False
    if any(len(text.split()) > _MAX_BUTTON_WORDS for text in texts):
        return False
    if any(map(_DIGIT.search, texts)):
        return False
    page, row = region.page, next(row for row in field.rows if row >= 0)
    while row > 0 and page.depth[row] > region.record_depth:
        if page.tag[row] == _BUTTON or (len(texts) == 1 and page.tag[row] in (_A, _LABEL)):
            return True
        row = int(page.parent[row])
    return False


def _find_main_image(fields: Sequence[Field]) -> Field | None:
    """Return the field of the records' own images: the first that has most different ones."""
    images = [field for field in fields if field.type == "image"]
    return max(images, key=lambda field: len({*field.values} - {None}), default=None)
