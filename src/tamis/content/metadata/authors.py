"""Markup → the names of the authors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tamis.content.metadata.headline import Window
from tamis.content.metadata.linked import rank
from tamis.content.metadata.markup import Markup
from tamis.content.metadata.titles import squeezed
from tamis.page.attributes import attributes

_LONGEST: Final = 200
_LONGEST_NAME: Final = 70
_MOST_NAMES: Final = 12
_MOST_WORDS: Final = 7
_META: Final = (
    ("author", "citation_author", "citation_authors", "parsely-author", "sailthru.author")
    + ("dc.creator", "dcterms.creator", "creator", "article:author_name", "og:author")
    + ("cxenseparse:author", "byl", "article.author", "authors", "rnews:author", "article:author")
)
_BY: Final = re.compile(
    r"(?:(?:(?:article|story|post|words|text|review|guest post)\s)?"
    r"(?:written|posted|published|created|authored|reported|submitted|started|asked)?\s?\bby\b"
    r"|^(?:author|authors|von|par|por|di|da|door|av|af|przez|auteur|autor|autore|автор|text|texte)\b"
    r"|^(?:作者|撰文|记者|編集|文|著者|글)(?=[\s:：/／]))\s?[:：/／]?\s?",
    re.I,
)
_END: Final = re.compile(
    r"\s[|•·–—/-]\s|[|•·\n\t(\[]|\b(?:on|at|in|for|updated|published|posted|am|le|el|last|reviewed)\b"
    r"|\d|,\s(?=[a-z])|,\s(?:senior|staff|contribut|editor|chief|head|director)|[:!?]|\.\s",
    re.I,
)
_SPLIT: Final = re.compile(r"\s?;\s?|\s&\s|\s(?:and|und|et|y|e)\s|、")
_NO_NAME: Final = re.compile(r"https?:|www\.|@|\.(?:com|org|net)\b|[<>{}=]|^[^\w]*$")
_NOBODY: Final = frozenset(
    "admin administrator author authors byline by anonymous guest none null undefined unknown user "
    "staff root default webmaster about editor share follow".split()
)
_MARK: Final = re.compile(
    r"""\s(?:rel|itemprop)="[^"]{0,40}\bauthor\b|\s(?:class|id|data-testid|data-qa)="[^"]{0,200}"""
    r"""(?:\bauthor|[-_ ]author|[a-z]Author|\bbyline|[-_]byline|Byline|\bwriter|\busername)""",
)
_NEEDLES: Final = (b"uthor", b"yline", b"username")


def author(markup: Markup, window: Window, site_names: Iterable[str]) -> str | None:
    """Return the names of the authors, parted by semicolons."""
    sites = {squeezed(name) for name in site_names} | {""}
    for candidates in stated_authors(markup, window):
        names = [name for text in candidates for name in cleaned(text)]
        unique = {squeezed(name): name for name in reversed(names) if squeezed(name) not in sites}
        if unique:
            return "; ".join(reversed(unique.values()))[:_LONGEST]
    return None


def stated_authors(markup: Markup, window: Window) -> Iterator[list[str]]:
    """Yield what the sources state, best first."""
    linked = markup.linked
    articles = [node for node in linked.mains if rank(node) == 0]
    for name in _META[:1]:
        yield markup.meta.get(name, [])[:_MOST_NAMES]
    for key in ("author", "creator"):
        yield from (linked.texts(node, key) for node in articles[:3])
    yield from (markup.meta.get(name, [])[:_MOST_NAMES] for name in _META[1:])
    yield twitter_authors(markup)
    yield item_authors(markup)
    yield marked_authors(markup, window)
    yield text_authors(markup, window)
    for node in linked.mains[:3]:
        yield linked.texts(node, "author")


def twitter_authors(markup: Markup) -> list[str]:
    """Return the author of the labelled data of a Twitter card."""
    for number in "12":
        label = markup.first(f"twitter:label{number}") or ""
        if label.lower().removesuffix(":") in ("written by", "author", "by", "posted by"):
            return markup.meta.get(f"twitter:data{number}", [])[:1]
    return []


def item_authors(markup: Markup) -> list[str]:
    """Return the authors of microdata, outside reviews and comments."""
    found: list[str] = []
    names = [row for name, row in markup.items if name == "name"]
    for name, row in markup.items:
        if name == "author" and markup.describes_page(row):
            inner = [other for other in names if row < other < int(markup.page.end[row])]
            found.append(row_text(markup, inner[0] if inner else row))
    return found[:1]


def marked_authors(markup: Markup, window: Window) -> list[str]:
    """Return the names in elements around the headline that are called author or byline."""
    rows = {row for needle in _NEEDLES for row in markup.rows_with(needle)}
    page = markup.page
    found: list[tuple[int, int]] = []
    for row in sorted(rows):
        place = int(page.text_start[row])
        length = int(page.text_stop[row]) - place
        if not window.holds(place) or not 2 < length < _LONGEST:
            continue
        head = page.source[page.start[row] : page.head[row]][:1000].decode("utf-8", "replace")
        if _MARK.search(head):
            found.append((row, place))
    below = [row for row, place in found if place >= window.start]
    for row in (*below, *(row for row, _ in found)):
        texts = [line for line in page_lines(markup, row) if any(cleaned(after_by(line)))]
        if texts:
            return [after_by(texts[0])]
    return []


def text_authors(markup: Markup, window: Window) -> list[str]:
    """Return the name after a "by" that starts a line around the headline."""
    text = markup.page.text
    for start, stop in ((window.stop, window.last), (window.first, window.start)):
        for line in text[start:stop].splitlines():
            found = _BY.match(line.strip())
            rest = line.strip()[found.end() :] if found else ""
            if rest and (rest[0].isupper() or not rest[0].isascii()):
                return [after_by(line)]
    return []


def page_lines(markup: Markup, row: int) -> list[str]:
    """Return the lines of a row's text."""
    page = markup.page
    text = page.text[page.text_start[row] : page.text_stop[row]]
    return [line.strip() for line in text.splitlines() if line.strip()]


def after_by(line: str) -> str:
    """Return the part of a byline that can be a name."""
    line = line.strip()
    found = _BY.search(line[:80])
    rest = line[found.end() :] if found else line
    end = _END.search(rest)
    return rest[: end.start()] if end else rest


def cleaned(text: str) -> list[str]:
    """Return the names in a text that states authors, without what is no name."""
    by = _BY.match(text)
    text = text[by.end() :] if by and by.end() < len(text) else text
    names = (name.strip(" ,.;:|-–—•·/") for name in _SPLIT.split(text[:1000])[:_MOST_NAMES])
    return [name for name in names if is_name(name)]


def is_name(text: str) -> bool:
    """Whether a text can be the name of a person, a group or an account."""
    return (
        1 < len(text) <= _LONGEST_NAME
        and len(text.split()) <= _MOST_WORDS
        and text.lower() not in _NOBODY
        and not _NO_NAME.search(text)
    )


def row_text(markup: Markup, row: int) -> str:
    """Return what a microdata property says: its content, else its text."""
    return attributes(markup.page, row).get("content") or after_by(markup.text(row))
