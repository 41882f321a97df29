"""A selection as clean, safe HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Final

import numpy as np

from tamis.content.attributes import PREFORMATTED, code_language
from tamis.content.roles import Roles
from tamis.content.selection import Event, Selection
from tamis.page import tags

# Elements that stay. All others are unwrapped.
_BLOCK: Final = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption thead tbody tfoot tr td th "
    "figure figcaption div section article aside header footer main nav address details "
    "summary".split()
)
_INLINE: Final = frozenset(
    "code a b strong i em u s del ins sub sup small mark q cite abbr dfn kbd samp var time ruby rt "
    "img".split()
)
_RENAMED: Final = {
    **dict.fromkeys(PREFORMATTED, "pre"),
    **dict.fromkeys(("menu", "dir"), "ul"),
    **dict.fromkeys(("center", "form", "fieldset", "legend", "dialog", "hgroup", "search"), "div"),
    "strike": "s",
    "tt": "code",
    "acronym": "abbr",
}
_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "ol": ("start", "reversed"),
    "li": ("value",),
    "time": ("datetime",),
    "abbr": ("title",),
}
_IS_BLOCK: Final = tags.tag_table(
    (*_BLOCK, *(name for name, new_name in _RENAMED.items() if new_name in _BLOCK))
)
_IS_CELL: Final = tags.tag_table(("td", "th"))
_TABLE_PARTS: Final = tags.tag_table(tuple("caption thead tbody tfoot tr td th".split()))
_TABLE: Final = tags.CODE["table"]
_CAPTION: Final = tags.CODE["caption"]


def render_html(selection: Selection, roles: Roles | None = None) -> str:
    """Return the selection as HTML: known elements, no scripts, no styles, only safe URLs.

    Rows with `roles` stay as elements, with these attributes.
    """
    renderer = _Renderer(selection, roles or {})
    for event in selection.events():
        renderer.take(event)
    return "".join(renderer.parts).strip()


@dataclass
class _Renderer:
    """Writes tags and text.

    A line break between two texts becomes a `<br>`, unless a block begins or ends between them.
    """

    selection: Selection
    roles: Roles
    parts: list[str] = field(default_factory=list)
    gap: int = -1  # index of the white space since the last text or image, -1 if there is none
    block_edge: bool = False  # whether a block began or ended since then
    bare_links: set[int] = field(default_factory=set)  # rows of links without a URL

    def take(self, event: Event) -> None:
        """Write an event."""
        if event.kind == "space":
            self.gap = len(self.parts)
            self.parts.append(event.text)
        elif event.kind == "text":
            self._settle_gap(event.row)
            self.parts.append(escape(event.text, quote=False))
        else:
            name = self._element_name(event.row)
            self.block_edge |= name in _BLOCK
            if name == "img" and event.kind == "open":
                self._settle_gap(event.row)
            if event.kind == "open":
                role = self.roles.get(event.row, {})
                tag = _start_tag(self.selection, event.row, name, role) if name else ""
                if tag == "<a>":  # no URL, or no safe one
                    self.bare_links.add(event.row)
                    tag = ""
                self.parts.append(tag)
            elif name and name != "img" and event.row not in self.bare_links:
                self.parts.append(f"</{name}>")

    def _settle_gap(self, row: int) -> None:
        """Write the white space between the text or image in a row and the one before it."""
        preformatted = self.selection.page.flags[row] & tags.PREFORMATTED
        if self.gap >= 0 and not preformatted:
            gap = self.parts[self.gap]
            between_blocks = "\n" if gap == " " else gap
            self.parts[self.gap] = between_blocks if self.block_edge else gap.replace("\n", "<br>")
        self.gap, self.block_edge = -1, False

    def _element_name(self, row: int) -> str | None:
        """Return the name that an element gets in the output, None if it is unwrapped."""
        if row in self.roles:
            return _output_name(self.selection.page.name(row)) or "span"
        if row in self._wrappers:
            return None
        name = _output_name(self.selection.page.name(row))
        return "div" if name == "p" and row in self._paragraphs_with_blocks else name

    @cached_property
    def _wrappers(self) -> frozenset[int]:
        """Rows of elements that only wrap one block, and of tables that only wrap one cell."""
        return frozenset(
            (*_single_cell_tables(self.selection), *_single_block_divs(self.selection))
        )

    @cached_property
    def _paragraphs_with_blocks(self) -> frozenset[int]:
        """Rows of paragraphs with a block inside, which a parser would split."""
        page = self.selection.page
        inside = page.below(_IS_BLOCK[page.tag] & self.selection.included)
        return frozenset(np.flatnonzero((page.tag == tags.CODE["p"]) & (inside > 1)).tolist())


def _single_cell_tables(selection: Selection) -> list[int]:
    """Return the rows of tables with only one cell that is not empty, and of their parts."""
    page, included = selection.page, selection.included
    table: dict[int, int] = {}  # part → its table
    for row in selection.budget.watch(np.flatnonzero(_TABLE_PARTS[page.tag] & included).tolist()):
        above = int(page.parent[row])
        table[row] = above if page.tag[above] == _TABLE else table.get(above, -1)
    filled = page.below(selection.leaves) > 0
    cells = Counter(table[row] for row in table if _IS_CELL[page.tag[row]] and filled[row])
    cells.update(table[row] for row in table if page.tag[row] == _CAPTION)
    single = {row for row, count in cells.items() if count == 1 and row >= 0}
    return [*single, *(row for row in table if table[row] in single)]


def _single_block_divs(selection: Selection) -> list[int]:
    """Return the rows of divisions that hold one block and nothing else."""
    page, rows = selection.page, np.flatnonzero(selection.included)
    children = np.bincount(np.maximum(page.parent[rows], 0), minlength=len(page))
    last_child = np.zeros(len(page), dtype=np.int64)
    last_child[page.parent[rows[1:]]] = rows[1:]
    single = rows[(children[rows] == 1) & _IS_BLOCK[page.tag[last_child[rows]]]]
    watched = selection.budget.watch(single.tolist())
    return [row for row in watched if _output_name(page.name(row)) == "div"]


def _output_name(name: str) -> str | None:
    """Return the name that elements of a name get in the output, None if they are unwrapped."""
    name = _RENAMED.get(name, name)
    return name if name in _BLOCK or name in _INLINE else None


def _start_tag(selection: Selection, row: int, name: str, role: Mapping[str, str]) -> str:
    """Return the start tag of an element with the attributes that matter."""
    if name == "img":
        image = selection.image(row)
        if image is None:
            return ""
        return f'<img src="{escape(image.url)}" alt="{escape(image.alternative)}">'
    attributes = selection.attributes(row)
    output = {key: attributes[key] for key in _ATTRIBUTES.get(name, ()) if key in attributes}
    if name == "a" and (url := selection.link_url(row)):
        output["href"] = url
    if name == "code" and (language := code_language(selection, row)):
        output["class"] = f"language-{language}"
    output |= role
    written = "".join(f' {key}="{escape(value)}"' for key, value in output.items())
    return f"<{name}{written}>"
