"""A page → everything that a store keeps of it, computed before the database is touched.

The source of a page is cut into pieces, and joining the pieces gives it back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from operator import eq
from typing import Final, NamedTuple, get_args
from urllib.parse import urlsplit

import numpy as np

from tamis.content import Document
from tamis.errors import InputError, TooLarge, UnknownName, check_argument
from tamis.page import Bools, Ints, Page, tags
from tamis.pipeline import extract
from tamis.store._text import find_owners, find_spans
from tamis.store.columns import DIGEST_SIZE, MAX_PIECES, encode_day, encode_time
from tamis.store.minhash import compute_minhash
from tamis.store.packs import MAX_PAGE_BYTES
from tamis.store.page import Keep
from tamis.store.tokenizer import Tokenizer, detect_language

_MAX_URL_CHARS: Final = 64 * 1024
_NOT_IN_URLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_EMPTY_HASH: Final = hashlib.blake2b(digest_size=DIGEST_SIZE)


class SourcePiece(NamedTuple):
    """A piece of a page: an informative block, or several short or noise ones side by side.

    Where noise is not kept, the tags between informative blocks are a piece that is not
    informative.
    """

    data: bytes
    informative: bool


@dataclass(frozen=True)
class PreparedPage:
    """Everything that a store keeps of a page."""

    url: str
    site: str
    fetched_at: int
    keep: Keep
    title: str | None
    author: str | None
    published: int | None
    language: str | None
    page_type: str | None
    raw_bytes: int
    source_bytes: int
    digest: bytes
    pieces: Sequence[SourcePiece]
    hashes: Sequence[bytes]
    content: Content | None


@dataclass(frozen=True)
class Content:
    """The text of a page as tokens with spaces between them: its title and informative blocks.

    `digest` is of both, because both are searched; `text_digest` is of the blocks alone, which
    copies have in common.
    """

    digest: bytes
    text_digest: bytes
    language: str | None
    title: str
    body: str
    minhash: bytes | None

    def count_words(self) -> int:
        """Return how many tokens the body has."""
        return self.body.count(" ") + 1


def prepare_page(
    url: str,
    html: str | bytes | Page | Document,
    fetched_at: datetime | None,
    keep: Keep,
    tokenizer: Tokenizer,
) -> PreparedPage:
    """Return everything that a store keeps of a page."""
    if keep not in get_args(Keep):
        raise UnknownName(f"no way to keep {keep!r}: take {' or '.join(get_args(Keep))}")
    site = url_site(url)
    time = encode_time(fetched_at)
    document = html if isinstance(html, Document) else extract(html, url)
    pieces = cut_pieces(document) if keep == "all" else _cut_content_pieces(document)
    _check_size(pieces)
    hashes = [compute_digest(piece.data) for piece in pieces]
    metadata = document.metadata
    language = detect_language(document.text, metadata.language)
    return PreparedPage(
        url=url,
        site=site,
        fetched_at=time,
        keep=keep,
        title=metadata.title,
        author=metadata.author,
        published=encode_day(metadata.date),
        language=language,
        page_type=document.page_type,
        raw_bytes=_raw_size(html),
        source_bytes=len(document.page.source),
        digest=compute_digest(b"".join(hashes)),
        pieces=pieces,
        hashes=hashes,
        content=build_content(document, metadata.title, language, tokenizer),
    )


def build_content(
    document: Document, title: str | None, language: str | None, tokenizer: Tokenizer
) -> Content | None:
    """Return the text of a page as tokens, or None if it has no text."""
    body = tokenizer.token_line(document.text, language)
    if not body:
        return None
    title_line, line = tokenizer.token_line(title or "", language), body.encode()
    digest = compute_digest(title_line.encode() + b"\n" + line)
    minhash = compute_minhash(line)
    return Content(digest, compute_digest(line), language, title_line, body, minhash)


def compute_digest(data: bytes) -> bytes:
    """Return the hash that data is stored under."""
    hasher = _EMPTY_HASH.copy()  # a third faster than a new one
    hasher.update(data)
    return hasher.digest()


def page_key(url: str) -> bytes:
    """Return what a page is looked up by."""
    check_argument("url", url, str, "the URL of a page as str")
    return compute_digest(url.encode("utf-8", "surrogatepass"))  # such a URL is just not there


def url_site(url: str) -> str:
    """Return the host of a URL, without a leading www; InputError if it is no URL."""
    if not isinstance(url, str) or not url.strip():
        raise InputError(f"{url!r} is no URL: give the URL that the page is stored under")
    if len(url) > _MAX_URL_CHARS:
        raise InputError(f"a URL of {len(url):,} characters is too long to be one")
    if _NOT_IN_URLS.search(url):
        raise InputError(f"the URL {url!r} has characters that no URL has")
    try:
        host = urlsplit(url).hostname or ""
    except ValueError as error:
        raise InputError(f"{url!r} is no URL ({error}): check it") from error
    return site_name(host)


def site_name(host: str) -> str:
    """Return the name of a site in a store."""
    return host.lower().removeprefix("www.")


def _raw_size(html: str | bytes | Page | Document) -> int:
    """Return the size of a page as it was given; of a parsed page, that of its source."""
    if isinstance(html, Document):
        return len(html.page.source)
    if isinstance(html, Page):
        return len(html.source)
    return len(html.encode("utf-8", "replace")) if isinstance(html, str) else len(html)


def _check_size(pieces: Sequence[SourcePiece]) -> None:
    """Raise TooLarge for a page that a store would refuse to read again."""
    size = sum(len(piece.data) for piece in pieces)
    if size > MAX_PAGE_BYTES or len(pieces) > MAX_PIECES:
        raise TooLarge(
            f"the page has {size:,} bytes in {len(pieces):,} pieces, a store takes "
            f"{MAX_PAGE_BYTES:,} in {MAX_PIECES:,}: store it in parts, under URLs of their own"
        )


# Pieces -----------------------------------------------------------------------------------------


def cut_pieces(document: Document) -> list[SourcePiece]:
    """Return the pieces of a page in order; together they are `page.source`."""
    source = document.page.source
    return [
        SourcePiece(source[start:stop], informative)
        for start, stop, informative in piece_spans(document)
    ]


def _cut_content_pieces(document: Document) -> list[SourcePiece]:
    """Return the informative pieces of a page, and the tags between each two of them.

    These tags close and open the elements around the pieces, without attributes: a cell stays in
    its table, and an item in its list.
    """
    page = document.page
    pieces: list[SourcePiece] = []
    before: list[int] = []
    for start, stop, informative in piece_spans(document):
        if informative:
            if tags_between := _tags_between(page, before, _open_elements(page, start)):
                pieces.append(SourcePiece(tags_between, informative=False))
            pieces.append(SourcePiece(page.source[start:stop], informative=True))
            before = _open_elements(page, stop)
    return pieces


def _open_elements(page: Page, offset: int) -> list[int]:
    """Return the elements that are open at an offset in a page's source, the outermost first."""
    row = int(np.searchsorted(page.start, offset)) - 1
    elements: list[int] = []
    while row >= 0:
        if page.stop[row] > offset and page.tag[row] != tags.TEXT:
            elements.append(row)
        row = int(page.parent[row])
    return elements[::-1]


