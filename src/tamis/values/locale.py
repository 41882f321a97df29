"""Where a page is at home: what tells how it writes amounts and days, and whose money it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from tamis.page import Page, declared_language

_GENERIC: Final = frozenset("ai cc co eu fm gg io ly me sh to tv ws".split())  # of no country
_LANDS: Final = {  # the country that a language tells of itself
    "cs": "CZ", "da": "DK", "is": "IS", "ja": "JP", "ko": "KR", "nb": "NO", "nn": "NO", "no": "NO",
    "sv": "SE", "zh": "CN",
}  # fmt: skip
_SCRIPTS: Final = {"hans": "CN", "hant": "TW"}
_POINT: Final = frozenset("en zh ja ko th he hi bn ta te ur ms fil tl sw ga mt cy".split())
_ALWAYS_POINT: Final = frozenset("US MX GT HN NI PA PR DO SV PE CH LI".split())  # in any language
_POINT_LANDS: Final = _ALWAYS_POINT | frozenset(
    "GB IE AU NZ CA IN PK LK BD JP CN KR TW HK SG MY PH TH IL NG KE GH".split()
)
_MONTH_FIRST: Final = frozenset(("", "US", "CA", "PH"))


@dataclass(frozen=True, slots=True)
class Locale:
    """Language and country of a page, in the form en and GB; empty where nothing tells."""

    language: str = ""
    country: str = ""  # that of the language, else of the address

    @property
    def month_first(self) -> bool:
        """Whether 5/3/2012 is the third of May: in American English, and where nothing is said."""
        return self.language in ("", "en") and self.country in _MONTH_FIRST

    @property
    def decimal(self) -> str | None:
        """The sign before decimals; None where nothing tells, or where two things disagree."""
        if not self.language:
            return ("." if self.country in _POINT_LANDS else ",") if self.country else None
        if self.country in _ALWAYS_POINT:
            return "."
        if self.language == "en" and self.country and self.country not in _POINT_LANDS:
            return None  # many pages say by mistake that they are English
        return "." if self.language in _POINT else ","


ANYWHERE: Final = Locale()


def page_locale(page: Page) -> Locale:
    """Return where a page is at home, by its language and the country in its address."""
    language, *more = declared_language(page).lower().replace("_", "-").split("-")
    country = next((part.upper() for part in more if len(part) == 2 and part.isalpha()), None)
    country = country or next((_SCRIPTS[part] for part in more if part in _SCRIPTS), None)
    return Locale(language[:3], country or _LANDS.get(language) or url_country(page.url or ""))


def url_country(address: str) -> str:
    """Return the country whose domain an address is in, such as GB; empty for any other."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    *others, last = host.split(".")
    if len(last) != 2 or not last.isalpha():
        return ""
    if last in _GENERIC and others[-1:] not in (["com"], ["co"]):
        return ""
    return "GB" if last == "uk" else last.upper()
