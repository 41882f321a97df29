"""Markup → the names of the authors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from tamis.content.metadata.dates import month
from tamis.content.metadata.headline import Window
from tamis.content.metadata.linked import rank, types
from tamis.content.metadata.markup import Markup
from tamis.content.metadata.titles import squeezed
from tamis.page import tags
from tamis.page.attributes import attributes

_A: Final = tags.CODE["a"]
_LONGEST: Final = 200
_LONGEST_NAME: Final = 70
_MOST_NAMES: Final = 12
_MOST_WORDS: Final = 7
_META: Final = tuple(
    """
    citation_author citation_authors parsely-author sailthru.author dc.creator dcterms.creator
    creator article:author_name og:author cxenseparse:author byl article.author authors rnews:author
    article:author
    """.split()
)
_BY: Final = re.compile(
    r"(?:(?:(?:article|story|post|words|text|review|guest post|this (?:article|post))\s)?(?:was\s)?"
    r"(?:(?:written|posted|published|created|authored|reported|submitted|started|asked)\s)?by\b"
    r"|(?:authors?|contributors?|von|par|por|di|da|door|av|af|przez|auteur|autor|autore|автор|texte?)\b"
    r"|(?:作者|撰文|记者|文|著者|글)(?=[\s:：/／]))\s?[:：/／]?\s?",
    re.I,
)
_MIDDLE: Final = re.compile(
    r"[\d|•·–—,]\s?(?:[Ww]ritten |[Pp]osted )?\b[Bb]y:?\s|(?:作者|记者|撰文)\s?[:：/／]\s?"
)
_END: Final = re.compile(
    r"\s[|•·–—/-]\s|[|•·\n\t(\[:!?*]|(?:^|[\s,])\d|,\s(?=[a-z])"
    r"|\s(?i:on|at|in|for|updated|published|posted|last|reviewed|am|le|el|view all)\s"
    r"|,\s(?i:senior|staff|contribut|editor|chief|head|director|md|phd|rd)"
    r"|\s(?:来源|编辑|责编|责任编辑|发布|时间)"
)
_LEAD: Final = re.compile(
    r"(?:(?:written|posted|published)\s)?by\b\s?:?\s?|(?:authors?|作者|记者|撰文)\s?[:：]\s?", re.I
)
_SPLIT: Final = re.compile(r"\s?;\s?|\s&\s|\s(?:and|und|et|y|e)\s|、")
_NO_NAME: Final = re.compile(r"https?:|www\.|@|[<>{}=*]|^[\W\d_]*$")
_PERSON: Final = re.compile(r"[A-Z][\w'’.-]{0,20}(?:\s[A-Z][\w'’.-]{0,20}){1,2}")
_ACCOUNT: Final = re.compile(r"[a-z0-9._-]+")
_NOBODY: Final = frozenset(
    "admin administrator author authors byline by anonymous guest none null undefined unknown user "
    "staff root default webmaster about editor share follow".split()
)
_MARK: Final = re.compile(
    r"""\srel="[^"]{0,40}\bauthor\b|\s(?:class|id|data-testid|data-qa)="[^"]{0,200}"""
    r"""(?:\bauthor|[-_]author|[a-z]Author|\bbyline|[-_]byline|Byline|username)"""
    r"""|\shref="[^"]{0,200}/authors?/\w"""
)
_NEEDLES: Final = (b"uthor", b"yline", b"username")


def author(markup: Markup, window: Window, site_names: Iterable[str]) -> str | None:
    """Return the names of the authors, parted by semicolons."""
    sites = {squeezed(name) for name in site_names}
    for candidates, named in stated_authors(markup, window):
        unique: dict[str, str] = {}
        for name in (name for text in candidates for name in cleaned(text)):
            unique.setdefault(squeezed(name), name)
        # A site's own name is no author, unless the page says so where readers see it.
        found = [name for key, name in unique.items() if key and (named or key not in sites)]
        if found:
            return "; ".join(found)[:_LONGEST].strip()
    return None


def stated_authors(markup: Markup, window: Window) -> Iterator[tuple[list[str], bool]]:
    """Yield what the sources state, best first, and whether they state persons for certain."""
    linked = markup.linked
    mains = linked.mains
    articles = [node for node in mains if rank(node) == 0]
    stated = markup.values("author")[:_MOST_NAMES]
    yield [name for name in stated if not _ACCOUNT.fullmatch(name)], False
    for key in ("author", "creator"):
        yield from ((linked.texts(node, key), linked.is_person(node, key)) for node in articles[:3])
    yield from ((names[:_MOST_NAMES], False) for names in markup.stated(_META))
    yield twitter_authors(markup), False
    yield item_authors(markup), False
    if not is_product(markup):
        yield marked_authors(markup, window), True
        yield text_authors(markup, window), True
    yield from ((linked.texts(node, "author"), False) for node in mains[:3])
    yield closing_authors(markup), True
    yield stated, False
    if not linked.of_type("organization"):  # the site of a person bears the person's name
        yield [name for name in stated if _PERSON.fullmatch(name)], True


def is_product(markup: Markup) -> bool:
    """Whether the page sells something: who made that and who praises it is not its author."""
    mains = markup.linked.mains
    sold = bool(mains) and any("product" in kind for kind in types(mains[0]))
    return sold or (markup.first("og:type") or "").lower().startswith(("product", "og:product"))


def twitter_authors(markup: Markup) -> list[str]:
    """Return the author of the labelled data of a Twitter card."""
    for number in "12":
        label = markup.first(f"twitter:label{number}") or ""
        if label.lower().removesuffix(":") in ("written by", "author", "by", "posted by"):
            return markup.values(f"twitter:data{number}")[:1]
    return []


def item_authors(markup: Markup) -> list[str]:
    """Return the authors of microdata, outside reviews and comments."""
    page = markup.page
    for row in markup.items("author"):
        if markup.describes_page(row):
            inner = markup.items("name", int(page.head[row]), int(page.stop[row]))
            return [row_text(markup, inner[0] if inner else row)]
    return []


def marked_authors(markup: Markup, window: Window) -> list[str]:
    """Return the names in elements around the headline that are called author or byline."""
    page = markup.page
    start, stop = window.source(page)
    rows = {row for needle in _NEEDLES for row in markup.rows_with(needle, start, stop)}
    found: list[tuple[int, int]] = []
    for row in sorted(rows):
        place = int(page.text_start[row])
        length = int(page.text_stop[row]) - place
        if not window.holds(place) or not 2 < length < _LONGEST:
            continue
        head = page.source[page.start[row] : page.head[row]][:1000].decode("utf-8", "replace")
        if _MARK.search(head) and markup.describes_page(row):
            found.append((row, place))
    below = [row for row, place in found if place >= window.start]
    for row in (*below, *(row for row, _ in found)):
        names = linked_names(markup, row) or byline_names(markup, row)
        if names:
            return names
    return []


def linked_names(markup: Markup, row: int) -> list[str]:
    """Return the names that are links inside a byline."""
    page = markup.page
    rows = np.flatnonzero(page.tag[row : page.end[row]] == _A)[:_MOST_NAMES] + row
    texts = [after_by(markup.text(inner)) for inner in rows.tolist()]
    return [text for text in texts if cleaned(text)][:3]


def byline_names(markup: Markup, row: int) -> list[str]:
    """Return the name in the first line of a byline that has one, or in a text node of it."""
    for line in lines_of(markup, row)[:4]:
        name = after_by(line)
        if cleaned(name) and len(name.split()) > 4:
            page = markup.page
            rows = np.flatnonzero(page.tag[row : page.end[row]] == tags.TEXT)[:9] + row
            nodes = (after_by(markup.text(inner)) for inner in rows.tolist())
            name = next((text for text in nodes if " " in text and cleaned(text)), name)
        if cleaned(name):
            return [name]
    return []


def text_authors(markup: Markup, window: Window) -> list[str]:
    """Return the name after a "by" in a short line around the headline."""
    text = markup.page.text
    for start, stop in ((window.stop, window.last), (window.first, window.start)):
        chunk = text[start:stop]
        has_middle = " by" in chunk.lower() or "者" in chunk or "撰文" in chunk
        lines = [line.strip() for line in chunk.splitlines() if line.strip()]
        for line, following in zip(lines, [*lines[1:], ""], strict=False):
            if len(line) > _LONGEST:
                continue
            found = _BY.match(line) or (has_middle and _MIDDLE.search(line))
            if not found:
                continue
            rest = line[found.end() :].strip() or following
            name = after_by(rest)
            if rest and not rest[0].islower() and cleaned(name):
                return [name]
    return []


def closing_authors(markup: Markup) -> list[str]:
    """Return the name after the words "written by" at the start of a line anywhere in the text."""
    text = markup.page.text
    place = text.find("\nWritten by ")
    place = place if place >= 0 else text.find(" was written by ")
    line = text[place + 1 : place + _LONGEST].partition("\n")[0] if place >= 0 else ""
    name = after_by(line.removeprefix("was "))
    return [name] if name and not name[0].islower() else []


def lines_of(markup: Markup, row: int) -> list[str]:
    """Return the lines of a row's text."""
    page = markup.page
    text = page.text[page.text_start[row] : page.text_stop[row]]
    return [line.strip() for line in text.splitlines() if line.strip()]


def after_by(line: str) -> str:
    """Return the part of a byline that can be a name."""
    line = line.strip()[:_LONGEST]
    found = _BY.match(line) or _MIDDLE.search(line)
    rest = line[found.end() :] if found else line
    end = _END.search(rest)
    if not end:
        return rest
    name = rest[: end.start()].rstrip(" ,.")
    head, _, last = name.rpartition(" ")
    return head if month(last) != "0" else name


def cleaned(text: str) -> list[str]:
    """Return the names in a text that states authors, without what is no name."""
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
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
