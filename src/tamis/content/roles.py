"""Roles: what parts of the content are, as microdata of schema.org (Debnath et al. 2005 §8).

The paper wants markup that says what content means. Here the body, comments, authors and dates get
the attributes of microdata; what the content does not show of them stands above it as `meta`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Final

import numpy as np

from tamis.content.selection import Selection
from tamis.metadata import Metadata
from tamis.page import collapse_spaces, join_text, rows_with_bytes, tags

Roles = Mapping[int, Mapping[str, str]]  # attributes that rows get

_SCHEMA: Final = "https://schema.org/"
_TYPES: Final = {
    "article": "Article",
    "documentation": "TechArticle",
    "forum": "DiscussionForumPosting",
    "product": "Product",
    "collection": "CollectionPage",
    "listing": "CollectionPage",
}
_BODIES: Final = {"Article": "articleBody", "TechArticle": "articleBody"}
_BODIES_ELSE: Final = {"DiscussionForumPosting": "text", "Product": "description"}
_MAX_CANDIDATES: Final = 20_000  # occurrences of a word that are looked at
_MAX_NAME_CHARACTERS: Final = 120  # of an author as it is written
_COMMENT: Final = re.compile(r"(?:^|[\s_-])(?:comment|commentary|usercomment)(?:$|[\s_-])", re.I)
_BY: Final = re.compile(r"(?:by|von|par|por|di|door)\s+", re.I)
_TIME: Final = tags.CODE["time"]


def render_roles(html: str, selection: Selection, metadata: Metadata, page_type: str | None) -> str:
    """Return HTML with roles inside an element that is the item, with what it does not show."""
    if not html:
        return ""
    kind = _TYPES.get(page_type or "", "Article" if page_type is None else "WebPage")
    title, author, date = metadata.title, metadata.author, metadata.date
    shown = {attributes["itemprop"] for attributes in _own_roles(selection, metadata).values()}
    names = {"name": title, "author": author, "datePublished": date}
    above = "".join(
        f'<meta itemprop="{name}" content="{escape(value)}">'
        for name, value in names.items()
        if value and name not in shown
    )
    body = _BODIES.get(kind) or _BODIES_ELSE.get(kind, "mainContentOfPage")
    return (
        f'<div itemscope itemtype="{_SCHEMA}{kind}">{above}'
        f'<div itemprop="{body}">{html}</div></div>'
    )


def find_roles(selection: Selection, metadata: Metadata) -> Roles:
    """Return the attributes of comments, authors and dates in a selection, by row."""
    roles = {
        row: {"itemprop": "comment", "itemscope": "", "itemtype": f"{_SCHEMA}Comment"}
        for row in _find_comments(selection)
    }
    return {**roles, **_comment_details(selection, list(roles)), **_own_roles(selection, metadata)}


def _find_comments(selection: Selection) -> list[int]:
    """Return the outermost elements that are comments by class, id or type."""
    page = selection.page
    rows = set(rows_with_bytes(page, b"omment", max_matches=_MAX_CANDIDATES))
    filled = page.below(selection.leaves) > 0
    named = [row for row in sorted(rows) if filled[row] and _is_comment(selection, row)]
    return [int(row) for row in page.outermost(np.array(named, dtype=np.int64))] if named else []


def _is_comment(selection: Selection, row: int) -> bool:
    """Say whether an element declares that it is a comment."""
    attributes = selection.attributes(row)
    if attributes.get("itemtype", "").rstrip("/").endswith(("/Comment", "/UserComments")):
        return True
    return any(_COMMENT.search(attributes.get(name, "")) for name in ("class", "id", "itemprop"))


def _comment_details(selection: Selection, comments: list[int]) -> dict[int, dict[str, str]]:
    """Return the first author and the first date of each comment."""
    page = selection.page
    details: dict[int, dict[str, str]] = {}
    filled = page.below(selection.leaves) > 0
    for comment in comments:
        inside = range(comment + 1, int(page.end[comment]))
        authors = (row for row in inside if filled[row] and _is_author(selection, row))
        dates = (row for row in inside if filled[row] and page.tag[row] == _TIME)
        for rows, role in ((authors, "author"), (dates, "dateCreated")):
            first = next(rows, None)
            if first is not None:
                details[first] = {"itemprop": role}
    return details


def _is_author(selection: Selection, row: int) -> bool:
    """Say whether an element declares that it names an author."""
    if selection.page.tag[row] == tags.TEXT:
        return False
    attributes = selection.attributes(row)
    words = f"{attributes.get('rel', '')} {attributes.get('itemprop', '')}".split()
    classes = attributes.get("class", "").lower().split()
    return "author" in words or "author" in classes or "fn" in classes


def _own_roles(selection: Selection, metadata: Metadata) -> dict[int, dict[str, str]]:
    """Return the first element that shows the author, and the first that shows the date."""
    page = selection.page
    outside = selection.leaves & ~page.within(np.array(_find_comments(selection), dtype=np.int64))
    filled = page.below(outside) > 0
    roles: dict[int, dict[str, str]] = {}
    author = (metadata.author or "").casefold()
    if author:
        for row in np.flatnonzero(filled & (page.tag == tags.TEXT)).tolist():
            if _is_name(join_text(page, np.array([row])), author):
                roles[int(page.parent[row])] = {"itemprop": "author"}
                break
    for row in np.flatnonzero(filled & (page.tag == _TIME)).tolist() if metadata.date else ():
        if selection.attributes(row).get("datetime", "").startswith(metadata.date or ""):
            roles[row] = {"itemprop": "datePublished"}
            break
    return roles


def _is_name(text: str, author: str) -> bool:
    """Say whether a text is the name of an author, also after “by”."""
    if len(text) > _MAX_NAME_CHARACTERS:
        return False
    return _BY.sub("", collapse_spaces(text), count=1).casefold() == author
