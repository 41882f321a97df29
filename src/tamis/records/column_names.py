"""What the page calls a column: microdata, labels, table headers, class names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tamis.page import tags
from tamis.records.column import Column
from tamis.records.regions import Region

MOST_STEPS: Final = 4  # elements above a cell whose names are looked at
LONGEST: Final = 40  # characters of a name

# Words in class names and microdata, and the names of the fields that they stand for.
_WORDS: Final = {
    word: name
    for name, words in {
        "title": "title name headline heading caption productname subject",
        "description": "description desc summary snippet excerpt abstract teaser synopsis blurb",
        "list_price": "oldprice listprice wasprice strike msrp rrp regularprice originalprice",
        "price": "price cost lowprice saleprice",
        "currency": "pricecurrency",
        "rating": "rating ratingvalue stars score",
        "reviews": "reviewcount reviews ratingcount",
        "brand": "brand manufacturer vendor",
        "author": "author byline creator writer username poster",
        "date": "date datepublished published posted timestamp time pubdate",
        "location": "location address city place",
        "category": "category section genre topic",
        "comments": "comments replies commentcount",
        "views": "views viewcount",
        "badge": "badge",
    }.items()
    for word in words.split()
}
_OLD: Final = re.compile(r"(?i)\b(?:was|old|list|regular|original|strike|before|rrp|msrp)")
_TOKEN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NOT_NAME: Final = re.compile(r"[^\w]+")
_STRUCK: Final = tags.tag_table(("del", "s", "strike"))
_PROPERTY: Final = b' itemprop="'
_ITEM: Final = re.compile(rb' itemprop="\s*([^"\s]+)')
_LABEL: Final = re.compile(r"(.*?)(?:(?<!\d):|:(?!\d))")  # a time has no label
_LABELS: Final = frozenset(("dt", "th", "label"))


def slug(text: str) -> str:
    """Return a text as the name of a field: lower case, words joined by underscores."""
    plain = unicodedata.normalize("NFKC", text).lower()
    found = _NOT_NAME.sub("_", plain).strip("_")[:LONGEST].strip("_")
    return f"n_{found}" if found[:1].isdigit() else found


def stated_name(region: Region, column: Column) -> str | None:
    """Return the name that markup gives to a column: microdata, then words in class names."""
    page = region.page
    row = int(region.cells.node[column.first])
    top = int(region.start[next(n for n, some in enumerate(column.cells) if some)])
    by_class: str | None = None
    for _ in range(MOST_STEPS):
        if row <= top:
            break
        if _STRUCK[page.tag[row]]:
            return "list_price"
        start, head = page.start.item(row), page.head.item(row)
        at = page.source.find(_PROPERTY, start, head)
        if at >= 0 and (stated := _ITEM.match(page.source, at)):
            key = stated[1].decode("utf-8", "replace").lower()
            return _WORDS.get(key, slug(key)) or None
        if by_class is None:
            value = page.source[page.class_start.item(row) : page.class_stop.item(row)]
            by_class = class_name(value.decode("utf-8", "replace")) if value else None
        row = page.parent.item(row)
    return by_class


def is_old(region: Region, column: Column) -> bool:
    """Say whether a column is struck out or named as what was before."""
    return stated_name(region, column) == "list_price"


def class_name(value: str) -> str | None:
    """Return the field that the words of a class stand for."""
    words = [word.lower() for word in _TOKEN.findall(value)]
    joined = [first + second for first, second in pairwise(words)]
    name = next((_WORDS[word] for word in (*joined, *words) if word in _WORDS), None)
    if name == "price" and _OLD.search(value.replace("_", " ")):
        return "list_price"
    return name


def is_label(region: Region, column: Column) -> bool:
    """Say whether a column holds the name of the next one: one text, with a colon or as a label."""
    if column.texts[0] != column.texts[-1]:
        return False
    texts = set(filter(None, column.texts))
    if len(texts) != 1:
        return False
    tag = region.page.name(int(region.cells.node[column.first]))
    return next(iter(texts)).rstrip().endswith((":", "：")) or tag in _LABELS


def shared_label(texts: Sequence[str]) -> str | None:
    """Return the label that all texts begin with, as in `Price: 5`."""
    known = [text for text in texts if text]
    if len(known) < 2 or ":" not in known[0][:LONGEST]:
        return None
    head = parted(known[0])[0]
    if not head.strip() or len(head) >= LONGEST or head.strip().isdigit() or "//" in known[0]:
        return None
    return head if all(parted(text)[0] == head for text in known) else None


def parted(text: str) -> tuple[str, str]:
    """Return the label that a text begins with, and the rest. A colon in a time ends none."""
    found = _LABEL.match(text)
    return (found[1], text[found.end() :].strip()) if found else ("", text)
