"""WARC files of a crawl: a request and a response record for each answer, as it came.

Each record is written in one go, and is a gzip member of its own. So a crawl that is killed leaves
files whose records can be read, up to the one it was writing; and when the disk is full, the part
of a record that was written is taken away again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tamis.errors import InputError

MAX_WARC_BYTES: Final = 10**9  # of a file, after which the next one is begun
Headers = Sequence[tuple[str, str]]
# The body is stored as it was sent, but without the framing of these.
_FRAMING: Final = frozenset({"transfer-encoding", "connection", "keep-alive"})


@dataclass(frozen=True)
class Exchange:
    """A request and its response, as they go into a WARC file."""

    url: str
    fetched_at: datetime
    request_headers: Headers
    status: int
    reason: str
    headers: Headers
    body: bytes
    ip: str | None = None


class _RecordWriter(WARCWriter):  # type: ignore[misc]
    """Builds records in memory: bodies are bounded, and warcio would leave its files open."""

    @staticmethod
    def _create_temp_file() -> BytesIO:
        return BytesIO()


class WarcWriter:
    """Writes exchanges to WARC files in a folder, each of at most about `max_bytes`."""

    def __init__(
        self, folder: str | os.PathLike[str], *, software: str, max_bytes: int = MAX_WARC_BYTES
    ) -> None:
        self._folder = Path(folder)
        self._software = software
        self._max_bytes = max_bytes
        self._file: int | None = None
        self._size = 0
        self._count = 0
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _write_error(self._folder, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, exchange: Exchange) -> None:
        """Append the records of an exchange; InputError says why that was not possible."""
        buffer = BytesIO()
        writer = _RecordWriter(buffer, gzip=True)
        moment = exchange.fetched_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        headers = {"WARC-Date": moment}
        if exchange.ip:
            headers["WARC-IP-Address"] = exchange.ip
        response = writer.create_warc_record(
            exchange.url,
            "response",
            payload=BytesIO(exchange.body),
            length=len(exchange.body),
            http_headers=StatusAndHeaders(
                f"{exchange.status} {exchange.reason}".strip(),
                _stored_headers(exchange.headers, len(exchange.body)),
                protocol="HTTP/1.1",
            ),
            warc_headers_dict=headers,
        )
        parts = urlsplit(exchange.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = writer.create_warc_record(
            exchange.url,
            "request",
            payload=BytesIO(),
            http_headers=StatusAndHeaders(
                f"GET {target} HTTP/1.1",
                [("Host", parts.netloc), *exchange.request_headers],
                is_http_request=True,
            ),
            warc_headers_dict=headers,
        )
        writer.write_request_response_pair(request, response)
        self._append(buffer.getvalue())

    def _append(self, data: bytes) -> None:
        """Append bytes to the file, in one go or not at all; begin the next file if needed."""
        if self._file is not None and self._size + len(data) > self._max_bytes:
            self.close()
        if self._file is None:
            self._open()
        self._write(data)

    def _open(self) -> None:
        """Begin a file, with a record that says what wrote it."""
        moment = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")
        name = f"tamis-{moment}-{os.getpid()}-{self._count:05}.warc.gz"
        self._count += 1
        path = self._folder / name
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except OSError as error:
            raise _write_error(path, error) from error
        self._size = 0
        buffer = BytesIO()
        writer = _RecordWriter(buffer, gzip=True)
        info = {"software": self._software, "format": "WARC File Format 1.1"}
        writer.write_record(writer.create_warcinfo_record(name, info))
        self._write(buffer.getvalue())

    def _write(self, data: bytes) -> None:
        """Append bytes to the open file; what was written of them is taken away if it fails."""
        assert self._file is not None
        view, written = memoryview(data), 0
        try:
            while written < len(data):
                written += os.write(self._file, view[written:])
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise _write_error(self._folder, error) from error
        self._size += len(data)

    def close(self) -> None:
        """Close the file that is open."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _stored_headers(headers: Iterable[tuple[str, str]], length: int) -> list[tuple[str, str]]:
    """Return the headers of a response, with those of its framing renamed, and its true length."""
    stored: list[tuple[str, str]] = []
    for name, value in headers:
        if name.lower() == "content-length":
            continue
        prefix = "X-Crawler-" if name.lower() in _FRAMING else ""
        stored.append((prefix + name, value))
    return [*stored, ("Content-Length", str(length))]


def _write_error(path: Path, error: OSError) -> InputError:
    """Return the error for a WARC file that cannot be written."""
    return InputError(f"{path} cannot be written ({error.strerror}): make room, or name another")
