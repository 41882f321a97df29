"""Names: what the classes, ids and properties of elements say about the parts of messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from tamis.page import Page, tags
from tamis.records._align import find_tags_with, read_values
from tamis.records.signatures import Int64s

_MAX_TAG_BYTES: Final = 600
_SIGNATURE_LETTERS: Final = b"sig"
IS_CONTROL: Final = tags.tag_table(("button", "select", "textarea", "option", "form"))
BLOCKQUOTE: Final = tags.CODE["blockquote"]

NameKind = Literal[
    "author", "no author", "date", "no date", "body", "quote", "signature", "note", "inner"
]

_INNER_KINDS: Final[tuple[NameKind, ...]] = ("quote", "note")  # together "inner"
_NAMES: Final = tuple(
    b'%s="' % name for name in b"class id itemprop rel name data-author property".split()
)
_PATTERNS: Final[dict[NameKind, re.Pattern[bytes]]] = {
    "author": re.compile(
        rb"(?i)author|user|member(?!ship)|poster|nick|creator|byline|commenter|vcard|\bfn\b|\bfrom\b"
        rb"|by\b|\bname\b|person|profile|screen"
    ),
    "no author": re.compile(
        rb"(?i)date|time|count|title|rank|badge|role|group|sign?ature|button|btn|repl(?:y|ies)|quot"
        rb"|share|location|stat\b|stats|karma|reputation|points|level|subject|permalink|mention|posts"
        rb"|online|status"
    ),
    "date": re.compile(rb"(?i)date|time|posted|publish|created|stamp|when|permalink|ago"),
    "no date": re.compile(rb"(?i)edit|modif|updat|join|regist|member|profile|user|quot|sig"),
    "body": re.compile(
        rb"(?i)(?:^|\s)(?:(?:post|comment|message|msg|entry|answer|reply|js)[-_]?)?"
        rb"(?:content|body|text|prose|articlebody|message)(?:\s|$)"
    ),
    "quote": re.compile(rb"(?i)quot(?!able)|zitat|citation|citat"),
    "signature": re.compile(rb"(?i)\bsig(?:s|nature|nat)?(?![a-z])|signature|postsig|user_?sig"),
    "note": re.compile(
        rb"(?i)edit(?:ed|by|info|date|note|box|ing)?(?![a-z])|last-?edit|moderat|\bnotice|react"
        rb"|likes?\b|toolbar|buttons?\b|controls|share|social|\bads?\b|advert|sponsor|vote|hidden"
    ),
}
_PATTERNS["inner"] = re.compile(
    b"|".join(b"(?:%s)" % _PATTERNS[kind].pattern.removeprefix(b"(?i)") for kind in _INNER_KINDS),
    re.I,
)


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
        names = read_values(page.source, page.start, page.head, rows, _MAX_TAG_BYTES, _NAMES)
        self._names_of_rows.update(zip(rows, names, strict=True))
        return names
