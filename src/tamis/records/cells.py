"""Cells: the runs of text that a reader takes as one, and the images of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import UNLIMITED, Bools, Budget, Layout, Page, find_offsets, tags
from tamis.records import _align
from tamis.records.signatures import Classes, Floats, Int64s, read_classes

MIN_TEXT_PER_LINK: Final = 3  # a link is part of a line that has so many times its text around it

_IMAGE_WEIGHT: Final = 1.0  # as of one word
_MIN_VISIBLE_SHARE: Final = 0.5  # share of the text that must remain for a filter to apply
_OUTER_SIGNS: Final = "|·•‧∙"
_MAX_POINT_SIZE: Final = 1.5  # pixels: a smaller box is only for screen readers

_ARIA_HIDDEN: Final = b' aria-hidden="true"'
_ITEMPROP: Final = b'itemprop="'
_DATE_ITEMPROP: Final = re.compile(rb'itemprop="[^"]{0,9}(?i:date|time|publish)')
_TIME: Final = tags.CODE["time"]
_BODY: Final = tags.CODE["body"]
_IMG: Final = tags.CODE["img"]

# For each tag the part that its elements can have in a line of text.
LINE_KINDS: Final = np.full(256, _align.ENDS_LINE, dtype=np.uint8)
LINE_KINDS[[tags.CODE[name] for name in tags.TEXT_LEVEL if name != "br"]] = _align.FORMAT
LINE_KINDS[[tags.CODE[name] for name in (*tags.OBJECTS, "wbr")]] = _align.OBJECT
LINE_KINDS[[tags.TEXT, tags.OTHER, tags.CODE["a"]]] = _align.TEXT, _align.FORMAT, _align.LINK
# The same, and what else a tag is for cells.
_TRAITS: Final = LINE_KINDS.copy()
_TRAITS[tags.CODE["img"]] |= _align.IMAGE
_TRAITS[tags.tag_table(("img", "svg"))] |= _align.DRAWING
_TRAITS[tags.tag_table(("select", "option", "optgroup", "datalist", "textarea"))] |= _align.CHOICE


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a page in document order.

    Cell `i` is the text rows from `first_row[i]` to `last_row[i]`, or an image; `element[i]` is the
    element that holds it. Elements that only mark up a part of a line hold no cell of their own:
    `<p>some <b>bold</b> words</p>` is one cell. `weight[i]` is the square root of its number of
    terms, so that one long text does not outweigh many short ones.
    """

    page: Page
    first_row: Int64s
    last_row: Int64s
    element: Int64s
    weight: Floats
    cells_before: Int64s  # the number of cells before each row of the page, and before its end
    classes: Classes
    budget: Budget = UNLIMITED  # for the search of records in them

    def __len__(self) -> int:
        return len(self.first_row)

    def texts(self, cells: Int64s) -> list[str]:
        """Return the texts of given cells, each on one line; that of an image is empty.

        Bullets and bars at the ends, which separate a text from what is beside it, are left out.
        """
        page, first_row = self.page, self.first_row[cells]
        stops = page.text_stop[self.last_row[cells]]
        starts = np.where(page.tag[first_row] == _IMG, stops, page.text_start[first_row])
        page_text = page.text
        spans = self.budget.watch(zip(starts.tolist(), stops.tolist(), strict=True))
        texts = [page_text[start:stop] for start, stop in spans]
        lines = (" ".join(text.split()) if "\n" in text or "  " in text else text for text in texts)
        return [_strip_signs(line) for line in lines]


def _strip_signs(text: str) -> str:
    """Return a text without bullets and bars at its ends, unless it has nothing else."""
    if text and (text[0] in _OUTER_SIGNS or text[-1] in _OUTER_SIGNS):
        return text.strip(_OUTER_SIGNS + " \xa0") or text
    return text


def build_cells(
    page: Page, interest: NDArray[np.floating] | None = None, budget: Budget = UNLIMITED
) -> Cells:
    """Return the cells of a page; `interest` has a factor per row for their weights.

    Text that markup or style sheets hide makes no cells, unless all is hidden. On a page with
    layout, text that the browser does not show makes none either.

    A cell is held by the innermost element that does not only mark up a part of its line. Elements
    that do have text beside them in the line. A link is a part of a line that is much longer than
    the link, or that begins with words and has no other link (`by <a>somebody</a>, yesterday`). A
    date at the start of a line is a cell of its own, and so is a link that begins with an image,
    such as a number of stars.
    """
    texts = page.visible & ~page.hidden
    texts = texts if texts.any() else page.visible
    classes = read_classes(page)
    if page.layout is not None:
        texts = _filter_texts(page, texts, _rendered_rows(page, page.layout))
    if classes.hides.any():
        hides = np.flatnonzero(classes.hides)
        hides = hides[~_are_read_aloud(page, hides)]
        texts = _filter_texts(page, texts, ~page.within(hides))
    first_row, last_row, element, terms, cells_before = _align.find_cells(
        page, texts, _find_dates(page, classes), _TRAITS, MIN_TEXT_PER_LINK
    )
    is_image = page.tag[first_row] == _IMG
    weight = np.sqrt(np.where(is_image, _IMAGE_WEIGHT, np.maximum(terms, 0.1)))
    if interest is not None:
        weight = weight * interest[first_row]
    return Cells(page, first_row, last_row, element, weight, cells_before, classes, budget)


def _filter_texts(page: Page, texts: Bools, shown: Bools) -> Bools:
    """Return only the texts that are shown, or all texts if less than half of the text remains."""
    remaining = texts & shown
    is_enough = page.chars[remaining].sum() >= _MIN_VISIBLE_SHARE * page.chars[texts].sum()
    return remaining if is_enough else texts


def _are_read_aloud(page: Page, hides: Int64s) -> Bools:
    """Return which elements for screen readers have what is shown beside them, hidden from these.

    Neither would be read otherwise: `<span class=sr-only>$5</span><span aria-hidden=true>$<sup>5…`.
    """
    offsets = np.fromiter(find_offsets(page.source, _ARIA_HIDDEN), dtype=np.int64)
    if not len(offsets) or page.layout is not None:
        return np.zeros(len(hides), dtype=np.bool_)
    rows = np.searchsorted(page.start, offsets, side="right") - 1
    rows = rows[(offsets < page.head[rows]) & (page.below(page.terms)[rows] > 0)]
    return np.isin(page.parent[hides], page.parent[rows])


def _rendered_rows(page: Page, layout: Layout) -> Bools:
    """Return the rows that a browser shows.

    Boxes of a single point, and boxes beyond the left or upper edge, are for screen readers.
    """
    right, bottom = layout.x + layout.width, layout.y + layout.height
    shown = layout.shown & (layout.width > 0) & (layout.height > 0) & (right > 0) & (bottom > 0)
    is_small = (layout.width <= _MAX_POINT_SIZE) & (layout.height <= _MAX_POINT_SIZE)
    points = shown & is_small & (page.tag != tags.TEXT)
    return shown & ~page.within(np.flatnonzero(points))


def _find_dates(page: Page, classes: Classes) -> Bools:
    """Return the elements that are dates or times by their tag, class or microdata."""
    is_date: Bools = classes.is_date | (page.tag == _TIME)
    body = int(page.start[(page.tag == _BODY).argmax()])  # what comes before is mostly scripts
    offsets = [
        offset
        for offset in find_offsets(page.source, _ITEMPROP, body)
        if _DATE_ITEMPROP.match(page.source, offset)
    ]
    if offsets:
        is_date[np.searchsorted(page.start, offsets, side="right") - 1] = True
    return is_date
