"""The title of a page, without the name of its site.

The head of a page states titles that often include the site's name. A heading that agrees with one
of them is the best title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from tamis.metadata.jsonld import type_rank
from tamis.metadata.markup import Markup

_MAX_TITLE_CHARS: Final = 300
_MAX_SITE_CHARS: Final = 50
_MIN_AGREEMENT: Final = 0.35  # word F1 of a heading with a stated title
_SEPARATOR: Final = re.compile(r"\s([|–—―·•»«/\\:~>-]|::|--)\s|\s?([|｜_])\s?|(?<=\w)(:)\s")
_BAR: Final = re.compile(r"\s[|｜/]\s")
_WORD: Final = re.compile(r"[぀-ヿ㐀-鿿]|[^\W_぀-ヿ㐀-鿿]+")  # each Chinese character is a word
_TITLE_META: Final = tuple(
    "og:title citation_title parsely-title sailthru.title twitter:title dc.title dcterms.title "
    "title".split()
)


def find_title(markup: Markup, site_names: Iterable[str]) -> str | None:
    """Return the heading that agrees with the head of the page, else a title in the head."""
    names = {name_key(name) for name in site_names} | _host_names(markup.page.url)
    stated = _stated_titles(markup)
    bare = [_remove_site(text, names) for text in stated if name_key(text) not in names]
    headings = [text for _, text in markup.headings if name_key(text) not in names]
    title = _find_agreeing_heading(headings, bare)
    title = title or next((_remove_sections(text) for text in bare), None)
    title = title or next(iter((*headings, *stated)), None)
    return title[:_MAX_TITLE_CHARS].strip() if title else None


def find_site_in_title(page_title: str | None, title: str | None) -> str | None:
    """Return the last part of `<title>` if it names the site, not what the title is about."""
    separators = list(_SEPARATOR.finditer(page_title or ""))
    if not separators or not page_title or not title or ":" in separators[-1][0]:
        return None
    site = page_title[separators[-1].end() :].strip()
    title_words, site_words = _words(title), _words(site)
    has_title_before = not title_words.isdisjoint(_words(page_title[: separators[-1].start()]))
    is_short = 1 < len(site) <= _MAX_SITE_CHARS
    is_other = len(title_words & site_words) <= len(site_words) / 4
    return site if has_title_before and is_short and is_other else None


def name_key(text: str) -> str:
    """Return the letters and digits of a name in one case, by which names are compared."""
    return "".join(_WORD.findall(text.casefold())).removeprefix("the")


def _stated_titles(markup: Markup) -> list[str]:
    """Return the titles that the head of the page states, best first."""
    jsonld = markup.jsonld
    titles: list[str | None] = []
    entities = jsonld.main_entities
    if entities and type_rank(entities[0]) == 0:
        titles.append(jsonld.text(entities[0], "headline"))
    titles += [markup.first_meta(name) for name in _TITLE_META]
    titles.append(markup.title)
    return [text for text in dict.fromkeys(titles) if text]


def _find_agreeing_heading(headings: Sequence[str], titles: Sequence[str]) -> str | None:
    """Return the heading that has most words in common with a title, if these are enough."""
    best, best_agreement = None, 0.0
    words_by_title = [_words(text) for text in titles]
    for heading in headings:
        heading_words = _words(heading)
        agreement = max((_word_f1(heading_words, words) for words in words_by_title), default=1.0)
        if agreement > best_agreement:
            best, best_agreement = heading, agreement
    return best if best_agreement >= _MIN_AGREEMENT else None


def _word_f1(words: set[str], others: set[str]) -> float:
    """Return the F1 of two sets of words."""
    common = len(words & others)
    return 2 * common / (len(words) + len(others)) if common else 0.0


def _remove_site(text: str, names: set[str]) -> str:
    """Return a title without leading or trailing parts that name the site."""
    separators = list(_SEPARATOR.finditer(text))
    start, stop = 0, len(text)
    while separators and _is_site_name(text[separators[-1].end() : stop], names):
        stop = separators.pop().start()
    is_complete = stop == len(text)
    if separators and is_complete and _is_site_name(text[: separators[0].start()], names):
        start = separators[0].end()
    return text[start:stop].strip() or text


def _remove_sections(text: str) -> str:
    """Return a title up to the bar before sections and slogans, if that leaves two words."""
    first = _BAR.split(text, maxsplit=1)[0]
    return first if len(_words(first)) > 1 else text


def _is_site_name(part: str, names: set[str]) -> bool:
    """Say whether a part of a title is the name of the site."""
    key = name_key(part)
    return bool(key) and any(
        key == name
        or (len(name) > 3 and key.startswith(name) and len(part) < 40)
        or (len(key) > 3 and name.startswith(key))
        for name in names
    )


def _host_names(url: str | None) -> set[str]:
    """Return the keys of site names that the host of a URL suggests."""
    try:
        host = (urlsplit(url).hostname if url else None) or ""
    except ValueError:
        return set()
    host = host.removeprefix("www.")
    names = {name_key(host)}
    names |= {name_key(label) for label in host.split(".")[:-1] if len(label) > 3}
    return names - {""}


def _words(text: str) -> set[str]:
    """Return the words of a text in one case."""
    return set(_WORD.findall(text.casefold()))
