"""Kept rows → Markdown (CommonMark with GFM tables)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tamis.content.code import code_language
from tamis.content.kept import Kept
from tamis.content.table import Cell, markdown_table
from tamis.page.reading import one_line

_BLOCKS: Final = frozenset(
    "html body div section article aside nav header footer main hgroup search address p h1 h2 h3 h4 "
    "h5 h6 ul ol li dl dt dd menu dir pre listing blockquote figure figcaption details summary dialog "
    "table caption form fieldset legend center noscript option optgroup marquee".split()
)
_EMPHASIS: Final = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "s": "~~",
    "del": "~~",
    "strike": "~~",
}
_CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
_LISTS: Final = frozenset(("ul", "ol", "menu", "dir"))
_SPECIAL: Final = re.compile(r"([\\`*\[\]]|<(?=[A-Za-z/!?])|&(?=[\w#]+;)|(?<!\w)_|_(?!\w))")
_LINE_START: Final = re.compile(r"^(#{1,6}(?=\s)|[-+](?=\s)|>|={3,}|-{3,}|\d{1,9}(?=[.)]\s))", re.M)


@dataclass(slots=True)
class Part:
    """What has been rendered of an open element: blocks, and the line that is being written."""

    row: int
    name: str
    blocks: list[str] = field(default_factory=list)
    tight: set[int] = field(default_factory=set)  # blocks that need no blank line before them
    line: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)  # of a table
    language: str | None = None

    def end_line(self) -> None:
        """Make the line that is being written a paragraph."""
        paragraph = "".join(self.line).strip()
        self.line.clear()
        if paragraph:
            self.blocks.append(_LINE_START.sub(_escaped_start, paragraph))

    def add_block(self, block: str, *, tight: bool = False) -> None:
        """Add a rendered block below what is there."""
        self.end_line()
        if block:
            if tight:
                self.tight.add(len(self.blocks))
            self.blocks.append(block)

    def add_space(self, gap: str) -> None:
        """Add white space to the line: a break where the page has one, else one space."""
        if not self.line:
            return
        if gap == "\n\n":
            self.end_line()
        elif gap == "\n":
            self.line.append("  \n")
        elif not self.line[-1].endswith((" ", "\n")):
            self.line.append(" ")

    def body(self) -> str:
        """Return all that was rendered, paragraphs apart."""
        self.end_line()
        parts: list[str] = []
        for number, block in enumerate(self.blocks):
            parts += ["\n" if number in self.tight else "\n\n", block] if number else [block]
        return "".join(parts)


def markdown(kept: Kept) -> str:
    """Return the kept content as Markdown.

    Elements are rendered when they close, from the parts inside them, so the depth of the page
    does not matter.
    """
    stack = [Part(-1, "document")]
    literal = 0  # open elements whose text is code
    verbatim = 0  # open elements whose white space is kept
    for event in kept.events():
        top = stack[-1]
        if event.kind == "open":
            part = Part(event.row, kept.page.name(event.row))
            literal += part.name in _CODE or part.name == "pre"
            verbatim += part.name == "pre"
            stack.append(part)
        elif event.kind == "close":
            stack.pop()
            literal -= top.name in _CODE or top.name == "pre"
            close(kept, top, stack, verbatim=verbatim > 0)
            verbatim -= top.name == "pre"
        elif verbatim:
            top.line.append(event.text)
        elif event.kind == "space":
            top.add_space(event.text)
        else:
            top.line.append(event.text if literal else _SPECIAL.sub(r"\\\1", event.text))
    return stack[0].body()


def close(kept: Kept, part: Part, stack: list[Part], *, verbatim: bool) -> None:
    """Render an element that closes into the element around it."""
    above = stack[-1]
    if part.name == "pre":
        above.add_block(fenced("".join(part.line), part.language or code_language(kept, part.row)))
    elif verbatim:
        above.language = above.language or part.language or _language_inside(kept, part)
        above.line += part.line
    elif part.name in _BLOCK_CLOSERS:
        _BLOCK_CLOSERS[part.name](kept, part, stack)
    elif part.name in _BLOCKS:
        above.end_line()
        part.end_line()
        above.tight |= {len(above.blocks) + number for number in part.tight if number}
        above.blocks += part.blocks
    elif part.blocks:  # a link around a card, say: its blocks matter more than the link
        above.end_line()
        part.end_line()
        above.blocks += part.blocks
    else:
        above.line.append(inline(kept, part))


def inline(kept: Kept, part: Part) -> str:
    """Return an inline element as Markdown."""
    content = "".join(part.line)
    if part.name == "img":
        picture = kept.picture(part.row)
        alt = one_line(picture[1]).replace("[", "").replace("]", "") if picture else ""
        return f"![{alt}]({_address(picture[0])})" if picture else ""
    stripped = content.strip()
    if not stripped:
        return content
    if part.name == "a":
        address = kept.url(kept.attributes(part.row).get("href", ""))
        return f"[{stripped}]({_address(address)})" if address else content
    if part.name in _CODE:
        ticks = "`" * (longest_run(stripped, "`") + 1)
        pad = " " if stripped.startswith("`") or stripped.endswith("`") else ""
        return f"{ticks}{pad}{stripped}{pad}{ticks}"
    mark = _EMPHASIS.get(part.name, "")
    if mark and "\n" not in stripped and not stripped.startswith(mark):
        return content.replace(stripped, f"{mark}{stripped}{mark}", 1)
    return content


def close_heading(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render h1 to h6."""
    words = one_line(part.body())
    stack[-1].add_block(f"{'#' * int(part.name[1])} {words}" if words else "")


