"""Kept rows → Markdown (CommonMark with GFM tables)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from tamis.content.markdown_blocks import CLOSERS, HEADINGS, Part
from tamis.content.markdown_inline import Piece, destination, escaped, image, is_mark
from tamis.content.markdown_tables import Block, laid_out
from tamis.content.selection import PREFORMATTED, Event, Selection, code_language
from tamis.page import collapse_spaces

_BLOCKS: Final = frozenset(
    "html body div section article aside nav header footer main hgroup search address p figure "
    "figcaption details summary dialog caption form fieldset legend center noscript option "
    "optgroup marquee dl template".split()
)
_EMPHASIS: Final = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("s", "del", "strike"), "~~"),
}
_MARKED: Final = {
    "**": re.compile(r"\*\*"),
    "*": re.compile(r"(?<!\*)\*(?:\*\*)?(?!\*)"),
    "~~": re.compile("~~"),
}
_ESCAPED: Final = re.compile(r"\\.")
_PICTURES: Final = re.compile(r"(?:!\[(?:\\.|[^\\\]])*\]\([^()\s]*\)\s*)+")
_RAISED: Final = re.compile(r"[+−-]?\d+(?:[.,]\d+)?|[^\W\d_]")  # numbers, single letters
_QUOTES: Final = frozenset("\"'“”„«»‹›‘’‚「『")
_CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
_ONE_LINE: Final = frozenset((*HEADINGS, "td", "th", "dt", "a"))


@dataclass(slots=True)
class Writer:
    """Renders elements when they close, from the parts inside them: depth does not matter."""

    kept: Selection
    stack: list[Part] = field(default_factory=lambda: [Part(-1, "document")])
    literal: int = 0  # open elements whose text is code
    verbatim: int = 0  # open elements whose white space is kept

    def take(self, event: Event) -> None:
        """Take the next event."""
        top = self.stack[-1]
        if event.kind == "open":
            name = self.kept.page.name(event.row)
            self.literal += name in _CODE or name in PREFORMATTED
            self.verbatim += name in PREFORMATTED
            nesting = top.nesting + (name in ("li", "blockquote", "dd"))
            self.stack.append(Part(event.row, name, nesting))
        elif event.kind == "close":
            self.stack.pop()
            self.literal -= top.name in _CODE or top.name in PREFORMATTED
            self.verbatim -= top.name in PREFORMATTED
            self.close(top)
        elif self.literal:
            folded = event.kind == "space" and not self.verbatim and "\n" not in event.text
            top.line.append(Piece("code", " " if folded else event.text))
        elif event.kind == "space":
            top.add_space(event.text)
        else:
            top.line.append(Piece("text", event.text))

    def close(self, part: Part) -> None:
        """Render an element that closes into the element around it."""
        above = self.stack[-1]
        above.linked |= part.linked
        if self.verbatim:
            above.language = above.language or part.language or self.declared_language(part)
            above.take(part)
        elif part.name == "textarea" and "\n" not in part.code:
            above.add(Block("paragraph", escaped(collapse_spaces(part.code))))
        elif part.name in PREFORMATTED:
            above.add(*code_block(part.code, part.language or code_language(self.kept, part.row)))
        elif self.literal:
            above.take(part)
        elif part.name in _CODE and not part.blocks and self.is_listing(part):
            above.add(*code_block(part.code, code_language(self.kept, part.row)))
        elif part.name in CLOSERS:
            CLOSERS[part.name](self.kept, part, self.stack)
        elif part.name in _BLOCKS:
            part.finish()
            above.end_line()
            above.take(part)
        else:
            close_inline(self.kept, part, above)

    def is_listing(self, part: Part) -> bool:
        """Say whether code has several lines, and a place where these can stand."""
        several = "\n" in part.code.strip()
        return several and not any(around.name in _ONE_LINE for around in self.stack)

    def declared_language(self, part: Part) -> str | None:
        """Return the language of code inside preformatted text."""
        return code_language(self.kept, part.row) if part.name == "code" else None


def markdown(kept: Selection) -> str:
    """Return the kept content as Markdown."""
    writer = Writer(kept)
    for event in kept.events():
        writer.take(event)
    writer.stack[0].finish()
    return laid_out(writer.stack[0].blocks)


def code_block(code: str, language: str | None) -> list[Block]:
    """Return a block of code, if there is any."""
    body = code.strip("\n").rstrip()
    return [Block("code", body, label=language or "")] if body.strip() else []


def close_inline(kept: Selection, part: Part, above: Part) -> None:
    """Render an inline element; one that holds blocks gives its meaning to them."""
    mark = _EMPHASIS.get(part.name)
    address = kept.url(kept.attributes(part.row).get("href", "")) if part.name == "a" else None
    if part.name == "img" and (picture := kept.picture(part.row)):
        above.line.append(Piece("markup", image(*picture)))
        return
    if part.blocks or part.rows:
        part.finish()
        if mark:
            part.blocks = [emphasised(block, mark) for block in part.blocks]
        elif address and not part.linked:
            part.blocks = with_link(part.blocks, address)
            above.linked = True
    elif part.name == "q" and part.line and part.line[0].text[:1] not in _QUOTES:
        part.line = [Piece("text", '"'), *part.line, Piece("text", '"')]
    elif part.name in ("sub", "sup") and is_raised(part, above):
        tag = part.name
        part.line = [Piece("markup", f"<{tag}>"), *part.line, Piece("markup", f"</{tag}>")]
    elif mark:
        part.line = [Piece("open", mark), *part.line, Piece("close", mark)]
    elif address and not part.linked and any(piece.text.strip() for piece in part.line):
        part.line = [Piece("markup", "["), *part.line, Piece("markup", link_end(address))]
        above.linked = True
    above.take(part)


def link_end(address: str) -> str:
    """Return what ends a link."""
    return f"]({destination(address)})"


def emphasised(block: Block, mark: str) -> Block:
    """Return a paragraph emphasised as a whole."""
    plain = block.kind == "paragraph" and block.text.strip("*~") == block.text
    if plain and _MARKED[mark].search(_ESCAPED.sub("", block.text)):
        return block  # the inner marks would end the outer ones
    return block._replace(text=f"{mark}{block.text}{mark}") if plain else block


def is_raised(part: Part, above: Part) -> bool:
    """Say whether what is above or below the line would be taken for a part of the word before it.

    Letters of more than one, like those of 1st, say the same on the line.
    """
    before = next((piece for piece in reversed(above.line) if not is_mark(piece)), None)
    touches = before is not None and before.kind == "text" and before.text[-1:].isalnum()
    plain = touches and all(piece.kind == "text" for piece in part.line)
    return plain and _RAISED.fullmatch(part.code) is not None


def with_link(blocks: list[Block], address: str) -> list[Block]:
    """Return the blocks of a link around a card: its heading, or its first words, are the link."""
    headings = [number for number, block in enumerate(blocks) if block.kind == "heading"]
    lines = [number for number, block in enumerate(blocks) if block.kind == "paragraph"]
    words = [number for number in lines if not _PICTURES.fullmatch(blocks[number].text)]
    number = next(iter((*headings, *words, *lines)), None)
    if number is None:
        return blocks
    linked = blocks[number]._replace(text=f"[{blocks[number].text}{link_end(address)}")
    return [*blocks[:number], linked, *blocks[number + 1 :]]
