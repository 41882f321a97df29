"""Addresses of a crawl: the form they are fetched in and compared by, their scope, their shape.

An address is the URL of a page that a crawl may fetch. `clean_url` gives the form that is fetched:
without fragment, session ids and trackers, its parameters in the order that the site wrote them.
`canonical_url` gives the form that addresses are compared by, with sorted parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Literal, get_args
from urllib.parse import SplitResult, urlsplit, urlunsplit

from w3lib.url import canonicalize_url, safe_url_string

from tamis.errors import InputError, UnknownName
from tamis.site import url_shape as url_shape

if TYPE_CHECKING:
    import tldextract

ScopeName = Literal["page", "folder", "host", "domain"]
MAX_URL_LENGTH: Final = 2_000  # characters; longer ones are made by loops of relative links
_MAX_REPEATS: Final = 3  # of one segment in a path, before it is taken for such a loop
_MAX_SEGMENTS: Final = 30
_PORTS: Final = {"http": 80, "https": 443}

# Whole names and beginnings, unlike those of courlan, whose pattern also matches `gallery`,
# `keyword` and `source`: a page that is taken for another one is lost.
_TRACKERS: Final = frozenset(
    "dclid fbclid gbraid gclid gclsrc igsh igshid li_fat_id mc_cid mc_eid mkt_tok msclkid "
    "oly_anon_id oly_enc_id rb_clickid s_cid srsltid ttclid twclid vero_id wbraid wickedid yclid "
    "ysclid xtor _ga _gl _hsenc _hsmi __hssc __hstc __hsfp hsctatracking".split()
)
_TRACKER_PREFIXES: Final = ("utm_", "itm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "at_")
_SESSIONS: Final = frozenset(
    "jsessionid phpsessid aspsessionid cfid cftoken sessionid session_id sessid sid zenid "
    "oscsid osadcid s_id".split()
)
_SESSION_IN_PATH: Final = re.compile(r";(?:jsessionid|sid|sessionid|phpsessid)=[^/?;]*", re.I)
_ASP_SESSION: Final = re.compile(r"/\([A-Z]\([a-z0-9]{20,}\)\)", re.I)
# Scheme, host and path alone: nothing that is escaped, taken away, sorted or in capitals.
_PLAIN_URL: Final = re.compile(
    r"https?://(?!xn--)[a-z0-9]+(?:[.-](?!xn--)[a-z0-9]+)*"
    r"(?::(?!(?:80|443)/)(?:[1-9]\d{0,3}|[1-5]\d{4}))?"
    r"/(?!\.)[A-Za-z0-9_~-]*(?:[/.](?!\.)[A-Za-z0-9_~-]+)*/?"
)
# `sid` and the like are also names of pages' numbers: only a value as long as a key is a session.
_SESSION_VALUE: Final = re.compile(r"[A-Za-z0-9_.,!-]{16,}")


def clean_url(url: str) -> str | None:
    """Return the form of an address that is fetched; None if it is no address of a page."""
    if _is_plain(url):
        return url
    try:
        url = safe_url_string(url.strip(), encoding="utf-8")
        parts = urlsplit(url)
        host = _normalize_host(parts)
    except (ValueError, UnicodeError):
        return None
    if parts.scheme not in _PORTS or not host:
        return None
    path = _ASP_SESSION.sub("", _SESSION_IN_PATH.sub("", parts.path))
    query = "&".join(filter(_is_kept, parts.query.split("&"))) if parts.query else ""
    cleaned = urlunsplit((parts.scheme, host, _remove_dot_segments(path), query, ""))
    return cleaned if len(cleaned) <= MAX_URL_LENGTH else None


def canonical_url(url: str) -> str:
    """Return the form that addresses are compared by, of an address in the form it is fetched."""
    return url if _is_plain(url) else canonicalize_url(url)


def _is_plain(url: str) -> bool:
    """Say whether an address has its final form already, as most links of most pages have."""
    return len(url) <= MAX_URL_LENGTH and _PLAIN_URL.fullmatch(url) is not None


def _normalize_host(parts: SplitResult) -> str:
    """Return host and port in lower case, without the default port, user name and password."""
    host = (parts.hostname or "").rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    elif not host.isascii():
        host = host.encode("idna").decode()
    port = parts.port
    return host if port is None or port == _PORTS.get(parts.scheme) else f"{host}:{port}"


def _is_kept(parameter: str) -> bool:
    """Say whether a parameter of a query is neither empty nor a tracker nor a session id."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if not parameter or name in _TRACKERS or name.startswith(_TRACKER_PREFIXES):
        return False
    return not (name in _SESSIONS and _SESSION_VALUE.fullmatch(value))


