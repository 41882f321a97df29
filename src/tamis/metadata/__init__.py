"""Metadata: what a page states about itself, such as title, authors, date and language."""

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
