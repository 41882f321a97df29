"""Names: what the attributes of elements say about the parts of messages.

These are classes, ids and properties, and for authors the URLs of links.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np

from tamis.page import Page, tags
from tamis.records._align import find_tags_with, read_values
from tamis.records.signatures import Int64s

_MAX_TAG_BYTES: Final = 600
_DIGITS: Final = b"0123456789"
_BREAK: Final = b"\0"  # between names of different elements: pages have no such character
_SIGNATURE_LETTERS: Final = b"sig"
_A: Final = tags.CODE["a"]
_HEADING: Final = tags.tag_table((*tags.HEADINGS, "b", "strong", "cite", "dt", "th"))
IS_CONTROL: Final = tags.tag_table(("button", "select", "textarea", "option", "form"))
BLOCKQUOTE: Final = tags.CODE["blockquote"]

NameKind = Literal[
    "author", "no author", "date", "no date", "body", "quote", "signature", "note", "inner"
]

_INNER_KINDS: Final[tuple[NameKind, ...]] = ("quote", "note")  # together "inner"
_NAMES: Final = tuple(
    b'%s="' % name for name in b"class id itemprop rel name data-author property".split()
)
# Names are in lower case: patterns for any case take several times as long.
_PATTERNS: Final[dict[NameKind, re.Pattern[bytes]]] = {
    "author": re.compile(
        rb"author|user|member(?!ship)|poster|nick|creator|byline|commenter|vcard|\bfn\b|\bfrom\b"
        rb"|by\b|\bname\b|person|profile|screen"
    ),
    "no author": re.compile(
        rb"date|time|count|title|rank|badge|role|group|sign?ature|button|btn|repl(?:y|ies)|quot"
        rb"|share|location|stat\b|stats|karma|reputation|points|level|subject|permalink|mention|posts"
        rb"|online|status"
    ),
    "date": re.compile(rb"date|time|posted|publish|created|stamp|when|permalink|ago"),
    "no date": re.compile(rb"edit|modif|updat|join|regist|member|profile|user|quot|sig"),
    "body": re.compile(
        rb"(?:^|\s)(?:(?:post|comment|message|msg|entry|answer|reply|js)[-_]?)?"
        rb"(?:content|body|text|prose|articlebody|message)(?:\s|$)"
    ),
    "quote": re.compile(rb"quot(?!able)|zitat|citation|citat"),
    "signature": re.compile(rb"\bsig(?:s|nature|nat)?(?![a-z])|signature|postsig|user_?sig"),
    "note": re.compile(
        rb"edit(?:ed|by|info|date|note|box|ing)?(?![a-z])|last-?edit|moderat|\bnotice|react"
        rb"|likes?\b|toolbar|buttons?\b|controls|share|social|\bads?\b|advert|sponsor|vote|hidden"
    ),
}
_PATTERNS["inner"] = re.compile(
    b"|".join(b"(?:%s)" % _PATTERNS[kind].pattern for kind in _INNER_KINDS)
)
_HREF: Final = b' href="'
# URLs are in lower case as well.
PROFILE_URL: Final = re.compile(
    rb"profile|member|user|/u/|author|people|account|personal|/~|uid[=-]|[?&;]u=|\bu=\d|nation="
)
NO_PROFILE_URL: Final = re.compile(rb"logi?n|register|report|quote|reply|search|message|#")


class AuthorSigns(NamedTuple):
    """What an element says for and against a text in it being an author: numbers to add up."""

    near: tuple[float, ...]  # to the text: its parent, or the parent of that
    far: tuple[float, ...]
    near_sum: float
    far_sum: float


@dataclass(frozen=True, eq=False)
class Names:
    """The names in the attributes of a page's elements, each looked at once."""

    page: Page

    @cached_property
    def _matches(self) -> dict[NameKind, dict[bytes, bool]]:
        """Which names are those of each kind, as far as it was asked for."""
        return {kind: {b"": False} for kind in _PATTERNS}

    @cached_property
    def _names_of_rows(self) -> dict[int, bytes]:
        return {}

    @cached_property
    def _author_signs(self) -> dict[int, AuthorSigns]:
        return {}

    @cached_property
    def _author_signs_of_names(self) -> dict[tuple[bytes, int], AuthorSigns]:
        return {}

    @cached_property
    def inner_candidates(self) -> Int64s:
        """The elements that may be quotes, signatures or notes: controls, and those with names."""
        page = self.page
        is_named = (page.class_stop > page.class_start) | (page.id_stop > page.id_start)
        is_candidate = is_named | (page.tag == BLOCKQUOTE) | IS_CONTROL[page.tag]
        return np.flatnonzero(is_candidate & (page.tag != tags.TEXT))

    @cached_property
    def signature_candidates(self) -> Int64s:
        """Those of them whose start tag has letters that all names of signatures have.

        Few elements of a page have them, which are found much faster than names are read.
        """
        page = self.page
        return find_tags_with(
            page.source, page.start, page.head, self.inner_candidates, _SIGNATURE_LETTERS
        )

    def match(self, kind: NameKind, row: int) -> bool:
        """Say whether an element is named for a part of a message; digits do not matter."""
        names = self._names_of_rows.get(row)
        if names is None:
            names = self.read([row])[0]
        matches = self._matches[kind]
        is_match = matches.get(names)
        if is_match is None:
            is_match = matches[names] = bool(_PATTERNS[kind].search(names))
        return is_match

    def read(self, rows: Sequence[int]) -> list[bytes]:
        """Return the names in the attributes of elements, without digits, and remember them."""
        page = self.page
        values = read_values(page.source, page.start, page.head, rows, _MAX_TAG_BYTES, _NAMES)
        names = _BREAK.join(values).lower().translate(None, _DIGITS).split(_BREAK)
        self._names_of_rows.update(zip(rows, names, strict=False))  # without rows there is one name
        return names

    def classify_inner(self, rows: Sequence[int]) -> dict[int, NameKind]:
        """Return which of some elements in the texts of messages are quotes, and which notes."""
        inner: dict[int, NameKind] = {}
        for row, names in zip(rows, self.read(rows), strict=False):
            code = self.page.tag.item(row)
            if IS_CONTROL.item(code):
                inner[row] = "note"
            elif code == BLOCKQUOTE:
                inner[row] = "quote"
            elif names and self.match("inner", row):
                inner[row] = next(kind for kind in _INNER_KINDS if self.match(kind, row))
        return inner

    def author_signs(self, row: int) -> AuthorSigns:
        """Return what an element says about the author of a message, by its names and its link."""
        signs = self._author_signs.get(row)
        return self.read_author_signs([row])[0] if signs is None else signs

    def read_author_signs(self, rows: Sequence[int]) -> list[AuthorSigns]:
        """Return what elements say about authors, all of them read at once."""
        by_names, tag = self._author_signs_of_names, self.page.tag
        for row, names in zip(rows, self.read(rows), strict=False):
            code = tag.item(row)
            key = (names, code)
            signs = by_names.get(key)
            if signs is None:
                signs = by_names[key] = self._classify_author(row, code)
            self._author_signs[row] = self._add_link(signs, row) if code == _A else signs
        return [self._author_signs[row] for row in rows]

    def _classify_author(self, row: int, tag: int) -> AuthorSigns:
        """Return what an element with names and a tag says about authors."""
        near, far = [], []
        if self.match("author", row):
            near.append(1.0)
            far.append(0.5)
        if self.match("no author", row):
            near.append(-0.8)
        if _HEADING[tag]:
            near.append(0.2)
        return AuthorSigns(tuple(near), tuple(far), sum(near), sum(far))

    def _add_link(self, signs: AuthorSigns, row: int) -> AuthorSigns:
        """Return signs with what the URL of a link says."""
        url = self.link(row)
        if url is None:
            return signs
        values: tuple[float, ...] = (-0.7,) if NO_PROFILE_URL.search(url) else ()
        if PROFILE_URL.search(url):
            values += (1.5,)
        if not values:
            return signs
        total = sum(values)
        return AuthorSigns(
            signs.near + values, signs.far + values, signs.near_sum + total, signs.far_sum + total
        )

    def link(self, row: int) -> bytes | None:
        """Return the URL of a link in lower case, as it is written."""
        source, head = self.page.source, self.page.head.item(row)
        start = source.find(_HREF, self.page.start.item(row), head) + len(_HREF)
        return (
            source[start : source.find(b'"', start, head)].lower() if start >= len(_HREF) else None
        )
