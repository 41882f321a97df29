"""The part of a page that a document keeps, as a stream of events for its renderers.

A code element → its language.

An ordered list → the numbers of its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple
from urllib.parse import urljoin, urlsplit

import numpy as np

from tamis.blocks import Blocks
from tamis.content.buttons import in_copy_buttons
from tamis.content.images import between_texts, own_sources, preferred, sources
from tamis.page import (
    UNLIMITED,
    Bools,
    Budget,
    Ints,
    Page,
    base_url,
    freeze,
    row_attributes,
    rows_spanned,
    separator,
    tags,
)
from tamis.printing import encode_url
from tamis.verdict import Verdict


class Event(NamedTuple):
    """One step through the kept part of a page."""

    kind: Literal["open", "space", "text", "close"]
    row: int
    text: str = ""


_SAFE_SCHEMES: Final = ("http", "https", "mailto", "tel", "ftp", "")
_IMG: Final = tags.CODE["img"]
_PICTURE: Final = tags.CODE["picture"]
_SOURCE: Final = tags.CODE["source"]
_IS_CELL: Final = tags.tag_table(("td", "th"))
_ANCHOR_SIGNS: Final = frozenset("#¶§🔗")
_SEPARATOR: Final = re.compile(r"^(\n\n|\n|\t| )")
_THIN: Final = 10  # pixels


@dataclass(frozen=True, eq=False)
class Selection:
    """Text and pictures of the informative blocks of a page."""

    page: Page
    blocks: Blocks
    verdict: Verdict
    budget: Budget = UNLIMITED

    @cached_property
    def text_rows(self) -> Ints:
        """The text rows of informative blocks that say something.

        The signs that link a heading to itself do not, nor do the buttons that copy code. On a page
        with layout the verdict may rule out rows that the browser does not show.
        """
        page, not_rendered = self.page, self.verdict.not_rendered
        is_read = page.visible if not_rendered is None else page.visible & ~not_rendered
        rows = np.flatnonzero(is_read).astype(np.int32)
        rows = rows[self.verdict.informative[self.blocks.owner[rows]]]
        if self._buttons is not None:
            rows = rows[~self._buttons[rows]]
        linked = (page.flags[rows] & tags.LINK) != 0
        letters = np.flatnonzero(linked & (page.chars[rows] == 1))
        texts = page.text_start[rows[letters]].tolist()
        signs = [page.text[text] in _ANCHOR_SIGNS for text in texts]
        if any(signs):
            rows = np.delete(rows, letters[signs])
        return freeze(rows)

    @cached_property
    def _buttons(self) -> Bools | None:
        """The rows in buttons that copy code, None where there is none."""
        return in_copy_buttons(self.page)

    @cached_property
    def leaves(self) -> Bools:
        """Kept texts, and the pictures that belong to them.

        These are pictures of informative blocks, of figures whose caption is kept, and those that
        stand alone between two kept texts.
        """
        page = self.page
        kept = np.zeros(len(page), dtype=np.bool_)
        kept[self.text_rows] = True
        is_figure = page.tag == tags.CODE["figure"]
        captioned = page.within(np.flatnonzero(is_figure & (page.below(kept) > 0)))
        is_picture = (page.tag == _IMG) & ((page.flags & tags.INVISIBLE) == 0)
        if self.verdict.not_rendered is not None:
            is_picture &= ~self.verdict.not_rendered
        pictures = np.flatnonzero(is_picture)
        owner = self.blocks.owner[pictures]
        informative = (owner >= 0) & self.verdict.informative[np.maximum(owner, 0)]
        wanted = informative | captioned[pictures]
        wanted |= between_texts(self.blocks, self.verdict.informative, pictures)
        if self._buttons is not None:
            wanted &= ~self._buttons[pictures]
        shown = pictures[wanted]
        kept[shown] = self._shows(shown)
        return freeze(kept)

    def _shows(self, pictures: Ints) -> Bools:
        """Say which pictures have an address, and are no copy in `<noscript>` of one beside it."""
        rows = self.budget.watch(pictures.tolist())
        found = [picture and picture[0] for picture in map(self.picture, rows)]
        shows = np.array([address is not None for address in found], dtype=np.bool_)
        copies = (self.page.flags[pictures] & tags.NOSCRIPT) != 0
        for place in np.flatnonzero(shows & copies).tolist():
            beside = [place - 1] * (place > 0) + [place + 1] * (place + 1 < len(found))
            for other in beside:
                if copies[other] or not found[other]:
                    continue
                if found[place] in self._sources(int(pictures[other])):
                    shows[place] = False
                elif self._has_copy(int(pictures[other]), int(pictures[place])):
                    shows[other] = False
        return shows

    def _has_copy(self, row: int, copy: int) -> bool:
        """Say whether a picture that has sizes but no address is beside the copy that has one."""
        parent = self.page.parent
        above = parent[row] if self.page.tag[parent[row]] != _PICTURE else parent[parent[row]]
        addresses = own_sources(self.attributes(row))
        return bool(above == parent[parent[copy]]) and not any(map(self.url, addresses))

    @cached_property
    def wanted(self) -> Bools:
        """The kept leaves, the elements around them, and the empty cells beside them.

        A table without its empty cells would have its columns moved; where a cell spans rows, it
        would without its empty rows have its rows moved as well.
        """
        page = self.page
        wanted = page.below(self.leaves) > 0
        if (_IS_CELL[page.tag] & wanted).any():
            if b'rowspan="' in page.source:
                wanted = wanted | self._spanned_rows(wanted)
            wanted = wanted | (_IS_CELL[page.tag] & wanted[np.maximum(page.parent, 0)])
        return freeze(wanted)

    def _spanned_rows(self, wanted: Bools) -> Bools:
        """Return the table rows that a kept cell of an earlier row reaches."""
        page = self.page
        reached = np.zeros(len(page), dtype=np.bool_)
        left: dict[int, int] = {}  # group of rows → rows that a cell still reaches
        is_row = page.tag == tags.CODE["tr"]
        rows = np.flatnonzero(is_row | (_IS_CELL[page.tag] & wanted))
        for row in self.budget.watch(rows.tolist()):
            above = int(page.parent[row])
            if is_row[row]:
                left[above] = left.get(above, 0) - 1
                reached[row] = left[above] >= 0
            else:
                group = int(page.parent[above])
                high = rows_spanned(self.attributes(row).get("rowspan"))
                left[group] = max(left.get(group, 0), high - 1)
        return reached

    def events(self) -> Iterator[Event]:
        """Yield the kept leaves and the elements around them, in document order.

        White space between two leaves comes as one event of its own, before the elements that open
        between them: emphasis never begins with a space.
        """
        page = self.page
        is_text = (page.tag == tags.TEXT).tolist()
        ends = page.end.tolist()
        gaps = self._gaps()
        is_open: list[int] = []
        for row in self.budget.watch(np.flatnonzero(self.wanted).tolist()):
            while is_open and ends[is_open[-1]] <= row:
                yield Event("close", is_open.pop())
            gap = gaps.pop(row, "")
            if gap:
                yield Event("space", row, gap)
            if is_text[row]:
                yield Event("text", row, page.text[page.text_start[row] : page.text_stop[row]])
            else:
                is_open.append(row)
                yield Event("open", row)
        for _ in self.budget.watch(range(len(is_open))):
            yield Event("close", is_open.pop())

    def _gaps(self) -> dict[int, str]:
        """Return the white space between kept leaves, by the row before which it stands.

        That is the outermost element that opens between the two, or the leaf itself; inside
        preformatted text it is the leaf, and the white space is as it was. Pictures have no place
        in the page's text, so what separates them is told by the line breaks beside them.
        """
        page = self.page
        gaps: dict[int, str] = {}
        starts, stops = page.text_start, page.text_stop
        breaks = np.cumsum(page.tag == tags.CODE["br"])
        previous, previous_text = -1, -1
        for row in self.budget.watch(np.flatnonzero(self.leaves).tolist()):
            is_text = page.tag[row] == tags.TEXT
            low = int(stops[previous_text]) if previous_text >= 0 else 0
            if is_text and page.flags[row] & tags.PREFORMATTED:
                gaps[row] = self._preformatted_gap(row, low)
            elif previous >= 0 and is_text and previous == previous_text:
                gaps[self._first_between(previous, row)] = separator(page.text[low : starts[row]])
            elif previous >= 0:
                broken = int(breaks[row] - breaks[previous])
                gaps[self._first_between(previous, row)] = "\n" * min(broken, 2) or " "
            previous, previous_text = row, row if is_text else previous_text
        return gaps

    def _preformatted_gap(self, row: int, low: int) -> str:
        """Return the white space between the kept text before and a preformatted text.

        At the beginning of the element it is what the element has, without what separates it.
        """
        page, root = self.page, row
        while page.flags[page.parent[root]] & tags.PREFORMATTED:
            root = int(page.parent[root])
        begin = int(page.text_start[root])
        gap = page.text[max(low, begin) : page.text_start[row]]
        if low <= begin and gap.strip():  # a button was left out, and what parts it from the code
            own = page.source[page.start[row] : page.stop[row]]
            return own[: len(own) - len(own.lstrip())].decode()
        if begin and low <= begin:
            gap = _SEPARATOR.sub("", gap, count=1)
        return gap[len(gap.rstrip()) :]

    def _first_between(self, previous: int, row: int) -> int:
        """Return the outermost element around a row that opens after another row."""
        above = int(self.page.parent[row])
        while above > previous:
            row, above = above, int(self.page.parent[above])
        return row

    def attributes(self, row: int) -> dict[str, str]:
        """Return the attributes of an element."""
        return row_attributes(self.page, row)

    @cached_property
    def base(self) -> str | None:
        """The address that links are relative to: the page's, or the one that it declares."""
        return base_url(self.page)

    def url(self, value: str) -> str | None:
        """Return a link made absolute, or None if it leads nowhere or is not safe to follow."""
        cleaned = encode_url(value.strip())
        if not cleaned:  # an anchor; joined to the page's address it would be a link to the page
            return None
        if not value.isprintable():
            seen = "".join(char for char in value if char.isprintable()).strip()
            if _names_scheme(seen) and seen.split(":")[0].lower() not in _SAFE_SCHEMES:
                return None
        try:
            absolute = urljoin(self.base, cleaned) if self.base else cleaned
            scheme = urlsplit(absolute).scheme.lower()
        except ValueError:
            return None
        if scheme not in _SAFE_SCHEMES or (not scheme and _names_scheme(absolute)):
            return None
        return encode_url(absolute) or None  # with what the base has of controls

    def picture(self, row: int) -> tuple[str, str] | None:
        """Return address and alternative text of a picture, lazily loaded ones included.

        What is thinner than `_THIN` is no picture but a spacer, a rule or a counter's pixel.
        """
        found = self.attributes(row)
        if any(_pixels(found.get(side)) < _THIN for side in ("width", "height")):
            return None
        address = preferred(self._sources(row))
        return (address, found.get("alt", "")) if address else None

    def _sources(self, row: int) -> list[str]:
        """Return all addresses of a picture that are safe, those of `<source>` beside it last."""
        page, above = self.page, int(self.page.parent[row])
        beside = range(above + 1, row) if page.tag[above] == _PICTURE else range(0)
        others = (self.attributes(one) for one in beside if page.tag[one] == _SOURCE)
        found = sources(self.attributes(row), others)
        return [address for value in found if value and (address := self.url(value))]


