"""Markup → the day that the page was published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from tamis.metadata.jsonld import rank
from tamis.metadata.markup import Markup, Window
from tamis.page import row_attributes
from tamis.values import find_dates, page_locale, parse_timestamp, url_date

_META: Final = tuple(
    """
    article:published_time og:article:published_time datepublished og:published_time
    citation_publication_date citation_date citation_online_date parsely-pub-date sailthru.date
    dc.date.issued dcterms.issued dcterms.created dc.date.created publish_date publish-date
    publishdate pubdate published date-pub cxenseparse:publishtime cxenseparse:recs:publishtime
    rnews:datepublished article:published article_date_original originalpublicationdate
    prism.publicationdate displaydate article.published ptime datecreated dc.date dcterms.date date
    """.split()
)
_OTHER_META: Final = re.compile(r"publish(?!er)|publication.?date|(?<!event)(?<!expiry)[.:_-]date$")
_NOT_PUBLISHED: Final = re.compile(r"modif|updat|review|expir|unpublish|birth")
_PUBLISHED: Final = re.compile(r"publish|pubdate|entry-date|post-date|posted|created", re.I)
_CHANGED_MARK: Final = re.compile(r"updat|modif", re.I)
_LONGEST_LINE: Final = 200  # a longer one is prose, which tells of other days
_RANGE: Final = re.compile(r"\s{0,2}[-–—]\s{0,2}\S{1,12}\s\S{1,12}\s\d{4}")  # a life, a term
_CHANGED: Final = re.compile(
    r"(?:updated?|modified|edited|revised|reviewed|aktualisiert|mis à jour|actualizado|aggiornato"
    r"|更新)[^\w]{0,3}(?:on|at|am|le|el|il)?[^\w]{0,3}$",
    re.I,
)
_UNRELATED: Final = re.compile(
    r"\b(?:since|seit|depuis|copyright|expires|until|born|©)\W{0,3}$", re.I
)


def published(markup: Markup, window: Window, today: date) -> date | None:
    """Return the first believable day of all sources in their order.

    An address has the day of where the page was written, a time stamp often that of Greenwich.
    """
    address = url_date(markup.page.url or "")
    for found in stated_dates(markup, window):
        if found and found <= today:
            return address if address and abs((found - address).days) == 1 else found
    return None


def stated_dates(markup: Markup, window: Window) -> Iterator[date | None]:
    """Yield the days that the sources state, best first."""
    linked = markup.linked
    mains = linked.mains
    month_first = page_locale(markup.page).month_first

    def stamped(text: str | None) -> date | None:
        return parse_timestamp(text or "", month_first=month_first)

    yield from (stamped(values[0]) for values in markup.stated(_META))
    articles = [node for node in mains if rank(node) == 0]
    for key in ("datePublished", "dateCreated", "uploadDate"):
        yield from (stamped(linked.text(node, key)) for node in articles)
    others = [name for name in markup.names() if is_other_meta(name)]
    yield from (stamped(values[0]) for values in markup.stated(others))
    yield from item_dates(markup)
    yield from time_dates(markup, window)
    yield from (stamped(linked.text(node, "datePublished")) for node in mains)
    yield url_date(markup.page.url or "")
    yield from text_dates(markup, window)
    yield from (stamped(linked.text(node, "dateModified")) for node in articles)


def is_other_meta(name: str) -> bool:
    """Whether a `<meta>` name says publication, not change, review or expiry."""
    return bool(_OTHER_META.search(name)) and not _NOT_PUBLISHED.search(name)


def item_dates(markup: Markup) -> Iterator[date | None]:
    """Yield the days of microdata, outside reviews and comments."""
    for name in ("datePublished", "dateCreated"):
        for row in markup.items(name):
            if markup.describes_page(row):
                yield row_date(markup, row)


def time_dates(markup: Markup, window: Window) -> Iterator[date | None]:
    """Yield the days of `<time>` elements around the headline, those marked as published first."""
    near = [row for row in markup.times if window.holds(int(markup.page.text_start[row]))]
    marked = [row for row in near if _PUBLISHED.search(head(markup, row))]
    after = [row for row in near if int(markup.page.text_start[row]) >= window.start]
    changed = {row for row in near if row not in marked and is_changed(markup, row)}
    ordered = [row for row in (*marked, *after, *near) if row not in changed]
    for row in (*ordered, *sorted(changed)):
        if not _CHANGED.search(before_place(markup, int(markup.page.text_start[row]))):
            yield row_date(markup, row)


def is_changed(markup: Markup, row: int) -> bool:
    """Whether the start tag of a row says that the page was changed then."""
    return bool(_CHANGED_MARK.search(head(markup, row)))


def text_dates(markup: Markup, window: Window) -> Iterator[date]:
    """Yield the days that the text around the headline names, those below it first."""
    text = markup.page.text
    month_first = page_locale(markup.page).month_first
    for start, stop in ((window.start, window.last), (window.first, window.start)):
        later: list[date] = []
        later_end = -1
        for made, place, end in find_dates(text[start:stop], month_first=month_first):
            is_second, later_end = place <= later_end, -1
            if found := _RANGE.match(text, start + end):
                later_end = found.end() - start
            if found or is_second or is_prose(text, start + place):
                continue
            before = before_place(markup, start + place)
            if _CHANGED.search(before):
                later.append(made)
            elif not _UNRELATED.search(before):
                yield made
        yield from later


def is_prose(text: str, place: int) -> bool:
    """Whether a place in a text stands in a long line."""
    first = text.rfind("\n", max(0, place - _LONGEST_LINE), place)
    first = first if first >= 0 else max(-1, place - _LONGEST_LINE)
    last = text.find("\n", place, first + _LONGEST_LINE)
    return last < 0 and len(text) > first + _LONGEST_LINE


def row_date(markup: Markup, row: int) -> date | None:
    """Return the day of an element: of its attributes, else of its text."""
    values = row_attributes(markup.page, row)
    month_first = page_locale(markup.page).month_first
    for name in ("datetime", "content", "title"):
        found = parse_timestamp(values.get(name, "")[:60], month_first=month_first)
        if found:
            return found
    return parse_timestamp(markup.text(row)[:60], month_first=month_first)


def before_place(markup: Markup, place: int) -> str:
    """Return the words before a place in the text, which tell what a day there stands for."""
    return markup.page.text[max(0, place - 30) : place].rstrip()


def head(markup: Markup, row: int) -> str:
    """Return the start tag of a row."""
    page = markup.page
    return page.source[page.start[row] : page.head[row]][:500].decode("utf-8", "replace")
