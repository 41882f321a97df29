"""Compressed bytes: whole pages, unpacked within a limit, and archives, member by member.

An archive is a sequence of compressed members, one per record. Members are read one after the
other; a damaged one is left out, and reading goes on at the next.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

from tamis.errors import SourceError, unavailable

GZIP_MAGIC: Final = b"\x1f\x8b"
GZIP_START: Final = GZIP_MAGIC + b"\x08"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"  # a frame that zstd skips, with a dictionary for all
# Compressing can make data larger (headers, stored blocks): so many bytes more than the limit may
# be read before it is certain that the unpacked data exceeds it.
SLACK: Final = 2**16
CHUNK_BYTES: Final = 2**14  # read at once; unpacked, they are some megabytes at most

_GZIP, _ZLIB, _RAW = 31, 15, -15  # formats, as zlib's wbits
# Each further member copies the rest of the data, so their number is bounded; a page has one.
_MAX_MEMBERS: Final = 1000
_MAX_DICTIONARY_BYTES: Final = 2**26


def gunzip(data: bytes, limit: int) -> bytes:
    """Unpack all members of a gzip file; at most `limit + 1` bytes, ValueError for damaged data."""
    if not data.startswith(GZIP_MAGIC):
        raise ValueError("not gzip data")
    unpacked = bytearray()
    for _ in range(_MAX_MEMBERS):
        member, data = _decompress_stream(data, _GZIP, limit - len(unpacked))
        unpacked += member
        # What follows the last member is padding or garbage, which gzip itself ignores as well.
        if len(unpacked) > limit or not data.startswith(GZIP_MAGIC):
            return bytes(unpacked)
    raise ValueError("too many gzip members")


def inflate(data: bytes, limit: int) -> bytes:
    """Unpack HTTP's "deflate"; at most `limit + 1` bytes, ValueError for damaged data."""
    # The standard asks for the zlib format, many servers send the raw one: the header decides.
    has_header = len(data) > 1 and data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return _decompress_stream(data, _ZLIB if has_header else _RAW, limit)[0]


def _decompress_stream(data: bytes, wbits: int, limit: int) -> tuple[bytes, bytes]:
    """Return the first compressed stream, cut after `limit + 1` bytes, and what follows it."""
    stream = zlib.decompressobj(wbits)
    try:
        unpacked = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError("damaged compressed data") from error
    if not stream.eof and len(unpacked) <= limit:
        raise ValueError("compressed data that ends too early")
    return unpacked, stream.unused_data


class Damaged(ValueError):
    """Compressed data that cannot be unpacked any further."""


def iterate_members(file: BinaryIO) -> Iterator[Any]:
    """Yield the members of a file, packed with gzip or zstd; a plain file is one member.

    Each has to be read, or drained, before the next.
    """
    raw = _RawBytes(file)
    if raw.starts_with(GZIP_START):
        yield from _compressed_members(raw, GZIP_START, lambda: zlib.decompressobj(_GZIP))
    elif raw.starts_with(ZSTD_MAGIC) or raw.starts_with(DICTIONARY_MAGIC):
        yield from _compressed_members(raw, ZSTD_MAGIC, _zstd_unpackers(raw))
    else:
        yield _PlainMember(raw)


def _compressed_members(
    raw: _RawBytes, magic: bytes, unpacker: Callable[[], Any]
) -> Iterator[_CompressedMember]:
    """Yield compressed members, each from its first bytes on."""
    while raw.skip_to(magic):
        yield _CompressedMember(raw, unpacker())


