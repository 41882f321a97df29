"""The body of a response as it travels to a worker, and how it is unpacked within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tamis.errors import InputError, TooLarge
from tamis.source import gunzip, inflate

_UNPACKERS: Final = {"gzip": gunzip, "x-gzip": gunzip, "deflate": inflate}


@dataclass(frozen=True)
class Answer:
    """The body of a response, as it came, and what is needed to unpack it."""

    url: str
    body: bytes
    codings: tuple[str, ...] = ()  # of Content-Encoding, in their order
    charset: str | None = None

    def unpack(self, limit: int) -> bytes:
        """Return the body without its codings; TooLarge past a limit."""
        data = self.body
        for coding in reversed(self.codings):
            if coding == "identity" or not data:
                continue
            if coding not in _UNPACKERS:
                raise InputError(f"is packed as {coding}, which was not asked for")
            try:
                data = _UNPACKERS[coding](data, limit)
            except ValueError as error:
                raise InputError(f"cannot be unpacked ({error})") from error
        if len(data) > limit:
            raise TooLarge(f"is larger than {limit:,} bytes")
        return data