def _names_scheme(address: str) -> bool:
    """Say whether a relative address could be taken for one with a scheme."""
    colon = address.find(":")
    return colon >= 0 and not any(sign in address[:colon] for sign in "/?#")


def _pixels(value: str | None) -> int:
    """Return the pixels that an attribute declares, as many as it takes where it does not."""
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 5 else _THIN


# Elements whose white space is the author's; HTML knows them under several names.
PREFORMATTED: Final = frozenset(("pre", "listing", "xmp", "plaintext", "textarea"))

_NAMED: Final = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|(?:brush:|sourceCode)\s*)"
    r"([\w+#.-]{1,30})(?=$|[\s;])"
)
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,30}")
_NO_LANGUAGE: Final = frozenset(("default", "none", "notranslate", "undefined", "nohighlight"))
_HIGHLIGHTED: Final = re.compile(r"\s*hljs\s+([a-z][a-z0-9+#]*)\s*")
# An attribute `lang` may also name the language of people, most of which have two letters.
_PROGRAMMED: Final = re.compile(r"c|r|js|ts|py|rb|go|sh|rs|kt|[a-z+#][a-z0-9+#]{2,}")
_AROUND: Final = frozenset(("div", "figure", "code", *PREFORMATTED))


def code_language(kept: Selection, row: int) -> str | None:
    """Return the language that a code element or one close around it declares."""
    for _ in range(3):
        found = kept.attributes(row)
        declared: list[str] = [*_NAMED.findall(found.get("class", "")), found.get("data-lang", "")]
        declared += [found.get("data-language", ""), *bare_names(kept.page.name(row), found)]
        for language in declared:
            if language.lower() not in _NO_LANGUAGE and _LANGUAGE.fullmatch(language):
                return language.lower()
        row = int(kept.page.parent[row])
        if row < 0 or kept.page.name(row) not in _AROUND:
            return None
    return None