class _RawBytes:
    """The bytes of a file, some of which can be given back."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._read_bytes = 0
        self.buffer = b""

    @property
    def position(self) -> int:
        """The offset of the next byte."""
        return self._read_bytes - len(self.buffer)

    def _read(self) -> bytes:
        chunk = self._file.read(CHUNK_BYTES)
        self._read_bytes += len(chunk)
        return chunk

    def take(self) -> bytes:
        """Return some bytes, none at the end."""
        data, self.buffer = self.buffer, b""
        return data or self._read()

    def starts_with(self, magic: bytes) -> bool:
        """Say whether these bytes come next."""
        while len(self.buffer) < len(magic) and (chunk := self._read()):
            self.buffer += chunk
        return self.buffer.startswith(magic)

    def read_exactly(self, count: int) -> bytes:
        """Return so many bytes, fewer at the end."""
        data = bytearray()
        while len(data) < count and (chunk := self.take()):
            data += chunk
        self.buffer = bytes(data[count:]) + self.buffer
        return bytes(data[:count])

    def skip_to(self, magic: bytes) -> bool:
        """Skip to the next occurrence of some bytes; say whether there is one."""
        while True:
            offset = self.buffer.find(magic)
            if offset >= 0:
                self.buffer = self.buffer[offset:]
                return True
            chunk = self._read()
            if not chunk:
                self.buffer = b""
                return False
            # The last bytes may be the beginning of what is searched for.
            tail = self.buffer[len(self.buffer) - len(magic) + 1 :] if self.buffer else b""
            self.buffer = tail + chunk


class _CompressedMember:
    """One compressed member, read as a file; Damaged is raised where it cannot be unpacked."""

    is_compressed: Final = True

    def __init__(self, raw: _RawBytes, unpacker: Any) -> None:
        self.raw = raw
        self.unpacker = unpacker
        self.unpacked = b""
        self.is_first = True
        self.is_over = False

    def read(self, size: int = CHUNK_BYTES) -> bytes:
        """Return at most so many bytes, none at the end."""
        while not self.unpacked and not self.is_over:
            self._unpack()
        data, self.unpacked = self.unpacked[:size], self.unpacked[size:]
        return data

    def _unpack(self) -> None:
        data = self.raw.take()
        try:
            self.unpacked = self.unpacker.decompress(data)
        except Exception as error:  # of zlib, or of zstandard, which is not imported here
            self._give_up(data)
            raise Damaged(str(error)) from error
        if self.unpacker.eof:
            self.raw.buffer = self.unpacker.unused_data + self.raw.buffer
            self.is_over = True
        elif not data:
            self.is_over = True
            raise Damaged("it ends too early")
        self.is_first = False

    def _give_up(self, data: bytes) -> None:
        """Give back what was not unpacked: the next member may begin there."""
        self.raw.buffer = data[1:] if self.is_first else data
        self.is_over = True

    def drain(self) -> None:
        """Read to the end."""
        self.unpacked = b""
        while not self.is_over:
            self._unpack()
            self.unpacked = b""


class _PlainMember:
    """A file that is not packed, read like a member."""

    is_compressed: Final = False

    def __init__(self, raw: _RawBytes) -> None:
        self.raw = raw

    def read(self, size: int = CHUNK_BYTES) -> bytes:
        """Return some bytes, none at the end."""
        return self.raw.take()

    def drain(self) -> None:
        """Do nothing: no other member follows."""


def _zstd_unpackers(raw: _RawBytes) -> Callable[[], Any]:
    """Return a function that makes unpackers, with the dictionary at the start of the file."""
    try:
        import zstandard
    except ImportError as error:
        raise unavailable("archives in zstd need zstandard", "warc") from error
    try:
        decompressor = zstandard.ZstdDecompressor(dict_data=_read_dictionary(raw))
        decompressor.decompressobj()  # a damaged dictionary is noticed only here
    except zstandard.ZstdError as error:
        what = f"its dictionary is damaged ({error}), without which no page can be unpacked"
        raise SourceError(f"{what}: get the file again") from error
    return decompressor.decompressobj


def _read_dictionary(raw: _RawBytes) -> Any:
    """Return the dictionary at the start of a file, None if there is none."""
    import zstandard

    if not raw.starts_with(DICTIONARY_MAGIC):
        return None
    size = int.from_bytes(raw.read_exactly(8)[4:], "little")
    data = raw.read_exactly(min(size, _MAX_DICTIONARY_BYTES))
    if data.startswith(ZSTD_MAGIC):
        unpacker = zstandard.ZstdDecompressor()
        data = unpacker.decompress(data, max_output_size=_MAX_DICTIONARY_BYTES)
    return zstandard.ZstdCompressionDict(data)
