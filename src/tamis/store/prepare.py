"""What is to be stored of a page, worked out before the database is asked for anything."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, get_args
from urllib.parse import urlsplit

from tamis.content import Document
from tamis.errors import InputError, TooLarge, UnknownName, check_argument
from tamis.page import Page
from tamis.pipeline import extract
from tamis.store.packs import LARGEST_PAGE
from tamis.store.page import Keep
from tamis.store.pieces import Cut, content_pieces, pieces
from tamis.store.sketches import sketch
from tamis.store.tables import DIGEST, MOST_PIECES
from tamis.store.times import day_number, microseconds
from tamis.store.words import Words, language_of

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


def prepared(
    url: str,
    html: str | bytes | Page | Document,
    fetched_at: datetime | None,
    keep: Keep,
    words: Words,
) -> Prepared:
    """Return what a page leaves in a store."""
    if keep not in get_args(Keep):
        raise UnknownName(f"no way to keep {keep!r}: take {' or '.join(get_args(Keep))}")
    site = site_of(url)
    moment = microseconds(fetched_at)
    document = html if isinstance(html, Document) else extract(html, url)
    cuts = pieces(document) if keep == "all" else content_pieces(document)
    check_room(cuts)
    hashes = [digest(cut.data) for cut in cuts]
    metadata = document.metadata
    language = language_of(document.text, metadata.language)
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
    document: Document, title: str | None, language: str | None, words: Words
) -> Content | None:
    """Return what a page says, or None if it says nothing."""
    body = words.line(document.text, language)
    if not body:
        return None
    head, data = words.line(title or "", language), body.encode()
    known_by = digest(head.encode() + b"\n" + data)
    return Content(known_by, digest(data), language, head, body, sketch(data))


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


def site_of(url: str) -> str:
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
