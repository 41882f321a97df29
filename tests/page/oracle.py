"""Slow and simple: the rows of a page, by a walk over lexbor's nodes in plain Python."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

INVISIBLE: Final = frozenset(
    "head title style script template noframes noembed iframe video audio canvas datalist desc "
    "annotation annotation-xml rp selectedcontent object applet".split()
)
PREFORMATTED: Final = frozenset("pre textarea listing xmp plaintext".split())
RAW: Final = frozenset("script style xmp iframe noembed noframes plaintext".split())
# The scripts that are written without spaces between words.
SINGLE: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003347f"
)
TERM: Final = re.compile(rf"(?=\w)[{SINGLE}]|(?:(?![{SINGLE}])\w)+")


@dataclass(frozen=True)
class Row:
    """What a row of the page must say."""

    name: str
    parent: int
    text: str = ""


def parsed(html: bytes) -> Any:
    """Return lexbor's tree of HTML."""
    return LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)


def children(node: Any) -> Iterator[Any]:
    """Yield the nodes in a node; a template's are in a fragment of their own."""
    child = node.first_child
    if child is None and node.tag == "template":
        fragments = node.template_fragments()
        child = fragments[0].first_child if fragments else None
    while child is not None:
        yield child
        child = child.next


def rows(html: bytes) -> list[Row]:
    """Return the rows of a page in document order."""
    page_rows: list[Row] = []
    root = parsed(html).root
    if root is not None:
        _visit(root, -1, False, False, page_rows)
    return page_rows


def _visit(node: Any, parent: int, unseen: bool, verbatim: bool, page_rows: list[Row]) -> None:
    if node.is_text_node:
        text = shown(node.text_content or "", verbatim)
        if text and not unseen:
            page_rows.append(Row("#text", parent, text))
    elif node.is_element_node:
        number = len(page_rows)
        page_rows.append(Row(node.tag, parent))
        revealed = node.tag == "template" and "shadowrootmode" in node.attributes
        unseen = unseen or (node.tag in INVISIBLE and not revealed)
        verbatim = verbatim or node.tag in PREFORMATTED
        for child in children(node):
            _visit(child, number, unseen, verbatim, page_rows)


def shown(text: str, verbatim: bool) -> str:
    """Return text as a reader sees it: without what is invisible, white space folded."""
    seen = "".join(char for char in text if char.isspace() or not invisible(char))
    if verbatim:
        return re.sub(r"[^\S\t\n]", " ", seen).strip()
    return " ".join(seen.split())


def invisible(char: str) -> bool:
    """Say whether a character is a control or an invisible joiner."""
    return unicodedata.category(char) == "Cc" or char in "\u00ad\u200b\u2060\ufeff"


def outline(html: bytes) -> list[tuple[Any, ...]]:
    """Return all that is in lexbor's tree but for the text of scripts and style sheets."""
    nodes: list[tuple[Any, ...]] = []
    root = parsed(html).root
    stack = [] if root is None else [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if node.is_element_node:
            nodes.append((depth, node.tag, tuple(node.attributes.items())))
            json = "ld+json" in (node.attributes.get("type") or "")
            if json or node.tag not in ("script", "style"):
                stack.extend((child, depth + 1) for child in reversed(list(children(node))))
        else:
            nodes.append((depth, node.tag, node.text_content or node.comment_content))
    return nodes
