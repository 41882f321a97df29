"""Packs: pieces that were stored together, compressed as one; and lists of pieces, made short.

Pieces are too small to be compressed one by one. The new ones of a page are packed together, and
against the newest pack of their site that stands by itself, where there is one: what the pieces of
a site have in common beyond whole pieces (the names of classes, the look of an item) is in the
store once as well.

The shelf: packs that were read lately, unpacked.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import zstandard
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, select

from tamis.store.database import damaged
from tamis.store.direct import rows
from tamis.store.tables import MOST_PIECES, PACK

LEVEL: Final = 3  # of zstandard, against another pack
ALONE: Final = 1  # and without: a fortieth larger than with 3, in half of the time
LONGEST_BASE: Final = 512 * 1024  # bytes of a pack that others are packed against
LARGEST_PAGE: Final = 256 * 1024 * 1024  # bytes of the pieces of a page, and of a pack
LAST_PIECE: Final = 2**62  # no store ever has so many
_LENGTH: Final = np.dtype("<u4")
_GROUP: Final = 7  # bits of a number in each byte of a list
_LONGEST_NUMBER: Final = 70  # bits: of a step, with its sign and whether it is informative
_LONGEST_LIST: Final = MOST_PIECES * _LONGEST_NUMBER // _GROUP
_GOES_ON: Final = bytes(range(128, 256))  # what all bytes of a number but the last are


@dataclass(frozen=True)
class Pack:
    """Pieces by number, from `first` on; one that was collected as garbage is empty."""

    first: int
    lengths: NDArray[np.uint32]
    data: bytes

    @property
    def stop(self) -> int:
        """The number after that of the last piece."""
        return self.first + len(self.lengths)

    @cached_property
    def _stops(self) -> NDArray[np.int64]:
        """Where each piece ends."""
        return np.cumsum(self.lengths, dtype=np.int64)

    def piece(self, number: int) -> bytes:
        """Return a piece by its number."""
        stop = self._stops.item(number - self.first)
        return self.data[stop - self.lengths.item(number - self.first) : stop]

    def pieces(self) -> list[bytes]:
        """Return all pieces in order."""
        stops = self._stops.tolist()
        return [self.data[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]

    @cached_property
    def dictionary(self) -> zstandard.ZstdCompressionDict:
        """The pack as one that others were packed against."""
        data = self.data[:LONGEST_BASE]
        return zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_RAWCONTENT)

    @cached_property
    def searched(self) -> zstandard.ZstdCompressionDict:
        """The pack as one that others are packed against: searched through once for all."""
        self.dictionary.precompute_compress(level=LEVEL)
        return self.dictionary


def build_pack(first: int, pieces: Sequence[bytes]) -> Pack:
    """Return a pack of pieces."""
    lengths = np.fromiter(map(len, pieces), _LENGTH, len(pieces))
    return Pack(first, lengths, b"".join(pieces))


def compress(pack: Pack, base: Pack | None = None) -> bytes:
    """Return a pack as bytes, compressed against another one if there is one."""
    whole = pack.lengths.tobytes() + pack.data
    if base is None:
        return compressor(threading.get_ident()).compress(whole)
    return zstandard.ZstdCompressor(LEVEL, base.searched, write_checksum=True).compress(whole)


@lru_cache(maxsize=64)  # making one takes a good part of the time that it takes for a page
def compressor(thread: int) -> zstandard.ZstdCompressor:
    """Return the compressor of a thread, as two may not share one."""
    return zstandard.ZstdCompressor(ALONE, write_checksum=True)


def decompress(first: int, count: int, data: bytes, base: Pack | None = None) -> Pack:
    """Return the pack that was made bytes."""
    against = base.dictionary if base and base.data else None
    most = LARGEST_PAGE + count * _LENGTH.itemsize
    whole = decompressed(data, most, f"pack {first}", against)
    if len(whole) < count * _LENGTH.itemsize:
        raise damaged(f"pack {first}")
    lengths = np.frombuffer(whole, _LENGTH, count)
    if int(lengths.sum(dtype=np.int64)) != len(whole) - lengths.nbytes:
        raise damaged(f"pack {first}")
    return Pack(first, lengths, whole[lengths.nbytes :])


def decompressed(
    data: bytes, most: int, what: str, against: zstandard.ZstdCompressionDict | None = None
) -> bytes:
    """Return what was compressed; StoreError if it says that it is larger than it can be."""
    try:
        # Room for as much as it says is taken before anything is known about the rest.
        if not 0 <= zstandard.get_frame_parameters(data).content_size <= most:
            raise damaged(what)
        return zstandard.ZstdDecompressor(against).decompress(data)
    except (zstandard.ZstdError, ValueError) as error:
        raise damaged(what) from error


def is_worth_a_base(pack: Pack, base: Pack) -> bool:
    """Say whether a site's pages have outgrown the pack that theirs are packed against."""
    return len(pack.data) > 4 * max(len(base.data), 1024)