def _tags_between(page: Page, before: list[int], after: list[int]) -> bytes:
    """Return the tags that lead from one list of open elements to another."""
    shared = sum(takewhile(bool, map(eq, before, after)))
    end_tags = (f"</{page.name(row)}>" for row in reversed(before[shared:]))
    start_tags = (f"<{page.name(row)}>" for row in after[shared:])
    return "".join((*end_tags, *start_tags)).encode()


def piece_spans(document: Document) -> list[tuple[int, int, bool]]:
    """Return where the pieces of a page start and stop, and whether they are informative.

    A run of bytes of an informative block is a piece, with the white space after it, or all markup
    up to the next informative block if that is near. Short ones that are near each other share a
    piece, or the rows to look them up would take more bytes than they do. All else, noise and the
    markup between blocks, is cut after noise blocks. Their lengths decide after which ones, so
    that the same blocks are cut at the same points on every page.
    """
    starts, stops, informative = _owned_runs(document)
    start, stop, flag = find_spans(document.page.source, starts, stops, informative)
    return list(zip(start.tolist(), stop.tolist(), flag.astype(np.bool_).tolist(), strict=True))


def owned_spans(document: Document) -> Iterable[tuple[int, int, bool]]:
    """Return the runs of bytes that a block owns: start, stop, whether it is informative."""
    return zip(*(column.tolist() for column in _owned_runs(document)), strict=True)


def _owned_runs(document: Document) -> tuple[Ints, Ints, Bools]:
    """Return the runs of bytes that a block owns, as columns."""
    page = document.page
    starts, blocks = find_owners(page.start, page.stop, page.parent, document.segments.owner)
    stops = np.append(starts[1:], len(page.source))
    is_owned = blocks >= 0
    informative = document.verdict.informative[blocks[is_owned]]
    return starts[is_owned], stops[is_owned], informative
