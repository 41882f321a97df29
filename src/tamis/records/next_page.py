"""Next page: the URL of the page that goes on with the list of this one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from tamis.page import UNLIMITED, Budget, Page, base_url, rows_with_bytes, tags
from tamis.records.links import decode_attribute, find_enclosing_links, link_url
from tamis.records.pager_words import LinkMeaning, classify_link_text
from tamis.records.pagers import (
    MIN_LIST_ELEMENTS,
    SAME_LIST,
    SAME_NUMBERS,
    PageUrl,
    compare_urls,
    find_next_class_links,
    find_pager_element,
    follows_list,
    is_current,
    is_disabled,
    is_in_prose,
    leads_back,
    parse_page_url,
    read_link_context,
)

_MAX_TEXT_LENGTH: Final = 40  # characters of a link to the next page
_MAX_SEPARATOR_LENGTH: Final = 30  # characters of a text between two page numbers
_MAX_TEXTS_BEFORE: Final = 4  # texts before a link that are searched for the page number before
_MAX_ROWS_INSIDE: Final = 8  # rows of a link that are searched for labels
_MAX_LINKS: Final = 200  # that are examined closely
# The similarity to the page's own URL that links need whose text tells little.
_MIN_SIMILARITY: Final = {LinkMeaning.OTHER: SAME_NUMBERS, LinkMeaning.MORE: SAME_LIST}
_NEXT_OR_SIGN: Final = {LinkMeaning.NEXT, LinkMeaning.ARROW, LinkMeaning.NOTHING}
_PREFERENCE: Final = (
    LinkMeaning.NEXT,
    LinkMeaning.NUMBER,
    LinkMeaning.ARROW,
    LinkMeaning.OTHER,
    LinkMeaning.MORE,
)

_A: Final = tags.CODE["a"]
_LINK: Final = tags.CODE["link"]
_REL_NEXT: Final = re.compile(rb'(?i)\srel="(?:[^"]*\s)?next(?:\s[^"]*)?"')
_LABEL: Final = re.compile(rb'\s(aria-label|title|alt)="([^"]*)"')
_SVG_TITLE: Final = re.compile(rb"<title>([^<]*)</title>")
_LABEL_DETAIL: Final = re.compile(r"(?<=[^\W\d])(?:\s[-–|]\s|:\s|,\s).*")  # what a label adds
_DIGITS: Final = re.compile(r"\d+")
_LAST_NUMBER: Final = re.compile(r"(?<![\d.,])(\d{1,4})\D{0,20}$")


class _PageLinks(NamedTuple):
    """The short links of a page, and what their URLs are compared with."""

    page: Page
    base: str | None
    page_url: PageUrl | None
    meanings: dict[int, LinkMeaning]  # of the texts, by the row of the link
    budget: Budget


class _NextLink(NamedTuple):
    """A link that may lead to the next page; the smallest tuple is the best."""

    is_more: bool
    is_beside: bool
    dissimilarity: int
    is_outside_pager: bool
    preference: int
    row: int
    url: str


def find_next_page(page: Page, budget: Budget = UNLIMITED) -> str | None:
    """Return the URL of the next page, or None.

    What the page declares (`rel="next"`) comes first. Then it is a link with such a text, the
    number after this page's in a row of page numbers, or an arrow in a pager, whichever has the URL
    most similar to the page's own. A link to more of a list comes last.
    """
    rows = np.flatnonzero((page.tag == _A) | (page.tag == _LINK))
    page_url = parse_page_url(page.url) if page.url else None
    page_url = page_url if page_url and page_url.host else None
    links = _PageLinks(page, base_url(page), page_url, {}, budget)
    link_rows = set(rows.tolist())
    for row in budget.watch(filter(link_rows.__contains__, rows_with_bytes(page, b' rel="'))):
        is_declared = _REL_NEXT.search(page.source, page.start.item(row), page.head.item(row))
        if is_declared and (url := _find_onward_url(links, row)):
            return url
    is_short = page.text_stop - page.text_start <= _MAX_TEXT_LENGTH
    short_rows = rows[(page.tag[rows] == _A) & is_short[rows]].tolist()
    texts = [_read_text(page, row) for row in budget.watch(short_rows)]
    meanings = {text: classify_link_text(text) for text in budget.watch(set(texts))}
    links.meanings.update(zip(short_rows, [meanings[text] for text in texts], strict=True))
    candidates = [
        *islice(_find_worded_links(links), _MAX_LINKS),
        *islice(_find_numbered_links(links), _MAX_LINKS),
    ]
    next_links = [
        next_link
        for row, meaning in budget.watch(candidates)
        if (next_link := _rate_link(links, row, meaning))
    ]
    teasers = [
        link for link in next_links if link.is_outside_pager and -link.dissimilarity < SAME_NUMBERS
    ]
    if len({link.url for link in teasers}) >= MIN_LIST_ELEMENTS:  # "weiter" after each summary
        next_links = [link for link in next_links if link not in teasers]
    return min(next_links).url if next_links else None


def _read_text(page: Page, row: int) -> str:
    """Return the text of a row on one line."""
    return " ".join(page.text[page.text_start.item(row) : page.text_stop.item(row)].split())


# Links by their words ---------------------------------------------------------------------------


def _find_worded_links(links: _PageLinks) -> Iterator[tuple[int, LinkMeaning]]:
    """Yield the links that lead on by their text, a label or the name of a class."""
    page, rows = links.page, np.array(list(links.meanings), dtype=np.int64)
    class_links = find_next_class_links(page)
    aria_links = set(rows_with_bytes(page, b' aria-label="'))
    text_counts = page.text_number[page.end[rows] - 1] - page.text_number[rows]
    pairs = zip(links.meanings.items(), text_counts.tolist(), strict=True)
    for (row, meaning), text_count in links.budget.watch(pairs):
        if meaning is LinkMeaning.OTHER and text_count > 1 and _repeats_next(page, row):
            meaning = LinkMeaning.NEXT
        elif meaning in (LinkMeaning.NOTHING, LinkMeaning.ARROW):
            inside = range(row, min(page.end.item(row), row + _MAX_ROWS_INSIDE))
            meaning = _classify_labels(page, inside, meaning)
        elif meaning is LinkMeaning.OTHER and row in aria_links:
            meaning = _classify_labels(page, range(row, row + 1), meaning)
        if meaning in (LinkMeaning.NEXT, LinkMeaning.ARROW, LinkMeaning.MORE):
            yield row, meaning
        elif row in class_links and meaning is not LinkMeaning.NOT_NEXT:
            yield row, LinkMeaning.OTHER


def _repeats_next(page: Page, row: int) -> bool:
    """Say whether a link has several texts for the next page, such as one for screen readers."""
    meanings: set[LinkMeaning] = set()
    for inner in range(row, min(page.end.item(row), row + _MAX_ROWS_INSIDE)):
        if page.tag.item(inner) == tags.TEXT:
            meanings.add(classify_link_text(_read_text(page, inner)))
            if not meanings <= _NEXT_OR_SIGN:
                return False
    return LinkMeaning.NEXT in meanings


def _classify_labels(page: Page, rows: range, meaning: LinkMeaning) -> LinkMeaning:
    """Return the meaning of a link with its labels, which tell what an arrow or image is for."""
    has_words = meaning is LinkMeaning.OTHER
    labels = [
        label
        for row in rows
        for name, label in _LABEL.findall(page.source, page.start.item(row), page.head.item(row))
        if not has_words or name == b"aria-label"
    ]
    if not has_words:
        labels += _SVG_TITLE.findall(page.source, page.start.item(rows[0]), page.stop.item(rows[0]))
    texts = (" ".join(decode_attribute(label).split()) for label in labels)
    meanings = {classify_link_text(_LABEL_DETAIL.sub("", text)) for text in texts}
    if LinkMeaning.NOT_NEXT in meanings:
        return LinkMeaning.NOT_NEXT
    return LinkMeaning.NEXT if LinkMeaning.NEXT in meanings else meaning


# Links by their numbers -------------------------------------------------------------------------


def _find_numbered_links(links: _PageLinks) -> Iterator[tuple[int, LinkMeaning]]:
    """Yield the links to the page number after this page's."""
    page = links.page
    rows = [row for row, meaning in links.meanings.items() if meaning is LinkMeaning.NUMBER]
    text_rows = np.flatnonzero(page.visible).tolist() if rows else []
    for row in links.budget.watch(rows):
        number = int(_DIGITS.findall(_read_text(page, row))[0])
        if number > 1 and _find_page_number_before(links, text_rows, row) == number - 1:
            yield row, LinkMeaning.NUMBER


