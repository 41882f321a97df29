"""Page → the address of the page that goes on where it ends."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tamis.content.records.links import base_of, link
from tamis.page import Page, tags
from tamis.page.attributes import attributes

LONGEST: Final = 30  # characters of a link that leads to the next page

_A: Final = tags.CODE["a"]
_LINK: Final = tags.CODE["link"]
_REL: Final = re.compile(rb'(?i)\srel="(?:[^"]*\s)?next(?:\s[^"]*)?"')
_NEXT: Final = re.compile(
    r"(?i)(?:go to )?(?:the )?(?:next(?: page| results?| \d+)?|older(?: posts| entries)?|"
    r"weiter|nächste(?: seite)?|suivante?s?|page suivante|siguientes?|página siguiente|"
    r"successiv[ao]|avanti|próxim[ao]|seguinte|volgende|nästa|næste|neste|następn[ay]|další|"
    r"вперед|вперёд|следующая|дальше|下一页|下一頁|下页|次へ|次のページ|다음)?\s?[›»→>⟩❯]{0,2}"
)
_ARROWS: Final = "›»→>⟩❯"
_NUMBER: Final = re.compile(r"\d{1,4}")
_PAGER: Final = re.compile(rb"(?i)pag(?:er|ination|ing|enav|e-?num|e-?nav)|\bpages\b")
_CURRENT: Final = re.compile(rb"(?i)current|active|selected|aria-current")


def next_page(page: Page) -> str | None:
    """Return the address of the next page, or None.

    First what the page declares (`rel="next"`), then a link that says so, then the number after the
    one of this page in a row of page numbers.
    """
    base = base_of(page)
    links = np.flatnonzero((page.tag == _A) | (page.tag == _LINK)).tolist()
    if b"next" in page.source:
        for row in links:
            if _REL.search(page.source, page.start[row], page.head[row]):
                return followed(page, row, base)
    short = [row for row in links if page.tag[row] == _A and is_short(page, row)]
    for row in short:
        if says_next(page, row) and (found := followed(page, row, base)):
            return found
    return numbered(page, short, base)


def is_short(page: Page, row: int) -> bool:
    """Say whether a link shows few letters or none."""
    return int(page.text_stop[row] - page.text_start[row]) <= LONGEST


def text(page: Page, row: int) -> str:
    """Return the text of a row on one line."""
    return " ".join(page.text[page.text_start[row] : page.text_stop[row]].split())


def says_next(page: Page, row: int) -> bool:
    """Say whether a link says that it leads to the next page; an arrow must stand in a pager."""
    said = text(page, row)
    if not said:
        found = attributes(page, row)
        said = found.get("aria-label") or found.get("title") or ""
    if not said.strip() or not _NEXT.fullmatch(said.strip()):
        return False
    return bool(said.strip(_ARROWS + " ")) or in_pager(page, row)


def in_pager(page: Page, row: int) -> bool:
    """Say whether an element a few levels up is called a pager."""
    for _ in range(5):
        if row <= 0:
            return False
        if _PAGER.search(page.source, page.start[row], page.head[row]):
            return True
        row = int(page.parent[row])
    return False


def numbered(page: Page, links: list[int], base: str | None) -> str | None:
    """Return the link to the number after this page's, which is no link or marked as current."""
    numbers = {row: int(said) for row in links if _NUMBER.fullmatch(said := text(page, row))}
    for row, number in numbers.items():
        if not in_pager(page, row):
            continue
        before = [other for other in numbers if other < row]
        marked = any(
            numbers[other] == number - 1 and is_current(page, other) for other in before[-1:]
        )
        if marked or unlinked_before(page, row, number - 1):
            return followed(page, row, base)
    return None


def is_current(page: Page, row: int) -> bool:
    """Say whether a link or the element around it is marked as the page that is shown."""
    above = int(page.parent[row])
    return any(
        _CURRENT.search(page.source, page.start[one], page.head[one]) for one in (row, above)
    )


def unlinked_before(page: Page, row: int, number: int) -> bool:
    """Say whether the text before a link is a number that is no link."""
    texts = np.flatnonzero(page.visible[:row])[-1:]
    return any(not page.in_link[one] and text(page, one) == str(number) for one in texts.tolist())


def followed(page: Page, row: int, base: str | None) -> str | None:
    """Return the address of a link that leads to another page."""
    found = (link(page, row, base) or "").partition("#")[0]
    return found if found and found != (page.url or "").partition("#")[0] else None
