"""The part of a page that a document includes, and what its renderers ask about its elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.content._render import Writer, select_text_rows, walk
from tamis.content.buttons import find_copy_buttons
from tamis.content.formulas import Formula, find_formulas
from tamis.content.images import Image, choose_url, image_urls, is_between_texts, plain_urls
from tamis.content.links import LinkResolver
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
    tags,
)
from tamis.verdict import Verdict

_IMG: Final = tags.CODE["img"]
_PICTURE: Final = tags.CODE["picture"]
_SOURCE: Final = tags.CODE["source"]
_IS_CELL: Final = tags.tag_table(("td", "th"))
_ANCHOR_SIGNS: Final = "#¶§🔗"
_SIDES: Final = ("width", "height")
_MIN_IMAGE_SIDE: Final = 10  # pixels


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
        masks = [self.verdict.not_rendered, self._copy_buttons]
        if not self.tables:
            masks.append(self._in_tables)
        given = [mask for mask in masks if mask is not None]
        rows = select_text_rows(
            self.page,
            self.blocks.owner,
            self.verdict.informative,
            np.logical_or.reduce(given) if given else None,
            _ANCHOR_SIGNS,
        )
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
                row = int(images[other])
                if urls[copy] in set(self._image_urls(row, self.attributes(row))):
                    shown[copy] = False
                elif self._is_lazy_twin(row, int(images[copy])):
                    shown[other] = False
        return shown

    def _is_lazy_twin(self, row: int, copy: int) -> bool:
        """Return whether an image has sizes but no plain URL, and its copy in `<noscript>` has."""
        parent = self.page.parent
        above = parent[row] if self.page.tag[parent[row]] != _PICTURE else parent[parent[row]]
        urls = plain_urls(self.attributes(row))
        return bool(above == parent[parent[copy]]) and not any(map(self._links.resolve, urls))

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

    def walk(self, writer: Writer) -> None:
        """Lead a writer through the included rows, from the first to the last."""
        page, formulas = self.page, {}
        leaves, included = self.leaves, self.included
        if self._formulas:
            formulas = {formula.rows[0]: formula.markdown for formula in self._formulas}
            shown = page.within(np.array([row for f in self._formulas for row in f.rows]))
            leaves = leaves & ~shown
            leaves[list(formulas)] = True
            included = (included & ~shown) | (page.below(leaves) > 0)
        walk(page, leaves, included, formulas, writer, self.budget)

    @cached_property
    def _formulas(self) -> list[Formula]:
        """The formulas of the page that are selected."""
        return find_formulas(self.page, self.leaves)

    # Attributes, links and images -----------------------------------------------------------------

    def attributes(self, row: int) -> dict[str, str]:
        """Return the attributes of an element."""
        return row_attributes(self.page, row)

    @cached_property
    def _links(self) -> LinkResolver:
        """What makes links absolute, by the page's URL or the one that it declares."""
        return LinkResolver(base_url(self.page))

    def resolve_url(self, value: str) -> str | None:
        """Return a link as an absolute URL, None if it leads nowhere or is not safe to follow."""
        return self._links.resolve(value)

    def link_url(self, row: int) -> str | None:
        """Return the absolute URL of an `<a>`, None if it has no safe one or links are left out."""
        return self._links.resolve(self.attributes(row).get("href", "")) if self.links else None

    @cached_property
    def _images(self) -> dict[int, Image | None]:
        """The images that were read so far, by row."""
        return {}

    def image(self, row: int) -> Image | None:
        """Return the URL and alternative text of an image, lazily loaded ones included.

        None if there is no safe URL, or if the image is so thin that it is a spacer, a rule or a
        tracking pixel.
        """
        if row not in self._images:
            self._images[row] = self._read_image(row)
        return self._images[row]

    def _read_image(self, row: int) -> Image | None:
        attributes = self.attributes(row)
        if any(_declared_pixels(attributes.get(side)) < _MIN_IMAGE_SIDE for side in _SIDES):
            return None
        url = choose_url(self._image_urls(row, attributes))
        return Image(url, attributes.get("alt", "")) if url else None

    def _image_urls(self, row: int, attributes: dict[str, str]) -> Iterator[str]:
        """Yield all safe URLs of an image, those of `<source>`s beside it last."""
        page, above = self.page, self.page.parent.item(row)
        before = range(above + 1, row) if page.tag[above] == _PICTURE else range(0)
        sources = (self.attributes(other) for other in before if page.tag[other] == _SOURCE)
        for value in image_urls(attributes, sources):
            if value and (url := self._links.resolve(value)):
                yield url


def _declared_pixels(value: str | None) -> int:
    """Return the pixels that an attribute declares, enough for an image if it declares none."""
    is_number = value and value.isascii() and value.isdigit() and len(value) < 5
    return int(value) if value and is_number else _MIN_IMAGE_SIDE
