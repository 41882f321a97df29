"""A selection as Markdown (CommonMark with GFM tables)."""

from __future__ import annotations

import re
from typing import Final

from tamis.content._render import (
    Block,
    MarkdownWriter,
    OpenElement,
    Piece,
    build_roles,
    line_rows,
)
from tamis.content.attributes import PREFORMATTED, code_language
from tamis.content.markdown_blocks import join_blocks
from tamis.content.markdown_elements import BLOCK_RENDERERS, HEADINGS, group_blocks
from tamis.content.markdown_inline import (
    encode_destination,
    is_mark,
    place_marks,
    render_code_span,
    render_image,
)
from tamis.content.selection import Selection
from tamis.page import tags

_BLOCKS: Final = frozenset(
    "html body div section article aside nav header footer main hgroup search address p figure "
    "figcaption details summary dialog caption form fieldset legend center noscript option "
    "optgroup marquee dl template".split()
)
_ONE_LINE: Final = frozenset((*HEADINGS, "td", "th", "dt", "a"))
_EMPHASIS: Final = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("s", "del", "strike"), "~~"),
}
_ROLES: Final = build_roles(
    block=_BLOCKS,
    marked=(*BLOCK_RENDERERS, *_EMPHASIS, "img", "q", "sub", "sup"),
    link=("a",),
    code=("code", "kbd", "samp", "tt"),
    preformatted=PREFORMATTED,
    nested=("li", "blockquote", "dd"),
)
_CODE: Final = tags.CODE["code"]
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
    selection.walk(renderer)
    return renderer.take_blocks()


class _Renderer(MarkdownWriter):
    """What the compiled writer of Markdown leaves to be done in Python."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection.page, _ROLES)
        self.selection = selection

    def render_element(self, element: OpenElement, above: OpenElement) -> None:
        """Render an element with marks of its own into the one above."""
        name = element.name
        if name in BLOCK_RENDERERS:
            BLOCK_RENDERERS[name](self.selection, element, self.stack)
        else:
            _render_inline(self.selection, element, above)

    def render_code(self, element: OpenElement, above: OpenElement) -> None:
        """Render preformatted text, or code of several lines."""
        if element.name in PREFORMATTED or self._is_listing():
            language = element.language or code_language(self.selection, element.row)
            above.add(*_code_blocks(element, language))
        else:
            above.take(element)

    def _is_listing(self) -> bool:
        """Return whether code stands where a code block can stand."""
        return not any(around.name in _ONE_LINE for around in self.stack)

    def link_end(self, row: int) -> str:
        """Return what ends the link of an element; empty if it leads nowhere."""
        url = self.selection.link_url(row)
        return _link_end(url) if url else ""

    def code_language(self, row: int) -> str | None:
        """Return the language that a code element inside preformatted text declares."""
        return code_language(self.selection, row) if self.selection.page.tag[row] == _CODE else None

    def code_span(self, text: str) -> str:
        """Return code within a line."""
        return render_code_span(text)

    def place_marks(self, pieces: list[Piece]) -> list[Piece]:
        """Return a line with its marks of emphasis where they work."""
        return place_marks(pieces)

    def group_blocks(self, element: OpenElement) -> None:
        """Make a table of an element's rows, and lists of items that are in no list."""
        group_blocks(element)


def _code_blocks(element: OpenElement, language: str | None) -> list[Block]:
    """Return the line of an element as a block of code, none if it is empty."""
    body = element.code_text.strip("\n").rstrip()
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
    return block.with_text(f"{mark}{block.text}{mark}") if plain else block


def _needs_tag(element: OpenElement, above: OpenElement) -> bool:
    """Return whether a superscript or subscript would be read as part of the word before it.

    Several letters, like those of 1st, mean the same on the line.
    """
    before = next((piece for piece in reversed(above.line) if not is_mark(piece)), None)
    touches = before is not None and before.kind == "text" and before.text[-1:].isalnum()
    plain = touches and all(piece.kind == "text" for piece in element.line)
    return plain and _RAISED.fullmatch(element.code_text) is not None


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
    linked = blocks[index].with_text(f"[{blocks[index].text}{_link_end(url)}")
    return [*blocks[:index], linked, *blocks[index + 1 :]]
