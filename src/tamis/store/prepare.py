"""Document → pieces: the page's source, cut so that joining the pieces gives it back.

What is to be stored of a page, worked out before the database is asked for anything.
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
from tamis.store.kernel.cuts import find_owners, find_spans
from tamis.store.minhash import compute_minhash
from tamis.store.packs import LARGEST_PAGE
from tamis.store.page import Keep
from tamis.store.tables import DIGEST, MOST_PIECES
from tamis.store.times import day_number, microseconds
from tamis.store.tokenizer import Tokenizer, detect_language


class Cut(NamedTuple):
    """A piece of a page: an informative block, or several short or noise ones side by side.

    Where noise is not kept, the tags that were in it are a piece that is not informative.
    """

    data: bytes
    informative: bool


def cut_pieces(document: Document) -> list[Cut]:
    """Return the pieces of a page in order; together they are `page.source`."""
    source = document.page.source
    return [Cut(source[start:stop], flag) for start, stop, flag in spans(document)]


def cut_content_pieces(document: Document) -> list[Cut]:
    """Return the informative pieces of a page, and between them the tags from one to the next.

    These close and open the elements around the pieces, without attributes: a cell stays in its
    table, and an item in its list.
    """
    page = document.page
    found: list[Cut] = []
    last: list[int] = []
    for start, stop, informative in spans(document):
        if informative:
            around = open_elements(page, start)
            if tags_between := from_to(page, last, around):
                found.append(Cut(tags_between, informative=False))
            found.append(Cut(page.source[start:stop], informative=True))
            last = open_elements(page, stop)
    return found


def open_elements(page: Page, place: int) -> list[int]:
    """Return the elements that are open at a place of a page's source, the outermost first."""
    row = int(np.searchsorted(page.start, place)) - 1
    found: list[int] = []
    while row >= 0:
        if page.stop[row] > place and page.tag[row] != tags.TEXT:
            found.append(row)
        row = int(page.parent[row])
    return found[::-1]


def from_to(page: Page, before: list[int], after: list[int]) -> bytes:
    """Return the tags that close some open elements and open others."""
    shared = sum(takewhile(bool, map(eq, before, after)))
    closed = (f"</{page.name(row)}>" for row in reversed(before[shared:]))
    opened = (f"<{page.name(row)}>" for row in after[shared:])
    return "".join((*closed, *opened)).encode()


def spans(document: Document) -> list[tuple[int, int, bool]]:
    """Return where the pieces of a page start and stop, and whether they are informative.

    A run of bytes of an informative block is a piece, with the white space behind it, or all markup
    up to the next informative block if that is near; short ones that are near each other share a
    piece, or finding them again would take more room than they do. All else, noise and the markup
    between blocks, is cut behind noise blocks. Behind which ones of several, their own lengths
    decide, so that the same blocks are cut in the same places on every page.
    """
    starts, stops, informative = owned(document)
    found = np.empty((3, 2 * len(starts) + 2), np.int32)
    source = np.frombuffer(document.page.source, np.uint8)
    count = find_spans(source, starts, stops, informative.view(np.uint8), found)
    start, stop, flag = found[:, :count]
    return list(zip(start.tolist(), stop.tolist(), flag.astype(np.bool_).tolist(), strict=True))


def owned_spans(document: Document) -> Iterable[tuple[int, int, bool]]:
    """Return the runs of bytes that a block owns: start, stop, whether it is informative."""
    return zip(*(column.tolist() for column in owned(document)), strict=True)


def owned(document: Document) -> tuple[Ints, Ints, Bools]:
    """Return the runs of bytes that a block owns, as columns."""
    page = document.page
    places, blocks = np.empty((2, 2 * len(page)), np.int64)
    opened = np.empty(len(page), np.int32)
    owner = document.segments.owner
    count = find_owners(page.start, page.stop, page.parent, owner, opened, places, blocks)
    starts, blocks = places[:count], blocks[:count]
    stops = np.append(starts[1:], len(page.source))
    is_owned = blocks >= 0
    informative = document.verdict.informative[blocks[is_owned]]
    return starts[is_owned], stops[is_owned], informative


