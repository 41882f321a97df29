"""What a page says about itself: title, author, date and more."""

from tamis.content.metadata.metadata import Metadata, page_metadata

__all__ = ["Metadata", "page_metadata"]
