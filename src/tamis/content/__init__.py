"""Documents: text, Markdown, HTML and plain data of the informative part of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.content.document import Document, build_json
from tamis.content.formulas import render_formula
from tamis.content.images import is_between_texts
from tamis.content.links import LinkResolver
from tamis.content.selection import Selection
from tamis.content.status import MAX_DOUBTFUL_TERMS, MAX_SHELL_TERMS, MIN_CONFIDENCE, is_shell
from tamis.content.tokens import MAX_TOKENS, Tokenizer, count_tokens
from tamis.lazy import defer_imports

if TYPE_CHECKING:
    from tamis.content.chunks import Chunk
    from tamis.content.file_parts import render_comments, render_comments_as_text
    from tamis.content.markdown_blocks import Cell, fill_grid
    from tamis.content.posts import Comment, Post, arrow_type

__all__ = [
    "MAX_DOUBTFUL_TERMS",
    "MAX_SHELL_TERMS",
    "MAX_TOKENS",
    "MIN_CONFIDENCE",
    "Cell",
    "Chunk",
    "Comment",
    "Document",
    "LinkResolver",
    "Post",
    "Selection",
    "Tokenizer",
    "arrow_type",
    "build_json",
    "count_tokens",
    "fill_grid",
    "is_between_texts",
    "is_shell",
    "render_comments",
    "render_comments_as_text",
    "render_formula",
]

_DEFERRED = {
    "chunks": "Chunk",
    "file_parts": "render_comments render_comments_as_text",
    "markdown_blocks": "Cell fill_grid",
    "posts": "Comment Post arrow_type",
}
__getattr__ = defer_imports(__name__, _DEFERRED)
