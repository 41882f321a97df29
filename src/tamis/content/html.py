"""Kept rows → clean, safe HTML."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Final

import numpy as np

from tamis.content.selection import PREFORMATTED, Event, Selection, code_language
from tamis.page import tags

# Elements that stay; all others are unwrapped.
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
    (*_BLOCK, *(name for name, written in _RENAMED.items() if written in _BLOCK))
)
_IS_CELL: Final = tags.tag_table(("td", "th"))
_TABLE_PARTS: Final = tags.tag_table(tuple("caption thead tbody tfoot tr td th".split()))
_TABLE: Final = tags.CODE["table"]
_CAPTION: Final = tags.CODE["caption"]


def html(kept: Selection) -> str:
    """Return the kept content as HTML: known elements, no script, no styles, safe addresses."""
    writer = Writer(kept)
    for event in kept.events():
        writer.take(event)
    return "".join(writer.parts).strip()


@dataclass
class Writer:
    """Writes tags and text; a break between two texts is a `<br>` unless a block parts them."""

    kept: Selection
    parts: list[str] = field(default_factory=list)
    gap: int = -1  # place of the white space since the last text or picture
    bare: set[int] = field(default_factory=set)  # rows of links without an address
    parted: bool = False  # a block began or ended since then

    def take(self, event: Event) -> None:
        """Write an event."""
        if event.kind == "space":
            self.gap = len(self.parts)
            self.parts.append(event.text)
        elif event.kind == "text":
            self.end_gap(event.row)
            self.parts.append(escape(event.text, quote=False))
        else:
            name = self.name(event.row)
            self.parted |= name in _BLOCK
            if name == "img" and event.kind == "open":
                self.end_gap(event.row)
            if event.kind == "open":
                tag = start_tag(self.kept, event.row, name) if name else ""
                if tag == "<a>":  # leads nowhere, or to no safe address
                    self.bare.add(event.row)
                    tag = ""
                self.parts.append(tag)
            elif name and name != "img" and event.row not in self.bare:
                self.parts.append(f"</{name}>")

    def end_gap(self, row: int) -> None:
        """Settle how the text or picture in a row is separated from the one before it."""
        preformatted = self.kept.page.flags[row] & tags.PREFORMATTED
        if self.gap >= 0 and not preformatted:
            gap = self.parts[self.gap]
            wide = "\n" if self.parted and gap == " " else gap
            self.parts[self.gap] = wide if self.parted else gap.replace("\n", "<br>")
        self.gap, self.parted = -1, False

    def name(self, row: int) -> str | None:
        """Return the name that an element is written under, None if it is unwrapped."""
        if row in self.needless:
            return None
        name = written_name(self.kept.page.name(row))
        return "div" if name == "p" and row in self.burst else name

    @cached_property
    def needless(self) -> frozenset[int]:
        """Rows of elements that only wrap one block, and of tables that only wrap one cell."""
        return frozenset((*single_cells(self.kept), *single_blocks(self.kept)))

    @cached_property
    def burst(self) -> frozenset[int]:
        """Rows of paragraphs with a block inside, which no parser would leave whole."""
        page = self.kept.page
        inside = page.below(_IS_BLOCK[page.tag] & self.kept.wanted)
        return frozenset(np.flatnonzero((page.tag == tags.CODE["p"]) & (inside > 1)).tolist())


def single_cells(kept: Selection) -> list[int]:
    """Return the rows of tables with only one cell that is not empty, and of their parts."""
    page, wanted = kept.page, kept.wanted
    table: dict[int, int] = {}  # part → its table
    for row in kept.budget.watch(np.flatnonzero(_TABLE_PARTS[page.tag] & wanted).tolist()):
        above = int(page.parent[row])
        table[row] = above if page.tag[above] == _TABLE else table.get(above, -1)
    filled = page.below(kept.leaves) > 0
    cells = Counter(table[row] for row in table if _IS_CELL[page.tag[row]] and filled[row])
    cells.update(table[row] for row in table if page.tag[row] == _CAPTION)
    single = {row for row, count in cells.items() if count == 1 and row >= 0}
    return [*single, *(row for row in table if table[row] in single)]


def single_blocks(kept: Selection) -> list[int]:
    """Return the rows of divisions that hold one block and nothing else."""
    page, rows = kept.page, np.flatnonzero(kept.wanted)
    children = np.bincount(np.maximum(page.parent[rows], 0), minlength=len(page))
    only = np.zeros(len(page), dtype=np.int64)
    only[page.parent[rows[1:]]] = rows[1:]
    single = rows[(children[rows] == 1) & _IS_BLOCK[page.tag[only[rows]]]]
    named = kept.budget.watch(single.tolist())
    return [row for row in named if written_name(page.name(row)) == "div"]


def written_name(name: str) -> str | None:
    """Return the name under which elements of a name are written, None if they are unwrapped."""
    name = _RENAMED.get(name, name)
    return name if name in _BLOCK or name in _INLINE else None


def start_tag(kept: Selection, row: int, name: str) -> str:
    """Return the start tag of an element with the attributes that matter."""
    if name == "img":
        picture = kept.picture(row)
        return f'<img src="{escape(picture[0])}" alt="{escape(picture[1])}">' if picture else ""
    found = kept.attributes(row)
    wanted = {key: found[key] for key in _ATTRIBUTES.get(name, ()) if key in found}
    if name == "a" and (address := kept.url(found.get("href", ""))):
        wanted["href"] = address
    if name == "code" and (language := code_language(kept, row)):
        wanted["class"] = f"language-{language}"
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in wanted.items())
    return f"<{name}{attributes}>"
