"""Rows ↔ XPath."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tamis.errors import InputError
from tamis.page import tags
from tamis.page.page import Page
from tamis.page.trail import Step

_PLAIN: Final = re.compile(r"[A-Za-z_][\w.-]*")
_STEP: Final = re.compile(
    r"""(?: \*\[name\(\)=(?: "([^"]*)" | '([^']*)' )\] | ([\w.()*-]+) ) (?: \[(\d+)\] )?""",
    re.VERBOSE,
)


def row_xpath(page: Page, row: int) -> str:
    """Return the absolute XPath of a row, with positions only where names repeat.

    Of text nodes, those that have rows are counted. The beginning is that of the XPath which was
    written before, as far as the two are the same.
    """
    parent, step = page.parent, page.trail.last
    missing: list[int] = []
    while row >= 0:
        while step is not None and step.row > row:
            step = step.above
        if step is not None and step.row == row:
            break
        missing.append(row)
        row = int(parent[row])
    else:
        step = None
    for row in reversed(missing):
        step = Step(row, f"{step.xpath if step else ''}/{step_test(page, row)}", step)
    page.trail.last = step
    return step.xpath if step else "/"


def step_test(page: Page, row: int) -> str:
    """Return the step of an XPath that leads from the element around a row to the row."""
    number, count = page.sibling_numbers
    test = name_test(page, row)
    if test == "*":
        return f"*[{page.element_numbers[row]}]"
    return f"{test}[{number[row]}]" if count[row] > 1 else test


def find_row(page: Page, xpath: str) -> int:
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


def _kind(page: Page, row: int) -> str:
    return "text()" if page.tag[row] == tags.TEXT else "*"
