"""Rows ↔ XPath."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tamis.errors import InputError
from tamis.page import tags
from tamis.page.page import Page

_STEP: Final = re.compile(r"([^\[\]/]+)(?:\[(\d+)\])?")


def xpath_of(page: Page, row: int) -> str:
    """Return the absolute XPath of a row, with positions only where names repeat."""
    number, count = page.sibling_numbers
    steps: list[str] = []
    while row >= 0:
        name = "text()" if page.tag[row] == tags.TEXT else page.name(row)
        steps.append(f"{name}[{number[row]}]" if count[row] > 1 else name)
        row = int(page.parent[row])
    return "/" + "/".join(reversed(steps))


def row_at(page: Page, xpath: str) -> int:
    """Return the row that an absolute XPath of names and positions leads to."""
    number, _ = page.sibling_numbers
    row = -1
    for step in xpath.strip("/").split("/"):
        match = _STEP.fullmatch(step)
        if match is None:
            raise InputError(f"cannot follow the step {step!r} of the XPath {xpath!r}")
        wanted = (match[1], int(match[2] or 1))
        children = np.flatnonzero(page.parent == row)
        hits = [r for r in children.tolist() if (_step_name(page, r), number[r]) == wanted]
        if not hits:
            raise InputError(f"the XPath {xpath!r} leads nowhere in this page")
        row = hits[0]
    return row


def _step_name(page: Page, row: int) -> str:
    return "text()" if page.tag[row] == tags.TEXT else page.name(row)
