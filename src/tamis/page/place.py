"""Rows ↔ XPath."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tamis.errors import InputError
from tamis.page import tags
from tamis.page.page import Page

_PLAIN: Final = re.compile(r"[A-Za-z_][\w.-]*")
_STEP: Final = re.compile(
    r"""(?: \*\[name\(\)=(?: "([^"]*)" | '([^']*)' )\] | ([\w.()*-]+) ) (?: \[(\d+)\] )?""",
    re.VERBOSE,
)


def xpath_of(page: Page, row: int) -> str:
    """Return the absolute XPath of a row, with positions only where names repeat.

    Of text nodes, those that have rows are counted.
    """
    number, count = page.sibling_numbers
    steps: list[str] = []
    while row >= 0:
        step = name_test(page, row)
        if step == "*":
            step = f"*[{element_number(page, row)}]"
        elif count[row] > 1:
            step = f"{step}[{number[row]}]"
        steps.append(step)
        row = int(page.parent[row])
    return "/" + "/".join(reversed(steps))


def row_at(page: Page, xpath: str) -> int:
    """Return the row that an absolute XPath of names and positions leads to."""
    row = -1
    for step in xpath.strip("/").split("/"):
        match = _STEP.fullmatch(step)
        if match is None:
            raise InputError(f"cannot follow the step {step!r} of the XPath {xpath!r}")
        name = next(group for group in match.groups()[:3] if group is not None)
        children = np.flatnonzero(page.parent == row).tolist()
        hits = [child for child in children if name in (step_name(page, child), _kind(page, child))]
        if len(hits) < int(match[4] or 1):
            raise InputError(f"the XPath {xpath!r} leads nowhere in this page")
        row = hits[int(match[4] or 1) - 1]
    return row


def name_test(page: Page, row: int) -> str:
    """Return the test of a row's name in an XPath; names that XPath does not know are quoted."""
    name = step_name(page, row)
    if name == "text()" or _PLAIN.fullmatch(name):
        return name
    quotes = [quote for quote in "'\"" if quote not in name]
    return f"*[name()={quotes[0]}{name}{quotes[0]}]" if quotes else "*"


def step_name(page: Page, row: int) -> str:
    """Return the name of a row as XPath has it."""
    return "text()" if page.tag[row] == tags.TEXT else page.name(row)


def element_number(page: Page, row: int) -> int:
    """Return which of its parent's elements a row is, from 1."""
    siblings = np.flatnonzero((page.parent == page.parent[row]) & (page.tag != tags.TEXT))
    return int(np.searchsorted(siblings, row)) + 1


def _kind(page: Page, row: int) -> str:
    return "text()" if page.tag[row] == tags.TEXT else "*"
