"""Names that the page gives to a column: by microdata, labels or class names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final

from tamis.page import Page, tags
from tamis.records.column import Column
from tamis.records.regions import Region

_MAX_LEVELS: Final = 4  # elements above a cell that are searched for names
_MAX_NAME_LENGTH: Final = 40  # characters

# Words in class names and microdata, and the names of the fields that they stand for.
_FIELD_NAMES: Final = {
    word: name
    for name, words in {
        "title": "title name headline heading caption productname subject",
        "description": "description desc summary snippet excerpt abstract teaser synopsis blurb",
        "list_price": "oldprice listprice wasprice strike msrp rrp regularprice originalprice",
        "price": "price cost lowprice saleprice",
        "currency": "pricecurrency",
        "saving": "saving savings save yousave discount discountamount discountpercent",
        "rating": "rating ratingvalue stars score",
        "reviews": "reviewcount reviews ratingcount",
        "brand": "brand manufacturer vendor",
        "author": "author byline creator writer username poster",
        "date": "date datepublished published posted timestamp time pubdate",
        "location": "location address city place",
        "category": "category genre topic",
        "comments": "comments replies commentcount",
        "views": "views viewcount",
        "badge": "badge",
    }.items()
    for word in words.split()
}
_OLD: Final = re.compile(
    r"(?i)\b(?:was|old|list(?=\W?price)|regular|original|strike|before|rrp|msrp)"
)
_NAME_BORDER: Final = re.compile(r"\s+|__")  # `product-list__price` is no list price
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NO_WORD: Final = re.compile(r"[^\w]+")
_IS_STRUCK: Final = tags.tag_table(("del", "s", "strike"))
_ITEMPROP: Final = b' itemprop="'
_ITEMPROP_NAME: Final = re.compile(rb' itemprop="\s*([^"\s]+)')
_LABEL: Final = re.compile(r"(.*?)(?:(?<!\d):|:(?!\d))")  # the colon in a time ends no label
_LABEL_TAGS: Final = frozenset(("dt", "th", "label"))
_IS_CONTROL: Final = tags.tag_table(("input", "select", "textarea"))


def slugify(text: str) -> str:
    """Return a text as the name of a field: in lower case, words joined by underscores."""
    normalized = unicodedata.normalize("NFKC", text).lower()
    name = _NO_WORD.sub("_", normalized).strip("_")[:_MAX_NAME_LENGTH].strip("_")
    return f"n_{name}" if name[:1].isdigit() else name


def find_markup_name(region: Region, column: Column) -> str | None:
    """Return the name that markup gives to a column: microdata, then words in class names."""
    page = region.page
    row = int(region.cells.element[column.first_cell])
    first_record = next(record for record, cells in enumerate(column.cells) if cells)
    record_row = int(region.start[first_record])
    class_name: str | None = None
    for _ in range(_MAX_LEVELS):
        if row <= record_row:
            break
        if _IS_STRUCK[page.tag[row]]:
            return "list_price"
        start, head = page.start.item(row), page.head.item(row)
        offset = page.source.find(_ITEMPROP, start, head)
        if offset >= 0 and (itemprop := _ITEMPROP_NAME.match(page.source, offset)):
            key = itemprop[1].decode("utf-8", "replace").lower()
            return _FIELD_NAMES.get(key, slugify(key)) or None
        if class_name is None:
            value = page.source[page.class_start.item(row) : page.class_stop.item(row)]
            class_name = _find_class_name(value.decode("utf-8", "replace")) if value else None
        row = page.parent.item(row)
    return class_name


def is_list_price(region: Region, column: Column) -> bool:
    """Say whether a column is struck out or named as a former price."""
    return find_markup_name(region, column) == "list_price"


def _find_class_name(value: str) -> str | None:
    """Return the field that the words of a class attribute stand for."""
    names = [[word.lower() for word in _WORD.findall(name)] for name in _NAME_BORDER.split(value)]
    word_pairs = [first + second for words in names for first, second in pairwise(words)]
    known_words = (word for word in chain(word_pairs, *names) if word in _FIELD_NAMES)
    name = next((_FIELD_NAMES[word] for word in known_words), None)
    if name == "price" and _OLD.search(value.replace("_", " ")):
        return "list_price"
    return name


def is_label(region: Region, column: Column) -> bool:
    """Say whether a column is the label of the next one: one text, in a label or with a colon."""
    if column.texts[0] != column.texts[-1]:
        return False
    texts = set(filter(None, column.texts))
    if len(texts) != 1:
        return False
    if next(iter(texts)).rstrip().endswith((":", "：")):
        return True
    page, element = region.page, int(region.cells.element[column.first_cell])
    return page.name(element) in _LABEL_TAGS and not _has_control_beside(page, element)


def _has_control_beside(page: Page, element: int) -> bool:
    """Say whether a form control is in an element or beside it: then it is the control's label."""
    parent = page.parent.item(element)
    return bool(_IS_CONTROL[page.tag[parent : page.end.item(parent)]].any())


def find_shared_label(texts: Sequence[str]) -> str | None:
    """Return the label that all texts begin with, as in `Price: 5`."""
    filled = [text for text in texts if text]
    if len(filled) < 2 or ":" not in filled[0][:_MAX_NAME_LENGTH]:
        return None
    label = split_label(filled[0])[0]
    if not label.strip() or len(label) >= _MAX_NAME_LENGTH:
        return None
    if label.strip().isdigit() or "//" in filled[0]:
        return None
    return label if all(split_label(text)[0] == label for text in filled) else None


def split_label(text: str) -> tuple[str, str]:
    """Return the label that a text begins with, and what follows it."""
    match = _LABEL.match(text)
    return (match[1], text[match.end() :].strip()) if match else ("", text)
