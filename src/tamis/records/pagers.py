"""Two addresses → whether one is the other with a further page.

A link → where it stands: in a pager, marked as the page that is shown, after a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, find_offsets, row_attributes, tags

ALIKE: Final = 3  # the same but for the number of the page
COUNTED: Final = 2  # the same but for some number
AWAY: Final = -1  # of another site, or above the page
NEAR: Final = 1  # the same path, or one below it

_PAGE_PARAMETERS: Final = (
    r"page|paged|pages|pageno|pagenum|pagenumber|pageindex|currentpage|resultpage|pagenr|pg|pgno|"
    r"pn|p|start|startindex|startrow|startat|offset|from|skip|first|seite|pagina|página|strana|"
    r"strona|sayfa|sivu"
)
_ITEM: Final = re.compile(
    rf"(?i)((?!comment|rev|facet)(?:[a-z\d]+-)*(?:{_PAGE_PARAMETERS})(?:-[a-z\d]+)?)=(\d{{1,6}})"
)
_STEP: Final = re.compile(r"(?i)[/_-](page|p|pg|seite|pagina|strana)[/_=-]?(\d{1,6})(?=/?$|\.\w+$)")
_PLAIN: Final = str.maketrans("", "", "_[]")
_ENDS: Final = re.compile(r"/(?:index\.\w{2,5})?$")
_DIGITS: Final = re.compile(r"\d+")


class Parts(NamedTuple):
    """An address, and apart from it the number of a page."""

    host: str
    path: str
    items: frozenset[str]
    name: str
    number: int | None


def parts(address: str) -> Parts | None:
    """Return the parts of an address, or None if it is none."""
    try:
        split = urlsplit(address)
    except ValueError:
        return None
    name, number = "", None
    if step := _STEP.search(split.path):
        name, number = step[1].lower(), int(step[2])
    items = set()
    for item in split.query.replace(";", "&").split("&"):
        if found := _ITEM.fullmatch(item.translate(_PLAIN)):
            if number is None:
                name, number = found[1].lower(), int(found[2])
        elif item:
            items.add(item)
    path = _ENDS.sub("", _STEP.sub("", split.path))
    return Parts(split.netloc.lower().removeprefix("www."), path, frozenset(items), name, number)


def likeness(address: str, own: Parts | None) -> int:
    """Return how like the page's own address another is; if that is unknown, whether it counts."""
    found = parts(address)
    if found is None:
        return AWAY
    if own is None:
        return ALIKE if found.number is not None else 0
    if found.host.split(".")[-2:] != own.host.split(".")[-2:]:
        return AWAY
    if found.host != own.host:
        return 0
    if found.number is None and not found.items and own.path.startswith(found.path + "/"):
        return AWAY
    if is_same(found, own):
        return ALIKE if found.number is not None else 0
    if counted(found) == counted(own):
        return COUNTED
    return NEAR if found.path == own.path or found.path.startswith(own.path + "/") else 0


def is_same(found: Parts, own: Parts) -> bool:
    """Say whether an address is the page's own but for the number; it may ask for less."""
    return found[:2] == own[:2] and found.items <= own.items


def counted(some: Parts) -> tuple[str, frozenset[str]]:
    """Return the path and the items of an address, all numbers alike."""
    return _DIGITS.sub("0", some.path), frozenset(_DIGITS.sub("0", item) for item in some.items)


def goes_back(address: str, own: Parts | None) -> bool:
    """Say whether an address is this page or one before it, by the number, or no address at all."""
    found = parts(address)
    if found is None or own is None or own.number is None or not is_same(found, own):
        return found is None
    return found.number is None or (found.name == own.name and found.number <= own.number)


LEVELS: Final = 5  # above a link that may name a pager
SHORT: Final = 80  # characters of a pager without a name
YEARS: Final = 1900  # from here on numbers are no longer taken for those of pages
INSIDE: Final = 20  # rows of what is around a link alone
REPEATED: Final = 3  # elements that make a list

_A: Final = tags.CODE["a"]
_P: Final = tags.CODE["p"]
_TOP: Final = frozenset(tags.CODE[name] for name in ("html", "body", "main"))
_ASIDE: Final = frozenset(tags.CODE[name] for name in ("aside", "header", "footer"))
_PAGER_NAMES: Final = ("class", "id", "role", "aria-label", "data-testid")
_PAGER: Final = re.compile(r"(?i)pag(?:er|inat|ing|e[-_ ]?nav|e[-_ ]?num)|\bpages\b")
_SHOW: Final = re.compile(r"(?i)carousel|slick|swiper|splide|slideshow|datepicker|calendar")
_BESIDE: Final = re.compile(r"(?i)review|comment|related|gallery|slider")
_NUMBERS: Final = re.compile(r"(?<!\S)\W?(\d{1,4})\W?(?!\S)")
_MARK: Final = re.compile(  # no utilities of style sheets such as `active:shadow`, `fill-current`
    rb"(?<![A-Za-z:])(?<!not[-_])(?<!non[-_])(?<!text-)(?<!fill-)(?<!stroke-)(?<!border-)"
    rb"(?:[Cc]urrent|CURRENT|[Aa]ctive|ACTIVE|[Ss]elected)(?=[\s\"_-]|[A-Z]|$)|"
    rb"(?<=[a-z])(?<!in)(?<!In)(?:Current|Active|Selected)(?=[\s\"_-]|$)|"
    rb'(?<=[\s"])(?:cur|on|current(?:page|item|num))(?=[\s"]|$)'
)
_ARIA: Final = re.compile(rb'\saria-(?:current|selected)="(?!false")[^"]')
_OFF: Final = re.compile(rb"(?i)(?<![a-z:])disabled(?=\s|$)|(?<=[\s\"])disable(?=\s|$)")
_ARIA_OFF: Final = re.compile(rb'(?i)\saria-disabled="(?!false")')
_NEXT: Final = re.compile(
    rb"(?:(?<![A-Za-z])[Nn]ext|(?<=[a-z])Next)(?:[-_]?(?:[Pp]age|[Ll]ink|[Pp]osts|[Aa]rrow))?(?=\s|$)"
)


