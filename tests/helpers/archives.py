"""Archives made for tests: WARC and ARC, plain or packed with gzip or zstd."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from typing import Any

HTML = "<html><body><p>Page {} says a few words, naïvely.</p></body></html>"


def http(body: bytes, *lines: str, status: str = "200 OK", kind: str = "text/html") -> bytes:
    """Return an HTTP response."""
    heads = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *lines]
    return "\r\n".join([*heads, "", ""]).encode() + body


def record(number: int, content: bytes, **heads: str) -> bytes:
    """Return a WARC record, byte by byte as the standard has it."""
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": f"https://site.example/{number}",
        "WARC-Date": "2020-05-06T07:08:09Z",
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-0000-0000-{number:012}>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(content)),
    } | {name.replace("_", "-"): value for name, value in heads.items()}
    lines = ["WARC/1.0", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + content + b"\r\n\r\n"


def page(number: int, **heads: str) -> bytes:
    """Return the record of a page."""
    body = HTML.format(number).encode("latin-1")
    return record(number, http(body, kind="text/html; charset=iso-8859-1"), **heads)


def arc(count: int) -> list[bytes]:
    """Return the records of an ARC file, the one that says so first."""
    about = b"1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n"
    first = f"filedesc://made.arc 0.0.0.0 20050607080910 text/plain {len(about)}\n".encode()
    found = [first + about + b"\n"]
    for number in range(count):
        content = http(HTML.format(number).encode(), kind="text/html; charset=utf-8")
        head = f"http://old.example/{number} 192.0.2.1 20050607080910 text/html {len(content)}\n"
        found.append(head.encode() + content + b"\n")
    return found


def gzipped(records: Iterable[bytes]) -> bytes:
    """Return records as members of a gzip file."""
    return b"".join(map(gzip.compress, records))


def zstd(records: Sequence[bytes], words: Any = None) -> bytes:
    """Return records as frames of a zstd file."""
    import zstandard

    made = zstandard.ZstdCompressor(dict_data=words, write_checksum=True)
    return b"".join(map(made.compress, records))
