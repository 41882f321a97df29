"""Markup → the title of the page, without the name of its site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from tamis.metadata.jsonld import rank
from tamis.metadata.markup import Markup

_LONGEST: Final = 300
_LONGEST_SITE: Final = 50
_AGREES: Final = 0.35  # share of words that a heading and a stated title have in common
_SEPARATOR: Final = re.compile(r"\s([|–—―·•»«/\\:~>-]|::|--)\s|\s?([|｜_])\s?|(?<=\w)(:)\s")
_BAR: Final = re.compile(r"\s[|｜/]\s")
_WORDS: Final = re.compile(r"[぀-ヿ㐀-鿿]|[^\W_぀-ヿ㐀-鿿]+")  # each letter of Chinese is a word
_META: Final = tuple(
    "og:title citation_title parsely-title sailthru.title twitter:title dc.title dcterms.title "
    "title".split()
)


def title(markup: Markup, site_names: Iterable[str]) -> str | None:
    """Return the title: the heading that the page's head agrees with, else what the head states."""
    names = {squeezed(name) for name in site_names} | host_names(markup.page.url)
    stated = stated_titles(markup)
    bare = [without_site(text, names) for text in stated if squeezed(text) not in names]
    headings = [text for _, text in markup.headings if squeezed(text) not in names]
    heading = agreed_heading(headings, bare)
    found = heading or next((first_part(text) for text in bare), None)
    found = found or next(iter((*headings, *stated)), None)
    return found[:_LONGEST].strip() if found else None


def stated_titles(markup: Markup) -> list[str]:
    """Return the titles that the page's head states, best first."""
    linked = markup.linked
    found: list[str | None] = []
    mains = linked.mains
    if mains and rank(mains[0]) == 0:
        found.append(linked.text(mains[0], "headline"))
    found += [markup.first(name) for name in _META]
    found.append(markup.title)
    return [text for text in dict.fromkeys(found) if text]


def agreed_heading(headings: Sequence[str], stated: Sequence[str]) -> str | None:
    """Return the heading that has most words in common with a stated title, if it has enough."""
    best, most = None, 0.0
    wanted = [words(text) for text in stated]
    for heading in headings:
        own = words(heading)
        share = max((agreement(own, other) for other in wanted), default=1.0)
        if share > most:
            best, most = heading, share
    return best if most >= _AGREES else None


def agreement(one: set[str], other: set[str]) -> float:
    """Return the F1 of two sets of words."""
    common = len(one & other)
    return 2 * common / (len(one) + len(other)) if common else 0.0


def without_site(text: str, names: set[str]) -> str:
    """Return a title without the leading or trailing parts that name the site."""
    cuts = list(_SEPARATOR.finditer(text))
    start, stop = 0, len(text)
    while cuts and is_site(text[cuts[-1].end() : stop], names):
        stop = cuts.pop().start()
    if cuts and stop == len(text) and is_site(text[: cuts[0].start()], names):
        start = cuts[0].end()
    return text[start:stop].strip() or text


def site_in_title(page_title: str | None, title: str | None) -> str | None:
    """Return the last part of a page's title when it says nothing of the title itself."""
    cuts = list(_SEPARATOR.finditer(page_title or ""))
    if not cuts or not page_title or not title or ":" in cuts[-1][0]:
        return None
    site = page_title[cuts[-1].end() :].strip()
    own = words(title)
    says_title = not own.isdisjoint(words(page_title[: cuts[-1].start()]))
    named = words(site)
    fits = 1 < len(site) <= _LONGEST_SITE and len(own & named) <= len(named) / 4
    return site if says_title and fits else None


def first_part(text: str) -> str:
    """Return a title up to a bar, which parts it from sections and slogans, if that says enough."""
    first = _BAR.split(text, maxsplit=1)[0]
    return first if len(words(first)) > 1 else text


def is_site(part: str, names: set[str]) -> bool:
    """Whether a part of a title is the name of the site."""
    squeezed_part = squeezed(part)
    return bool(squeezed_part) and any(
        squeezed_part == name
        or (len(name) > 3 and squeezed_part.startswith(name) and len(part) < 40)
        or (len(squeezed_part) > 3 and name.startswith(squeezed_part))
        for name in names
    )


def host_names(url: str | None) -> set[str]:
    """Return what the host of an address says about the name of the site."""
    try:
        host = (urlsplit(url).hostname if url else None) or ""
    except ValueError:
        return set()
    labels = host.removeprefix("www.").split(".")
    found = {squeezed(host.removeprefix("www."))}
    found |= {squeezed(label) for label in labels[:-1] if len(label) > 3}
    return found - {""}


def squeezed(text: str) -> str:
    """Return the letters and digits of a text in one case."""
    return "".join(_WORDS.findall(text.casefold())).removeprefix("the")


def words(text: str) -> set[str]:
    """Return the words of a text in one case."""
    return set(_WORDS.findall(text.casefold()))
