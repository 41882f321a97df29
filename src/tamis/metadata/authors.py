"""The authors of a page.

Pages state authors in `<meta>`, JSON-LD, microdata, elements that are called byline or author, and
in the text around the headline. The first source with a name decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from tamis.metadata.jsonld import Entity, JsonLd, entity_types, type_rank
from tamis.metadata.markup import Markup, Window
from tamis.metadata.names import has_name_shape, split_names
from tamis.metadata.title import name_key
from tamis.page import row_attributes, tags
from tamis.values import is_month_name

_A: Final = tags.CODE["a"]
_MAX_CHARS: Final = 200  # of a byline, and of all authors together
_MAX_AUTHORS: Final = 12
_MAX_START_TAG_BYTES: Final = 1000
_MIN_SENTENCE_WORDS: Final = 4  # words after a name that make its line a sentence
_AUTHOR_META: Final = tuple(
    """
    citation_author citation_authors parsely-author sailthru.author dc.creator dcterms.creator
    creator article:author_name og:author cxenseparse:author byl article.author authors rnews:author
    article:author
    """.split()
)
_BY: Final = re.compile(
    r"(?:(?:(?:article|story|post|words|text|review|guest post|this (?:article|post))\s)?(?:was\s)?"
    r"(?:(?:written|posted|published|created|authored|reported|submitted|started|asked)\s)?by\b"
    r"|(?P<label>(?:authors?|contributors?|auteur|autore?|автор|texte?)\b)"
    r"|(?P<foreign>(?:von|par|por|di|da|door|av|af|przez)\b)"
    r"|(?:作者|撰文|记者|文|著者|글)(?=[\s:：/／]))\s?(?P<colon>[:：/／])?\s?",
    re.I,
)
# The words that mean "by" in these languages are parts of names in others.
_BY_LANGUAGES: Final = {
    "von": ("de",),
    "par": ("fr",),
    "por": ("es", "pt", "gl", "ca"),
    "di": ("it", "id", "ms"),
    "da": ("it",),
    "door": ("nl",),
    "av": ("sv", "no", "nb", "nn"),
    "af": ("da", "is", "fo"),
    "przez": ("pl",),
}
_DESK: Final = re.compile(r"[A-Z]{2,6}|(?i:r[eé]da\w+)")  # AFP, Redacción
_BY_INSIDE: Final = re.compile(
    r"[\d|•·–—,]\s?(?:[Ww]ritten |[Pp]osted )?\b[Bb]y:?\s|(?:作者|记者|撰文)\s?[:：/／]\s?"
)
_NAME_END: Final = re.compile(
    r"\s[|•·–—/-]\s|[|•·\n\t(\[:!?*]|(?:^|[\s,])\d|,\s(?=[a-z])"
    r"|\s(?i:on|at|in|for|updated|published|posted|last|reviewed|am|le|el|view all)\s"
    r"|,\s(?i:senior|staff|contribut|editor|chief|head|director|md|phd|rd)"
    r"|\s(?:来源|编辑|责编|责任编辑|发布|时间)"
)
_PERSON: Final = re.compile(r"[A-Z][\w'’.-]{0,20}(?:\s[A-Z][\w'’.-]{0,20}){1,2}")
_ACCOUNT: Final = re.compile(r"[a-z0-9._-]+")
_AUTHOR_MARK: Final = re.compile(
    r"""\srel="[^"]{0,40}\bauthor\b|\s(?:class|id|data-testid|data-qa)="[^"]{0,200}"""
    r"""(?:\bauthor|[-_]author|[a-z]Author|\bbyline|[-_]byline|Byline|username)"""
    r"""|\shref="[^"]{0,200}/authors?/\w"""
)
_NEEDLES: Final = (b"uthor", b"yline", b"username")  # one of them is in each `_AUTHOR_MARK`
_SENTENCE_END: Final = re.compile(r"\w[.!?…。！？]['\"”’)]?$")


class _Stated(NamedTuple):
    """The texts of one source; each is one name if `is_one_name`.

    With `may_be_site` the name of the site is taken as an author as well.
    """

    texts: list[str]
    may_be_site: bool = False
    is_one_name: bool = False


def find_authors(markup: Markup, window: Window, site_names: Iterable[str]) -> str | None:
    """Return the names of the authors, separated by semicolons."""
    site_keys = {name_key(name) for name in site_names}
    for texts, may_be_site, is_one_name in _stated_authors(markup, window):
        unique: dict[str, str] = {}
        for text in texts:
            for name in split_names(text, markup.language, is_one_name=is_one_name):
                unique.setdefault(name_key(name), name)
        authors = [
            name for key, name in unique.items() if key and (may_be_site or key not in site_keys)
        ]
        if authors:
            return "; ".join(authors)[:_MAX_CHARS].strip()
    return None


def _stated_authors(markup: Markup, window: Window) -> Iterator[_Stated]:
    """Yield the texts of all sources, best first.

    The name of the site is no author, unless the page says so where readers see it, or says that
    it is a person.
    """
    jsonld = markup.jsonld
    entities = jsonld.main_entities
    articles = [entity for entity in entities if type_rank(entity) == 0]
    in_meta = markup.meta("author")[:_MAX_AUTHORS]
    yield _Stated([name for name in in_meta if not _ACCOUNT.fullmatch(name)])
    for key in ("author", "creator"):
        yield from (_jsonld_authors(jsonld, entity, key) for entity in articles[:3])
    yield from (_Stated(names[:_MAX_AUTHORS]) for names in markup.each_meta(_AUTHOR_META))
    yield _Stated(_twitter_authors(markup))
    yield _Stated(_microdata_authors(markup))
    if not _is_product(markup):
        yield _Stated(_marked_authors(markup, window), may_be_site=True)
        yield _Stated(_text_authors(markup, window), may_be_site=True)
    for entity in entities[:3]:
        yield _jsonld_authors(jsonld, entity, "author")._replace(may_be_site=False)
    yield _Stated(_closing_authors(markup), may_be_site=True)
    yield _Stated(in_meta)
    if not jsonld.first_of_type("organization"):  # the site of a person has the person's name
        yield _Stated([name for name in in_meta if _PERSON.fullmatch(name)], may_be_site=True)


def _jsonld_authors(jsonld: JsonLd, entity: Entity, key: str) -> _Stated:
    """Return the authors of an entity of JSON-LD."""
    is_person, is_entity = jsonld.is_person(entity, key), jsonld.is_entity(entity, key)
    return _Stated(jsonld.texts(entity, key), may_be_site=is_person, is_one_name=is_entity)


def _is_product(markup: Markup) -> bool:
    """Say whether the page sells a product: its makers and reviewers are not the authors."""
    entities = markup.jsonld.main_entities
    is_sold = bool(entities) and any("product" in name for name in entity_types(entities[0]))
    og_type = (markup.first_meta("og:type") or "").lower()
    return is_sold or og_type.startswith(("product", "og:product"))


def _twitter_authors(markup: Markup) -> list[str]:
    """Return the author in the labelled data of a Twitter card."""
    for number in "12":
        label = markup.first_meta(f"twitter:label{number}") or ""
        if label.lower().removesuffix(":") in ("written by", "author", "by", "posted by"):
            return markup.meta(f"twitter:data{number}")[:1]
    return []


def _microdata_authors(markup: Markup) -> list[str]:
    """Return the author of microdata, outside reviews and comments."""
    page = markup.page
    for row in markup.microdata_rows("author"):
        if markup.describes_page(row):
            names = markup.microdata_rows("name", int(page.head[row]), int(page.stop[row]))
            return [_property_text(markup, names[0] if names else row)]
    return []


def _property_text(markup: Markup, row: int) -> str:
    """Return the value of a microdata property: its content attribute, else its text."""
    content = row_attributes(markup.page, row).get("content")
    return content or _strip_byline(markup.text(row), markup.language)


def _marked_authors(markup: Markup, window: Window) -> list[str]:
    """Return the names in elements near the headline that are marked as author or byline."""
    page = markup.page
    start, stop = window.source_span(page)
    rows = {row for needle in _NEEDLES for row in markup.rows_with(needle, start, stop)}
    bylines: list[tuple[int, int]] = []
    for row in sorted(rows):
        offset = int(page.text_start[row])
        length = int(page.text_stop[row]) - offset
        if offset not in window or not 2 < length < _MAX_CHARS:
            continue
        start_tag = markup.start_tag(row, _MAX_START_TAG_BYTES)
        if _AUTHOR_MARK.search(start_tag) and markup.describes_page(row):
            bylines.append((row, offset))
    below = [row for row, offset in bylines if offset >= window.start]
    for row in (*below, *(row for row, _ in bylines)):
        names = _linked_names(markup, row) or _byline_names(markup, row)
        if names:
            return names
    return []


def _linked_names(markup: Markup, row: int) -> list[str]:
    """Return the names that are links inside a byline."""
    page = markup.page
    links = np.flatnonzero(page.tag[row : page.end[row]] == _A)[:_MAX_AUTHORS] + row
    texts = [_strip_byline(markup.text(link), markup.language) for link in links.tolist()]
    return [text for text in texts if split_names(text)][:3]


def _byline_names(markup: Markup, row: int) -> list[str]:
    """Return the name in the first line of a byline that has one, or in one of its text rows."""
    page = markup.page
    text = page.text[page.text_start[row] : page.text_stop[row]]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines[:4]:
        name = _strip_byline(line, markup.language)
        if split_names(name) and len(name.split()) > 4:
            rows = np.flatnonzero(page.tag[row : page.end[row]] == tags.TEXT)[:9] + row
            parts = (_strip_byline(markup.text(inner), markup.language) for inner in rows.tolist())
            name = next((part for part in parts if " " in part and split_names(part)), name)
        if split_names(name):
            return [name]
    return []


def _text_authors(markup: Markup, window: Window) -> list[str]:
    """Return the name after a "by" in a short line near the headline."""
    text = markup.page.text
    for start, stop in ((window.stop, window.last), (window.first, window.start)):
        part = text[start:stop]
        may_have_by_inside = " by" in part.lower() or "者" in part or "撰文" in part
        lines = [line.strip() for line in part.splitlines() if line.strip()]
        for line, next_line in zip(lines, [*lines[1:], ""], strict=False):
            if len(line) > _MAX_CHARS:
                continue
            by = _match_by(line, markup.language)
            if by is None and may_have_by_inside:
                by = _BY_INSIDE.search(line)
            name = _name_after_by(line, next_line, by, markup.language) if by else None
            if name:
                return [name]
    return []


def _name_after_by(line: str, next_line: str, by: re.Match[str], language: str) -> str | None:
    """Return the name after the "by" of a line; None if the line is a sentence or names no one."""
    after = line[by.end() :].strip() or next_line
    name = _strip_byline(after, language)
    names = split_names(name, language)
    if not names or _is_sentence(after, name) or not all(map(has_name_shape, names)):
        return None
    groups = by.groupdict()
    is_word = bool(groups.get("label") or groups.get("foreign")) and not groups.get("colon")
    if is_word and by.end() < len(line) and " " not in name and not _DESK.fullmatch(name):
        return None  # "Author Archives", "Di Maio"
    return name


def _is_sentence(line: str, name: str) -> bool:
    """Say whether a line that begins with a name goes on as a sentence."""
    words = line.partition(name)[2].split()
    return len(words) >= _MIN_SENTENCE_WORDS and bool(_SENTENCE_END.search(line))


def _closing_authors(markup: Markup) -> list[str]:
    """Return the name after "written by", which may stand at the end of a text."""
    text = markup.page.text
    offset = text.find("\nWritten by ")
    offset = offset if offset >= 0 else text.find(" was written by ")
    line = text[offset + 1 : offset + _MAX_CHARS].partition("\n")[0] if offset >= 0 else ""
    name = _strip_byline(line.removeprefix("was "), markup.language)
    return [name] if has_name_shape(name) else []


def _match_by(line: str, language: str) -> re.Match[str] | None:
    """Return the match of the words at the start of a byline, in the page's language."""
    by = _BY.match(line)
    if by and by["foreign"] and language:
        return by if language in _BY_LANGUAGES[by["foreign"].lower()] else None
    return by


def _strip_byline(line: str, language: str) -> str:
    """Return the part of a byline that can be a name."""
    line = line.strip()[:_MAX_CHARS]
    by = _match_by(line, language) or _BY_INSIDE.search(line)
    after = line[by.end() :] if by else line
    end = _NAME_END.search(after)
    if not end:
        return after
    name = after[: end.start()].rstrip(" ,.")
    first, _, last = name.rpartition(" ")
    return first if is_month_name(last) else name
