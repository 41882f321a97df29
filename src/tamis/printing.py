"""Texts of others made fit to be shown: nothing in them commands a terminal or misleads a reader.

Names of files, titles and addresses of pages may hold escape sequences that a terminal obeys, and
controls that turn the direction of what follows, so that it reads as something else.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

# Controls but for the tab and the line feed, embeddings, overrides and isolates of direction, and
# surrogates, which no stream can write. Joiners and marks of direction are parts of many scripts.
_COMMANDS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_NOT_OF_ADDRESSES: Final = re.compile(rf"{_COMMANDS.pattern}|[^\S ]")
_SPACE: Final = "".join(map(chr, range(0x21)))  # and controls, which browsers take for it
_BROKEN: Final = str.maketrans("", "", "\t\n\r")


def printable(text: str) -> str:
    """Return text on one line, all that is not seen as Python writes it: `\\n`, `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def escape_for_terminal(text: str) -> str:
    """Return text of several lines for a terminal, what would command it as JSON writes it.

    JSON stays the same data: there these characters stand in strings only.
    """
    return _COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def encode_url(address: str) -> str:
    """Return an address as browsers read it: without line breaks, tabs and what is around it.

    Controls, white space but for the space, and what turns the direction are percent-encoded.
    """
    address = address.strip(_SPACE)
    if address.isprintable():
        return address
    return _NOT_OF_ADDRESSES.sub(_percent, address.translate(_BROKEN))


def _percent(match: re.Match[str]) -> str:
    return quote(match[0], safe="", errors="replace")
