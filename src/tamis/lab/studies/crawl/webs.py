"""Local webs for crawls: real pages of data sets in made-up sites, with links that are made up.

The pages of a data set have almost no links to one another, so every link that a crawl can follow
is made up here: navigation, section lists with pagers, links in the text, related links and links
off topic. Half of the related links lead to pages with the same label: pages link to pages like
themselves (Davison 2000), and that is what a focused crawl can make use of. Sections have names
that say nothing; each label has a section in which more of its pages are.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any, Final

from tamis.lab.datasets import Item, load
from tamis.lab.studies.sites.synthetic import word

_SEED: Final = 20261118
_SECTIONS: Final = 12
_ENTRIES: Final = 25  # of one page of a section list
_HOME_SHARE: Final = 0.6  # of the pages of a label that are in its section, by chance
_SAME_LABEL: Final = 0.5  # of the related links
_IN_TEXT: Final = 2  # related links between paragraphs
_RELATED: Final = 4  # related links below the content
_OFF_TOPIC: Final = 6  # links beside the content, to pages by chance
_LATEST: Final = 20  # links of the start page, to pages by chance
_RECORD_PAGES: Final = 5  # that are made of the records of one result page
_ENGLISH_PAGES: Final = 500  # of wcxb-dev, among which pages in other languages are looked for
_HELD_OUT: Final = 4  # one site in so many of a label gives the words of queries
_QUERY_WORDS: Final = 2
_TITLE_QUERIES: Final = 2  # of a label
_MIN_SHARE: Final = 0.015  # of the pages of a web that a label must have to be looked for
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title", re.S | re.I)
_HEAD: Final = re.compile(r"<head(?:\s[^>]*)?>", re.I)
_BODY: Final = re.compile(r"<body(?:\s[^>]*)?>", re.I)
_BODY_END: Final = re.compile(r"</body\s*>", re.I)
_PARAGRAPH_END: Final = re.compile(r"</p\s*>", re.I)
_SPACELESS: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_LETTERS: Final = re.compile(r"[^\W\d_]{4,}")
_SLUG: Final = re.compile(r"[a-z]+")
_HOST: Final = "https://web.example"
# What the pages' own links are relative to: another host, so that they lead out of the web.
_BASE: Final = '<base href="https://elsewhere.example/page/">'


@dataclass(frozen=True)
class SourcePage:
    """A page that is placed in a web. The ranking sees neither label nor group."""

    label: str | None  # what decides whether the page is relevant
    group: str  # the real site that it comes from
    title: str
    lead: str
    read: Callable[[], str]  # its HTML


@dataclass(frozen=True)
class SearchedQuery:
    """Words that are looked for, and the label of the pages that are relevant."""

    words: str
    label: str


@dataclass(frozen=True)
class Web:
    """A made-up site around real pages."""

    name: str
    start: str  # the URL of its start page
    labels: Mapping[str, str | None]  # of all pages by URL; lists have none
    queries: Sequence[SearchedQuery]
    read: Callable[[str], str]  # the HTML of a URL

    def count_relevant(self, label: str) -> int:
        """Return how many pages of the web have a label."""
        return sum(other == label for other in self.labels.values())


def build_webs(limit: int | None = None) -> Iterator[Web]:
    """Yield the webs one by one; with a limit each has about so many pages of data sets."""
    for name, (collect, has_names) in _COLLECTORS.items():
        yield build_web(name, collect(limit), has_names=has_names)


def build_web(name: str, pages: Sequence[SourcePage], *, has_names: bool) -> Web:
    """Place pages in a made-up site, but those whose titles give the words of queries.

    With `has_names` the name of a label is a query as well.
    """
    held_out = _choose_held_out(pages)
    placed = [page for page in pages if (page.label, page.group) not in held_out]
    titles: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for page in pages:
        if page.label is not None and (page.label, page.group) in held_out:
            titles[page.label].append((page.group, page.title))
    counts = Counter(page.label for page in placed)
    queries = [
        SearchedQuery(words, label)
        for label in sorted(titles)
        if counts[label] >= _MIN_SHARE * len(placed)
        for words in dict.fromkeys(
            (*([label.lower()] if has_names else []), *_distinctive_words(label, titles))
        )
    ]
    site = _MadeSite(name, placed)
    return Web(name, site.start, site.labels, queries, site.read)


def _choose_held_out(pages: Sequence[SourcePage]) -> set[tuple[str | None, str]]:
    """Return the labels and real sites of the pages that are left out of the web."""
    groups: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        if page.label is not None:
            groups[page.label].add(page.group)
    return {
        (label, group)
        for label, names in groups.items()
        if len(names) > 1
        for group in sorted(names)[::_HELD_OUT]
    }


def _distinctive_words(label: str, titles: Mapping[str, Sequence[tuple[str, str]]]) -> list[str]:
    """Return queries of words that titles of a label have more often than those of others.

    Titles come with their sites. A word counts once for each site, so that names of sites are
    no queries.
    """
    shares = {name: _word_shares(texts) for name, texts in titles.items()}
    others = [shares[name] for name in shares if name != label]
    scores = {
        word: share - sum(other.get(word, 0.0) for other in others) / max(len(others), 1)
        for word, share in shares[label].items()
    }
    uses = Counter(word for _, title in titles[label] for word in _title_words(title))
    best = sorted(scores, key=lambda word: (-scores[word], -uses[word], word))
    starts = range(0, _QUERY_WORDS * _TITLE_QUERIES, _QUERY_WORDS)
    return [" ".join(words) for start in starts if (words := best[start : start + _QUERY_WORDS])]


def _word_shares(titles: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Return which share of sites has each word in titles."""
    words: dict[str, set[str]] = defaultdict(set)
    for group, title in titles:
        words[group] |= _title_words(title)
    counts = Counter(word for group in words.values() for word in group)
    return {word: count / len(words) for word, count in counts.items()}