def _find_page_number_before(links: _PageLinks, text_rows: list[int], row: int) -> int | None:
    """Return the number before a link, if it is this page's.

    This page's number is no link, is marked as current, or links to this page.
    """
    page, stop = links.page, bisect_left(text_rows, row)
    start = max(stop - _MAX_TEXTS_BEFORE, bisect_left(text_rows, find_pager_element(page, row)))
    for text_row in reversed(text_rows[start:stop]):
        text = _read_text(page, text_row)
        if number := _LAST_NUMBER.search(text):
            link = int(find_enclosing_links(page, np.array([text_row]))[0])
            is_this_page = link < 0 or is_current(page, link) or not _find_other_url(links, link)
            return int(number[1]) if is_this_page else None
        if len(text) > _MAX_SEPARATOR_LENGTH or any(map(str.isdigit, text)):
            return None
    return None


# Rating links -----------------------------------------------------------------------------------


def _rate_link(links: _PageLinks, row: int, meaning: LinkMeaning) -> _NextLink | None:
    """Return a link with what it is compared by, if it may lead to the next page."""
    if not (url := _find_onward_url(links, row)):
        return None
    similarity = compare_urls(url, links.page_url)
    if similarity < _MIN_SIMILARITY.get(meaning, 0):
        return None
    if meaning is LinkMeaning.NUMBER and is_current(links.page, row):
        return None
    context = read_link_context(links.page, row)
    is_in_pager = context.is_in_pager or (context.has_numbers and similarity >= SAME_NUMBERS)
    if meaning is LinkMeaning.NEXT:
        fits = similarity > 0 or not is_in_prose(links.page, row)
    elif meaning is LinkMeaning.MORE:
        fits = follows_list(links.page, row)
    else:
        fits = is_in_pager
    if not fits or (similarity != SAME_LIST and context.is_in_widget):
        return None
    return _NextLink(
        is_more=meaning is LinkMeaning.MORE,
        is_beside=context.is_beside_list or context.is_in_widget,
        dissimilarity=-similarity,
        is_outside_pager=not is_in_pager,
        preference=_PREFERENCE.index(meaning),
        row=row,
        url=url,
    )


def _find_other_url(links: _PageLinks, row: int) -> str | None:
    """Return the URL of a link that leads to another page."""
    url = (link_url(links.page, row, links.base) or "").partition("#")[0]
    return url if url and url != (links.page.url or "").partition("#")[0] else None


def _find_onward_url(links: _PageLinks, row: int) -> str | None:
    """Return the URL of a link that is not disabled and does not lead back."""
    url = _find_other_url(links, row)
    if not url or leads_back(url, links.page_url) or is_disabled(links.page, row):
        return None
    return url