_BLANK: Final = hashlib.blake2b(digest_size=DIGEST)
LONGEST_URL: Final = 64 * 1024
_NEVER: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class Prepared:
    """All that a page leaves in a store."""

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
    cuts: Sequence[Cut]
    hashes: Sequence[bytes]
    content: Content | None


@dataclass(frozen=True)
class Content:
    """What a page says, as words with spaces between them: its title, and informative blocks.

    `digest` is of both, as both are searched for; `said` is of the blocks, which copies have in
    common.
    """

    digest: bytes
    said: bytes
    language: str | None
    title: str
    body: str
    sketch: bytes | None

    @property
    def words(self) -> int:
        """How many words the body has."""
        return self.body.count(" ") + 1


def prepare_page(
    url: str,
    html: str | bytes | Page | Document,
    fetched_at: datetime | None,
    keep: Keep,
    words: Tokenizer,
) -> Prepared:
    """Return what a page leaves in a store."""
    if keep not in get_args(Keep):
        raise UnknownName(f"no way to keep {keep!r}: take {' or '.join(get_args(Keep))}")
    site = url_site(url)
    moment = microseconds(fetched_at)
    document = html if isinstance(html, Document) else extract(html, url)
    cuts = cut_pieces(document) if keep == "all" else cut_content_pieces(document)
    check_room(cuts)
    hashes = [digest(cut.data) for cut in cuts]
    metadata = document.metadata
    language = detect_language(document.text, metadata.language)
    return Prepared(
        url=url,
        site=site,
        fetched_at=moment,
        keep=keep,
        title=metadata.title,
        author=metadata.author,
        published=day_number(metadata.date),
        language=language,
        page_type=document.page_type,
        raw_bytes=raw_size(html),
        source_bytes=len(document.page.source),
        digest=digest(b"".join(hashes)),
        cuts=cuts,
        hashes=hashes,
        content=content_of(document, metadata.title, language, words),
    )


def check_room(cuts: Sequence[Cut]) -> None:
    """Raise TooLarge for a page that a store does not take, as it would not give it back."""
    size = sum(len(cut.data) for cut in cuts)
    if size > LARGEST_PAGE or len(cuts) > MOST_PIECES:
        raise TooLarge(
            f"the page has {size:,} bytes in {len(cuts):,} pieces, a store takes {LARGEST_PAGE:,} "
            f"in {MOST_PIECES:,}: store it in parts, under addresses of their own"
        )


def content_of(
    document: Document, title: str | None, language: str | None, words: Tokenizer
) -> Content | None:
    """Return what a page says, or None if it says nothing."""
    body = words.line(document.text, language)
    if not body:
        return None
    head, data = words.line(title or "", language), body.encode()
    known_by = digest(head.encode() + b"\n" + data)
    return Content(known_by, digest(data), language, head, body, compute_minhash(data))


def digest(data: bytes) -> bytes:
    """Return what data is known by."""
    made = _BLANK.copy()  # a third faster than a new one
    made.update(data)
    return made.digest()


def raw_size(html: str | bytes | Page | Document) -> int:
    """Return the size of a page as it was given; once it is parsed, of its normalised source."""
    if isinstance(html, Document):
        return len(html.page.source)
    if isinstance(html, Page):
        return len(html.source)
    return len(html.encode("utf-8", "replace")) if isinstance(html, str) else len(html)


def url_site(url: str) -> str:
    """Return the host of an address, without a leading www; raises InputError for no address."""
    if not isinstance(url, str) or not url.strip():
        raise InputError(f"{url!r} is no address: give the URL that the page is stored under")
    if len(url) > LONGEST_URL:
        raise InputError(f"an address of {len(url):,} characters is too long to be one")
    if _NEVER.search(url):
        raise InputError(f"the address {url!r} has characters that no address has")
    try:
        host = urlsplit(url).hostname or ""
    except ValueError as error:
        raise InputError(f"{url!r} is no address ({error}): check it") from error
    return host_name(host)


def host_name(site: str) -> str:
    """Return a site by the name that a store has for it."""
    return site.lower().removeprefix("www.")


def page_key(url: str) -> bytes:
    """Return what a page is found by in its table."""
    check_argument("url", url, str, "the address of a page as str")
    return digest(url.encode("utf-8", "surrogatepass"))  # what no page has is not found
