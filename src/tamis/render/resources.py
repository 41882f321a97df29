"""Where the resources of a page come from: nowhere, files beside it, or the network."""

from __future__ import annotations

import gzip
import mimetypes
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from tamis.errors import SourceError, TamisError
from tamis.source import Fetch

MAX_BYTES: Final = 20 * 2**20  # of one file

# For files whose name does not show what they are, such as `style.php`.
_CONTENT_TYPES: Final = {
    "stylesheet": "text/css",
    "script": "text/javascript",
    "document": "text/html",
}
# Headers that describe the connection, not the content.
_CONNECTION_HEADERS: Final = frozenset(
    "connection content-encoding content-length host keep-alive proxy-connection te trailer "
    "transfer-encoding upgrade accept-encoding".split()
)


@dataclass(frozen=True)
class ResourceRequest:
    """A request of a page."""

    url: str
    kind: str  # stylesheet, image, script, …
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True)
class Resource:
    """The answer to a request."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Resources(Protocol):
    """Answers requests of a page for style sheets, images and scripts."""

    def get(self, request: ResourceRequest) -> Resource | None:
        """Return the resource, or None if the page has to do without it."""
        ...


@dataclass(frozen=True)
class NoResources:
    """No resources at all."""

    def get(self, request: ResourceRequest) -> Resource | None:
        """Return None."""
        return None


@dataclass(frozen=True)
class Folder:
    """The files below a folder, in which the page has the path `page`.

    Nothing outside the folder is ever read, wherever paths and links lead. A file may be
    compressed: `style.css.gz` is read for `style.css`.
    """

    root: Path
    page: str = ""

    def get(self, request: ResourceRequest) -> Resource | None:
        """Return the file at the path of a URL."""
        parts = urlsplit(request.url)
        path = unquote(parts.path).lstrip("/")
        query = f"?{unquote(parts.query)}" if parts.query else ""
        for name in dict.fromkeys((f"{path}{query}", path)):
            body = self._read(name)
            if body is not None:
                content_type = mimetypes.guess_type(path)[0] or _CONTENT_TYPES.get(request.kind)
                headers = (("content-type", content_type),) if content_type else ()
                return Resource(body, headers=headers)
        return None

    def _read(self, name: str) -> bytes | None:
        """Return the bytes of a file inside the folder, compressed or not."""
        root = self.root.resolve()
        for path in (name, f"{name}.gz"):
            try:
                file = (root / path).resolve()
                if not file.is_relative_to(root) or not file.is_file():
                    continue
                if file.stat().st_size > MAX_BYTES:
                    continue
                with file.open("rb") if path == name else gzip.open(file) as content:
                    body = content.read(MAX_BYTES + 1)
                if len(body) <= MAX_BYTES:  # a small file may be large when decompressed
                    return body
            except (OSError, ValueError, EOFError, zlib.error):
                continue  # a page with a broken image is still a page
        return None


@dataclass(frozen=True)
class Network:
    """The network, by the same rules as fetching pages: see `tamis.source.Fetch`.

    The browser itself has no network. Its requests are answered here, so that private addresses
    stay private, whatever names and redirects lead to them.
    """

    fetch: Fetch

    def get(self, request: ResourceRequest) -> Resource | None:
        """Fetch a resource; None if it cannot be fetched."""
        import httpcore
        import httpx

        from tamis.source import Deadline, GuardedTransport

        try:
            if urlsplit(request.url).scheme not in ("http", "https"):
                return None
        except ValueError:
            return None
        guard = GuardedTransport(
            Deadline.after(self.fetch.timeout), allow_private=self.fetch.allow_private
        )
        headers = {k: v for k, v in request.headers if k.lower() not in _CONNECTION_HEADERS}
        headers |= {"accept-encoding": "gzip, deflate"}
        try:
            with (
                httpx.Client(
                    transport=guard,
                    trust_env=False,
                    follow_redirects=True,  # the browser would follow them on its own
                    max_redirects=self.fetch.max_redirects,
                ) as client,
                client.stream(
                    request.method, request.url, headers=headers, content=request.body
                ) as response,
            ):
                return self._read_response(response)
        except (TamisError, httpx.HTTPError, httpx.InvalidURL, httpcore.ConnectError):
            return None
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
            return None
        except (OSError, ValueError):  # of host names and headers that the codecs refuse
            return None

    def _read_response(self, response: object) -> Resource | None:
        """Return a response of httpx as a resource, None if it is too large."""
        import httpx

        assert isinstance(response, httpx.Response)
        body = bytearray()
        for chunk in response.iter_bytes(2**16):
            body += chunk
            if len(body) > self.fetch.max_bytes:
                return None
        headers = tuple(
            (key, value)
            for key, value in response.headers.multi_items()
            if key.lower() not in _CONNECTION_HEADERS
        )
        return Resource(bytes(body), response.status_code, headers)


def choose_resources(files: str | Path | Folder | None, live: bool | Fetch) -> Resources:
    """Return where the resources of a page come from, by the settings of a user."""
    if live:
        return Network(live if isinstance(live, Fetch) else Fetch())
    if files is None:
        return NoResources()
    folder = files if isinstance(files, Folder) else Folder(Path(files))
    if not folder.root.is_dir():
        raise SourceError(f"{folder.root} is no folder: name the folder of the page's files")
    return replace(folder, page=folder.page.strip("/"))
