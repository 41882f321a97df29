"""Text that states authors → the names in it.

Markup → the names of the authors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from tamis.metadata.jsonld import JsonLd, Node, entity_types, rank
from tamis.metadata.markup import Markup, Window
from tamis.metadata.title import squeezed
from tamis.page import row_attributes, tags
from tamis.values import is_month_name

_LONGEST_NAME: Final = 70
_MAX_NAMES: Final = 12
_MOST_WORDS: Final = 7
_MOST_WORDS_SHOWN: Final = 5  # of a name in running text
_LONGEST_WORD: Final = 24
_SENTENCE: Final = 4  # words after a name that make a sentence of its line
_LEAD: Final = re.compile(
    r"(?:(?:written|posted|published)\s)?by\b\s?:?\s?|(?:authors?|作者|记者|撰文)\s?[:：]\s?", re.I
)
_SPLIT: Final = re.compile(r"\s?;\s?|、")
_AND: Final = re.compile(r"\s(?:&|and)\s")
_OWN_AND: Final = {
    "de": re.compile(r"\s(?:&|and|und)\s"),
    "fr": re.compile(r"\s(?:&|and|et)\s"),
    "es": re.compile(r"\s(?:&|and|y)\s"),
    "it": re.compile(r"\s(?:&|and|e)\s"),
    "pt": re.compile(r"\s(?:&|and|e)\s"),
}
_NO_NAME: Final = re.compile(r"https?:|www\.|@|[<>{}=*]|^[\W\d_]*$")
_NOBODY: Final = frozenset(
    "admin administrator author authors byline by anonymous guest none null undefined unknown user "
    "staff root default webmaster about editor share follow archives archive".split()
)
_PARTICLES: Final = frozenset(
    "af al ap av bin da das de degli dei del della der di do dos du e el et i ibn la le los of och "
    "og ten ter the und van ve von y zu zum zur and & for".split()
)
# These join the words of what a group is called, not those of what a person is.
_OF_GROUPS: Final = frozenset("of the and & for e et und och og i ve".split())
_WEEKDAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes "
    "martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì "
    "sabato domenica segunda terça quarta quinta sexta maandag dinsdag woensdag donderdag vrijdag "
    "zaterdag zondag".split()
)
_LAST_WORDS: Final = re.compile(r"\w[.!?…。！？]['\"”’)]?$")


def cleaned(text: str, language: str = "", *, whole: bool = False) -> list[str]:
    """Return the names in a text that states authors, without what is no name.

    A `whole` text is one name, whatever words it has.
    """
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    parts = [text] if whole else parted(text[:1000], language)
    names = (name.strip(" ,.;:|-–—•·/") for name in parts)
    return [name for name in names if is_name(name)]


def parted(text: str, language: str) -> list[str]:
    """Return the names of a list; "and" parts only what are persons on both of its sides."""
    found: list[str] = []
    for part in _SPLIT.split(text)[:_MAX_NAMES]:
        sides = _OWN_AND.get(language, _AND).split(part)
        persons = all(is_person(name) for side in sides for name in side.strip(" ,").split(","))
        found += sides if persons else [part]
    return found[:_MAX_NAMES]


def is_person(text: str) -> bool:
    """Whether a text looks like the name and surname of a person."""
    words = text.split()
    return (
        1 < len(words) <= _MOST_WORDS_SHOWN
        and not _OF_GROUPS.intersection(words)
        and has_shape(text)
    )


def is_name(text: str) -> bool:
    """Whether a text can be the name of a person, a group or an account."""
    return (
        1 < len(text) <= _LONGEST_NAME
        and len(text.split()) <= _MOST_WORDS
        and text.lower() not in _NOBODY
        and not _NO_NAME.search(text)
    )


def has_shape(text: str) -> bool:
    """Whether a text has the shape of a name: few words, each with a capital or a particle.

    Words of scripts without capitals have the shape where they are short.
    """
    words = text.split()
    if not 0 < len(words) <= _MOST_WORDS_SHOWN or not is_capital(words[0]):
        return False
    if any(word.strip(".,").lower() in _WEEKDAYS for word in words):
        return False
    if len(words) == 1 and is_month_name(words[0]):
        return False
    return all(word in _PARTICLES or is_capital(word) for word in words)


def is_capital(word: str) -> bool:
    """Whether a word begins with a capital, as al-Rashid and d'Arc do, or its script has none."""
    if len(word) > _LONGEST_WORD:
        return False
    first = word.lstrip("'\"“‘(")[:1]
    return any(char.isupper() for char in word[:4]) or first == first.title() != ""


