"""Compressed bytes, unpacked no further than a limit."""

from __future__ import annotations

import zlib

GZIP_MAGIC = b"\x1f\x8b"
# Compressing can make data larger (headers, stored blocks): so much more than the limit may be
# read before it is known that the unpacked data exceeds it.
SLACK = 2**16

_GZIP, _ZLIB, _RAW = 31, 15, -15
# Each further member copies what is left, so their number is bounded; a page has one.
_MAX_MEMBERS = 1000


def gunzip(data: bytes, limit: int) -> bytes:
    """Unpack all members of a gzip file; at most `limit + 1` bytes, ValueError for damaged data."""
    if not data.startswith(GZIP_MAGIC):
        raise ValueError("not gzip data")
    out = bytearray()
    for _ in range(_MAX_MEMBERS):
        member, data = _member(data, _GZIP, limit - len(out))
        out += member
        # What follows the last member is padding or garbage, which gzip itself ignores as well.
        if len(out) > limit or not data.startswith(GZIP_MAGIC):
            return bytes(out)
    raise ValueError("too many gzip members")


def inflate(data: bytes, limit: int) -> bytes:
    """Unpack HTTP's "deflate"; at most `limit + 1` bytes, ValueError for damaged data."""
    # The standard says zlib format, many servers send the raw one: the zlib header tells.
    zlib_header = len(data) > 1 and data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return _member(data, _ZLIB if zlib_header else _RAW, limit)[0]


def _member(data: bytes, wbits: int, limit: int) -> tuple[bytes, bytes]:
    """The first compressed stream in `data`, cut after `limit + 1` bytes, and what follows it."""
    stream = zlib.decompressobj(wbits)
    try:
        out = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError("damaged compressed data") from error
    if not stream.eof and len(out) <= limit:
        raise ValueError("compressed data that ends too early")
    return out, stream.unused_data
