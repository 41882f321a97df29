"""Status: whether a document has what its page says, and if not, why not."""

from __future__ import annotations

import re
from typing import Final, Literal

import numpy as np

from tamis.page import Ints, Page, tags

Status = Literal["good", "partial", "empty", "needs-javascript"]

# Below it an answer is called partial. On wcxb-dev, out of fold, that was one page in ten (two of
# three with an F1 below 0.7): half of all pages with an F1 below 0.5, 1 in 40 of those above 0.8.
MIN_CONFIDENCE: Final = 0.65
MAX_SHELL_TERMS: Final = (
    20  # terms that are kept of a shell at most: a name, a slogan, a cookie line
)
MAX_DOUBTFUL_TERMS: Final = 100  # terms that leave a doubt on a page with the marks of a shell
NOTICE: Final = 60  # terms of a page that is nothing but a request for JavaScript
HARDLY: Final = 10  # visible terms of a page that its scripts fill: "Loading, please wait"

# Where the frameworks put what they make: React, Vue, Angular, Next, Nuxt, Gatsby, Svelte, Quasar.
CONTAINERS: Final = frozenset(
    b"root app __next __nuxt __layout ___gatsby react-root reactroot app-root approot "
    b"app-container app-mount appmountpoint svelte q-app main-app application spa-root".split()
)
_JAVASCRIPT: Final = re.compile(
    r"java ?-?script|\bjs\b|джава ?скрипт|جافا ?سكر|ジャバスクリプト|자바 ?스크립트", re.IGNORECASE
)
_ASKING: Final = re.compile(
    "enabl|disabl|requir|need|turn|switch|allow|without|aktiv|activ|attiv|ativ|benötig|erforder|"
    "nécess|necesit|habilit|abilit|ingeschakeld|inschakel|włącz|povol|zapn|etkin|bật|включ|увімк|"
    "تفعيل|تمكين|启用|啟用|开启|開啟|有効|オン|활성|사용",
    re.IGNORECASE,
)
_IS_SCRIPT: Final = tags.tag_table(("script",))


def status(page: Page, kept: Ints, confidence: float | None = None) -> Status:
    """Return how far the kept text rows can be relied on.

    "needs-javascript": there is little text, and the page looks like a shell that scripts fill, so
    that rendering it will help. "empty": no text was kept. "partial": some may be missing or wrong,
    because the method is not sure, the page was cut (see `Page.truncated`), or little was kept of a
    page that scripts may add to. "good": none of these.
    """
    terms = int(page.terms[kept].sum())
    doubtful = terms <= MAX_DOUBTFUL_TERMS and is_shell(page)
    if doubtful and (terms <= MAX_SHELL_TERMS or asks_aloud(page)):
        return "needs-javascript"
    if not len(kept):
        return "empty"
    unsure = confidence is not None and confidence < MIN_CONFIDENCE
    return "partial" if unsure or page.truncated or doubtful else "good"


def is_shell(page: Page) -> bool:
    """Say whether a page has a mark of those that scripts fill."""
    bare = int(page.terms.sum()) <= HARDLY and bool(_IS_SCRIPT[page.tag].any())
    return bare or asks_aside(page) or asks_aloud(page) or has_empty_container(page)


def asks_aside(page: Page) -> bool:
    """Say whether the page asks for JavaScript in words that are for browsers without it."""
    rows = np.flatnonzero((page.tag == tags.TEXT) & ((page.flags & tags.NOSCRIPT) != 0)).tolist()
    texts = (page.text[page.text_start[row] : page.text_stop[row]] for row in rows)
    return _JAVASCRIPT.search(" ".join(texts)) is not None


def asks_aloud(page: Page) -> bool:
    """Say whether all that the page shows is a request for JavaScript."""
    if int(page.terms.sum()) > NOTICE:
        return False
    rows = np.flatnonzero(page.visible).tolist()
    said = " ".join(page.text[page.text_start[row] : page.text_stop[row]] for row in rows)
    return bool(_JAVASCRIPT.search(said) and _ASKING.search(said))


def has_empty_container(page: Page) -> bool:
    """Say whether there is an element without text that a framework fills, or makes itself."""
    never = tags.INVISIBLE | tags.NOSCRIPT | tags.SVG | tags.MATH
    empty = (page.below(page.terms) == 0) & ((page.flags & never) == 0)
    for row in np.flatnonzero(empty & (page.id_stop > page.id_start)).tolist():
        if page.source[page.id_start[row] : page.id_stop[row]].lower() in CONTAINERS:
            return True
    custom = np.flatnonzero(empty & (page.tag == tags.OTHER)).tolist()
    return any("-" in page.name(row) for row in custom)
