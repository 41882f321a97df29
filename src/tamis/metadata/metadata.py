"""Page → Metadata: title, authors, date and more.

`read_metadata` is the whole flow. The title, the authors and the date have files of their own; the
shorter fields are found here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import urljoin

from tamis.metadata.authors import find_authors
from tamis.metadata.markup import Markup, headline_window
from tamis.metadata.published import find_publication_date
from tamis.metadata.title import find_site_in_title, find_title
from tamis.page import UNLIMITED, Budget, Page, base_url
from tamis.printing import encode_url

_MAX_URL_CHARS: Final = 2_000
_MAX_NAME_CHARS: Final = 120
_MAX_DESCRIPTION_CHARS: Final = 1_000
_MAX_TAGS: Final = 30
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}", re.I)
_ABSOLUTE: Final = re.compile(r"https?://[^\s/]", re.I)
_TAG_META: Final = ("article:tag", "keywords", "news_keywords", "parsely-tags", "sailthru.tags")


@dataclass(frozen=True)
class Metadata:
    """What a page states about itself; None where it states nothing."""

    title: str | None = None
    author: str | None = None  # several authors are separated by semicolons
    date: str | None = None  # of publication, YYYY-MM-DD
    description: str | None = None
    site_name: str | None = None
    language: str | None = None  # as the page states it, in the form en or en-GB
    image: str | None = None
    url: str | None = None  # canonical, absolute
    tags: tuple[str, ...] = ()


def read_metadata(page: Page, *, today: date | None = None, budget: Budget = UNLIMITED) -> Metadata:
    """Return the metadata of a page. Dates after `today` are ignored."""
    markup = Markup(page, budget)
    sites = _find_site_names(markup)
    title = find_title(markup, sites)
    if not sites:
        sites = [site for site in (find_site_in_title(markup.title, title),) if site]
    window = headline_window(markup, title)
    latest = (today or date.today()) + timedelta(days=1)  # it may be tomorrow somewhere
    day = find_publication_date(markup, window, latest)
    return Metadata(
        title=title,
        author=find_authors(markup, window, sites),
        date=day.isoformat() if day else None,
        description=_find_description(markup),
        site_name=sites[0][:_MAX_NAME_CHARS].strip() if sites else None,
        language=_find_language(markup),
        image=_find_image(markup),
        url=_find_canonical_url(markup),
        tags=_find_tags(markup),
    )


def _find_site_names(markup: Markup) -> list[str]:
    """Return the names of the site, best first."""
    jsonld = markup.jsonld
    names = [
        markup.first_meta("og:site_name"),
        jsonld.text(jsonld.first_of_type("website"), "name"),
        *(jsonld.text(entity, "publisher") for entity in jsonld.main_entities[:2]),
        jsonld.text(jsonld.first_of_type("organization"), "name"),
        markup.first_meta("application-name"),
        markup.first_meta("apple-mobile-web-app-title"),
    ]
    return [name for name in dict.fromkeys(names) if name]


def _find_description(markup: Markup) -> str | None:
    """Return the description in the head, else that of the main entity."""
    text = markup.first_meta(
        "og:description", "description", "twitter:description", "dc.description"
    )
    if not text:
        entities = markup.jsonld.main_entities
        text = markup.jsonld.text(entities[0], "description") if entities else None
    return text[:_MAX_DESCRIPTION_CHARS].strip() if text else None


def _find_language(markup: Markup) -> str | None:
    """Return the declared language of the page in its standard form, such as en-GB."""
    entities = markup.jsonld.main_entities
    for tag in (
        markup.root.get("lang"),
        markup.root.get("xml:lang"),
        markup.first_meta("og:locale", "content-language", "dc.language", "language", "inlanguage"),
        markup.jsonld.text(entities[0], "inLanguage") if entities else None,
    ):
        if tag and _LANGUAGE.fullmatch(tag.strip()):
            first, *subtags = tag.strip().replace("_", "-").split("-")
            return "-".join((first.lower(), *map(_normalise_subtag, subtags)))
    return None


def _normalise_subtag(text: str) -> str:
    """Return a part of a language tag in its usual case: GB, Hans."""
    return text.upper() if len(text) == 2 else text.capitalize() if len(text) == 4 else text.lower()


def _find_image(markup: Markup) -> str | None:
    """Return the URL of the image that represents the page."""
    url = markup.first_meta("og:image", "og:image:url", "og:image:secure_url", "twitter:image")
    url = url or markup.first_meta("twitter:image:src", "thumbnail", "image")
    if not url and markup.jsonld.main_entities:
        url = markup.jsonld.url(markup.jsonld.main_entities[0], "image")
    return _absolute_url(markup, url or markup.link("image_src"))


def _find_canonical_url(markup: Markup) -> str | None:
    """Return the URL that the page gives itself, else the one that it was read from."""
    url = markup.link("canonical") or markup.first_meta("og:url", "twitter:url")
    return _absolute_url(markup, url) or _absolute_url(markup, markup.page.url)


def _absolute_url(markup: Markup, url: str | None) -> str | None:
    """Return an absolute HTTP URL for a URL of the page; None if it has none."""
    if not url or len(url) > _MAX_URL_CHARS:
        return None
    url = encode_url(url)
    if _ABSOLUTE.match(url):
        return url
    try:
        joined = urljoin(base_url(markup.page) or "", url)
    except ValueError:
        return None
    return encode_url(joined) if _ABSOLUTE.match(joined) else None


def _find_tags(markup: Markup) -> tuple[str, ...]:
    """Return the tags of the page in its order, without duplicates."""
    texts = [text for contents in markup.each_meta(_TAG_META) for text in contents]
    for entity in markup.jsonld.main_entities[:1]:
        texts += markup.jsonld.texts(entity, "keywords")
    unique: dict[str, str] = {}
    for text in texts:
        for tag in re.split(r"[,;，、]", text):
            if 1 < len(tag.strip()) <= _MAX_NAME_CHARS:
                unique.setdefault(tag.strip().casefold(), tag.strip())
    return tuple(unique.values())[:_MAX_TAGS]