def is_sentence(line: str, name: str) -> bool:
    """Whether a line that begins with a name goes on as a sentence."""
    after = line.partition(name)[2].split()
    return len(after) >= _SENTENCE and bool(_LAST_WORDS.search(line))


_A: Final = tags.CODE["a"]
_LONGEST: Final = 200
_MAX_AUTHORS: Final = 12
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
    r"|(?P<label>(?:authors?|contributors?|auteur|autore?|автор|texte?)\b)"
    r"|(?P<foreign>(?:von|par|por|di|da|door|av|af|przez)\b)"
    r"|(?:作者|撰文|记者|文|著者|글)(?=[\s:：/／]))\s?(?P<colon>[:：/／])?\s?",
    re.I,
)
# What means "by" in one language is a part of names in others.
_SPOKEN: Final = {
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
_MIDDLE: Final = re.compile(
    r"[\d|•·–—,]\s?(?:[Ww]ritten |[Pp]osted )?\b[Bb]y:?\s|(?:作者|记者|撰文)\s?[:：/／]\s?"
)
_END: Final = re.compile(
    r"\s[|•·–—/-]\s|[|•·\n\t(\[:!?*]|(?:^|[\s,])\d|,\s(?=[a-z])"
    r"|\s(?i:on|at|in|for|updated|published|posted|last|reviewed|am|le|el|view all)\s"
    r"|,\s(?i:senior|staff|contribut|editor|chief|head|director|md|phd|rd)"
    r"|\s(?:来源|编辑|责编|责任编辑|发布|时间)"
)
_PERSON: Final = re.compile(r"[A-Z][\w'’.-]{0,20}(?:\s[A-Z][\w'’.-]{0,20}){1,2}")
_ACCOUNT: Final = re.compile(r"[a-z0-9._-]+")
_MARK: Final = re.compile(
    r"""\srel="[^"]{0,40}\bauthor\b|\s(?:class|id|data-testid|data-qa)="[^"]{0,200}"""
    r"""(?:\bauthor|[-_]author|[a-z]Author|\bbyline|[-_]byline|Byline|username)"""
    r"""|\shref="[^"]{0,200}/authors?/\w"""
)
_NEEDLES: Final = (b"uthor", b"yline", b"username")


class Stated(NamedTuple):
    """What a source states, whether as persons for certain, and whether each text is one name."""

    texts: list[str]
    named: bool = False
    whole: bool = False


def author(markup: Markup, window: Window, site_names: Iterable[str]) -> str | None:
    """Return the names of the authors, parted by semicolons."""
    sites = {squeezed(name) for name in site_names}
    language = markup.language
    for candidates, named, whole in stated_authors(markup, window):
        unique: dict[str, str] = {}
        for text in candidates:
            for name in cleaned(text, language, whole=whole):
                unique.setdefault(squeezed(name), name)
        # A site's own name is no author, unless the page says so where readers see it.
        found = [name for key, name in unique.items() if key and (named or key not in sites)]
        if found:
            return "; ".join(found)[:_LONGEST].strip()
    return None


def stated_authors(markup: Markup, window: Window) -> Iterator[Stated]:
    """Yield what the sources state, best first."""
    linked = markup.linked
    mains = linked.mains
    articles = [node for node in mains if rank(node) == 0]
    stated = markup.values("author")[:_MAX_AUTHORS]
    yield Stated([name for name in stated if not _ACCOUNT.fullmatch(name)])
    for key in ("author", "creator"):
        yield from (linked_authors(linked, node, key) for node in articles[:3])
    yield from (Stated(names[:_MAX_AUTHORS]) for names in markup.stated(_META))
    yield Stated(twitter_authors(markup))
    yield Stated(item_authors(markup))
    if not is_product(markup):
        yield Stated(marked_authors(markup, window), named=True)
        yield Stated(text_authors(markup, window), named=True)
    yield from (linked_authors(linked, node, "author")._replace(named=False) for node in mains[:3])
    yield Stated(closing_authors(markup), named=True)
    yield Stated(stated)
    if not linked.of_type("organization"):  # the site of a person bears the person's name
        yield Stated([name for name in stated if _PERSON.fullmatch(name)], named=True)


def linked_authors(linked: JsonLd, node: Node, key: str) -> Stated:
    """Return the authors of an entity of JSON-LD; the name of an entity is one name."""
    named, whole = linked.is_person(node, key), linked.is_entity(node, key)
    return Stated(linked.texts(node, key), named, whole)


def is_product(markup: Markup) -> bool:
    """Whether the page sells something: who made that and who praises it is not its author."""
    mains = markup.linked.mains
    sold = bool(mains) and any("product" in kind for kind in entity_types(mains[0]))
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
    rows = np.flatnonzero(page.tag[row : page.end[row]] == _A)[:_MAX_AUTHORS] + row
    texts = [after_by(markup.text(inner), markup.language) for inner in rows.tolist()]
    return [text for text in texts if cleaned(text)][:3]


def byline_names(markup: Markup, row: int) -> list[str]:
    """Return the name in the first line of a byline that has one, or in a text node of it."""
    for line in lines_of(markup, row)[:4]:
        name = after_by(line, markup.language)
        if cleaned(name) and len(name.split()) > 4:
            page = markup.page
            rows = np.flatnonzero(page.tag[row : page.end[row]] == tags.TEXT)[:9] + row
            nodes = (after_by(markup.text(inner), markup.language) for inner in rows.tolist())
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
            found = by_words(line, markup.language) or (has_middle and _MIDDLE.search(line))
            name = shown_name(line, following, found, markup.language) if found else None
            if name:
                return [name]
    return []


def shown_name(line: str, following: str, found: re.Match[str], language: str) -> str | None:
    """Return the name after the words of a byline, None where a sentence begins with them."""
    rest = line[found.end() :].strip() or following
    name = after_by(rest, language)
    names = cleaned(name, language)
    if not names or is_sentence(rest, name) or not all(map(has_shape, names)):
        return None
    marks = found.groupdict()
    is_word = bool(marks.get("label") or marks.get("foreign")) and not marks.get("colon")
    if is_word and found.end() < len(line) and " " not in name and not _DESK.fullmatch(name):
        return None  # "Author Archives", "Di Maio"
    return name


def by_words(line: str, language: str) -> re.Match[str] | None:
    """Return the words at the start of a byline that are some in the page's language."""
    found = _BY.match(line)
    if found and found["foreign"] and language:
        return found if language in _SPOKEN[found["foreign"].lower()] else None
    return found


def closing_authors(markup: Markup) -> list[str]:
    """Return the name after the words "written by" at the start of a line anywhere in the text."""
    text = markup.page.text
    place = text.find("\nWritten by ")
    place = place if place >= 0 else text.find(" was written by ")
    line = text[place + 1 : place + _LONGEST].partition("\n")[0] if place >= 0 else ""
    name = after_by(line.removeprefix("was "), markup.language)
    return [name] if has_shape(name) else []


def lines_of(markup: Markup, row: int) -> list[str]:
    """Return the lines of a row's text."""
    page = markup.page
    text = page.text[page.text_start[row] : page.text_stop[row]]
    return [line.strip() for line in text.splitlines() if line.strip()]


def after_by(line: str, language: str) -> str:
    """Return the part of a byline that can be a name."""
    line = line.strip()[:_LONGEST]
    found = by_words(line, language) or _MIDDLE.search(line)
    rest = line[found.end() :] if found else line
    end = _END.search(rest)
    if not end:
        return rest
    name = rest[: end.start()].rstrip(" ,.")
    head, _, last = name.rpartition(" ")
    return head if is_month_name(last) else name


def row_text(markup: Markup, row: int) -> str:
    """Return what a microdata property says: its content, else its text."""
    return row_attributes(markup.page, row).get("content") or after_by(
        markup.text(row), markup.language
    )
