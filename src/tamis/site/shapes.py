"""The shape of a URL: pages of one shape of a host are mostly made by one program."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_DIGITS: Final = re.compile(r"\d+")
_EXTENSION: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}$")
_HEX: Final = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f]{4,})*", re.I)


def url_shape(url: str) -> str:
    """Return the shape of an address: what is left when numbers and the last name are taken out.

    Pages of one shape are mostly made by one program: articles, months of a calendar, lists.
    """
    parts = urlsplit(url)
    folders, _, name = parts.path.rpartition("/")
    shape = "/".join(map(_segment_shape, folders.split("/")))
    if name:
        extension = _EXTENSION.search(name)
        shape += "/" + ("0" if name.isdigit() else "*") + (extension[0] if extension else "")
    else:
        shape += "/"
    names = sorted({_DIGITS.sub("0", pair.partition("=")[0]) for pair in parts.query.split("&")})
    return shape + ("?" + "&".join(names) if parts.query else "")


def _segment_shape(segment: str) -> str:
    """Return a folder's name without its numbers and keys."""
    if _HEX.fullmatch(segment) and any(map(str.isdigit, segment)):
        return "0"
    return _DIGITS.sub("0", segment)
