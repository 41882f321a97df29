"""Pagers: the links that lead through the pages of a list.

URLs are compared to see whether they differ only in the page number. The elements around a link
tell whether it is in a pager, current or disabled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from tamis.page import Page, find_offsets, row_attributes, tags
from tamis.records.signatures import Int64s

# How similar the URL of a link is to the page's own.
SAME_LIST: Final = 3  # equal except for the page number
SAME_NUMBERS: Final = 2  # equal except for some number
_SAME_PATH: Final = 1  # the same path, or one below it
_UNRELATED: Final = 0
_ELSEWHERE: Final = -1  # on another site, or above the page

MIN_LIST_ELEMENTS: Final = 3  # elements that make a list

_MAX_LEVELS: Final = 5  # above a link that may name a pager
_MAX_PAGER_LENGTH: Final = 80  # characters of a pager without a name
_MAX_PAGE_NUMBER: Final = 1900  # numbers from here on may be years
_MAX_ROWS_INSIDE: Final = 20  # rows of an element around a single link

_PARAMETER_NAMES: Final = (
    r"page|paged|pages|pageno|pagenum|pagenumber|pageindex|currentpage|resultpage|pagenr|pg|pgno|"
    r"pn|p|start|startindex|startrow|startat|offset|from|skip|first|seite|pagina|página|strana|"
    r"strona|sayfa|sivu"
)
_PAGE_PARAMETER: Final = re.compile(
    rf"(?i)((?!comment|rev|facet)(?:[a-z\d]+-)*(?:{_PARAMETER_NAMES})(?:-[a-z\d]+)?)=(\d{{1,6}})"
)
_PAGE_STEP: Final = re.compile(
    r"(?i)[/_-](page|p|pg|seite|pagina|strana)[/_=-]?(\d{1,6})(?=/?$|\.\w+$)"
)
_IGNORED_CHARACTERS: Final = str.maketrans("", "", "_[]")
_PATH_END: Final = re.compile(r"/(?:index\.\w{2,5})?$")
_DIGITS: Final = re.compile(r"\d+")

_A: Final = tags.CODE["a"]
_P: Final = tags.CODE["p"]
_TOP_TAGS: Final = frozenset(tags.CODE[name] for name in ("html", "body", "main"))
_SIDE_TAGS: Final = frozenset(tags.CODE[name] for name in ("aside", "header", "footer"))
_NAMING_ATTRIBUTES: Final = ("class", "id", "role", "aria-label", "data-testid")
_PAGER_NAME: Final = re.compile(r"(?i)pag(?:er|inat|ing|e[-_ ]?nav|e[-_ ]?num)|\bpages\b")
_WIDGET_NAME: Final = re.compile(r"(?i)carousel|slick|swiper|splide|slideshow|datepicker|calendar")
_SIDE_LIST_NAME: Final = re.compile(r"(?i)review|comment|related|gallery|slider")
_PAGE_NUMBER: Final = re.compile(r"(?<!\S)\W?(\d{1,4})\W?(?!\S)")
_CURRENT_CLASS: Final = re.compile(  # no utility classes such as `active:shadow`, `fill-current`
    rb"(?<![A-Za-z:])(?<!not[-_])(?<!non[-_])(?<!text-)(?<!fill-)(?<!stroke-)(?<!border-)"
    rb"(?:[Cc]urrent|CURRENT|[Aa]ctive|ACTIVE|[Ss]elected)(?=[\s\"_-]|[A-Z]|$)|"
    rb"(?<=[a-z])(?<!in)(?<!In)(?:Current|Active|Selected)(?=[\s\"_-]|$)|"
    rb'(?<=[\s"])(?:cur|on|current(?:page|item|num))(?=[\s"]|$)'
)
_ARIA_CURRENT: Final = re.compile(rb'\saria-(?:current|selected)="(?!false")[^"]')
_DISABLED_CLASS: Final = re.compile(rb"(?i)(?<![a-z:])disabled(?=\s|$)|(?<=[\s\"])disable(?=\s|$)")
_ARIA_DISABLED: Final = re.compile(rb'(?i)\saria-disabled="(?!false")')
_NEXT_CLASS: Final = re.compile(
    rb"(?:(?<![A-Za-z])[Nn]ext|(?<=[a-z])Next)(?:[-_]?(?:[Pp]age|[Ll]ink|[Pp]osts|[Aa]rrow))?(?=\s|$)"
)


# URLs -------------------------------------------------------------------------------------------


class PageUrl(NamedTuple):
    """A URL, separated into the page number and the rest."""

    host: str
    path: str
    parameters: frozenset[str]
    number_name: str
    number: int | None


def parse_page_url(url: str) -> PageUrl | None:
    """Return the parts of a URL, or None if it is invalid."""
    try:
        split = urlsplit(url)
    except ValueError:
        return None
    number_name, number = "", None
    if step := _PAGE_STEP.search(split.path):
        number_name, number = step[1].lower(), int(step[2])
    parameters = set()
    for parameter in split.query.replace(";", "&").split("&"):
        if match := _PAGE_PARAMETER.fullmatch(parameter.translate(_IGNORED_CHARACTERS)):
            if number is None:
                number_name, number = match[1].lower(), int(match[2])
        elif parameter:
            parameters.add(parameter)
    host = split.netloc.lower().removeprefix("www.")
    path = _PATH_END.sub("", _PAGE_STEP.sub("", split.path))
    return PageUrl(host, path, frozenset(parameters), number_name, number)


def compare_urls(url: str, page_url: PageUrl | None) -> int:
    """Return how similar a URL is to the page's own.

    If that is unknown, a URL with a page number is one of the same list.
    """
    other = parse_page_url(url)
    if other is None:
        return _ELSEWHERE
    if page_url is None:
        return SAME_LIST if other.number is not None else _UNRELATED
    if other.host.split(".")[-2:] != page_url.host.split(".")[-2:]:
        return _ELSEWHERE
    if other.host != page_url.host:
        return _UNRELATED
    is_above = page_url.path.startswith(other.path + "/")
    if other.number is None and not other.parameters and is_above:
        return _ELSEWHERE
    if _is_same_list(other, page_url):
        return SAME_LIST if other.number is not None else _UNRELATED
    if _mask_numbers(other) == _mask_numbers(page_url):
        return SAME_NUMBERS
    is_below = other.path.startswith(page_url.path + "/")
    return _SAME_PATH if other.path == page_url.path or is_below else _UNRELATED


def _is_same_list(other: PageUrl, page_url: PageUrl) -> bool:
    """Say whether a URL is the page's own except for the number; it may have fewer parameters."""
    is_same_path = (other.host, other.path) == (page_url.host, page_url.path)
    return is_same_path and other.parameters <= page_url.parameters


