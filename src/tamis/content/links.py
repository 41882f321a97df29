"""Links: the URLs of a page as absolute ones, without those that are not safe to follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urljoin, urlsplit

from tamis.printing import encode_url

_SAFE_SCHEMES: Final = ("http", "https", "mailto", "tel", "ftp", "")
# Most links are plain: joined to a base they stay as they are, or stand behind a part of it. There
# are no dots to resolve in their path, no parameters, and no empty parts that would be left out.
_TAIL: Final = r"(?:\?[!$-;=?-Z_a-z~\[\]]+)?(?:\#[!$-;=?-Z_a-z~]+)?"
_PLAIN_PATH: Final = re.compile(rf"(?!//)(?:/(?!\.)[!$-.0-:=@-Z_a-z~]*)+{_TAIL}")
_PLAIN_URL: Final = re.compile(rf"https?://[a-zA-Z0-9.-]+(?::[0-9]+)?(?:/[!$-:=@-Z_a-z~]*)?{_TAIL}")


@dataclass(frozen=True)
class LinkResolver:
    """Makes the links of a page absolute: `base` is what they are relative to."""

    base: str | None

    @cached_property
    def _root(self) -> str | None:
        """What stands before a plain path; None if it has to be found out for every link."""
        if not self.base:
            return ""
        is_http = self.base.startswith(("http://", "https://")) and self.base.isprintable()
        try:
            return urljoin(self.base, "/").removesuffix("/") if is_http else None
        except ValueError:
            return None

    def resolve(self, value: str) -> str | None:
        """Return a link as an absolute URL, None if it leads nowhere or is not safe to follow."""
        if _PLAIN_URL.fullmatch(value):
            return value
        if self._root is not None and _PLAIN_PATH.fullmatch(value):
            return self._root + value
        return self._resolve_any(value)

    def _resolve_any(self, value: str) -> str | None:
        """Resolve a link with care."""
        encoded = encode_url(value.strip())
        if not encoded:  # an anchor; joined to the page's URL it would be a link to the page
            return None
        if not value.isprintable():
            printable = "".join(char for char in value if char.isprintable()).strip()
            scheme = printable.split(":")[0].lower()
            if _may_have_scheme(printable) and scheme not in _SAFE_SCHEMES:
                return None
        try:
            absolute = urljoin(self.base, encoded) if self.base else encoded
            scheme = urlsplit(absolute).scheme.lower()
        except ValueError:
            return None
        if scheme not in _SAFE_SCHEMES or (not scheme and _may_have_scheme(absolute)):
            return None
        return encode_url(absolute) or None  # the base may have control characters as well


def _may_have_scheme(url: str) -> bool:
    """Return whether a relative URL could be taken for one with a scheme."""
    colon = url.find(":")
    return colon >= 0 and not any(sign in url[:colon] for sign in "/?#")
