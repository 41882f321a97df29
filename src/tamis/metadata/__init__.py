"""What a page says about itself: title, author, date and more."""

from __future__ import annotations

from tamis.metadata.jsonld import as_list, entity_types
from tamis.metadata.markup import Markup
from tamis.metadata.metadata import Metadata, read_metadata

__all__ = [
    "Markup",
    "Metadata",
    "as_list",
    "entity_types",
    "read_metadata",
]
