"""HTTP messages as Scrapy has them: requests are built, and the headers of responses are read."""

from __future__ import annotations

import time
from typing import Any

from scrapy import Request
from scrapy.http import Response

from tamis.crawl.addresses import clean_url, url_host
from tamis.crawl.answer import Answer
from tamis.crawl.politeness import parse_retry_after
from tamis.crawl.robots import MAX_ROBOTS_BYTES, Directives, parse_robots_headers
from tamis.crawl.settings import CrawlSettings
from tamis.errors import TamisError


def build_request(
    settings: CrawlSettings, url: str, headers: dict[str, str], max_bytes: int, **meta: Any
) -> Request:
    """Return a request of Scrapy."""
    return Request(
        url,
        headers={
            "User-Agent": settings.user_agent,
            "Accept-Encoding": "gzip, deflate",
            **headers,
        },
        dont_filter=True,
        meta={
            "download_slot": url_host(url),
            "download_timeout": settings.timeout,
            "download_maxsize": max_bytes,
            **meta,
        },
    )


def read_header(response: Response, name: str) -> str:
    """Return a header of a response as text, empty if it has none."""
    value = response.headers.get(name)
    return value.decode("latin-1") if value else ""


def read_location(response: Response) -> str | None:
    """Return the address that a redirect leads to, in the form that is fetched.

    The header may have characters that are not ASCII, which browsers read as UTF-8.
    """
    header: bytes = response.headers.get("Location") or b""
    try:
        location = header.decode()
    except UnicodeDecodeError:
        location = "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in header)
    try:
        return clean_url(response.urljoin(location.strip()))
    except ValueError:  # such as http://[
        return None


def header_pairs(message: Request | Response) -> list[tuple[str, str]]:
    """Return the headers of a request or response, in their order."""
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in message.headers.items()
        for value in values
    ]


def read_retry_after(response: Response | None) -> float | None:
    """Return the seconds that a response asks to wait."""
    if response is None:
        return None
    return parse_retry_after(read_header(response, "Retry-After"), time.time())


def read_validators(response: Response) -> tuple[str | None, str | None]:
    """Return ETag and Last-Modified, of a length that is worth keeping."""
    values = (read_header(response, "ETag")[:500], read_header(response, "Last-Modified")[:100])
    etag, modified = (value if value.isprintable() and value else None for value in values)
    return etag, modified


def read_content_type(response: Response) -> str:
    """Return the media type of a response, in lower case."""
    return read_header(response, "Content-Type").partition(";")[0].strip().lower()


def read_robots_directives(response: Response, user_agent: str) -> Directives:
    """Return what the `X-Robots-Tag` headers of a response allow."""
    values = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
    return parse_robots_headers(values, user_agent)


def build_answer(url: str, response: Response) -> Answer:
    """Return the body of a response, with what is needed to unpack and decode it."""
    codings = tuple(
        coding
        for part in read_header(response, "Content-Encoding").lower().split(",")
        if (coding := part.strip())
    )
    parameters = read_header(response, "Content-Type").partition(";")[2]
    charset = None
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'") or None
    return Answer(url, response.body, codings[:3], charset)


def read_robots_body(response: Response) -> bytes:
    """Return the body of a robots.txt; empty if it cannot be unpacked."""
    try:
        return build_answer(response.url, response).unpack(2 * MAX_ROBOTS_BYTES)
    except TamisError:
        return b""
