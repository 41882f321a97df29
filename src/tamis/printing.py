"""Foreign text made safe to print: it cannot control a terminal or mislead a reader.

File names, titles and URLs may contain escape sequences, which a terminal obeys, and characters
that change the writing direction, so that text reads as something else.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

# Control characters except tab and line feed; embeddings, overrides and isolates of direction; and
# surrogates, which no stream can write. Joiners and direction marks are parts of many scripts.
_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_NOT_IN_URLS: Final = re.compile(rf"{_CONTROLS.pattern}|[^\S ]")
_AROUND_URLS: Final = "".join(map(chr, range(0x21)))  # which browsers strip
_WITHOUT_BREAKS: Final = str.maketrans("", "", "\t\n\r")


def printable(text: str) -> str:
    """Return text on one line, with invisible characters escaped as in Python: `\\n`, `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def escape_for_terminal(text: str) -> str:
    """Return text for a terminal, with control characters escaped as in JSON.

    JSON that is escaped this way means the same: it has these characters in strings only.
    """
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def encode_url(url: str) -> str:
    """Return a URL as browsers read it: without line breaks, tabs, and white space around it.

    Control characters, white space other than the space, and characters that change the writing
    direction are percent-encoded.
    """
    url = url.strip(_AROUND_URLS)
    if url.isprintable():
        return url
    return _NOT_IN_URLS.sub(_percent_encode, url.translate(_WITHOUT_BREAKS))


def _percent_encode(match: re.Match[str]) -> str:
    return quote(match[0], safe="", errors="replace")


def encodable(text: str | None) -> str | None:
    """Return text that UTF-8 can hold: names of files and JSON can have halves of characters."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()