def _mask_numbers(url: PageUrl) -> tuple[str, frozenset[str]]:
    """Return the path and the parameters of a URL with all numbers replaced by 0."""
    parameters = frozenset(_DIGITS.sub("0", parameter) for parameter in url.parameters)
    return _DIGITS.sub("0", url.path), parameters


def leads_back(url: str, page_url: PageUrl | None) -> bool:
    """Say whether a URL is this page or a previous one by its number, or is invalid."""
    other = parse_page_url(url)
    if other is None:
        return True
    if page_url is None or page_url.number is None or not _is_same_list(other, page_url):
        return False
    if other.number is None:
        return True
    return other.number_name == page_url.number_name and other.number <= page_url.number


# The elements around a link ---------------------------------------------------------------------


class _LinkContext(NamedTuple):
    """What the elements around a link tell by their names and numbers."""

    is_in_pager: bool
    has_numbers: bool
    is_beside_list: bool  # in what is usually not the main list: reviews, a gallery
    is_in_widget: bool  # in a carousel or a calendar


def read_link_context(page: Page, row: int) -> _LinkContext:
    """Return the context of a link by the names of elements a few levels up, and by numbers."""
    names, element, has_numbers = "", row, False
    for level in range(_MAX_LEVELS + 1):
        if element <= 0 or int(page.tag[element]) in _TOP_TAGS:
            break
        attributes = row_attributes(page, element)
        names += " ".join([attributes.get(name, "") for name in _NAMING_ATTRIBUTES]) + " "
        if level < _MAX_LEVELS - 1:
            has_numbers = has_numbers or _has_consecutive_numbers(page, element)
        element = int(page.parent[element])
    is_in_pager, is_beside_list, is_in_widget = [
        bool(pattern.search(names)) for pattern in (_PAGER_NAME, _SIDE_LIST_NAME, _WIDGET_NAME)
    ]
    return _LinkContext(is_in_pager, has_numbers, is_beside_list, is_in_widget)


def _has_consecutive_numbers(page: Page, row: int) -> bool:
    """Say whether the text of an element is short and has two consecutive numbers."""
    start, stop = page.text_start.item(row), page.text_stop.item(row)
    if stop - start > _MAX_PAGER_LENGTH:
        return False
    numbers = [int(number) for number in _PAGE_NUMBER.findall(page.text[start:stop])]
    return any(second == first + 1 < _MAX_PAGE_NUMBER for first, second in pairwise(numbers))


