"""tamis cuts web pages into blocks and tells the informative ones from the noise."""

from tamis.blocks import SEGMENTERS
from tamis.content import Document
from tamis.errors import TamisError
from tamis.page import Page, parse
from tamis.pipeline import METHODS, Method, extract, segment
from tamis.verdict import IDENTIFIERS

__all__ = [
    "IDENTIFIERS",
    "METHODS",
    "SEGMENTERS",
    "Document",
    "Method",
    "Page",
    "TamisError",
    "extract",
    "parse",
    "segment",
]
