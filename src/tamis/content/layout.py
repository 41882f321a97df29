"""Blocks of Markdown, and how they stand below each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from tamis.content.inline import code_span, longest_run

ListKind = Literal["bullets", "numbers"]


class Block(NamedTuple):
    """A rendered block; what it needs at the beginning of its lines is added by `laid_out`."""

    kind: Literal[
        "paragraph", "heading", "code", "quote", "table", "item", "bullets", "numbers", "term",
        "definition",
    ]  # fmt: skip
    text: str = ""
    blocks: tuple[Block, ...] = ()  # of quotes, definitions and items, the items of lists; cells'
    number: int = 1  # level of a heading, first number of a list, row of an item
    label: str = ""  # language of code


LISTS: Final = ("bullets", "numbers")
_LINE_START: Final = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))"  # 1. a list
    r"|(?=#{1,6}(?:\s|$)|[-+:](?:\s|$)|>"  # headings, lists, definitions, quotes
    r"|[-:|=][-:|= ]*$))",  # rules, headings that are underlined, tables
    re.MULTILINE | re.ASCII,
)
_CLOSING_HASHES: Final = re.compile(r"(?:^|(?<=\s))(?=#+$)")


def laid_out(blocks: Iterable[Block], *, tight: bool = False) -> str:
    """Return blocks as Markdown; `tight` lets a list follow the text of its item at once."""
    parts: list[str] = []
    previous: Block | None = None
    other_mark = False
    for block in blocks:
        # Two lists that follow each other would be one but for their marks.
        follows = previous is not None and previous.kind == block.kind and block.kind in LISTS
        other_mark = follows and not other_mark
        if previous is not None:
            parts.append("\n" if clings(block, previous, tight=tight) else "\n\n")
        parts.append(lines(block, other_mark=other_mark))
        previous = block
    return "".join(parts)


def clings(block: Block, previous: Block, *, tight: bool) -> bool:
    """Say whether a block follows another without a blank line."""
    if block.kind == "definition":
        return previous.kind in ("term", "definition")
    # A list that begins with another number than 1 cannot interrupt a paragraph.
    in_item = tight and previous.kind == "paragraph"
    return in_item and (block.kind == "bullets" or (block.kind == "numbers" and block.number == 1))


def lines(block: Block, *, other_mark: bool = False) -> str:
    """Return the lines of a block."""
    if block.kind in ("paragraph", "term"):
        return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", block.text)
    if block.kind == "heading":
        return f"{'#' * block.number} {_CLOSING_HASHES.sub(lambda _: chr(92), block.text)}"
    if block.kind == "code":
        fence = "`" * max(3, longest_run(block.text, "`") + 1)
        return f"{fence}{block.label}\n{block.text}\n{fence}"
    if block.kind == "quote":
        quoted = laid_out(block.blocks).split("\n")
        return "\n".join(f"> {line}" if line else ">" for line in quoted)
    if block.kind in LISTS:
        items = zip(marks(block, other_mark=other_mark), block.blocks, strict=True)
        return "\n".join(indented(mark, laid_out(item.blocks, tight=True)) for mark, item in items)
    if block.kind == "definition":
        return indented(":", laid_out(block.blocks))
    return block.text


def marks(block: Block, *, other_mark: bool = False) -> list[str]:
    """Return what stands before the items of a list."""
    if block.kind == "bullets":
        return ["*" if other_mark else "-"] * len(block.blocks)
    last = ")" if other_mark else "."
    return [f"{number}{last}" for number, _ in enumerate(block.blocks, block.number)]


def on_one_line(block: Block, joint: str) -> str:
    """Return a block as it can stand within a line, with joints where it would have line breaks.

    Code keeps its backticks: without them, what it says would be markup.
    """
    if block.kind == "code":
        texts = [code_span(line) for line in block.text.split("\n")]
    elif block.kind in LISTS:
        items = zip(marks(block), block.blocks, strict=True)
        texts = [f"{mark} {on_one_line(item, joint)}" for mark, item in items]
    elif block.blocks:
        texts = [on_one_line(inner, joint) for inner in block.blocks]
    else:
        texts = [line.strip() for line in block.text.split("\n")]
    return joint.join(filter(None, texts))


def indented(mark: str, text: str) -> str:
    """Return a text behind a mark, its further lines indented as far."""
    margin = " " * (len(mark) + 1)
    rest = (f"{margin}{line}" if line else "" for line in text.split("\n")[1:])
    return "\n".join([f"{mark} {text.split(chr(10), 1)[0]}", *rest])