def bare_names(name: str, found: dict[str, str]) -> list[str]:
    """Return the languages that an element names without saying what they are."""
    if name not in ("code", "pre"):
        return []
    matches = (
        _HIGHLIGHTED.fullmatch(found.get("class", "")),
        _PROGRAMMED.fullmatch(found.get("lang", "").lower()),
    )
    return [match[match.lastindex or 0] for match in matches if match]


_LI: Final = tags.CODE["li"]
_NUMBER: Final = re.compile(r"\s*([+-]?[0-9]{1,8})(?![0-9])")
_LAST: Final = 999_999_999  # CommonMark reads nine digits, and no sign


def item_numbers(kept: Selection, row: int) -> dict[int, int]:
    """Return the numbers that a browser shows beside the items of a list, by their rows.

    Items that are not kept count as well. Where Markdown cannot write a number, all are counted
    from 1.
    """
    page, found = kept.page, kept.attributes(row)
    items: list[int] = []
    child, end = row + 1, page.end.item(row)
    while child < end:
        if page.tag[child] == _LI:
            items.append(child)
        child = page.end.item(child)
    step = -1 if "reversed" in found else 1
    number = whole(found.get("start"), len(items) if step < 0 else 1)
    numbers: dict[int, int] = {}
    for item in items:
        number = whole(kept.attributes(item).get("value"), number)
        numbers[item] = number
        number += step
    writable = all(0 <= number <= _LAST for number in numbers.values())
    return numbers if writable else {item: place for place, item in enumerate(items, 1)}


def whole(value: str | None, default: int) -> int:
    """Return the whole number that the value of an attribute begins with."""
    match = _NUMBER.match(value) if value else None
    return int(match[1]) if match else default
