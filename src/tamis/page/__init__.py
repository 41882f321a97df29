"""Page: the parsed document as columns."""

from tamis.page.page import Page
from tamis.page.parse import parse

__all__ = ["Page", "parse"]