def encode_pieces(pieces: Iterable[tuple[int, bool]]) -> bytes:
    """Return a list of pieces, each informative or not, as few bytes.

    Pieces that follow each other have numbers that follow each other, so the differences are
    small: one byte each where possible, and these compressed.
    """
    out = bytearray()
    last = -1
    for number, informative in pieces:
        step = number - last - 1
        last = number
        value = (step << 1 if step >= 0 else (-step << 1) - 1) << 1 | informative
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return compressor(threading.get_ident()).compress(bytes(out))


def decode_pieces(data: bytes) -> list[tuple[int, bool]]:
    """Return the list of pieces that was made bytes."""
    what = "the list of a page's pieces"
    values = decompressed(data, _LONGEST_LIST, what)
    if len(values.translate(None, _GOES_ON)) > MOST_PIECES or values[-1:] > b"\x7f":
        raise damaged(what)
    found: list[tuple[int, bool]] = []
    last = -1
    value = shift = 0
    for byte in values:
        value |= (byte & 127) << shift
        shift += _GROUP
        if shift > _LONGEST_NUMBER:
            raise damaged(what)
        if byte < 128:
            step = value >> 1
            last += 1 + (-((step + 1) >> 1) if step & 1 else step >> 1)
            if not 0 <= last < LAST_PIECE:
                raise damaged(what)
            found.append((last, bool(value & 1)))
            value = shift = 0
    return found


ROOM: Final = 96 * 1024 * 1024  # bytes of unpacked packs, with what is made of them
MADE: Final = 3  # bytes that packing against a pack may take for each of its own

_FOUND: Final = (
    select(PACK.c.first, PACK.c.edition, PACK.c.base)
    .where(PACK.c.first <= bindparam("number"))
    .order_by(PACK.c.first.desc())
    .limit(1)
)
_PACK: Final = select(PACK.c.count, PACK.c.data).where(PACK.c.first == bindparam("first"))


class PackCache:
    """Unpacks packs, and keeps as many as there is room for.

    A pack from which garbage was taken out is another edition, also if another process did it.
    """

    def __init__(self) -> None:
        self._packs: OrderedDict[tuple[int, int], Pack] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def pack(self, connection: Connection, number: int) -> Pack:
        """Return the pack that a piece is in."""
        found = rows(connection, _FOUND, {"number": number})
        if not found:
            raise damaged(f"piece {number}")
        first, edition, base = found[0]
        return self._pack(connection, (first, edition), base)

    def _pack(self, connection: Connection, key: tuple[int, int], base: int | None) -> Pack:
        """Return the pack of a number and edition, which is packed against another one or none."""
        with self._lock:
            if key in self._packs:
                self._packs.move_to_end(key)
                return self._packs[key]
        first = key[0]
        ((count, data),) = rows(connection, _PACK, {"first": first})
        if count is None or data is None:
            raise damaged(f"pack {first}")
        against = None if base is None else self._base(connection, base)
        return self._put(key, decompress(first, count, data, against))

    def _base(self, connection: Connection, number: int) -> Pack:
        """Return the pack that others are packed against: it stands by itself."""
        found = rows(connection, _FOUND, {"number": number})
        if not found or found[0][0] != number or found[0][2] is not None:
            raise damaged(f"pack {number}")
        return self._pack(connection, found[0][:2], None)

    def pieces(self, connection: Connection, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the pieces of a page by number."""
        found: dict[int, bytes] = {}
        pack: Pack | None = None
        size = 0
        for number in sorted(set(numbers)):
            if pack is None or number >= pack.stop:
                pack = self.pack(connection, number)
            data = pack.piece(number) if number < pack.stop else b""
            size += len(data)
            if not data or size > LARGEST_PAGE:
                raise damaged(f"piece {number}")
            found[number] = data
        return found

    def _put(self, key: tuple[int, int], pack: Pack) -> Pack:
        with self._lock:
            if key in self._packs:  # another thread was faster
                return self._packs[key]
            self._packs[key] = pack
            self._size += MADE * len(pack.data)
            while self._size > ROOM and len(self._packs) > 1:
                _, old = self._packs.popitem(last=False)
                self._size -= MADE * len(old.data)
        return pack
