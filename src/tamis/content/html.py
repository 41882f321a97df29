"""A selection as clean, safe HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.content._render import HtmlWriter
from tamis.content.attributes import PREFORMATTED, code_language
from tamis.content.roles import Roles
from tamis.content.selection import Selection
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
# Names of the output by number; 0 is no name. A span is written only for its role.
_NAMES: Final = ("", *sorted(_BLOCK | _INLINE | {"span"}))
_NAME_OF: Final = np.array(
    [
        _NAMES.index(name) if (name := _RENAMED.get(tag, tag)) in _BLOCK | _INLINE else 0
        for tag in (*tags.TAGS, *[""] * (256 - len(tags.TAGS)))
    ],
    dtype=np.uint8,
)
_DIV: Final = _NAMES.index("div")
_SPAN: Final = _NAMES.index("span")
_IS_BLOCK_NAME: Final = np.array([name in _BLOCK for name in _NAMES], dtype=np.uint8)
_HAS_ATTRIBUTES: Final = np.array(
    [name in ("a", "img", "code", *_ATTRIBUTES) for name in _NAMES], dtype=np.uint8
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
    selection.walk(renderer)
    return renderer.result()


class _Renderer(HtmlWriter):
    """What the compiled writer of HTML leaves to be done in Python: names and attributes."""

    def __init__(self, selection: Selection, roles: Roles) -> None:
        names = _choose_names(selection)
        for row in roles:
            names[row] = _NAME_OF[selection.page.tag[row]] or _SPAN
        has_attributes = np.ones_like(_HAS_ATTRIBUTES) if roles else _HAS_ATTRIBUTES
        super().__init__(selection.page, _NAMES, names, _IS_BLOCK_NAME, has_attributes)
        self.selection, self.roles = selection, roles

    def start_tag(self, row: int, name: str) -> str:
        """Return the start tag of an element; empty for a link without a safe URL."""
        tag = _start_tag(self.selection, row, name, self.roles.get(row, {}))
        return "" if tag == "<a>" else tag


def _choose_names(selection: Selection) -> NDArray[np.uint8]:
    """Return for each row the number of the name that its element gets, 0 if it is unwrapped.

    Elements that only wrap one block, and tables that only wrap one cell, are unwrapped. Paragraphs
    with a block inside, which a parser would split, are divisions.
    """
    page = selection.page
    names = _NAME_OF[page.tag]
    inside = page.below(_IS_BLOCK[page.tag] & selection.included)
    names[(page.tag == tags.CODE["p"]) & (inside > 1)] = _DIV
    names[_single_cell_tables(selection)] = 0
    names[_single_block_divs(selection)] = 0
    return names


def _single_cell_tables(selection: Selection) -> list[int]:
    """Return the rows of tables with only one cell that is not empty, and of their parts."""
    page, included = selection.page, selection.included
    parts = np.flatnonzero(_TABLE_PARTS[page.tag] & included).tolist()
    if not parts:
        return []
    parent, tag = page.parent, page.tag
    table: dict[int, int] = {}  # part → its table
    for row in selection.budget.watch(parts):
        above = parent.item(row)
        table[row] = above if tag.item(above) == _TABLE else table.get(above, -1)
    filled = (_IS_CELL[tag] & (page.below(selection.leaves) > 0)) | (tag == _CAPTION)
    cells = Counter(table[row] for row in parts if filled[row])
    single = {row for row, count in cells.items() if count == 1 and row >= 0}
    return [*single, *(row for row in parts if table[row] in single)]


def _single_block_divs(selection: Selection) -> NDArray[np.int64]:
    """Return the rows of divisions that hold one block and nothing else."""
    page, rows = selection.page, np.flatnonzero(selection.included)
    children = np.bincount(np.maximum(page.parent[rows], 0), minlength=len(page))
    last_child = np.zeros(len(page), dtype=np.int64)
    last_child[page.parent[rows[1:]]] = rows[1:]
    is_single = (children[rows] == 1) & _IS_BLOCK[page.tag[last_child[rows]]]
    divs: NDArray[np.int64] = rows[is_single & (_NAME_OF[page.tag[rows]] == _DIV)]
    return divs


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
