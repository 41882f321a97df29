"""Rows ↔ XPath: the address of a row inside its page, and the row at an address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tamis.errors import InputError
from tamis.page import tags

if TYPE_CHECKING:
    from tamis.page.page import Page

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_STEP: Final = re.compile(
    r"""(?: \*\[name\(\)=(?: "([^"]*)" | '([^']*)' )\] | ([\w.()*-]+) ) (?: \[(\d+)\] )?""",
    re.VERBOSE,
)


def row_xpath(page: Page, row: int) -> str:
    """Return the absolute XPath of a row, with positions only where names repeat.

    Of text nodes, only those that have rows are counted. The steps that this XPath shares with the
    last one of the page are taken from there.
    """
    parent, step = page.parent, page.xpath_cache.last_step
    missing: list[int] = []
    while row >= 0:
        while step is not None and step.row > row:
            step = step.parent
        if step is not None and step.row == row:
            break
        missing.append(row)
        row = int(parent[row])
    else:
        step = None
    for row in reversed(missing):
        step = _Step(row, f"{step.xpath if step else ''}/{step_test(page, row)}", step)
    page.xpath_cache.last_step = step
    return step.xpath if step else "/"


def step_test(page: Page, row: int) -> str:
    """Return the step of an XPath that leads to a row from its parent."""
    number, count = page.sibling_numbers
    test = _name_test(page, row)
    if test == "*":
        return f"*[{page.element_numbers[row]}]"
    return f"{test}[{number[row]}]" if count[row] > 1 else test


def _name_test(page: Page, row: int) -> str:
    """Return the test for a row's name in an XPath; names that XPath does not allow are quoted."""
    name = _step_name(page, row)
    if name == "text()" or _PLAIN_NAME.fullmatch(name):
        return name
    quotes = [quote for quote in "'\"" if quote not in name]
    return f"*[name()={quotes[0]}{name}{quotes[0]}]" if quotes else "*"


def _step_name(page: Page, row: int) -> str:
    """Return the name of a row as XPath writes it."""
    return "text()" if page.tag[row] == tags.TEXT else page.name(row)


def find_row(page: Page, xpath: str) -> int:
    """Return the row at an absolute XPath that consists of names and positions."""
    row = -1
    for step in xpath.strip("/").split("/"):
        match = _STEP.fullmatch(step)
        if match is None:
            raise InputError(f"cannot follow the step {step!r} of the XPath {xpath!r}")
        name = next(group for group in match.groups()[:3] if group is not None)
        children = np.flatnonzero(page.parent == row).tolist()
        matches = [child for child in children if name in _matching_names(page, child)]
        position = int(match[4] or 1)
        if len(matches) < position:
            raise InputError(f"the XPath {xpath!r} leads nowhere in this page")
        row = matches[position - 1]
    return row


def _matching_names(page: Page, row: int) -> tuple[str, str]:
    """Return the names in an XPath that a row matches: its own, and `*` if it is an element."""
    return _step_name(page, row), "text()" if page.tag[row] == tags.TEXT else "*"


class _Step(NamedTuple):
    """An element on the way to a row, its XPath, and the step to its parent."""

    row: int
    xpath: str
    parent: _Step | None


class XPathCache:
    """The steps to the row whose XPath was built last.

    Rows in document order share most of their ancestors, so each step is built once, and memory is
    that of one XPath, however many rows there are. Steps never change: threads that build XPaths of
    one page at the same time only share fewer steps.
    """

    __slots__ = ("last_step",)

    def __init__(self) -> None:
        self.last_step: _Step | None = None

    def __reduce__(self) -> tuple[type[XPathCache], tuple[()]]:
        return XPathCache, ()  # the steps may be nested deeper than pickle can follow
