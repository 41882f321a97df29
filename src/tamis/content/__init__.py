"""Documents: text, Markdown, HTML and JSON of what a page says."""

from tamis.content.document import Document, json
from tamis.content.images import between_texts
from tamis.content.markdown_tables import Cell, filled_grid
from tamis.content.selection import Selection
from tamis.content.status import FEW, LEAST_CONFIDENCE, SMALL, is_shell

__all__ = [
    "FEW",
    "LEAST_CONFIDENCE",
    "SMALL",
    "Cell",
    "Document",
    "Selection",
    "between_texts",
    "filled_grid",
    "is_shell",
    "json",
]
