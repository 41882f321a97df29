"""The publication date of a page.

Pages state dates in many places: `<meta>`, JSON-LD, microdata, `<time>`, the URL and the text
around the headline. They are tried in the order of how far they can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from tamis.metadata.jsonld import type_rank
from tamis.metadata.markup import Markup, Window
from tamis.page import row_attributes
from tamis.values import find_dates, parse_timestamp, url_date

_MAX_LINE_CHARS: Final = 200  # a longer line is prose, whose dates are not those of the page
_MAX_STAMP_CHARS: Final = 60
_MAX_START_TAG_BYTES: Final = 500
_LABEL_CHARS: Final = 30  # of the text before a date, which may say what kind of date it is
_DATE_META: Final = tuple(
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
_OTHER_META_PARTS: Final = ("publi", "date")  # one of them is in each match
_NOT_PUBLISHED: Final = re.compile(r"modif|updat|review|expir|unpublish|birth")
_PUBLISHED_MARK: Final = re.compile(r"publish|pubdate|entry-date|post-date|posted|created", re.I)
_UPDATED_MARK: Final = re.compile(r"updat|modif", re.I)
_RANGE: Final = re.compile(r"\s{0,2}[-–—]\s{0,2}\S{1,12}\s\S{1,12}\s\d{4}")  # of a life, of a term
_UPDATED_LABEL: Final = re.compile(
    r"(?:updated?|modified|edited|revised|reviewed|aktualisiert|mis à jour|actualizado|aggiornato"
    r"|更新)[^\w]{0,3}(?:on|at|am|le|el|il)?[^\w]{0,3}$",
    re.I,
)
_UNRELATED_LABEL: Final = re.compile(
    r"\b(?:since|seit|depuis|copyright|expires|until|born|©)\W{0,3}$", re.I
)


def find_publication_date(markup: Markup, window: Window, today: date) -> date | None:
    """Return the first date of all sources that is not in the future.

    A date in the URL is that of where the page was written, a timestamp often that of Greenwich:
    if they are a day apart, the URL decides.
    """
    in_url = url_date(markup.page.url or "")
    for day in _stated_dates(markup, window):
        if day and day <= today:
            return in_url if in_url and abs((day - in_url).days) == 1 else day
    return None


def _stated_dates(markup: Markup, window: Window) -> Iterator[date | None]:
    """Yield the dates of all sources, best first."""
    jsonld = markup.jsonld
    entities = jsonld.main_entities
    month_first = markup.locale.month_first

    def parse(text: str | None) -> date | None:
        return parse_timestamp(text or "", month_first=month_first)

    yield from (parse(contents[0]) for contents in markup.each_meta(_DATE_META))
    articles = [entity for entity in entities if type_rank(entity) == 0]
    for key in ("datePublished", "dateCreated", "uploadDate"):
        yield from (parse(jsonld.text(entity, key)) for entity in articles)
    others = [name for name in markup.meta_names() if _is_publication_meta(name)]
    yield from (parse(contents[0]) for contents in markup.each_meta(others))
    yield from _microdata_dates(markup)
    yield from _time_dates(markup, window)
    yield from (parse(jsonld.text(entity, "datePublished")) for entity in entities)
    yield url_date(markup.page.url or "")
    yield from _text_dates(markup, window)
    yield from (parse(jsonld.text(entity, "dateModified")) for entity in articles)


def _is_publication_meta(name: str) -> bool:
    """Say whether a `<meta>` name means publication, not an update, a review or expiry."""
    if not any(part in name for part in _OTHER_META_PARTS):
        return False
    return bool(_OTHER_META.search(name)) and not _NOT_PUBLISHED.search(name)


def _microdata_dates(markup: Markup) -> Iterator[date | None]:
    """Yield the dates of microdata, outside reviews and comments."""
    for name in ("datePublished", "dateCreated"):
        for row in markup.microdata_rows(name):
            if markup.describes_page(row):
                yield _row_date(markup, row)


def _time_dates(markup: Markup, window: Window) -> Iterator[date | None]:
    """Yield the dates of `<time>` elements near the headline.

    Those marked as published come first, then those below the headline, those of updates last.
    """
    offsets = markup.page.text_start
    near = [row for row in markup.times if int(offsets[row]) in window]
    published = [row for row in near if _PUBLISHED_MARK.search(_start_tag(markup, row))]
    below = [row for row in near if int(offsets[row]) >= window.start]
    updated = {
        row
        for row in near
        if row not in published and _UPDATED_MARK.search(_start_tag(markup, row))
    }
    ordered = [row for row in (*published, *below, *near) if row not in updated]
    for row in (*ordered, *sorted(updated)):
        if not _UPDATED_LABEL.search(_text_before(markup, int(offsets[row]))):
            yield _row_date(markup, row)


def _text_dates(markup: Markup, window: Window) -> Iterator[date]:
    """Yield the dates in the text around the headline, those below it first, updates last."""
    text = markup.page.text
    month_first = markup.locale.month_first
    for start, stop in ((window.start, window.last), (window.first, window.start)):
        updates: list[date] = []
        range_end = -1
        for day, begin, end in find_dates(text[start:stop], month_first=month_first):
            ends_range, range_end = begin <= range_end, -1
            if date_range := _RANGE.match(text, start + end):
                range_end = date_range.end() - start
            if date_range or ends_range or _is_in_prose(text, start + begin):
                continue
            label = _text_before(markup, start + begin)
            if _UPDATED_LABEL.search(label):
                updates.append(day)
            elif not _UNRELATED_LABEL.search(label):
                yield day
        yield from updates


def _is_in_prose(text: str, offset: int) -> bool:
    """Say whether an offset lies in a long line."""
    first = text.rfind("\n", max(0, offset - _MAX_LINE_CHARS), offset)
    first = first if first >= 0 else max(-1, offset - _MAX_LINE_CHARS)
    last = text.find("\n", offset, first + _MAX_LINE_CHARS)
    return last < 0 and len(text) > first + _MAX_LINE_CHARS


def _row_date(markup: Markup, row: int) -> date | None:
    """Return the date in the attributes of an element, else in its text."""
    attributes = row_attributes(markup.page, row)
    month_first = markup.locale.month_first
    for name in ("datetime", "content", "title"):
        stamp = attributes.get(name, "")[:_MAX_STAMP_CHARS]
        if day := parse_timestamp(stamp, month_first=month_first):
            return day
    return parse_timestamp(markup.text(row)[:_MAX_STAMP_CHARS], month_first=month_first)


def _text_before(markup: Markup, offset: int) -> str:
    """Return the text just before an offset, which may say what kind of date follows."""
    return markup.page.text[max(0, offset - _LABEL_CHARS) : offset].rstrip()


def _start_tag(markup: Markup, row: int) -> str:
    """Return the start tag of a row."""
    return markup.start_tag(row, _MAX_START_TAG_BYTES)
