"""Packs: pieces that were stored together, compressed as one; and compact lists of pieces.

Pieces are too small to be compressed one by one. The new ones of a page are packed together,
against the newest pack of their site that stands by itself, if there is one: what the pieces of a
site have in common besides equal pieces (class names, the markup of an item) is stored once too.
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

from tamis.store.columns import BYTES, MAX_PIECES, NUMBER, NUMBER_OR_NULL, PIECE_COUNT, damaged
from tamis.store.database import Connection, Query

MAX_PAGE_BYTES: Final = 256 * 1024 * 1024  # of the pieces of a page, and of a pack
_LEVEL: Final = 3  # of zstandard, against another pack
_LEVEL_ALONE: Final = 1  # without: a fortieth larger than level 3, in half of the time
_MAX_BASE_BYTES: Final = 512 * 1024  # of a pack that others are packed against
_MAX_PIECE: Final = 2**62  # a number that no store reaches
_LENGTH: Final = np.dtype("<u4")
_BITS: Final = 7  # of a number in each byte of a list
_MAX_NUMBER_BITS: Final = 70  # of a step, with its sign and whether the piece is informative
_MAX_LIST_BYTES: Final = MAX_PIECES * _MAX_NUMBER_BITS // _BITS
_CONTINUATION_BYTES: Final = bytes(range(128, 256))  # all bytes of a number but the last
_MAX_CACHE_BYTES: Final = 96 * 1024 * 1024  # of unpacked packs, with their dictionaries
_BYTES_PER_BYTE: Final = 3  # of memory for each byte of a pack, if others are packed against it

_FIND_PACK: Final = Query(
    "SELECT first, edition, base FROM pack WHERE first <= ? ORDER BY first DESC LIMIT 1",
    (NUMBER, NUMBER, NUMBER_OR_NULL),
)
_PACK_DATA: Final = Query("SELECT count, data FROM pack WHERE first = ?", (PIECE_COUNT, BYTES))


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
        """The pack as a dictionary, to unpack those that were packed against it."""
        data = self.data[:_MAX_BASE_BYTES]
        return zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_RAWCONTENT)

    @cached_property
    def compression_dictionary(self) -> zstandard.ZstdCompressionDict:
        """The pack as a dictionary to pack others against, which is prepared once for all."""
        self.dictionary.precompute_compress(level=_LEVEL)
        return self.dictionary


def build_pack(first: int, pieces: Sequence[bytes]) -> Pack:
    """Return a pack of pieces."""
    lengths = np.fromiter(map(len, pieces), _LENGTH, len(pieces))
    return Pack(first, lengths, b"".join(pieces))


def compress(pack: Pack, base: Pack | None = None) -> bytes:
    """Return a pack as bytes, compressed against another one if it is given."""
    data = pack.lengths.tobytes() + pack.data
    if base is None:
        return _compressor(threading.get_ident()).compress(data)
    dictionary = base.compression_dictionary
    return zstandard.ZstdCompressor(_LEVEL, dictionary, write_checksum=True).compress(data)


@lru_cache(maxsize=64)  # a new one takes a good part of the time of compressing a page
def _compressor(thread: int) -> zstandard.ZstdCompressor:
    """Return the compressor of a thread: two threads may not share one."""
    return zstandard.ZstdCompressor(_LEVEL_ALONE, write_checksum=True)


def decompress(first: int, count: int, data: bytes, base: Pack | None = None) -> Pack:
    """Return the pack that `compress` turned into bytes."""
    dictionary = base.dictionary if base and base.data else None
    max_bytes = MAX_PAGE_BYTES + count * _LENGTH.itemsize
    content = _decompress_frame(data, max_bytes, f"pack {first}", dictionary)
    if len(content) < count * _LENGTH.itemsize:
        raise damaged(f"pack {first}")
    lengths = np.frombuffer(content, _LENGTH, count)
    if int(lengths.sum(dtype=np.int64)) != len(content) - lengths.nbytes:
        raise damaged(f"pack {first}")
    return Pack(first, lengths, content[lengths.nbytes :])


def _decompress_frame(
    data: bytes, max_bytes: int, name: str, dictionary: zstandard.ZstdCompressionDict | None = None
) -> bytes:
    """Return decompressed bytes; StoreError if their stated size is above `max_bytes`."""
    try:
        # The stated size is allocated before anything else is read.
        if not 0 <= zstandard.get_frame_parameters(data).content_size <= max_bytes:
            raise damaged(name)
        return zstandard.ZstdDecompressor(dictionary).decompress(data)
    except (zstandard.ZstdError, ValueError) as error:
        raise damaged(name) from error


def is_new_base(pack: Pack, base: Pack) -> bool:
    """Say whether the pages of a site have outgrown the pack that theirs are packed against."""
    return len(pack.data) > 4 * max(len(base.data), 1024)


def encode_pieces(pieces: Iterable[tuple[int, bool]]) -> bytes:
    """Return a list of pieces, each informative or not, as few bytes.

    Neighbouring pieces mostly have neighbouring numbers, so the differences are small: one byte
    each where possible, and these compressed.
    """
    encoded = bytearray()
    last = -1
    for number, informative in pieces:
        step = number - last - 1
        last = number
        value = (step << 1 if step >= 0 else (-step << 1) - 1) << 1 | informative
        while value > 127:
            encoded.append(value & 127 | 128)
            value >>= _BITS
        encoded.append(value)
    return _compressor(threading.get_ident()).compress(bytes(encoded))


def decode_pieces(data: bytes) -> list[tuple[int, bool]]:
    """Return the list of pieces that `encode_pieces` turned into bytes."""
    name = "the list of a page's pieces"
    encoded = _decompress_frame(data, _MAX_LIST_BYTES, name)
    if (
        len(encoded.translate(None, _CONTINUATION_BYTES)) > MAX_PIECES
        or encoded[-1:] > b"\x7f"  # the last number has no end
    ):
        raise damaged(name)
    pieces: list[tuple[int, bool]] = []
    last = -1
    value = shift = 0
    for byte in encoded:
        value |= (byte & 127) << shift
        shift += _BITS
        if shift > _MAX_NUMBER_BITS:
            raise damaged(name)
        if byte < 128:
            step = value >> 1
            last += 1 + (-((step + 1) >> 1) if step & 1 else step >> 1)
            if not 0 <= last < _MAX_PIECE:
                raise damaged(name)
            pieces.append((last, bool(value & 1)))
            value = shift = 0
    return pieces


class PackCache:
    """Reads packs, and keeps those that were used last, unpacked.

    A pack from which garbage was taken out is another edition, also if another process did that.
    The cache is a few lines because one pack may be larger than all that it should hold, and is
    kept all the same until the next one comes.
    """

    def __init__(self) -> None:
        self._packs: OrderedDict[tuple[int, int], Pack] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def load_pack(self, connection: Connection, number: int) -> Pack:
        """Return the pack that a piece is in."""
        row = connection.row(_FIND_PACK, number)
        if row is None:
            raise damaged(f"piece {number}")
        first, edition, base = row
        return self._load(connection, (first, edition), base)

    def load_pieces(self, connection: Connection, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the pieces of a page by number."""
        pieces: dict[int, bytes] = {}
        pack: Pack | None = None
        size = 0
        for number in sorted(set(numbers)):
            if pack is None or number >= pack.stop:
                pack = self.load_pack(connection, number)
            data = pack.piece(number) if number < pack.stop else b""
            size += len(data)
            if not data or size > MAX_PAGE_BYTES:
                raise damaged(f"piece {number}")
            pieces[number] = data
        return pieces

    def _load(self, connection: Connection, key: tuple[int, int], base: int | None) -> Pack:
        """Return the pack of a number and edition, which is packed against another one or none."""
        with self._lock:
            if key in self._packs:
                self._packs.move_to_end(key)
                return self._packs[key]
        first = key[0]
        ((count, data),) = connection.rows(_PACK_DATA, first)
        base_pack = None if base is None else self._load_base(connection, base)
        return self._keep(key, decompress(first, count, data, base_pack))

    def _load_base(self, connection: Connection, number: int) -> Pack:
        """Return a pack that others are packed against: it stands by itself."""
        row = connection.row(_FIND_PACK, number)
        if row is None or row[0] != number or row[2] is not None:
            raise damaged(f"pack {number}")
        return self._load(connection, (row[0], row[1]), None)

    def _keep(self, key: tuple[int, int], pack: Pack) -> Pack:
        with self._lock:
            if key in self._packs:  # another thread was faster
                return self._packs[key]
            self._packs[key] = pack
            self._size += _BYTES_PER_BYTE * len(pack.data)
            while self._size > _MAX_CACHE_BYTES and len(self._packs) > 1:
                _, oldest = self._packs.popitem(last=False)
                self._size -= _BYTES_PER_BYTE * len(oldest.data)
        return pack
