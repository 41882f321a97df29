"""The shelf: packs that were read lately, unpacked."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, bindparam, select

from tamis.store.direct import rows
from tamis.store.failures import damaged
from tamis.store.packs import LARGEST_PAGE, Pack, unpacked
from tamis.store.tables import PACK

ROOM: Final = 96 * 1024 * 1024  # bytes of unpacked packs, with what is made of them
MADE: Final = 3  # bytes that packing against a pack may take for each of its own

_FOUND: Final = (
    select(PACK.c.first, PACK.c.edition, PACK.c.base)
    .where(PACK.c.first <= bindparam("number"))
    .order_by(PACK.c.first.desc())
    .limit(1)
)
_PACK: Final = select(PACK.c.count, PACK.c.data).where(PACK.c.first == bindparam("first"))


class Shelf:
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
        return self._put(key, unpacked(first, count, data, against))

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
