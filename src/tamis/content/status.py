"""Status: whether a document can be relied on, is partial or empty, or needs JavaScript."""

from __future__ import annotations

import re
from typing import Final, Literal

import numpy as np

from tamis.page import Ints, Page, tags

Status = Literal["good", "partial", "empty", "needs-javascript"]

# Documents below are partial. On wcxb-dev, out of fold, that was one page in six (half of them with
# an F1 below 0.7): two thirds of all pages with an F1 below 0.5, 1 in 13 of those above 0.8.
MIN_CONFIDENCE: Final = 0.75
MAX_SHELL_TERMS: Final = 20  # selected from a shell: a name, a slogan, a cookie line
MAX_DOUBTFUL_TERMS: Final = 100  # so few are doubtful on a page that looks like a shell
_MAX_NOTICE_TERMS: Final = 60  # of a page that does nothing but ask for JavaScript
_MAX_LOADING_TERMS: Final = 10  # visible on a page that its scripts fill: "Loading, please wait"

# Ids of the elements that frameworks fill: React, Vue, Angular, Next, Nuxt, Gatsby, Svelte, Quasar.
_CONTAINERS: Final = frozenset(
    b"root app __next __nuxt __layout ___gatsby react-root reactroot app-root approot "
    b"app-container app-mount appmountpoint svelte q-app main-app application spa-root".split()
)
_JAVASCRIPT: Final = re.compile(
    r"java ?-?script|\bjs\b|джава ?скрипт|جافا ?سكر|ジャバスクリプト|자바 ?스크립트", re.IGNORECASE
)
_REQUEST: Final = re.compile(
    "enabl|disabl|requir|need|turn|switch|allow|without|aktiv|activ|attiv|ativ|benötig|erforder|"
    "nécess|necesit|habilit|abilit|ingeschakeld|inschakel|włącz|povol|zapn|etkin|bật|включ|увімк|"
    "تفعيل|تمكين|启用|啟用|开启|開啟|有効|オン|활성|사용",
    re.IGNORECASE,
)
_IS_SCRIPT: Final = tags.tag_table(("script",))


def determine_status(page: Page, text_rows: Ints, confidence: float | None = None) -> Status:
    """Return how far the selected text rows of a page can be relied on.

    "needs-javascript": there is little text, and the page looks like a shell that scripts fill, so
    that rendering it will help. "empty": no text was selected. "partial": text may be missing or
    wrong, because the method is not confident, the page was truncated (see `Page.truncated`), or
    there is little text on a page that scripts may add to. "good": none of these.
    """
    terms = int(page.terms[text_rows].sum())
    doubtful = terms <= MAX_DOUBTFUL_TERMS and is_shell(page)
    if doubtful and (terms <= MAX_SHELL_TERMS or _shows_only_request(page)):
        return "needs-javascript"
    if not len(text_rows):
        return "empty"
    unsure = confidence is not None and confidence < MIN_CONFIDENCE
    return "partial" if unsure or page.truncated or doubtful else "good"


def is_shell(page: Page) -> bool:
    """Return whether a page looks like one that scripts fill."""
    bare = int(page.terms.sum()) <= _MAX_LOADING_TERMS and bool(_IS_SCRIPT[page.tag].any())
    return (
        bare
        or _has_noscript_request(page)
        or _shows_only_request(page)
        or _has_empty_container(page)
    )


def _has_noscript_request(page: Page) -> bool:
    """Return whether the `<noscript>` texts of a page mention JavaScript."""
    rows = np.flatnonzero((page.tag == tags.TEXT) & ((page.flags & tags.NOSCRIPT) != 0)).tolist()
    return _JAVASCRIPT.search(_join_texts(page, rows)) is not None


def _shows_only_request(page: Page) -> bool:
    """Return whether a page shows nothing but a request for JavaScript."""
    if int(page.terms.sum()) > _MAX_NOTICE_TERMS:
        return False
    text = _join_texts(page, np.flatnonzero(page.visible).tolist())
    return bool(_JAVASCRIPT.search(text) and _REQUEST.search(text))


def _join_texts(page: Page, rows: list[int]) -> str:
    """Return the texts of text rows, joined by spaces."""
    return " ".join(page.text[page.text_start[row] : page.text_stop[row]] for row in rows)


def _has_empty_container(page: Page) -> bool:
    """Return whether an element without text is one that a framework fills, or a custom one."""
    not_shown = tags.INVISIBLE | tags.NOSCRIPT | tags.SVG | tags.MATH
    empty = (page.below(page.terms) == 0) & ((page.flags & not_shown) == 0)
    for row in np.flatnonzero(empty & (page.id_stop > page.id_start)).tolist():
        if page.source[page.id_start[row] : page.id_stop[row]].lower() in _CONTAINERS:
            return True
    custom = np.flatnonzero(empty & (page.tag == tags.OTHER)).tolist()
    return any("-" in page.name(row) for row in custom)
