"""What a page says about itself: title, author, date and more."""

from __future__ import annotations

from tamis.metadata.metadata import Metadata, page_metadata

__all__ = ["Metadata", "page_metadata"]
