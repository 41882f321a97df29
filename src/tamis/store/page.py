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
from tamis.store.columns import damaged
from tamis.verdict import build_verdict

Keep = Literal["all", "content"]

# The first tag that belongs to a table, and the tags that a parser needs before it.
_TABLE_TAG: Final = re.compile(rb"<(/?(?:table|caption|colgroup|col|t(?:head|body|foot|r|d|h)))\b")
_TABLE_CONTEXT: Final = {
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
    """One capture of a page."""

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
    source_bytes: int  # of its normalised source
    piece_ids: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the version as plain data."""
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
    """A part of a page's source: an informative block, or neighbouring noise blocks.

    A page with keep="content" has the tags between its informative blocks instead of noise.
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
        """The text that a reader sees, on one line."""
        return collapse_spaces(parse(_wrap_in_table(self.data), charset="utf-8").text)


def _wrap_in_table(html: bytes) -> bytes:
    """Return a part of a table inside a table: a parser would drop its cells without one."""
    match = _TABLE_TAG.search(html)
    return _TABLE_CONTEXT[match[1].lower()] + html if match else html


@dataclass(frozen=True, eq=False)
class StoredPage:
    """A version of a page with its pieces."""

    version: Version
    pieces: tuple[Piece, ...]

    def __repr__(self) -> str:
        return f"<StoredPage {self.url} of {self.version.fetched_at:%Y-%m-%d %H:%M}>"

    @property
    def url(self) -> str:
        """The URL."""
        return self.version.url

    @property
    def title(self) -> str | None:
        """The title that was extracted when the page was stored."""
        return self.version.title

    @cached_property
    def source(self) -> bytes:
        """The pieces, joined: with keep="all" the page's normalised source, byte for byte."""
        return b"".join(piece.data for piece in self.pieces)

    @cached_property
    def document(self) -> Document:
        """The page with the verdict that was stored, for text, Markdown and HTML."""
        if self.version.keep == "all":
            page = self._page()
            return build_document(page, self._informative(page))
        page = parse(self.source, self.url, charset="utf-8")
        return build_document(page, np.ones(len(page), dtype=np.bool_))

    def _page(self) -> Page:
        """Return the page of a complete source; StoreError if it cannot come from a page."""
        if not is_utf8(self.source):
            raise damaged(f"the page {self.url}")
        try:
            return scan_source(self.source, self.url)
        except TooLarge as error:
            raise damaged(f"the page {self.url}") from error

    def _informative(self, page: Page) -> Bools:
        """Return which rows of a page start in an informative piece."""
        stops = np.cumsum([len(piece.data) for piece in self.pieces])
        informative = np.array([piece.informative for piece in self.pieces], dtype=np.bool_)
        return informative[np.searchsorted(stops, page.start, side="right")]

    @property
    def text(self) -> str:
        """The content as plain text."""
        return self.document.text


def build_document(page: Page, informative: Bools) -> Document:
    """Return a document of two blocks: the informative rows of a page, and all others."""
    node = np.zeros(2, dtype=np.int32)
    stop = np.full(2, len(page))
    blocks = build_blocks(page, node, node, stop, np.array([-1, -1]), np.where(informative, 1, 0))
    score = np.array([0.0, 1.0])
    verdict = build_verdict(score, score > 0, np.zeros(2, np.int64), score, "as it was stored")
    return Document(page, blocks, verdict, "stored")


@dataclass(frozen=True)
class Difference:
    """What changed between two versions of a page."""

    before: Version
    after: Version
    removed: tuple[Piece, ...]
    added: tuple[Piece, ...]
    kept: int  # pieces that are in both
