"""Block: one block of a page, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.page.layout import Box
from tamis.page.limits import ENDLESS, Budget
from tamis.page.page import Bools
from tamis.page.place import xpath_of

if TYPE_CHECKING:
    from tamis.blocks.blocks import Blocks


class Opinion(Protocol):
    """What a verdict says about blocks, seen from below."""

    @property
    def score(self) -> NDArray[np.float64]:
        """Score of each block."""
        ...

    @property
    def informative(self) -> Bools:
        """Whether each block is informative."""
        ...

    def reason(self, index: int) -> str:
        """Return why a block got its verdict."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block with its text, its place in the page and, if there is one, the verdict on it."""

    blocks: Blocks
    index: int
    opinion: Opinion | None = None
    budget: Budget = ENDLESS  # of the document that it is of

    def __repr__(self) -> str:
        return f"<Block {self.index} {self.xpath} {self.text[:40]!r}>"

    @property
    def text(self) -> str:
        """The text that the block owns, without that of its child blocks."""
        with self.budget.spending("reading a block"):
            return self.blocks.text(self.index)

    @property
    def full_text(self) -> str:
        """The text of the block and of its child blocks."""
        with self.budget.spending("reading a block"):
            return self.blocks.full_text(self.index)

    @property
    def html(self) -> str:
        """The block's part of the normalised source."""
        with self.budget.spending("reading a block"):
            start, stop = self.span
            return self.blocks.page.source[start:stop].decode("utf-8", "replace")

    @property
    def tag(self) -> str:
        """The name of the element that the block is, or lies in."""
        return self.blocks.page.name(int(self.blocks.node[self.index]))

    @property
    def xpath(self) -> str:
        """The place of that element in the page."""
        with self.budget.spending("writing an XPath"):
            return xpath_of(self.blocks.page, int(self.blocks.node[self.index]))

    @property
    def span(self) -> tuple[int, int]:
        """The block's place in `page.source`, in bytes."""
        return self.blocks.span(self.index)

    @property
    def box(self) -> Box | None:
        """The block's place on the screen, on a page with layout: x, y, width and height."""
        return self.blocks.box(self.index)

    @property
    def label(self) -> str:
        """The block's number in its forest: B-1, B-1-1, …"""
        return self.blocks.labels[self.index]

    @property
    def parent(self) -> Block | None:
        """The block around this one."""
        above = int(self.blocks.parent[self.index])
        return Block(self.blocks, above, self.opinion, self.budget) if above >= 0 else None

    @property
    def score(self) -> float | None:
        """The score that the identifier gave."""
        return float(self.opinion.score[self.index]) if self.opinion else None

    @property
    def informative(self) -> bool | None:
        """Whether the identifier takes the block for content."""
        return bool(self.opinion.informative[self.index]) if self.opinion else None

    @property
    def reason(self) -> str | None:
        """Why."""
        return self.opinion.reason(self.index) if self.opinion else None

    def as_dict(self) -> dict[str, Any]:
        """Return all that is known of the block as plain data."""
        with self.budget.spending("describing a block"):
            return self._as_dict()

    def _as_dict(self) -> dict[str, Any]:
        box, above = self.box, int(self.blocks.parent[self.index])
        return {
            "index": self.index,
            "label": self.label,
            "parent": above if above >= 0 else None,
            "tag": self.tag,
            "xpath": xpath_of(self.blocks.page, int(self.blocks.node[self.index])),
            "span": list(self.span),
            **({"box": [round(side, 2) for side in box]} if box else {}),
            "informative": self.informative,
            "score": None if self.score is None else round(self.score, 6),
            "reason": self.reason,
            "text": self.blocks.text(self.index),
        }