class Place(NamedTuple):
    """What the elements around a link are called."""

    pager: bool
    numbers: bool
    beside: bool  # for what is no list of pages as a rule: reviews, a calendar
    show: bool  # for what moves on the page, or days


def place(page: Page, row: int) -> Place:
    """Return where a link stands, by the names that are a few levels up or numbers beside it."""
    names, one, numbers = "", row, False
    for level in range(LEVELS + 1):
        if one <= 0 or int(page.tag[one]) in _TOP:
            break
        found = row_attributes(page, one)
        names += " ".join([found.get(name, "") for name in _PAGER_NAMES]) + " "
        numbers = numbers or (level < LEVELS - 1 and counts(page, one))
        one = int(page.parent[one])
    pager, beside, show = [bool(kind.search(names)) for kind in (_PAGER, _BESIDE, _SHOW)]
    return Place(pager, numbers, beside, show)


def counts(page: Page, row: int) -> bool:
    """Say whether the text of an element is short and has two numbers, one after the other."""
    start, stop = page.text_start.item(row), page.text_stop.item(row)
    if stop - start > SHORT:
        return False
    numbers = [int(number) for number in _NUMBERS.findall(page.text[start:stop])]
    return any(after == before + 1 < YEARS for before, after in pairwise(numbers))


def is_marked(page: Page, row: int) -> bool:
    """Say whether a link, or what is in or around this link alone, is marked as shown now."""
    inner = range(row + 1, page.end.item(row))
    return any(classed(page, one, _MARK, _ARIA) for one in (*around(page, row), *inner))


def is_off(page: Page, row: int) -> bool:
    """Say whether a link must not be followed, for it is marked as out of use."""
    return any(classed(page, one, _OFF, _ARIA_OFF) for one in around(page, row))


def called_next(page: Page) -> set[int]:
    """Return the links that, or what is around them alone, are of a class called next."""
    places = np.array(
        [*find_offsets(page.source, b"next"), *find_offsets(page.source, b"Next")], dtype=np.int64
    )
    rows = np.searchsorted(page.start, places) - 1
    rows = rows[(page.class_start[rows] <= places) & (places < page.class_stop[rows])]
    found: set[int] = set()
    for row in rows[page.end[rows] - rows <= INSIDE].tolist():
        if not classed(page, row, _NEXT):
            continue
        links = row + np.flatnonzero(page.tag[row : page.end[row]] == _A)
        found.update(links.tolist() if len(links) == 1 else ())
    return found


def classed(
    page: Page, row: int, name: re.Pattern[bytes], aria: re.Pattern[bytes] | None = None
) -> bool:
    """Say whether a row has such a class, or such an attribute for those who do not see."""
    if name.search(page.source, page.class_start.item(row), page.class_stop.item(row)):
        return True
    return bool(aria and aria.search(page.source, page.start.item(row), page.head.item(row)))


def above(page: Page, row: int) -> int:
    """Return the element some levels above a link, which has the pager in it."""
    for _ in range(LEVELS - 1):
        row = max(int(page.parent[row]), 0)
    return row


def around(page: Page, row: int) -> Iterator[int]:
    """Yield a link and the elements around it, two at most, that have no other link."""
    yield row
    for _ in range(2):
        row = int(page.parent[row])
        if row <= 0 or np.count_nonzero(page.tag[row : page.end[row]] == _A) > 1:
            return
        yield row


def follows_list(page: Page, row: int) -> bool:
    """Say whether a link stands in or directly after elements that repeat, and not at the side."""
    near, level = False, 0
    while (over := int(page.parent[row])) >= 0:
        if int(page.tag[over]) in _ASIDE:
            return False
        if not near and level <= LEVELS:
            before = elements(page, over, row)
            near = repeats(page, before) or any(has_list(page, one) for one in before[-2:].tolist())
        row, level = over, level + 1
    return near


def has_list(page: Page, row: int) -> bool:
    """Say whether an element, or the longest one in it some levels down, has a list."""
    for _ in range(LEVELS):
        inner = elements(page, row, page.end.item(row))
        if len(inner) == 0 or repeats(page, inner):
            return len(inner) > 0
        row = int(inner[np.argmax(page.text_stop[inner] - page.text_start[inner])])
    return False


def elements(page: Page, row: int, stop: int) -> NDArray[np.int64]:
    """Return the elements with text that are directly in another, up to some row."""
    rows = row + 1 + np.flatnonzero(page.parent[row + 1 : stop] == row)
    shown = (page.tag[rows] != tags.TEXT) & (page.text_stop[rows] > page.text_start[rows])
    found: NDArray[np.int64] = rows[shown]
    return found


def repeats(page: Page, rows: NDArray[np.int64]) -> bool:
    """Say whether several of some rows have one tag."""
    return len(rows) >= REPEATED and int(np.bincount(page.tag[rows]).max()) >= REPEATED


def is_in_prose(page: Page, row: int) -> bool:
    """Say whether a link is a few words of a longer paragraph."""
    over = int(page.parent[row])
    long = page.text_stop.item(over) - page.text_start.item(over) > SHORT
    return over >= 0 and page.tag.item(over) == _P and long
