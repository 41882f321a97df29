"""What comes out of a store: pages, their versions and their pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from tamis.blocks import build_blocks
from tamis.content import Document
from tamis.errors import TooLarge
from tamis.page import Bools, Page, collapse_spaces, is_utf8, parse, scan_source
from tamis.store.database import damaged
from tamis.verdict import build_verdict

Keep = Literal["all", "content"]

# The first tag that has to do with a table, and what must be around it to be understood.
_OF_TABLE: Final = re.compile(rb"<(/?(?:table|caption|colgroup|col|t(?:head|body|foot|r|d|h)))\b")
_AROUND: Final = {
    b"table": b"",
    **dict.fromkeys((b"caption", b"colgroup", b"thead", b"tbody", b"tfoot", b"/table"), b"<table>"),
    **dict.fromkeys((b"tr", b"/thead", b"/tbody", b"/tfoot"), b"<table><tbody>"),
    **dict.fromkeys((b"td", b"th", b"/tr"), b"<table><tbody><tr>"),
    **dict.fromkeys((b"/td", b"/th"), b"<table><tbody><tr><td>"),
    **dict.fromkeys((b"col", b"/colgroup", b"/col"), b"<table><colgroup>"),
    b"/caption": b"<table><caption>",
}


@dataclass(frozen=True)
class Version:
    """One fetch of a page, as the store knows it."""

    url: str
    site: str
    fetched_at: datetime
    keep: Keep
    title: str | None
    author: str | None
    published: date | None
    language: str | None
    page_type: str | None
    raw_bytes: int  # of the page as it was given
    source_bytes: int  # of the page when it is normalised
    piece_ids: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what is known of the version as plain data."""
        return {
            "url": self.url,
            "site": self.site,
            "fetched_at": self.fetched_at.isoformat(),
            "keep": self.keep,
            "title": self.title,
            "author": self.author,
            "published": self.published.isoformat() if self.published else None,
            "language": self.language,
            "page_type": self.page_type,
            "raw_bytes": self.raw_bytes,
            "source_bytes": self.source_bytes,
            "pieces": len(self.piece_ids),
        }


@dataclass(frozen=True)
class Piece:
    """An informative block, or noise blocks that stand side by side, by its number.

    A page of which the content alone is kept has the tags between its blocks instead of noise.
    """

    id: int
    informative: bool
    data: bytes

    @property
    def html(self) -> str:
        """The piece's part of the page's source."""
        return self.data.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """What a reader sees of it, on one line."""
        return collapse_spaces(parse(in_table(self.data), charset="utf-8").text)


def in_table(html: bytes) -> bytes:
    """Return a part of a page in a table if it is a part of one, or its cells would be lost."""
    first = _OF_TABLE.search(html)
    return _AROUND[first[1].lower()] + html if first else html


@dataclass(frozen=True, eq=False)
class StoredPage:
    """A version of a page with its pieces."""

    version: Version
    pieces: tuple[Piece, ...]

    def __repr__(self) -> str:
        return f"<StoredPage {self.url} of {self.version.fetched_at:%Y-%m-%d %H:%M}>"

    @property
    def url(self) -> str:
        """The address."""
        return self.version.url

    @property
    def title(self) -> str | None:
        """The title, as it was when the page was stored."""
        return self.version.title

    @cached_property
    def source(self) -> bytes:
        """The pieces, joined: with keep="all" the page's normalised source, byte for byte."""
        return b"".join(piece.data for piece in self.pieces)

    @cached_property
    def document(self) -> Document:
        """The page with the verdict that was stored: text, Markdown and HTML come from this."""
        if self.version.keep == "all":
            page = self._page()
            return document_of(page, self._informative(page))
        page = parse(self.source, self.url, charset="utf-8")
        return document_of(page, np.ones(len(page), dtype=np.bool_))

    def _page(self) -> Page:
        """Return the page of a source that was kept whole; one that never was a page is noticed."""
        if not is_utf8(self.source):
            raise damaged(f"the page {self.url}")
        try:
            return scan_source(self.source, self.url)
        except TooLarge as error:
            raise damaged(f"the page {self.url}") from error

    def _informative(self, page: Page) -> Bools:
        """Return which rows of a page begin in an informative piece."""
        stops = np.cumsum([len(piece.data) for piece in self.pieces])
        inside = np.array([piece.informative for piece in self.pieces], dtype=np.bool_)
        return inside[np.searchsorted(stops, page.start, side="right")]

    @property
    def text(self) -> str:
        """The content as plain text."""
        return self.document.text


def document_of(page: Page, informative: Bools) -> Document:
    """Return a document that keeps some rows of a page: one block of them, one of the rest."""
    node = np.zeros(2, dtype=np.int32)
    stop = np.full(2, len(page))
    blocks = build_blocks(page, node, node, stop, np.array([-1, -1]), np.where(informative, 1, 0))
    score = np.array([0.0, 1.0])
    found = build_verdict(score, score > 0, np.zeros(2, np.int64), score, "as it was stored")
    return Document(page, blocks, found, "stored")


@dataclass(frozen=True)
class Difference:
    """What changed between two versions of a page."""

    before: Version
    after: Version
    removed: tuple[Piece, ...]
    added: tuple[Piece, ...]
    kept: int  # pieces that are in both