def close_quote(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a block quote."""
    lines = part.body().split("\n")
    stack[-1].add_block("\n".join(f"> {line}".rstrip() for line in lines) if lines != [""] else "")


def close_item(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a list item; its number is its place among the items before it."""
    above = stack[-1]
    mark = "- "
    if above.name == "ol":
        start = kept.attributes(above.row).get("start", "1")
        first = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
        mark = f"{first + len(above.blocks)}. "
    body = part.body().replace("\n", "\n" + " " * len(mark))
    above.add_block(mark + re.sub(r"\n +(?=\n|$)", "\n", body), tight=bool(above.blocks))


def close_list(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a list; inside an item it follows the item's text without a blank line."""
    stack[-1].add_block(part.body(), tight=stack[-1].name == "li")


def close_term(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a term of a definition list."""
    stack[-1].add_block(one_line(part.body()))


def close_definition(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a definition below its term."""
    stack[-1].add_block(": " + part.body().replace("\n", "\n  "), tight=True)


def close_cell(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Hand a cell on to its row."""
    found = kept.attributes(part.row)
    cell = Cell(
        part.body().replace("  \n", "\n"),
        _span(found.get("colspan")),
        _span(found.get("rowspan")),
        part.name == "th",
    )
    if not stack[-1].rows:
        stack[-1].rows.append([])
    stack[-1].rows[-1].append(cell)


def close_row(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Hand rows on to the table; text outside cells stays where it is."""
    stack[-1].rows += part.rows
    stack[-1].blocks += part.blocks


def close_table(kept: Kept, part: Part, stack: list[Part]) -> None:
    """Render a data table as such, a layout table as the blocks of its cells."""
    part.end_line()
    table = markdown_table(part.rows)
    for block in part.blocks:
        stack[-1].add_block(block)
    if table:
        stack[-1].add_block(table)
        return
    for cell in (cell for row in part.rows for cell in row):
        stack[-1].add_block(cell.text)


Closer = Callable[[Kept, Part, list[Part]], None]
_BLOCK_CLOSERS: Final[dict[str, Closer]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), close_heading),
    **dict.fromkeys(_LISTS, close_list),
    **dict.fromkeys(("tr", "thead", "tbody", "tfoot"), close_row),
    **dict.fromkeys(("td", "th"), close_cell),
    "blockquote": close_quote,
    "li": close_item,
    "dt": close_term,
    "dd": close_definition,
    "table": close_table,
}


def fenced(code: str, language: str | None) -> str:
    """Return a fenced code block."""
    body = code.strip("\n").rstrip()
    fence = "`" * max(3, longest_run(body, "`") + 1)
    return f"{fence}{language or ''}\n{body}\n{fence}" if body.strip() else ""


def longest_run(text: str, char: str) -> int:
    """Return the length of the longest run of a character."""
    return max((len(run) for run in re.findall(f"{re.escape(char)}+", text)), default=0)


def _language_inside(kept: Kept, part: Part) -> str | None:
    return code_language(kept, part.row) if part.name == "code" else None


def _address(url: str) -> str:
    """Return an address that does not end the link early."""
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("\n", "")


def _escaped_start(match: re.Match[str]) -> str:
    """Escape what would make a paragraph a heading, a list or a rule."""
    return f"{match[1]}\\" if match[1].isdigit() else f"\\{match[1]}"


def _span(value: str | None) -> int:
    return max(1, int(value)) if value and value.isascii() and value.isdigit() else 1
