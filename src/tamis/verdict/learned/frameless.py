"""Frameless: a short page or a fragment of one that has no frame around its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, row_attributes, rows_with_bytes, tags
from tamis.verdict.learned.feature_context import COUNTED_TAGS, FeatureContext
from tamis.verdict.learned.features import Features
from tamis.verdict.learned.name_features import WORDS, named_rows
from tamis.verdict.learned.threshold import Floats

FEWER: Final = 200  # such a page has fewer terms
MOSTLY: Final = 0.5  # share of the text of a block, or of a page, that tells what it is
MENU: Final = 3  # links in blocks of links alone that may be a menu
# Of such a block to be content, and the confidence in such a page: set, not learned, because the
# sets have no pages to learn it from.
CHANCE: Final = 0.9

# Groups of class and id names that a frame has.
NAMED: Final = (
    *("navigation", "footer", "header", "side"),
    *("related", "social", "promotion", "consent"),
)
NAVIGATION_ROLES: Final = frozenset(("navigation", "menu", "menubar"))
FRAME_ROLES: Final = NAVIGATION_ROLES | {
    *("banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"),
}
CONTROL_ROLES: Final = frozenset(
    "button checkbox combobox listbox menuitem option radio searchbox slider spinbutton switch tab "
    "textbox".split()
)
# A page with scripts is one that a site serves, and has a frame even where nothing names it.
_IS_FRAME: Final = tags.tag_table(("nav", "aside", "search", "script"))
_IS_NAV: Final = tags.tag_table(("nav",))
# Of a page these are its head and foot; of a text or of a quotation they say its title and author.
_IS_EDGE: Final = tags.tag_table(("header", "footer"))
_IS_TEXT: Final = tags.tag_table(("article", "blockquote"))
# A heading has the name of what it says, and words in a line are no place on the page.
_IS_LINE: Final = tags.tag_table((*tags.HEADINGS, *tags.TEXT_LEVEL, "a"))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)
_IS_CONTROL: Final = tags.tag_table(set(tags.FORMS) - {"form", "fieldset"})
_IS_FIELD: Final = tags.tag_table(tags.CONTROLS)
_IS_FORM: Final = tags.tag_table(("form",))
_IS_ROW: Final = tags.tag_table(("tr",))
_NAMED: Final = sum(1 << list(WORDS).index(name) for name in NAMED)
_LINKS_AT: Final = COUNTED_TAGS.index(("a",))
_PICTURES_AT: Final = COUNTED_TAGS.index(("img", "picture"))


@dataclass(frozen=True, eq=False)
class Frameless:
    """Of a page without a frame: which blocks are content, controls, hidden, or maybe a menu."""

    content: Bools
    controls: Bools
    hidden: Bools
    menu: Bools  # to be judged as on any other page

    def score(self, otherwise: Floats) -> Floats:
        """Return the chance of each block, given what it would be on any other page."""
        return np.where(self.menu, otherwise, np.where(self.content, CHANCE, 0.0))

    def kept(self, otherwise: Bools) -> Bools:
        """Return the blocks to keep, given which would be kept on any other page."""
        return np.where(self.menu, otherwise, self.content)


def frameless(facts: Features, unseen: Bools | None = None) -> Frameless | None:
    """Return what is content on a page without a frame; None on any other page.

    A short page without navigation has nothing that its content is to be told from: all that is no
    control and not hidden is content, however short. The evidence on blocks was learned from whole
    pages and means little there; it tells only whether a run of links is a menu. On a page of
    navigation alone nothing is content. A page that hides all of its text waits for a script, and
    is judged as others are.
    """
    frame, blocks = facts.frame, facts.frame.blocks
    page, has_text = blocks.page, frame.terms > 0
    if not has_text.any() or frame.terms.sum() >= FEWER:
        return None
    roles = roles_of(page)
    if is_navigation(page, roles):
        return Frameless(*np.zeros((4, len(blocks)), dtype=np.bool_))
    menu = menu_blocks(frame)
    if frame.terms @ menu > MOSTLY * frame.terms.sum() or has_frame(page, roles):
        return None
    hidden = mostly(blocks, page.hidden)
    if unseen is not None:
        hidden |= unseen
    controls = control_blocks(blocks, roles)
    shows = (frame.chars > 0) | (frame.elements[_PICTURES_AT] > 0)
    menu &= ~hidden & ~controls
    content = shows & ~hidden & ~controls & ~menu
    return Frameless(content, controls, hidden, menu) if (has_text & ~hidden).any() else None


def roles_of(page: Page) -> dict[int, str]:
    """Return the rows that have a role, with the first one that they have."""
    values = {
        row: row_attributes(page, row).get("role", "") for row in rows_with_bytes(page, b' role="')
    }
    return {row: value.lower().split()[0] for row, value in values.items() if value.strip()}


def rows_of(roles: dict[int, str], wanted: frozenset[str]) -> Ints:
    """Return the rows that have one of some roles."""
    return np.array(sorted(row for row, role in roles.items() if role in wanted), dtype=np.int64)


def is_navigation(page: Page, roles: dict[int, str]) -> bool:
    """Say whether all text of a page is in its navigation."""
    rows = np.union1d(np.flatnonzero(_IS_NAV[page.tag]), rows_of(roles, NAVIGATION_ROLES))
    return bool(page.within(rows)[page.visible].all())


def has_frame(page: Page, roles: dict[int, str]) -> bool:
    """Say whether an element of a page is, by what it is or is called, part of a frame."""
    if _IS_FRAME[page.tag].any() or len(rows_of(roles, FRAME_ROLES)):
        return True
    edges = np.flatnonzero(_IS_EDGE[page.tag])
    if not page.within(np.flatnonzero(_IS_TEXT[page.tag]))[edges].all():
        return True
    return bool(((named_rows(page) & _NAMED != 0) & ~_IS_LINE[page.tag]).any())


def menu_blocks(frame: FeatureContext) -> Bools:
    """Return the blocks without a word outside of links: a menu that nothing names, or a list."""
    page = frame.page
    links: Bools = (frame.terms > 0) & (frame.blocks.owned(page.terms * ~page.in_link) == 0)
    # A link around several blocks is in none of them.
    number = int(np.maximum(frame.elements[_LINKS_AT][links], 1).sum())
    return links & (number >= MENU)


def control_blocks(blocks: Blocks, roles: dict[int, str]) -> Bools:
    """Return the blocks that are controls, or say what the fields of a form are for.

    A heading may be a button as well, which opens what it is the heading of.
    """
    page = blocks.page
    rows = np.union1d(np.flatnonzero(_IS_CONTROL[page.tag]), rows_of(roles, CONTROL_ROLES))
    fields = form_fields(page)
    # In a table of fields the name of each stands in a cell of its own.
    is_row = _IS_ROW[page.tag]
    beside = np.flatnonzero(is_row & (page.below(is_row) == 1) & (page.below(fields) > 0))
    controls = mostly(blocks, page.within(rows) | page.within(beside))
    controls |= blocks.owned(fields) > 0
    return controls & ~_IS_HEADING[page.tag[blocks.node]]


def form_fields(page: Page) -> Bools:
    """Return the rows that are fields and buttons of forms."""
    fields = _IS_FIELD[page.tag] & page.within(np.flatnonzero(_IS_FORM[page.tag]))
    for unseen in (b' type="hidden"', b' type="HIDDEN"'):
        fields[rows_with_bytes(page, unseen)] = False
    return fields


def mostly(blocks: Blocks, rows: Bools) -> Bools:
    """Return the blocks whose text is mostly in some rows."""
    chars = blocks.page.chars
    share: Bools = blocks.owned(chars * rows) > MOSTLY * blocks.owned(chars)
    return share
