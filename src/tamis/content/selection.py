"""The part of a page that a document includes, as a stream of events for its renderers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple
from urllib.parse import urljoin, urlsplit

import numpy as np

from tamis.blocks import Blocks
from tamis.content.buttons import find_copy_buttons
from tamis.content.images import Image, choose_url, image_urls, is_between_texts, plain_urls
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

_SAFE_SCHEMES: Final = ("http", "https", "mailto", "tel", "ftp", "")
_IMG: Final = tags.CODE["img"]
_PICTURE: Final = tags.CODE["picture"]
_SOURCE: Final = tags.CODE["source"]
_IS_CELL: Final = tags.tag_table(("td", "th"))
_ANCHOR_SIGNS: Final = frozenset("#¶§🔗")
_SEPARATOR: Final = re.compile(r"^(\n\n|\n|\t| )")
_SIDES: Final = ("width", "height")
_MIN_IMAGE_SIDE: Final = 10  # pixels


class Event(NamedTuple):
    """One step through the selected part of a page."""

    kind: Literal["open", "space", "text", "close"]
    row: int
    text: str = ""


@dataclass(frozen=True, eq=False)
class Selection:
    """Texts and images of the informative blocks of a page.

    Links, images and tables can be left out; of a link that is left out the text stays.
    """

    page: Page
    blocks: Blocks
    verdict: Verdict
    budget: Budget = UNLIMITED
    links: bool = True
    images: bool = True
    tables: bool = True

    # Which rows are included ----------------------------------------------------------------------

    @cached_property
    def text_rows(self) -> Ints:
        """The visible text rows of informative blocks.

        Signs that link a heading to itself are left out, and buttons that copy code. On a page
        with layout the verdict may rule out rows that the browser does not show.
        """
        page, not_rendered = self.page, self.verdict.not_rendered
        visible = page.visible if not_rendered is None else page.visible & ~not_rendered
        rows = np.flatnonzero(visible).astype(np.int32)
        rows = rows[self.verdict.informative[self.blocks.owner[rows]]]
        if self._copy_buttons is not None:
            rows = rows[~self._copy_buttons[rows]]
        if not self.tables:
            rows = rows[~self._in_tables[rows]]
        linked = (page.flags[rows] & tags.LINK) != 0
        letters = np.flatnonzero(linked & (page.chars[rows] == 1))
        offsets = page.text_start[rows[letters]].tolist()
        is_sign = [page.text[offset] in _ANCHOR_SIGNS for offset in offsets]
        if any(is_sign):
            rows = np.delete(rows, letters[is_sign])
        return freeze(rows)

    @cached_property
    def _copy_buttons(self) -> Bools | None:
        """The rows in buttons that copy code, None if there are none."""
        return find_copy_buttons(self.page)

    @cached_property
    def _in_tables(self) -> Bools:
        """The rows in tables of several cells; one with another table inside is layout."""
        page = self.page
        is_table = page.tag == tags.CODE["table"]
        inner = is_table & (page.below(is_table) == 1) & (page.below(_IS_CELL[page.tag]) > 1)
        return page.within(np.flatnonzero(inner))

    @cached_property
    def leaves(self) -> Bools:
        """The selected texts, and the images that belong to them.

        These are the images of informative blocks, of figures whose caption is selected, and those
        that stand alone between two selected texts.
        """
        page = self.page
        selected = np.zeros(len(page), dtype=np.bool_)
        selected[self.text_rows] = True
        if not self.images:
            return freeze(selected)
        is_figure = page.tag == tags.CODE["figure"]
        captioned = page.within(np.flatnonzero(is_figure & (page.below(selected) > 0)))
        is_image = (page.tag == _IMG) & ((page.flags & tags.INVISIBLE) == 0)
        if self.verdict.not_rendered is not None:
            is_image &= ~self.verdict.not_rendered
        images = np.flatnonzero(is_image)
        owner = self.blocks.owner[images]
        informative = (owner >= 0) & self.verdict.informative[np.maximum(owner, 0)]
        belongs = informative | captioned[images]
        belongs |= is_between_texts(self.blocks, self.verdict.informative, images)
        if self._copy_buttons is not None:
            belongs &= ~self._copy_buttons[images]
        if not self.tables:
            belongs &= ~self._in_tables[images]
        images = images[belongs]
        selected[images] = self._is_shown_once(images)
        return freeze(selected)

    def _is_shown_once(self, images: Ints) -> Bools:
        """Return for each image whether it has a URL and its neighbour is not a copy of it.

        Lazily loaded images have a copy in `<noscript>` beside them; one of the two is left out.
        """
        rows = self.budget.watch(images.tolist())
        urls = [image and image.url for image in map(self.image, rows)]
        shown = np.array([url is not None for url in urls], dtype=np.bool_)
        in_noscript = (self.page.flags[images] & tags.NOSCRIPT) != 0
        for copy in np.flatnonzero(shown & in_noscript).tolist():
            neighbours = [copy - 1] * (copy > 0) + [copy + 1] * (copy + 1 < len(urls))
            for other in neighbours:
                if in_noscript[other] or not urls[other]:
                    continue
                if urls[copy] in self._image_urls(int(images[other])):
                    shown[copy] = False
                elif self._is_lazy_twin(int(images[other]), int(images[copy])):
                    shown[other] = False
        return shown

    def _is_lazy_twin(self, row: int, copy: int) -> bool:
        """Return whether an image has sizes but no plain URL, and its copy in `<noscript>` has."""
        parent = self.page.parent
        above = parent[row] if self.page.tag[parent[row]] != _PICTURE else parent[parent[row]]
        urls = plain_urls(self.attributes(row))
        return bool(above == parent[parent[copy]]) and not any(map(self.resolve_url, urls))

    @cached_property
    def included(self) -> Bools:
        """The selected leaves, the elements around them, and the empty cells beside them.

        Without its empty cells a table would have its columns shifted. Where a cell spans rows, it
        would also have its rows shifted without the empty ones.
        """
        page = self.page
        included = page.below(self.leaves) > 0
        if (_IS_CELL[page.tag] & included).any():
            if b'rowspan="' in page.source:
                included = included | self._spanned_rows(included)
            included = included | (_IS_CELL[page.tag] & included[np.maximum(page.parent, 0)])
        return freeze(included)

    def _spanned_rows(self, included: Bools) -> Bools:
        """Return the table rows that an included cell of an earlier row spans."""
        page = self.page
        spanned = np.zeros(len(page), dtype=np.bool_)
        remaining: dict[int, int] = {}  # group of rows → further rows that a cell spans
        is_row = page.tag == tags.CODE["tr"]
        rows = np.flatnonzero(is_row | (_IS_CELL[page.tag] & included))
        for row in self.budget.watch(rows.tolist()):
            above = int(page.parent[row])
            if is_row[row]:
                remaining[above] = remaining.get(above, 0) - 1
                spanned[row] = remaining[above] >= 0
            else:
                group = int(page.parent[above])
                height = rows_spanned(self.attributes(row).get("rowspan"))
                remaining[group] = max(remaining.get(group, 0), height - 1)
        return spanned

    # Events ---------------------------------------------------------------------------------------

    def events(self) -> Iterator[Event]:
        """Yield the selected leaves and the elements around them, in document order.

        White space between two leaves is an event of its own, before the elements that open
        between them: emphasis never begins with a space.
        """
        page = self.page
        is_text = (page.tag == tags.TEXT).tolist()
        ends = page.end.tolist()
        gaps = self._gaps()
        open_rows: list[int] = []
        for row in self.budget.watch(np.flatnonzero(self.included).tolist()):
            while open_rows and ends[open_rows[-1]] <= row:
                yield Event("close", open_rows.pop())
            gap = gaps.pop(row, "")
            if gap:
                yield Event("space", row, gap)
            if is_text[row]:
                yield Event("text", row, page.text[page.text_start[row] : page.text_stop[row]])
            else:
                open_rows.append(row)
                yield Event("open", row)
        for _ in self.budget.watch(range(len(open_rows))):
            yield Event("close", open_rows.pop())

    def _gaps(self) -> dict[int, str]:
        """Return the white space between selected leaves, by the row before which it stands.

        That row is the outermost element that opens between the two, or the leaf itself. Inside
        preformatted text it is the leaf, and the white space is that of the source. Images are not
        in the page's text, so the white space beside them is derived from line breaks.
        """
        page = self.page
        gaps: dict[int, str] = {}
        starts, stops = page.text_start, page.text_stop
        breaks = np.cumsum(page.tag == tags.CODE["br"])
        previous, previous_text = -1, -1
        for row in self.budget.watch(np.flatnonzero(self.leaves).tolist()):
            is_text = page.tag[row] == tags.TEXT
            stop = int(stops[previous_text]) if previous_text >= 0 else 0
            if is_text and page.flags[row] & tags.PREFORMATTED:
                gaps[row] = self._preformatted_gap(row, stop)
            elif previous >= 0 and is_text and previous == previous_text:
                gaps[self._first_between(previous, row)] = separator(page.text[stop : starts[row]])
            elif previous >= 0:
                count = int(breaks[row] - breaks[previous])
                gaps[self._first_between(previous, row)] = "\n" * min(count, 2) or " "
            previous, previous_text = row, row if is_text else previous_text
        return gaps

    def _preformatted_gap(self, row: int, previous_stop: int) -> str:
        """Return the white space between the selected text before and a preformatted text.

        At the beginning of the element it is the element's own, without what separates it from the
        text before it.
        """
        page, root = self.page, row
        while page.flags[page.parent[root]] & tags.PREFORMATTED:
            root = int(page.parent[root])
        begin = int(page.text_start[root])
        gap = page.text[max(previous_stop, begin) : page.text_start[row]]
        # A button was left out, and with it what separates it from the code.
        if previous_stop <= begin and gap.strip():
            code = page.source[page.start[row] : page.stop[row]]
            return code[: len(code) - len(code.lstrip())].decode()
        if begin and previous_stop <= begin:
            gap = _SEPARATOR.sub("", gap, count=1)
        return gap[len(gap.rstrip()) :]

    def _first_between(self, previous: int, row: int) -> int:
        """Return the outermost element around a row that opens after another row."""
        above = int(self.page.parent[row])
        while above > previous:
            row, above = above, int(self.page.parent[above])
        return row

    # Attributes, links and images -----------------------------------------------------------------

    def attributes(self, row: int) -> dict[str, str]:
        """Return the attributes of an element."""
        return row_attributes(self.page, row)

    @cached_property
    def _base_url(self) -> str | None:
        """The URL that links are relative to: the page's, or the one that it declares."""
        return base_url(self.page)

    def link_url(self, row: int) -> str | None:
        """Return the absolute URL of an `<a>`, None if it has no safe one or links are left out."""
        return self.resolve_url(self.attributes(row).get("href", "")) if self.links else None

    def resolve_url(self, value: str) -> str | None:
        """Return a link as an absolute URL, None if it leads nowhere or is not safe to follow."""
        encoded = encode_url(value.strip())
        if not encoded:  # an anchor; joined to the page's URL it would be a link to the page
            return None
        if not value.isprintable():
            printable = "".join(char for char in value if char.isprintable()).strip()
            scheme = printable.split(":")[0].lower()
            if _may_have_scheme(printable) and scheme not in _SAFE_SCHEMES:
                return None
        try:
            absolute = urljoin(self._base_url, encoded) if self._base_url else encoded
            scheme = urlsplit(absolute).scheme.lower()
        except ValueError:
            return None
        if scheme not in _SAFE_SCHEMES or (not scheme and _may_have_scheme(absolute)):
            return None
        return encode_url(absolute) or None  # the base may have control characters as well

    def image(self, row: int) -> Image | None:
        """Return the URL and alternative text of an image, lazily loaded ones included.

        None if there is no safe URL, or if the image is so thin that it is a spacer, a rule or a
        tracking pixel.
        """
        attributes = self.attributes(row)
        if any(_declared_pixels(attributes.get(side)) < _MIN_IMAGE_SIDE for side in _SIDES):
            return None
        url = choose_url(self._image_urls(row))
        return Image(url, attributes.get("alt", "")) if url else None

    def _image_urls(self, row: int) -> list[str]:
        """Return all safe URLs of an image, those of `<source>`s beside it last."""
        page, above = self.page, int(self.page.parent[row])
        before = range(above + 1, row) if page.tag[above] == _PICTURE else range(0)
        sources = (self.attributes(other) for other in before if page.tag[other] == _SOURCE)
        values = image_urls(self.attributes(row), sources)
        return [url for value in values if value and (url := self.resolve_url(value))]


def _may_have_scheme(url: str) -> bool:
    """Return whether a relative URL could be taken for one with a scheme."""
    colon = url.find(":")
    return colon >= 0 and not any(sign in url[:colon] for sign in "/?#")


def _declared_pixels(value: str | None) -> int:
    """Return the pixels that an attribute declares, enough for an image if it declares none."""
    is_number = value and value.isascii() and value.isdigit() and len(value) < 5
    return int(value) if value and is_number else _MIN_IMAGE_SIDE
