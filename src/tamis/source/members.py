"""Members: the compressed pieces of an archive, one after the other, damaged ones left out."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

from tamis.errors import SourceError, unavailable
from tamis.source.files import GZIP_MAGIC

CHUNK: Final = 2**14  # bytes read at once: unpacked, they are some megabytes at most
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"  # a frame that zstd skips, with a dictionary for all
GZIP_START: Final = GZIP_MAGIC + b"\x08"
LARGEST_DICTIONARY: Final = 2**26


class Damaged(ValueError):
    """Compressed data that cannot be unpacked any further."""


class Raw:
    """The bytes of a file, of which some can be given back."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.rest = b""

    def take(self) -> bytes:
        """Return some bytes, none at the end."""
        data, self.rest = self.rest, b""
        return data or self.file.read(CHUNK)

    def starts_with(self, magic: bytes) -> bool:
        """Say whether these bytes come next."""
        while len(self.rest) < len(magic) and (more := self.file.read(CHUNK)):
            self.rest += more
        return self.rest.startswith(magic)

    def exactly(self, count: int) -> bytes:
        """Return so many bytes, fewer at the end."""
        data = bytearray()
        while len(data) < count and (more := self.take()):
            data += more
        self.rest = bytes(data[count:]) + self.rest
        return bytes(data[:count])

    def skip_to(self, magic: bytes) -> bool:
        """Leave out what comes before some bytes; say whether they come at all."""
        while True:
            place = self.rest.find(magic)
            if place >= 0:
                self.rest = self.rest[place:]
                return True
            more = self.file.read(CHUNK)
            if not more:
                self.rest = b""
                return False
            self.rest = self.rest[len(self.rest) - len(magic) + 1 :] + more if self.rest else more


class Member:
    """One compressed piece, read as a file; Damaged is raised where it cannot be unpacked."""

    def __init__(self, raw: Raw, unpacker: Any) -> None:
        self.raw = raw
        self.unpacker = unpacker
        self.ready = b""
        self.is_first = True
        self.is_over = False

    def read(self, size: int = CHUNK) -> bytes:
        """Return at most so many bytes, none at the end."""
        while not self.ready and not self.is_over:
            self._unpack()
        data, self.ready = self.ready[:size], self.ready[size:]
        return data

    def _unpack(self) -> None:
        data = self.raw.take()
        try:
            self.ready = self.unpacker.decompress(data)
        except Exception as error:  # of zlib, or of zstandard, which is imported elsewhere
            self._give_up(data)
            raise Damaged(str(error)) from error
        if self.unpacker.eof:
            self.raw.rest = self.unpacker.unused_data + self.raw.rest
            self.is_over = True
        elif not data:
            self.is_over = True
            raise Damaged("it ends too early")
        self.is_first = False

    def _give_up(self, data: bytes) -> None:
        """Give back what was not unpacked: the next member may begin there."""
        self.raw.rest = data[1:] if self.is_first else data
        self.is_over = True

    def drain(self) -> None:
        """Read to the end."""
        self.ready = b""
        while not self.is_over:
            self._unpack()
            self.ready = b""


def members(file: BinaryIO) -> Iterator[Any]:
    """Yield the members of a file, packed with gzip or zstd; a plain file is one member.

    Each is to be read, or drained, before the next.
    """
    raw = Raw(file)
    if raw.starts_with(GZIP_START):
        yield from packed(raw, GZIP_START, lambda: zlib.decompressobj(31))
    elif raw.starts_with(ZSTD_MAGIC) or raw.starts_with(DICTIONARY_MAGIC):
        yield from packed(raw, ZSTD_MAGIC, zstd_unpackers(raw))
    else:
        yield Plain(raw)


def packed(raw: Raw, magic: bytes, unpacker: Callable[[], Any]) -> Iterator[Member]:
    """Yield compressed members, each from where its first bytes are found."""
    while raw.skip_to(magic):
        yield Member(raw, unpacker())


class Plain:
    """A file that is not packed, read like a member."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw

    def read(self, size: int = CHUNK) -> bytes:
        """Return some bytes, none at the end."""
        return self.raw.take()

    def drain(self) -> None:
        """Do nothing: no other member follows."""


def zstd_unpackers(raw: Raw) -> Callable[[], Any]:
    """Return what makes unpackers, with the dictionary that the file begins with, if it does."""
    try:
        import zstandard
    except ImportError as error:
        raise unavailable("archives in zstd need zstandard", "warc") from error
    try:
        made = zstandard.ZstdDecompressor(dict_data=dictionary(raw))
        made.decompressobj()  # which is when a dictionary is looked into
    except zstandard.ZstdError as error:
        what = f"its dictionary is damaged ({error}), without which no page can be unpacked"
        raise SourceError(f"{what}: get the file again") from error
    return made.decompressobj


def dictionary(raw: Raw) -> Any:
    """Return the dictionary that a file begins with, None if it does not."""
    import zstandard

    if not raw.starts_with(DICTIONARY_MAGIC):
        return None
    size = int.from_bytes(raw.exactly(8)[4:], "little")
    data = raw.exactly(min(size, LARGEST_DICTIONARY))
    if data.startswith(ZSTD_MAGIC):
        unpacker = zstandard.ZstdDecompressor()
        data = unpacker.decompress(data, max_output_size=LARGEST_DICTIONARY)
    return zstandard.ZstdCompressionDict(data)
