"""A selection as Markdown (CommonMark with GFM tables)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from tamis.content.attributes import PREFORMATTED, code_language
from tamis.content.markdown_blocks import Block, join_blocks
from tamis.content.markdown_elements import BLOCK_RENDERERS, HEADINGS, OpenElement, line_rows
from tamis.content.markdown_inline import (
    Piece,
    encode_destination,
    escape_text,
    is_mark,
    render_image,
)
from tamis.content.selection import Event, Selection
from tamis.page import collapse_spaces

_BLOCKS: Final = frozenset(
    "html body div section article aside nav header footer main hgroup search address p figure "
    "figcaption details summary dialog caption form fieldset legend center noscript option "
    "optgroup marquee dl template".split()
)
_CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
_ONE_LINE: Final = frozenset((*HEADINGS, "td", "th", "dt", "a"))
_EMPHASIS: Final = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("s", "del", "strike"), "~~"),
}
_INNER_MARK: Final = {
    "**": re.compile(r"\*\*"),
    "*": re.compile(r"(?<!\*)\*(?:\*\*)?(?!\*)"),
    "~~": re.compile("~~"),
}
_ESCAPED: Final = re.compile(r"\\.")
_ONLY_IMAGES: Final = re.compile(r"(?:!\[(?:\\.|[^\\\]])*\]\([^()\s]*\)\s*)+")
_RAISED: Final = re.compile(r"[+−-]?\d+(?:[.,]\d+)?|[^\W\d_]")  # numbers, single letters
_QUOTES: Final = frozenset("\"'“”„«»‹›‘’‚「『")


def render_markdown(selection: Selection) -> str:
    """Return the selection as Markdown."""
    return join_blocks(render_blocks(selection))


def render_blocks(selection: Selection) -> list[Block]:
    """Return the selection as blocks of Markdown, which `join_blocks` joins."""
    renderer = _Renderer(selection)
    for event in selection.events():
        renderer.take(event)
    document = renderer.stack[0]
    document.finish()
    return document.blocks


@dataclass(slots=True)
class _Renderer:
    """Renders an element when it closes, from what is inside it. So there is no recursion."""

    selection: Selection
    stack: list[OpenElement] = field(default_factory=lambda: [OpenElement(-1, "document")])
    code_depth: int = 0  # open elements whose text is code
    preformatted_depth: int = 0  # open elements whose white space is preserved

    def take(self, event: Event) -> None:
        """Take the next event."""
        top = self.stack[-1]
        if event.kind == "open":
            name = self.selection.page.name(event.row)
            self.code_depth += name in _CODE or name in PREFORMATTED
            self.preformatted_depth += name in PREFORMATTED
            nesting = top.nesting + (name in ("li", "blockquote", "dd"))
            self.stack.append(OpenElement(event.row, name, nesting))
        elif event.kind == "close":
            self.stack.pop()
            self.code_depth -= top.name in _CODE or top.name in PREFORMATTED
            self.preformatted_depth -= top.name in PREFORMATTED
            self._close(top)
        elif self.code_depth:
            inline = not self.preformatted_depth and "\n" not in event.text
            text = " " if event.kind == "space" and inline else event.text
            top.line.append(Piece("code", text, event.row))
        elif event.kind == "space":
            top.add_space(event.text)
        else:
            top.line.append(Piece("text", event.text, event.row))

    def _close(self, element: OpenElement) -> None:
        """Render an element that closes into the element around it."""
        above = self.stack[-1]
        above.has_link |= element.has_link
        if self.preformatted_depth:
            above.language = above.language or element.language or self._declared_language(element)
            above.take(element)
        elif element.name == "textarea" and "\n" not in element.code:
            text = escape_text(collapse_spaces(element.code))
            above.add(Block("paragraph", text, rows=line_rows(element.line)))
        elif element.name in PREFORMATTED:
            language = element.language or code_language(self.selection, element.row)
            above.add(*_code_blocks(element, language))
        elif self.code_depth:
            above.take(element)
        elif element.name in _CODE and not element.blocks and self._is_listing(element):
            above.add(*_code_blocks(element, code_language(self.selection, element.row)))
        elif element.name in BLOCK_RENDERERS:
            BLOCK_RENDERERS[element.name](self.selection, element, self.stack)
        elif element.name in _BLOCKS:
            element.finish()
            above.end_line()
            above.take(element)
        else:
            _render_inline(self.selection, element, above)

    def _is_listing(self, element: OpenElement) -> bool:
        """Return whether code has several lines and stands where a code block can stand."""
        has_lines = "\n" in element.code.strip()
        return has_lines and not any(around.name in _ONE_LINE for around in self.stack)

    def _declared_language(self, element: OpenElement) -> str | None:
        """Return the language of a code element inside preformatted text."""
        return code_language(self.selection, element.row) if element.name == "code" else None


def _code_blocks(element: OpenElement, language: str | None) -> list[Block]:
    """Return the line of an element as a block of code, none if it is empty."""
    body = element.code.strip("\n").rstrip()
    if not body.strip():
        return []
    return [Block("code", body, label=language or "", rows=line_rows(element.line))]


def _render_inline(selection: Selection, element: OpenElement, above: OpenElement) -> None:
    """Render an inline element. If blocks are inside it, they get its emphasis or link."""
    mark = _EMPHASIS.get(element.name)
    url = selection.link_url(element.row) if element.name == "a" else None
    if element.name == "img" and (image := selection.image(element.row)):
        above.line.append(Piece("markup", render_image(image), element.row))
        return
    if element.blocks or element.rows:
        element.finish()
        if mark:
            element.blocks = [_emphasise(block, mark) for block in element.blocks]
        elif url and not element.has_link:
            element.blocks = _link_blocks(element.blocks, url)
            above.has_link = True
    elif element.name == "q" and element.line and element.line[0].text[:1] not in _QUOTES:
        element.line = [Piece("text", '"'), *element.line, Piece("text", '"')]
    elif element.name in ("sub", "sup") and _needs_tag(element, above):
        start, end = f"<{element.name}>", f"</{element.name}>"
        element.line = [Piece("markup", start), *element.line, Piece("markup", end)]
    elif mark:
        element.line = [Piece("open", mark), *element.line, Piece("close", mark)]
    elif url and not element.has_link and any(piece.text.strip() for piece in element.line):
        element.line = [Piece("markup", "["), *element.line, Piece("markup", _link_end(url))]
        above.has_link = True
    above.take(element)


def _link_end(url: str) -> str:
    """Return what ends a link."""
    return f"]({encode_destination(url)})"


def _emphasise(block: Block, mark: str) -> Block:
    """Return a block with emphasis around its text, if it is a paragraph without such marks."""
    plain = block.kind == "paragraph" and block.text.strip("*~") == block.text
    if plain and _INNER_MARK[mark].search(_ESCAPED.sub("", block.text)):
        return block  # the inner marks would end the outer ones
    return block._replace(text=f"{mark}{block.text}{mark}") if plain else block


def _needs_tag(element: OpenElement, above: OpenElement) -> bool:
    """Return whether a superscript or subscript would be read as part of the word before it.

    Several letters, like those of 1st, mean the same on the line.
    """
    before = next((piece for piece in reversed(above.line) if not is_mark(piece)), None)
    touches = before is not None and before.kind == "text" and before.text[-1:].isalnum()
    plain = touches and all(piece.kind == "text" for piece in element.line)
    return plain and _RAISED.fullmatch(element.code) is not None


def _link_blocks(blocks: list[Block], url: str) -> list[Block]:
    """Return the blocks inside a link with the link on one of them.

    That is the first heading, or the first paragraph with words, or the first paragraph.
    """
    headings = [index for index, block in enumerate(blocks) if block.kind == "heading"]
    paragraphs = [index for index, block in enumerate(blocks) if block.kind == "paragraph"]
    texts = [index for index in paragraphs if not _ONLY_IMAGES.fullmatch(blocks[index].text)]
    index = next(iter((*headings, *texts, *paragraphs)), None)
    if index is None:
        return blocks
    linked = blocks[index]._replace(text=f"[{blocks[index].text}{_link_end(url)}")
    return [*blocks[:index], linked, *blocks[index + 1 :]]
