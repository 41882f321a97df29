"""Page → Metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import urljoin

from tamis.metadata.authors import author
from tamis.metadata.markup import Markup, headline_window
from tamis.metadata.published import published
from tamis.metadata.title import site_in_title, title
from tamis.page import UNLIMITED, Budget, Page, base_url
from tamis.printing import encode_url

_LONGEST_URL: Final = 2_000
_LONGEST_NAME: Final = 120
_LONGEST_TEXT: Final = 1_000
_MOST_TAGS: Final = 30
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}", re.I)
_ABSOLUTE: Final = re.compile(r"https?://[^\s/]", re.I)
_SITE: Final = ("og:site_name", "application-name", "apple-mobile-web-app-title")
_TAGS: Final = ("article:tag", "keywords", "news_keywords", "parsely-tags", "sailthru.tags")


@dataclass(frozen=True)
class Metadata:
    """What a page says about itself; None where it does not say it."""

    title: str | None = None
    author: str | None = None  # several are parted by semicolons
    date: str | None = None  # of publication, YYYY-MM-DD
    description: str | None = None
    site_name: str | None = None
    language: str | None = None  # as the page states it, in the form en or en-GB
    image: str | None = None
    url: str | None = None  # canonical, absolute
    tags: tuple[str, ...] = ()


def read_metadata(page: Page, *, today: date | None = None, budget: Budget = UNLIMITED) -> Metadata:
    """Return what a page says about itself. Days after `today` are not believed."""
    markup = Markup(page, budget)
    sites = site_names(markup)
    name = title(markup, sites)
    if not sites:
        sites = [site for site in (site_in_title(markup.title, name),) if site]
    window = headline_window(markup, name)
    latest = (today or date.today()) + timedelta(days=1)  # it may be tomorrow somewhere
    day = published(markup, window, latest)
    return Metadata(
        title=name,
        author=author(markup, window, sites),
        date=day.isoformat() if day else None,
        description=description(markup),
        site_name=sites[0][:_LONGEST_NAME].strip() if sites else None,
        language=language(markup),
        image=image(markup),
        url=canonical(markup),
        tags=keywords(markup),
    )


def site_names(markup: Markup) -> list[str]:
    """Return the names of the site, best first."""
    linked = markup.linked
    found = [markup.first("og:site_name")]
    found.append(linked.text(linked.of_type("website"), "name"))
    found += [linked.text(node, "publisher") for node in linked.mains[:2]]
    found.append(linked.text(linked.of_type("organization"), "name"))
    found += [markup.first(name) for name in _SITE[1:]]
    return [name for name in dict.fromkeys(found) if name]


def description(markup: Markup) -> str | None:
    """Return the description that the head states, else the main entity's."""
    found = markup.first("og:description", "description", "twitter:description", "dc.description")
    if not found:
        mains = markup.linked.mains
        found = markup.linked.text(mains[0], "description") if mains else None
    return found[:_LONGEST_TEXT].strip() if found else None


def language(markup: Markup) -> str | None:
    """Return the language that the page states, in the form of the web: en-GB."""
    mains = markup.linked.mains
    for found in (
        markup.root.get("lang"),
        markup.root.get("xml:lang"),
        markup.first("og:locale", "content-language", "dc.language", "language", "inlanguage"),
        markup.linked.text(mains[0], "inLanguage") if mains else None,
    ):
        if found and _LANGUAGE.fullmatch(found.strip()):
            first, *rest = found.strip().replace("_", "-").split("-")
            return "-".join((first.lower(), *map(subtag, rest)))
    return None


def subtag(text: str) -> str:
    """Return a part of a language tag in its usual case: GB, Hans."""
    return text.upper() if len(text) == 2 else text.capitalize() if len(text) == 4 else text.lower()


def image(markup: Markup) -> str | None:
    """Return the address of the picture that stands for the page."""
    found = markup.first("og:image", "og:image:url", "og:image:secure_url", "twitter:image")
    found = found or markup.first("twitter:image:src", "thumbnail", "image")
    if not found and markup.linked.mains:
        found = markup.linked.address(markup.linked.mains[0], "image")
    return absolute(markup, found or markup.link("image_src"))


def canonical(markup: Markup) -> str | None:
    """Return the address that the page gives itself, else the one it came from."""
    stated = markup.link("canonical") or markup.first("og:url", "twitter:url")
    return absolute(markup, stated) or absolute(markup, markup.page.url)


def absolute(markup: Markup, address: str | None) -> str | None:
    """Return an address of the web made absolute, None for any other."""
    if not address or len(address) > _LONGEST_URL:
        return None
    address = encode_url(address)
    if _ABSOLUTE.match(address):
        return address
    try:
        found = urljoin(base_url(markup.page) or "", address)
    except ValueError:
        return None
    return encode_url(found) if _ABSOLUTE.match(found) else None


def keywords(markup: Markup) -> tuple[str, ...]:
    """Return the tags of the page, each once, in its order."""
    found: dict[str, str] = {}
    stated = [value for values in markup.stated(_TAGS) for value in values]
    for node in markup.linked.mains[:1]:
        stated += markup.linked.texts(node, "keywords")
    for text in stated:
        for tag in re.split(r"[,;，、]", text):
            if 1 < len(tag.strip()) <= _LONGEST_NAME:
                found.setdefault(tag.strip().casefold(), tag.strip())
    return tuple(found.values())[:_MOST_TAGS]