def _remove_dot_segments(path: str) -> str:
    """Return a path without `.` and `..`, as in RFC 3986 §5.2.4."""
    if "/." not in path:
        return path or "/"
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    is_folder = path.endswith(("/.", "/.."))
    return "/" + "/".join(segments) + ("/" if is_folder and segments else "")


# Hosts and scope --------------------------------------------------------------------------------


def url_host(url: str) -> str:
    """Return scheme, host and port of an address: what robots.txt and politeness are about."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@cache
def _suffixes() -> tldextract.TLDExtract:
    """Return the public suffix list that comes with tldextract; nothing is fetched for it."""
    import tldextract  # takes long to load, and only the scope `domain` needs it

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def url_domain(url: str) -> str:
    """Return the registered domain of an address, such as example.co.uk; of an IP, the IP."""
    host = (urlsplit(url).hostname or "").lower()
    try:
        return str(ip_address(host))
    except ValueError:
        return _suffixes()(host).top_domain_under_public_suffix or host


@dataclass(frozen=True)
class Scope:
    """Which addresses a crawl follows, from those that it starts with.

    page: these alone; folder: those below the same folder; host: those of the same host, with or
    without `www.`; domain: those of the same registered domain, with all its hosts.
    """

    name: ScopeName
    keys: frozenset[str]

    @classmethod
    def around(cls, urls: Iterable[str], name: ScopeName = "host") -> Scope:
        """Return the scope of a name around start addresses."""
        if name not in get_args(ScopeName):
            raise UnknownName(f"no scope {name!r}: take one of {', '.join(get_args(ScopeName))}")
        return cls(name, frozenset(_scope_key(url, name) for url in urls))

    def extend(self, url: str) -> Scope:
        """Return the scope with a further start address: what a start address redirects to."""
        return Scope(self.name, self.keys | {_scope_key(url, self.name)})

    def includes(self, url: str) -> bool:
        """Say whether an address, in the form that is fetched, is in the scope."""
        key = _scope_key(url, self.name)
        if self.name != "folder":
            return key in self.keys
        return any(_key_of_site(url).startswith(folder) for folder in self.keys)


def _scope_key(url: str, name: ScopeName) -> str:
    """Return what addresses of one scope have in common."""
    if name == "page":
        return canonical_url(url)
    if name == "domain":
        return url_domain(url)
    if name == "host":
        return urlsplit(url).netloc.lower().removeprefix("www.")
    return _key_of_site(url).rpartition("/")[0] + "/"


def _key_of_site(url: str) -> str:
    """Return host and path of an address, without `www.`."""
    parts = urlsplit(url)
    return parts.netloc.lower().removeprefix("www.") + (parts.path or "/")


def check_start_url(url: str) -> str:
    """Return a start address in the form that is fetched; InputError if it is none."""
    given = url if "://" in url else f"https://{url}"
    cleaned = clean_url(given)
    if cleaned is None:
        raise InputError(f"{url!r} is no address of a page: give one such as https://example.org/")
    return cleaned


# Shapes and traps -------------------------------------------------------------------------------


def is_loop(url: str) -> bool:
    """Say whether an address looks like one that relative links make longer on every page."""
    segments = [segment for segment in urlsplit(url).path.split("/") if segment]
    if len(segments) > _MAX_SEGMENTS:
        return True
    return any(segments.count(segment) > _MAX_REPEATS for segment in set(segments))
