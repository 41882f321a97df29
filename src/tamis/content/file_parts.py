"""What a file has beside the content: front matter, the title as a heading, comments."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from tamis.content._render import Block, escape_text
from tamis.content.markdown_blocks import join_blocks
from tamis.metadata import Metadata
from tamis.page import collapse_spaces

_PLAIN_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# YAML does not allow these characters in a string, JSON does.
_YAML_ESCAPES: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_FIRST_LINES: Final = 5  # of the content, among which the title may be
_MAX_DEPTH: Final = 10  # of comments: deeper ones are on the last level
_PARAGRAPHS: Final = re.compile(r"\n\s*\n")


class CommentLike(Protocol):
    """What a comment must have to be rendered."""

    @property
    def author(self) -> str | None:
        """The name of who wrote it."""

    @property
    def date(self) -> str | None:
        """When it was written."""

    @property
    def text(self) -> str:
        """What it says, paragraphs with blank lines between them."""

    @property
    def depth(self) -> int:
        """How many comments it answers, one to another; 0 for one about the page."""


def render_front_matter(metadata: Metadata, url: str | None) -> str:
    """Return title, URL, date, author and language of a page as YAML between two lines of ---."""
    values = {
        "title": metadata.title,
        "url": url or metadata.url,
        "date": metadata.date,
        "author": metadata.author,
        "language": metadata.language,
    }
    lines = [f"{name}: {_yaml_value(value)}\n" for name, value in values.items() if value]
    return f"---\n{''.join(lines)}---\n\n"


def _yaml_value(value: str) -> str:
    """Return a text as YAML: a date as it is, anything else in double quotes."""
    if _PLAIN_DATE.fullmatch(value):
        return value
    # A JSON string is a YAML string, but for characters that YAML does not allow in it.
    return _YAML_ESCAPES.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False)
    )


def begins_with_title(text: str, title: str) -> bool:
    """Return whether one of the first lines of a content is its title, but for punctuation."""
    key = _title_key(title)
    lines = [line for line in text[:4000].split("\n") if line.strip()]
    return any(_title_key(line) == key for line in lines[:_FIRST_LINES])


def _title_key(text: str) -> str:
    """Return the letters and digits of a text in one case."""
    normalised = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in normalised if char.isalnum())


def render_title(title: str) -> str:
    """Return a title as the first heading of Markdown."""
    return join_blocks([Block("heading", escape_text(collapse_spaces(title)), number=1)])


def render_comments(comments: Iterable[CommentLike]) -> str:
    """Return comments as Markdown: who and when, and the text; answers are quoted below.

    It is empty if there are none.
    """
    blocks: list[Block] = []
    for comment in comments:
        head = ", ".join(
            filter(
                None,
                (
                    f"**{escape_text(collapse_spaces(comment.author))}**" if comment.author else "",
                    escape_text(collapse_spaces(comment.date or "")),
                ),
            )
        )
        inner = [Block("paragraph", head)] if head else []
        inner += [Block("paragraph", escape_text(text)) for text in _paragraphs(comment.text)]
        for _ in range(min(comment.depth, _MAX_DEPTH)):
            inner = [Block("quote", blocks=tuple(inner))]
        blocks += inner
    return join_blocks([Block("heading", "Comments", number=2), *blocks]) if blocks else ""


def render_comments_as_text(comments: Iterable[CommentLike]) -> str:
    """Return comments as plain text, answers indented."""
    parts: list[str] = []
    for comment in comments:
        head = ", ".join(filter(None, (comment.author, comment.date)))
        margin = "  " * min(comment.depth, _MAX_DEPTH)
        lines = "\n\n".join(filter(None, (head, *_paragraphs(comment.text)))).split("\n")
        parts.append("\n".join(f"{margin}{line}" if line else "" for line in lines))
    return "\n\n".join(parts)


def _paragraphs(text: str) -> Sequence[str]:
    """Return the paragraphs of a text."""
    return [part.strip() for part in _PARAGRAPHS.split(text) if part.strip()]
