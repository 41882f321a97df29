"""Trail: the XPath that was written last, step by step, so that the next one shares its prefix."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """An element on the way to a row, its XPath, and the step to the element around it."""

    row: int
    xpath: str
    above: Step | None


class Trail:
    """The steps to the row whose XPath was written last.

    Rows in document order share most of their way, so that each step is written once and memory
    is that of one way, however many rows there are. Steps never change: threads that write XPaths
    of one page at once only find less to share.
    """

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: Step | None = None

    def __reduce__(self) -> tuple[type[Trail], tuple[()]]:
        return Trail, ()  # a way may be deeper than pickle follows
