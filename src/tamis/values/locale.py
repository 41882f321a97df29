"""The locale of a page: its language and country, which decide how it writes values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import urlsplit

from tamis.page import Page, declared_language

_GENERIC_DOMAINS: Final = frozenset("ai cc co eu fm gg io ly me sh to tv ws".split())
_COUNTRY_BY_LANGUAGE: Final = {  # languages that are mostly written in one country
    "cs": "CZ", "da": "DK", "is": "IS", "ja": "JP", "ko": "KR", "nb": "NO", "nn": "NO", "no": "NO",
    "sv": "SE", "zh": "CN",
}  # fmt: skip
_COUNTRY_BY_SCRIPT: Final = {"hans": "CN", "hant": "TW"}
_POINT_LANGUAGES: Final = frozenset(
    "en zh ja ko th he hi bn ta te ur ms fil tl sw ga mt cy".split()
)
# In these countries the decimal mark is a point, whatever the language of the page.
_ALWAYS_POINT: Final = frozenset("US MX GT HN NI PA PR DO SV PE CH LI".split())
_POINT_COUNTRIES: Final = _ALWAYS_POINT | frozenset(
    "GB IE AU NZ CA IN PK LK BD JP CN KR TW HK SG MY PH TH IL NG KE GH".split()
)
_MONTH_FIRST_COUNTRIES: Final = frozenset(("", "US", "CA", "PH"))


@dataclass(frozen=True, slots=True)
class Locale:
    """Language and country of a page, in the form en and GB; empty where they are unknown.

    `fetched` is the day on which the page was fetched, from which "2 days ago" counts. If it is
    unknown, relative dates are texts.
    """

    language: str = ""
    country: str = ""  # that of the language tag, else of the URL
    fetched: date | None = None

    @property
    def month_first(self) -> bool:
        """Whether 5/3/2012 is May 3: in American English, and where the locale is unknown."""
        return self.language in ("", "en") and self.country in _MONTH_FIRST_COUNTRIES

    @property
    def decimal_mark(self) -> str | None:
        """The decimal mark; None if it is unknown, or if language and country disagree."""
        if not self.language:
            return ("." if self.country in _POINT_COUNTRIES else ",") if self.country else None
        if self.country in _ALWAYS_POINT:
            return "."
        if self.language == "en" and self.country and self.country not in _POINT_COUNTRIES:
            return None  # many pages declare English by mistake
        return "." if self.language in _POINT_LANGUAGES else ","


UNKNOWN_LOCALE: Final = Locale()


def page_locale(page: Page, fetched: date | None = None) -> Locale:
    """Return the locale of a page, from its declared language and the domain of its URL.

    `fetched` is the day on which the page was fetched, if it is known.
    """
    language, *subtags = declared_language(page).lower().replace("_", "-").split("-")
    country = next((tag.upper() for tag in subtags if len(tag) == 2 and tag.isalpha()), None)
    country = country or next(
        (_COUNTRY_BY_SCRIPT[tag] for tag in subtags if tag in _COUNTRY_BY_SCRIPT), None
    )
    country = country or _COUNTRY_BY_LANGUAGE.get(language) or _url_country(page.url or "")
    return Locale(language[:3], country, fetched)


def _url_country(url: str) -> str:
    """Return the country of a URL's top-level domain, such as GB; empty if it has none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    *others, last = host.split(".")
    if len(last) != 2 or not last.isalpha():
        return ""
    if last in _GENERIC_DOMAINS and others[-1:] not in (["com"], ["co"]):
        return ""
    return "GB" if last == "uk" else last.upper()