def _title_words(title: str) -> set[str]:
    """Return the words of a title; in Chinese and Japanese pairs of characters."""
    runs = _SPACELESS.findall(title)
    pairs = {run[index : index + 2] for run in runs for index in range(len(run) - 1)}
    return pairs | set(_LETTERS.findall(_SPACELESS.sub(" ", title.lower())))


# Pages of data sets -------------------------------------------------------------------------------


def _collect_categories(limit: int | None) -> list[SourcePage]:
    """Return the result pages of records-dev, and pages that are made of their records."""
    pages = []
    count = None if limit is None else max(limit // (1 + _RECORD_PAGES), 1)
    for item in load("records-dev").spread(count).items:
        label = item.gold.get("category")
        records = item.gold["records"]
        pages.append(_source_page(item, label, " ".join(records[0] if records else [])))
        pages += [_record_page(item.group, label, cells) for cells in records[:_RECORD_PAGES]]
    return pages


def _collect_types(limit: int | None) -> list[SourcePage]:
    """Return the pages of wcxb-dev with their page types."""
    items = load("wcxb-dev").spread(limit).items
    return [_source_page(item, item.gold.get("page_type")) for item in items]


def _collect_languages(limit: int | None) -> list[SourcePage]:
    """Return pages in many languages, and English ones that are never looked for."""
    pages = []
    for name in ("languages-dev", "sites-dev", "news-dev", "articles-dev", "wcxb-dev"):
        dataset = load(name).spread(_ENGLISH_PAGES if name == "wcxb-dev" else None)
        for item in dataset.spread(None if limit is None else max(limit // 5, 1)).items:
            language = item.gold.get("lang") or item.gold.get("language")
            is_label = language not in (None, "?", "en")
            pages.append(_source_page(item, language if is_label else None))
    return pages


# How the pages of each web are collected, and whether the names of its labels are queries.
_COLLECTORS: Final[Mapping[str, tuple[Callable[[int | None], list[SourcePage]], bool]]] = {
    "categories": (_collect_categories, True),
    "page types": (_collect_types, True),
    "languages": (_collect_languages, False),
}


def _source_page(item: Item, label: Any, lead: str | None = None) -> SourcePage:
    """Return a page of a data set."""
    text = str(item.gold.get("main_content") or "") if lead is None else lead
    match = _TITLE.search(item.html)
    title = " ".join(unescape(match[1]).split()) if match else ""
    return SourcePage(
        str(label) if label else None,
        item.group,
        (title or _shorten(text, 60) or "Untitled")[:160],
        _shorten(text, 160),
        lambda: item.html,
    )


def _record_page(group: str, label: Any, record: Sequence[Any]) -> SourcePage:
    """Return a page that is made of a record."""
    cells = [str(cell) for cell in record if cell]
    names = [cell for cell in cells if _LETTERS.search(cell)] or ["Untitled"]
    title = _shorten(names[0], 100)
    paragraphs = "".join(f"<p>{escape(cell)}</p>" for cell in cells)
    html = (
        f"<html><head><title>{escape(title)}</title></head><body><article>"
        f"<h1>{escape(title)}</h1>{paragraphs}</article></body></html>"
    )
    lead = _shorten(" ".join(cells), 160)
    return SourcePage(str(label) if label else None, group, title, lead, lambda: html)


def _shorten(text: str, length: int) -> str:
    """Return the beginning of a text, up to a space if there is one."""
    text = " ".join(text[: 2 * length].split())
    if len(text) <= length:
        return text
    return text[:length].rpartition(" ")[0] or text[:length]


# The made-up site ---------------------------------------------------------------------------------


class _MadeSite:
    """Frames and links around pages; the same pages give the same site."""

    def __init__(self, name: str, pages: Sequence[SourcePage]) -> None:
        chance = random.Random(f"{_SEED} {name}")
        self._name = name
        self._pages = pages
        self._sections = [word(100_000 + 3_700 * number) for number in range(_SECTIONS)]
        self._by_label: dict[str | None, list[int]] = defaultdict(list)
        self._members: list[list[int]] = [[] for _ in self._sections]
        homes = {
            label: chance.randrange(_SECTIONS)
            for label in sorted({page.label or "" for page in pages})
        }
        self._urls: list[str] = []
        for index, page in enumerate(pages):
            is_home = chance.random() < _HOME_SHARE and page.label is not None
            section = homes[page.label or ""] if is_home else chance.randrange(_SECTIONS)
            self._members[section].append(index)
            self._by_label[page.label].append(index)
            slug = "-".join([*_SLUG.findall(page.title.lower())[:6], str(index)])
            self._urls.append(f"{_HOST}/{self._sections[section]}/{slug}")
        for members in self._members:
            chance.shuffle(members)
        self.start = f"{_HOST}/"
        self._index = {url: index for index, url in enumerate(self._urls)}
        self._lists = dict(self._list_entries())
        self.labels: dict[str, str | None] = {
            self.start: None,
            **dict.fromkeys(self._lists),
            **{url: pages[index].label for url, index in self._index.items()},
        }

    def read(self, url: str) -> str:
        """Return the HTML of a URL."""
        if url in self._index:
            return self._content_page(self._index[url])
        if url == self.start:
            indexes = random.Random(f"{_SEED} {self._name} start").choices(
                range(len(self._pages)), k=_LATEST
            )
            return self._list_page(url, "Latest", indexes, None)
        section, indexes, next_url = self._lists[url]
        return self._list_page(url, section, indexes, next_url)

    def _list_entries(self) -> Iterator[tuple[str, tuple[str, list[int], str | None]]]:
        """Yield the URLs of section lists with their section, entries and next page."""
        for section, members in zip(self._sections, self._members, strict=True):
            starts = range(0, max(len(members), 1), _ENTRIES)
            urls = [self._list_url(section, number) for number in range(len(starts))]
            for url, start, next_url in zip(urls, starts, [*urls[1:], None], strict=True):
                yield url, (section, members[start : start + _ENTRIES], next_url)

    def _list_url(self, section: str, number: int) -> str:
        return f"{_HOST}/{section}/" if not number else f"{_HOST}/{section}/page/{number + 1}"

    def _content_page(self, index: int) -> str:
        """Return a real page with the frame of the site around its body."""
        chance = random.Random(f"{_SEED} {self._name} {index}")
        related = [self._choose_related(index, chance) for _ in range(_IN_TEXT + _RELATED)]
        html = self._pages[index].read()
        html = _insert_after(_HEAD, html, _BASE)
        html = self._insert_links(html, related[:_IN_TEXT])
        html = _insert_after(_BODY, html, self._header())
        box = "".join(f"<li>{self._link(target)}</li>" for target in related[_IN_TEXT:])
        below = f"<section class=related><h3>Related</h3><ul>{box}</ul></section>"
        below += self._aside(chance) + self._footer()
        ends = list(_BODY_END.finditer(html))
        at = ends[-1].start() if ends else len(html)
        return html[:at] + below + html[at:]

    def _choose_related(self, index: int, chance: random.Random) -> int:
        """Return a page that a page links to."""
        label = self._pages[index].label
        is_alike = chance.random() < _SAME_LABEL and label is not None
        return chance.choice(self._by_label[label] if is_alike else range(len(self._pages)))

    def _insert_links(self, html: str, targets: Sequence[int]) -> str:
        """Return a page with links between the paragraphs in its middle."""
        ends = [match.end() for match in _PARAGRAPH_END.finditer(html)]
        if len(ends) <= len(targets):
            return html
        middle = len(ends) // 2
        for at, target in zip(ends[middle::-1], targets, strict=False):  # from back to front
            html = f"{html[:at]}<p>See also: {self._link(target)}</p>{html[at:]}"
        return html

    def _list_page(self, url: str, name: str, indexes: Sequence[int], next_url: str | None) -> str:
        """Return a page of a section list."""
        chance = random.Random(f"{_SEED} {self._name} {url}")
        entries = "".join(
            f"<li class=entry><h2>{self._link(index)}</h2>"
            f"<p>{escape(self._pages[index].lead)}</p></li>"
            for index in indexes
        )
        pager = (
            f'<p class=pager><a rel=next href="{next_url}">Next page</a></p>' if next_url else ""
        )
        return (
            f"<html><head><title>{name}</title></head><body>{self._header()}<main><h1>{name}</h1>"
            f"<ul class=entries>{entries}</ul>{pager}</main>{self._aside(chance)}{self._footer()}"
            "</body></html>"
        )

    def _link(self, index: int) -> str:
        return f'<a href="{self._urls[index]}">{escape(self._pages[index].title)}</a>'

    def _header(self) -> str:
        items = "".join(
            f'<li><a href="{self._list_url(section, 0)}">{section}</a></li>'
            for section in self._sections
        )
        return (
            f'<header class=top><a href="{self.start}">The made-up web</a></header>'
            f"<nav class=top><ul>{items}</ul></nav>"
        )

    def _aside(self, chance: random.Random) -> str:
        indexes = chance.choices(range(len(self._pages)), k=_OFF_TOPIC)
        items = "".join(f"<li>{self._link(index)}</li>" for index in indexes)
        return f"<aside class=more><h3>Most read</h3><ul>{items}</ul></aside>"

    def _footer(self) -> str:
        return (
            f'<footer class=bottom><p><a href="{self.start}">Home</a> Copyright of the made-up '
            "web. All rights reserved.</p></footer>"
        )


def _insert_after(pattern: re.Pattern[str], html: str, markup: str) -> str:
    """Return HTML with markup after the first match of a pattern, or in front of everything."""
    match = pattern.search(html)
    at = match.end() if match else 0
    return html[:at] + markup + html[at:]
