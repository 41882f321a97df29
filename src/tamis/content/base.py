"""A page → the address that its links are relative to."""

from __future__ import annotations

from typing import Final
from urllib.parse import urljoin, urlsplit

import numpy as np

from tamis.page import Page, tags
from tamis.page.attributes import attributes

_BASE: Final = tags.CODE["base"]


def declared_base(page: Page) -> str | None:
    """Return the address of the page, or the one that it declares by `<base href>`."""
    for row in np.flatnonzero(page.tag == _BASE).tolist():
        if href := attributes(page, row).get("href"):
            try:
                declared = urljoin(page.url or "", href.strip())
                safe = urlsplit(declared).scheme in ("http", "https")
            except ValueError:
                safe = False
            return declared if safe else page.url
    return page.url
