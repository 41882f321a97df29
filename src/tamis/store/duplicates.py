"""Duplicates: pages, also of different sites, that say the same or nearly the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from sqlalchemy import Connection, select

from tamis.store.failures import damaged
from tamis.store.sketches import similar_pairs
from tamis.store.tables import CONTENT, PAGE, VERSION

_PAGES: Final = (
    select(VERSION.c.content_id, PAGE.c.url)
    .join(VERSION, VERSION.c.page_id == PAGE.c.id)
    .where(VERSION.c.content_id.is_not(None), VERSION.c.current == 1)
    .order_by(PAGE.c.id)
)
_CONTENTS: Final = (
    select(CONTENT.c.id, CONTENT.c.said, CONTENT.c.sketch)
    .where(CONTENT.c.id.in_(select(VERSION.c.content_id).where(VERSION.c.current == 1)))
    .order_by(CONTENT.c.id)
)


@dataclass(frozen=True)
class Duplicates:
    """Addresses of pages that say the same, or nearly the same, the first one stored first."""

    urls: tuple[str, ...]
    exact: bool


def duplicates(connection: Connection, *, near: bool, least: float) -> Iterator[Duplicates]:
    """Yield the groups of pages that say the same; with `near`, of those that nearly do."""
    pages: defaultdict[int, list[str]] = defaultdict(list)
    for content, url in connection.execute(_PAGES):
        pages[content].append(url)
    contents = [row for row in connection.execute(_CONTENTS) if row.id in pages]
    if len(contents) < len(pages):
        raise damaged("what a page says")
    first: dict[bytes, int] = {}
    pairs = [(first.setdefault(row.said, row.id), row.id) for row in contents]
    sketches = {row.id: row.sketch for row in contents if near and row.sketch is not None}
    said = {row.id: row.said for row in contents}
    for group in groups(pages, chain(pairs, similar_pairs(sketches, least))):
        urls = tuple(url for content in group for url in pages[content])
        if len(urls) > 1:
            yield Duplicates(urls, exact=len({said[content] for content in group}) == 1)


def groups(numbers: Iterable[int], pairs: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield numbers in groups, those of a pair in the same one."""
    leader = {number: number for number in numbers}
    for one, other in pairs:
        first, second = sorted((led_by(leader, one), led_by(leader, other)))
        leader[second] = first
    found: defaultdict[int, list[int]] = defaultdict(list)
    for number in leader:
        found[led_by(leader, number)].append(number)
    yield from found.values()


def led_by(leader: Mapping[int, int], number: int) -> int:
    """Return the first number of the group that a number is in."""
    while leader[number] != number:
        number = leader[number]
    return number
