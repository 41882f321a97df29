"""What a page may load: files beside it, or, where asked for, what the network has."""

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

# Files saved under the name of a script keep no ending that tells what they are.
TYPES: Final = {"stylesheet": "text/css", "script": "text/javascript", "document": "text/html"}
# Headers that are about the connection, not about what it brought.
_OF_THE_CONNECTION: Final = frozenset(
    "connection content-encoding content-length host keep-alive proxy-connection te trailer "
    "transfer-encoding upgrade accept-encoding".split()
)


@dataclass(frozen=True)
class ResourceRequest:
    """What a page asks for."""

    url: str
    kind: str  # stylesheet, image, script, …
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True)
class Resource:
    """What a page gets."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Resources(Protocol):
    """Where a page's style sheets, images and scripts come from."""

    def get(self, wanted: ResourceRequest) -> Resource | None:
        """Return what a page asks for, or None: then it does without."""
        ...


@dataclass(frozen=True)
class NoResources:
    """No resources at all."""

    def get(self, wanted: ResourceRequest) -> Resource | None:
        """Return None."""
        return None


@dataclass(frozen=True)
class Folder:
    """The files below a folder, in which the page stands at the path `page`.

    Nothing outside the folder is ever read, wherever paths and links lead. A file may be packed:
    `style.css.gz` is taken for `style.css`.
    """

    root: Path
    page: str = ""

    def get(self, wanted: ResourceRequest) -> Resource | None:
        """Return the file at the path of an address."""
        parts = urlsplit(wanted.url)
        path = unquote(parts.path).lstrip("/")
        query = f"?{unquote(parts.query)}" if parts.query else ""
        for name in dict.fromkeys((f"{path}{query}", path)):
            data = self._read(name)
            if data is not None:
                kind = mimetypes.guess_type(path)[0] or TYPES.get(wanted.kind, "")
                return Resource(data, headers=(("content-type", kind),) if kind else ())
        return None

    def _read(self, name: str) -> bytes | None:
        """Return the bytes of a file inside the folder, packed or not."""
        root = self.root.resolve()
        for inside in (name, f"{name}.gz"):
            try:
                file = (root / inside).resolve()
                if not file.is_relative_to(root) or not file.is_file():
                    continue
                if file.stat().st_size > MAX_BYTES:
                    continue
                with file.open("rb") if inside == name else gzip.open(file) as content:
                    data = content.read(MAX_BYTES + 1)
                if len(data) <= MAX_BYTES:  # a small file may be a large one that is packed
                    return data
            except (OSError, ValueError, EOFError, zlib.error):
                continue  # a page with a broken picture is still a page
        return None


@dataclass(frozen=True)
class Network:
    """What the network has, by the same rules as fetching pages: see `tamis.source.Fetch`.

    The browser itself has no network. What a page asks for is fetched here, so that private
    addresses stay private, whatever names and redirects lead to them.
    """

    fetch: Fetch

    def get(self, wanted: ResourceRequest) -> Resource | None:
        """Fetch what a page asks for; what cannot be fetched is left out."""
        import httpcore
        import httpx

        from tamis.source import Deadline, GuardedTransport

        try:
            if urlsplit(wanted.url).scheme not in ("http", "https"):
                return None
        except ValueError:
            return None
        guard = GuardedTransport(
            Deadline.after(self.fetch.timeout), allow_private=self.fetch.allow_private
        )
        headers = {k: v for k, v in wanted.headers if k.lower() not in _OF_THE_CONNECTION}
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
                    wanted.method, wanted.url, headers=headers, content=wanted.body
                ) as answer,
            ):
                return self._resource(answer)
        except (TamisError, httpx.HTTPError, httpx.InvalidURL, httpcore.ConnectError):
            return None
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
            return None
        except (OSError, ValueError):  # of host names and headers that the codecs refuse
            return None

    def _resource(self, answer: object) -> Resource | None:
        """Return an answer of httpx, unless it is too large."""
        import httpx

        assert isinstance(answer, httpx.Response)
        body = bytearray()
        for chunk in answer.iter_bytes(2**16):
            body += chunk
            if len(body) > self.fetch.max_bytes:
                return None
        headers = tuple(
            (key, value)
            for key, value in answer.headers.multi_items()
            if key.lower() not in _OF_THE_CONNECTION
        )
        return Resource(bytes(body), answer.status_code, headers)


def choose_resources(files: str | Path | Folder | None, live: bool | Fetch) -> Resources:
    """Return what a page may load, as the user asked for."""
    if live:
        return Network(live if isinstance(live, Fetch) else Fetch())
    if files is None:
        return NoResources()
    folder = files if isinstance(files, Folder) else Folder(Path(files))
    if not folder.root.is_dir():
        raise SourceError(f"{folder.root} is no folder: name the one that the page's files are in")
    return replace(folder, page=folder.page.strip("/"))