def is_current(page: Page, row: int) -> bool:
    """Say whether a link, or what is inside or around this link alone, is marked as current."""
    inside = range(row + 1, page.end.item(row))
    elements = (*_find_wrappers(page, row), *inside)
    return any(_has_mark(page, element, _CURRENT_CLASS, _ARIA_CURRENT) for element in elements)


def is_disabled(page: Page, row: int) -> bool:
    """Say whether a link is marked as disabled."""
    elements = _find_wrappers(page, row)
    return any(_has_mark(page, element, _DISABLED_CLASS, _ARIA_DISABLED) for element in elements)


def find_next_class_links(page: Page) -> set[int]:
    """Return the links that have, or whose wrappers have, a class called next."""
    offsets = np.array(
        [*find_offsets(page.source, b"next"), *find_offsets(page.source, b"Next")], dtype=np.int64
    )
    rows = np.searchsorted(page.start, offsets) - 1
    rows = rows[(page.class_start[rows] <= offsets) & (offsets < page.class_stop[rows])]
    next_links: set[int] = set()
    for row in rows[page.end[rows] - rows <= _MAX_ROWS_INSIDE].tolist():
        if not _has_mark(page, row, _NEXT_CLASS):
            continue
        links = row + np.flatnonzero(page.tag[row : page.end[row]] == _A)
        next_links.update(links.tolist() if len(links) == 1 else ())
    return next_links


def _has_mark(
    page: Page,
    row: int,
    class_pattern: re.Pattern[bytes],
    aria_pattern: re.Pattern[bytes] | None = None,
) -> bool:
    """Say whether the class of a row, or one of its ARIA attributes, matches a pattern."""
    if class_pattern.search(page.source, page.class_start.item(row), page.class_stop.item(row)):
        return True
    if aria_pattern is None:
        return False
    return bool(aria_pattern.search(page.source, page.start.item(row), page.head.item(row)))


def find_pager_element(page: Page, row: int) -> int:
    """Return the element some levels above a link, which contains the pager."""
    for _ in range(_MAX_LEVELS - 1):
        row = max(int(page.parent[row]), 0)
    return row


def _find_wrappers(page: Page, row: int) -> Iterator[int]:
    """Yield a link and at most two elements around it that have no other link."""
    yield row
    for _ in range(2):
        row = int(page.parent[row])
        if row <= 0 or np.count_nonzero(page.tag[row : page.end[row]] == _A) > 1:
            return
        yield row


def follows_list(page: Page, row: int) -> bool:
    """Say whether a link is in or directly after elements that repeat, and not at the side."""
    follows, level = False, 0
    while (parent := int(page.parent[row])) >= 0:
        if int(page.tag[parent]) in _SIDE_TAGS:
            return False
        if not follows and level <= _MAX_LEVELS:
            before = _find_children(page, parent, row)
            nearest = before[-2:].tolist()
            follows = _repeats(page, before) or any(_has_list(page, near) for near in nearest)
        row, level = parent, level + 1
    return follows


def _has_list(page: Page, row: int) -> bool:
    """Say whether an element, or the longest one in it some levels down, has a list."""
    for _ in range(_MAX_LEVELS):
        children = _find_children(page, row, page.end.item(row))
        if len(children) == 0:
            return False
        if _repeats(page, children):
            return True
        row = int(children[np.argmax(page.text_stop[children] - page.text_start[children])])
    return False


def _find_children(page: Page, row: int, stop: int) -> Int64s:
    """Return the children of an element up to some row that are elements with text."""
    rows = row + 1 + np.flatnonzero(page.parent[row + 1 : stop] == row)
    has_text = page.text_stop[rows] > page.text_start[rows]
    children: Int64s = rows[(page.tag[rows] != tags.TEXT) & has_text]
    return children


def _repeats(page: Page, rows: Int64s) -> bool:
    """Say whether at least so many rows as make a list have one tag."""
    if len(rows) < MIN_LIST_ELEMENTS:
        return False
    return int(np.bincount(page.tag[rows]).max()) >= MIN_LIST_ELEMENTS


def is_in_prose(page: Page, row: int) -> bool:
    """Say whether a link is a few words of a longer paragraph."""
    parent = int(page.parent[row])
    is_long = page.text_stop.item(parent) - page.text_start.item(parent) > _MAX_PAGER_LENGTH
    return parent >= 0 and page.tag.item(parent) == _P and is_long
