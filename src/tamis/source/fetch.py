"""Pages fetched over HTTP, within limits on time, size and redirects."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from tamis.errors import FetchError, FetchTooLarge, InputError, Unavailable, check_argument
from tamis.source.compression import SLACK, gunzip, inflate
from tamis.source.files import too_large_message
from tamis.source.sources import Source, printable_name

if TYPE_CHECKING:
    import httpx

TIMEOUT: Final = 20.0  # seconds
MAX_REDIRECTS: Final = 10
MAX_BYTES: Final = 20 * 2**20
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"
_UNPACKERS = {"gzip": gunzip, "x-gzip": gunzip, "deflate": inflate}
# No server packs a page twice on purpose; a long list of codings would only cost time.
_MAX_CODINGS = 2


def _user_agent() -> str:
    """Return the name and version that tamis sends to servers."""
    import importlib.metadata

    try:
        return f"tamis/{importlib.metadata.version('tamis')}"
    except importlib.metadata.PackageNotFoundError:
        return "tamis/0"


@dataclass(frozen=True, slots=True)
class Fetch:
    """How URLs are fetched; `timeout` is for the whole fetch with its redirects, in seconds.

    A page that cannot be fetched is a FetchError, past `max_bytes` a FetchTooLarge.
    """

    timeout: float = TIMEOUT
    max_redirects: int = MAX_REDIRECTS
    max_bytes: int = MAX_BYTES
    allow_private: bool = False
    user_agent: str = field(default_factory=_user_agent)

    def __post_init__(self) -> None:
        check_argument("timeout", self.timeout, (int, float), "seconds")
        for name in ("max_redirects", "max_bytes"):
            check_argument(name, getattr(self, name), int, "a whole number")
        check_argument("user_agent", self.user_agent, str, "a name and version as str")
        if math.isnan(self.timeout):
            raise InputError("a timeout of NaN seconds never passes: give a number")
        if not (self.user_agent.isascii() and self.user_agent.isprintable()):
            raise InputError(f"user_agent {self.user_agent!r} cannot be sent: use ASCII letters")

    def get(self, url: str) -> Source:
        """Fetch one page; a FetchError says why that was not possible."""
        check_argument("url", url, str, "a URL such as 'https://example.org/'")
        try:
            import httpcore
            import httpx

            from tamis.source.transport import Deadline, GuardedTransport
        except ImportError as error:
            raise Unavailable(
                "fetching URLs needs httpx, which is missing: reinstall tamis"
            ) from error
        first = _parse_url(url)
        transport = GuardedTransport(Deadline.after(self.timeout), allow_private=self.allow_private)
        headers = {
            "User-Agent": self.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip, deflate",
        }
        # trust_env=False: with a proxy from the environment the proxy connects, and the IP address
        # that is checked would be that of the proxy, not that of the page.
        client = httpx.Client(transport=transport, headers=headers, trust_env=False)
        try:
            with client:
                return self._fetch_page(client, url, first)
        except httpcore.TimeoutException as error:
            what = f"took longer than {self.timeout:g} s: raise timeout= (--timeout), or try again"
            raise FetchError(f"{_show_url(first)} {what}") from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            what = f"was not fetched ({error}): check the URL, or try again later"
            raise FetchError(f"{_show_url(first)} {what}") from error
        # The transport raises errors of httpcore. Those of httpx, and of the codecs below it, which
        # refuse some host names, are about the URL of a redirect.
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            what = f"redirects to a URL that cannot be fetched ({error}): check the URL"
            raise FetchError(f"{_show_url(first)} {what}") from error
        except (OSError, ValueError) as error:
            what = f"was not fetched ({error}): check the URL in a browser"
            raise FetchError(f"{_show_url(first)} {what}") from error

    def _fetch_page(self, client: httpx.Client, given_url: str, first: httpx.URL) -> Source:
        """Follow the redirects and read the page they end at."""
        request = client.build_request("GET", first)
        # Redirects are followed here and not by httpx, so that each is checked before it is sent.
        for _ in range(self.max_redirects + 1):
            _check_url(request.url)
            response = client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    _check_response(response)
                    data = self._read_body(response)
                    url, charset = _show_url(response.url), _declared_charset(response)
                    return Source(
                        name=printable_name(given_url), url=url, data=data, charset=charset
                    )
                request = response.next_request
            finally:
                response.close()
        what = f"redirects more than {self.max_redirects} times, last to {_show_url(request.url)}"
        raise FetchError(f"{_show_url(first)} {what}: check the URL in a browser")

    def _read_body(self, response: httpx.Response) -> bytes:
        """Return the body, unpacked, within the limit on its size."""
        name, limit = _show_url(response.url), self.max_bytes + SLACK
        declared = response.headers.get("Content-Length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise FetchTooLarge(too_large_message(name, self.max_bytes))
        packed = bytearray()
        # Read raw and unpacked afterwards, as httpx unpacks without a limit.
        for chunk in response.iter_raw():
            packed += chunk
            if len(packed) > limit:
                raise FetchTooLarge(too_large_message(name, self.max_bytes))
        data = _decode_body(bytes(packed), response, self.max_bytes)
        if len(data) > self.max_bytes:
            raise FetchTooLarge(too_large_message(name, self.max_bytes))
        return data


def _parse_url(url: str) -> httpx.URL:
    """Return a URL, parsed; FetchError if it is none."""
    import httpx

    try:
        parsed = httpx.URL(url)
    # Also ValueError: some broken host names and characters fail in the codecs below httpx.
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"{printable_name(url)} is not a URL ({error}): check it") from error
    _check_url(parsed)
    return parsed


def _check_url(url: httpx.URL) -> None:
    """Raise FetchError unless a URL is http or https, with a host and a possible port."""
    if url.scheme not in ("http", "https"):
        raise FetchError(f"{_show_url(url)} is not fetched: only http and https URLs are supported")
    try:
        host = url.host
    except UnicodeError as error:  # from idna: xn-- with nothing after it, or for emoji
        raise FetchError(f"{_show_url(url)} names no possible host ({error}): check it") from error
    # httpx escapes characters that host names cannot have; in IPv6 % begins a zone.
    if not host or ("%" in host and ":" not in host):
        raise FetchError(f"{_show_url(url)} names no host: check the URL")
    if url.port is not None and not 0 <= url.port <= 65535:
        raise FetchError(f"{_show_url(url)} names a port that is not in 0 to 65535: check the URL")


def _check_response(response: httpx.Response) -> None:
    """Raise FetchError unless a response is a page."""
    status, name = response.status_code, _show_url(response.url)
    if not 200 <= status < 300:
        phrase = f" {HTTPStatus(status).phrase}" if status in list(HTTPStatus) else ""
        what = f"was answered with HTTP status {status}{phrase}: {_advice(status)}"
        raise FetchError(f"{name} {what}")
    declared = response.headers.get("Content-Type", "")
    # httpx joins a header that was sent twice with a comma.
    kind = declared.replace(",", ";").partition(";")[0].strip().lower()
    if kind and kind not in _HTML_TYPES:
        raise FetchError(f"{name} is {kind}, not HTML: give the URL of a web page")


def _declared_charset(response: httpx.Response) -> str | None:
    """Return the charset of the Content-Type; None if it has none that can be read."""
    try:
        return response.charset_encoding
    # TypeError: Python's email cannot sort parts of a parameter of which only some have numbers.
    except (TypeError, ValueError):
        return None


def _advice(status: int) -> str:
    """Return what the user can do about an HTTP status."""
    if status in (401, 403, 407, 451):
        return "the site does not give this page to you; save it with a browser and read the file"
    if status in (408, 425, 429) or status >= 500:
        return "try again later"
    return "check the URL"


def _decode_body(data: bytes, response: httpx.Response, limit: int) -> bytes:
    """Return a body without its content codings, at most `limit + 1` bytes."""
    header = response.headers.get("Content-Encoding", "").lower()
    codings = [coding for part in header.split(",") if (coding := part.strip())]
    codings = [coding for coding in codings if coding != "identity"]
    unknown = set(codings) - _UNPACKERS.keys()
    if unknown or len(codings) > _MAX_CODINGS:
        what = f"is packed as {', '.join(codings[:5])}, which was not asked for"
        raise FetchError(
            f"{_show_url(response.url)} {what}: save it with a browser and read the file"
        )
    for coding in reversed(codings):
        try:
            data = _UNPACKERS[coding](data, limit) if data else data
        except ValueError as error:
            what = f"cannot be unpacked ({error}): try again later"
            raise FetchError(f"{_show_url(response.url)} {what}") from error
    return data


def _show_url(url: httpx.URL) -> str:
    """Return a URL without user name and password, which must not be in messages or documents."""
    return str(url.copy_with(userinfo=b"")) if url.userinfo else str(url)
