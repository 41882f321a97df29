"""Documents: text, Markdown, HTML and JSON of what a page says."""

from tamis.content.document import Document

__all__ = ["Document"]
