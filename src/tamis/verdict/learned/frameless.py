"""Frameless pages: a short page, or a fragment of one, with no frame around its content.

A frame is what surrounds content on most pages: navigation, header, footer, side bars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, row_attributes, rows_with_bytes, tags
from tamis.verdict.learned._context import FeatureContext, find_name_groups
from tamis.verdict.learned._features import Features
from tamis.verdict.learned.feature_tables import COUNTED_TAGS, NAME_GROUPS
from tamis.verdict.verdict import Floats

MAX_FRAMELESS_TERMS: Final = 200  # a frameless page has fewer terms
# The probability of its blocks to be content, and the confidence in the answer. It is set, not
# learned, because the data sets have no such pages to learn it from.
FRAMELESS_PROBABILITY: Final = 0.9

_MOSTLY: Final = 0.5  # share of the text of a block, or of a page, that decides what it is
_MIN_MENU_LINKS: Final = 3  # in blocks of links alone, for them to be a menu
# Groups of class and id names that a frame has.
_FRAME_NAMES: Final = (
    *("navigation", "footer", "header", "side"),
    *("related", "social", "promotion", "consent"),
)
_NAVIGATION_ROLES: Final = frozenset(("navigation", "menu", "menubar"))
_FRAME_ROLES: Final = _NAVIGATION_ROLES | {
    *("banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"),
}
_CONTROL_ROLES: Final = frozenset(
    "button checkbox combobox listbox menuitem option radio searchbox slider spinbutton switch tab "
    "textbox".split()
)
# A page with scripts comes from a site, and has a frame even if no element or name shows it.
_IS_FRAME: Final = tags.tag_table(("nav", "aside", "search", "script"))
_IS_NAV: Final = tags.tag_table(("nav",))
# These are the head and foot of a page; in an article or quotation they are its title and author.
_IS_EDGE: Final = tags.tag_table(("header", "footer"))
_IS_TEXT: Final = tags.tag_table(("article", "blockquote"))
# Names of headings and of words in a line describe what they say, not a part of the page.
_IS_LINE: Final = tags.tag_table((*tags.HEADINGS, *tags.TEXT_LEVEL, "a"))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)
_IS_CONTROL: Final = tags.tag_table(set(tags.FORMS) - {"form", "fieldset"})
_IS_FIELD: Final = tags.tag_table(tags.CONTROLS)
_IS_FORM: Final = tags.tag_table(("form",))
_IS_ROW: Final = tags.tag_table(("tr",))
_FRAME_BITS: Final = sum(1 << list(NAME_GROUPS).index(name) for name in _FRAME_NAMES)
_LINKS_ROW: Final = COUNTED_TAGS.index(("a",))
_IMAGES_ROW: Final = COUNTED_TAGS.index(("img", "picture"))


@dataclass(frozen=True, eq=False)
class Frameless:
    """The blocks of a page without a frame: content, controls, hidden, or maybe a menu."""

    content: Bools
    controls: Bools
    hidden: Bools
    menu: Bools  # judged as on any other page

    def score(self, otherwise: Floats) -> Floats:
        """Return the probability of each block, given those that it would have otherwise."""
        return np.where(self.menu, otherwise, np.where(self.content, FRAMELESS_PROBABILITY, 0.0))

    def informative(self, otherwise: Bools) -> Bools:
        """Return the informative blocks, given those that would be informative otherwise."""
        return np.where(self.menu, otherwise, self.content)


def judge_frameless(features: Features, not_rendered: Bools | None = None) -> Frameless | None:
    """Return what is content on a page without a frame; None on any other page.

    A short page without navigation has nothing that its content must be separated from: everything
    that is no control and not hidden is content, however short. The forests were trained on whole
    pages and mean little there; they only decide whether a run of links is a menu. On a page of
    navigation alone nothing is content. A page that hides all of its text waits for a script, and
    is judged as any other page.
    """
    context, blocks = features.context, features.context.blocks
    page, terms = blocks.page, context.terms
    has_text = terms > 0
    if not has_text.any() or terms.sum() >= MAX_FRAMELESS_TERMS:
        return None
    roles = _read_roles(page)
    if _is_navigation(page, roles):
        return Frameless(*np.zeros((4, len(blocks)), dtype=np.bool_))
    menu = _find_menu(context)
    if terms @ menu > _MOSTLY * terms.sum() or _has_frame(page, roles):
        return None
    hidden = _mostly_in(blocks, page.hidden)
    if not_rendered is not None:
        hidden |= not_rendered
    if not (has_text & ~hidden).any():
        return None
    controls = _find_controls(blocks, roles)
    has_content = (context.chars > 0) | (context.elements[_IMAGES_ROW] > 0)
    menu &= ~hidden & ~controls
    content = has_content & ~hidden & ~controls & ~menu
    return Frameless(content, controls, hidden, menu)


def _read_roles(page: Page) -> dict[int, str]:
    """Return the rows that have an ARIA role, with their first role."""
    values = {
        row: row_attributes(page, row).get("role", "") for row in rows_with_bytes(page, b' role="')
    }
    return {row: value.lower().split()[0] for row, value in values.items() if value.strip()}


def _rows_with_role(roles: dict[int, str], wanted: frozenset[str]) -> Ints:
    """Return the rows that have one of the wanted roles."""
    return np.array(sorted(row for row, role in roles.items() if role in wanted), dtype=np.int64)


def _is_navigation(page: Page, roles: dict[int, str]) -> bool:
    """Return whether all text of a page is in its navigation."""
    nav = np.flatnonzero(_IS_NAV[page.tag])
    rows = np.union1d(nav, _rows_with_role(roles, _NAVIGATION_ROLES))
    return bool(page.within(rows)[page.visible].all())


def _has_frame(page: Page, roles: dict[int, str]) -> bool:
    """Return whether an element of a page is part of a frame, by its tag, role or name."""
    if _IS_FRAME[page.tag].any() or len(_rows_with_role(roles, _FRAME_ROLES)):
        return True
    edges = np.flatnonzero(_IS_EDGE[page.tag])
    if not page.within(np.flatnonzero(_IS_TEXT[page.tag]))[edges].all():
        return True
    return bool(((find_name_groups(page) & _FRAME_BITS != 0) & ~_IS_LINE[page.tag]).any())


def _find_menu(context: FeatureContext) -> Bools:
    """Return the blocks without a term outside of links: a menu without a name, or a list."""
    page = context.page
    links: Bools = (context.terms > 0) & (context.blocks.owned(page.terms * ~page.in_link) == 0)
    # A link around several blocks is counted in none of them.
    link_count = int(np.maximum(context.elements[_LINKS_ROW][links], 1).sum())
    return links & (link_count >= _MIN_MENU_LINKS)


def _find_controls(blocks: Blocks, roles: dict[int, str]) -> Bools:
    """Return the blocks that are controls, or labels of the fields of a form.

    A heading is no control, even if it is a button that opens what it is the heading of.
    """
    page = blocks.page
    rows = np.union1d(np.flatnonzero(_IS_CONTROL[page.tag]), _rows_with_role(roles, _CONTROL_ROLES))
    fields = _find_form_fields(page)
    # In a table of fields the label of each is in a cell of its own.
    is_row = _IS_ROW[page.tag]
    field_rows = np.flatnonzero(is_row & (page.below(is_row) == 1) & (page.below(fields) > 0))
    controls = _mostly_in(blocks, page.within(rows) | page.within(field_rows))
    controls |= blocks.owned(fields) > 0
    return controls & ~_IS_HEADING[page.tag[blocks.node]]


def _find_form_fields(page: Page) -> Bools:
    """Return the rows that are fields and buttons of forms."""
    fields = _IS_FIELD[page.tag] & page.within(np.flatnonzero(_IS_FORM[page.tag]))
    for attribute in (b' type="hidden"', b' type="HIDDEN"'):
        fields[rows_with_bytes(page, attribute)] = False
    return fields


def _mostly_in(blocks: Blocks, rows: Bools) -> Bools:
    """Return the blocks whose text is mostly in the given rows."""
    chars = blocks.page.chars
    is_mostly: Bools = blocks.owned(chars * rows) > _MOSTLY * blocks.owned(chars)
    return is_mostly
