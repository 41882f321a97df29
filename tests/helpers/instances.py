"""A ready instance of every segmenter and identifier, whatever it needs to be made.

An entry that learns is fitted here, one that needs layout gets it here: the contract tests take
all their instances from these two functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import tamis
from helpers.layouts import laid_out
from helpers.samples import sample
from tamis.blocks import Blocks, Segmenter, TagSet
from tamis.page import Page
from tamis.pipeline import needs_layout
from tamis.verdict import Entropy, Ibdf, Identifier, Shingle, SiteStyle, Verdict

SEGMENTER_NAMES = sorted(tamis.SEGMENTERS)
IDENTIFIER_NAMES = sorted(tamis.IDENTIFIERS)
LEARNING: Final[dict[str, Ibdf | Entropy | Shingle | SiteStyle]] = {
    "ibdf": Ibdf(),
    "entropy": Entropy(),
    "shingle": Shingle(),
    "sitestyle": SiteStyle(),
}
# Those that take any page; the others need a browser, or a layout that was made up.
PLAIN_SEGMENTERS = [name for name, made in tamis.SEGMENTERS.items() if not needs_layout(made())]
PLAIN_METHODS = [name for name, method in tamis.METHODS.items() if not method.needs_layout]


@dataclass(frozen=True)
class Looking:
    """A segmenter or an identifier that gets a layout, made up if the page has none."""

    part: Segmenter | Identifier

    def segment(self, page: Page) -> Blocks:
        assert isinstance(self.part, Segmenter)
        return self.part.segment(laid_out(page))

    def identify(self, blocks: Blocks) -> Verdict:
        assert isinstance(self.part, Identifier)
        return self.part.identify(replace(blocks, page=laid_out(blocks.page)))


def segmenter(name: str) -> Segmenter:
    """Return the segmenter of a name."""
    made = tamis.SEGMENTERS[name]()
    return Looking(made) if needs_layout(made) else made


def identifier(name: str) -> Identifier:
    """Return the identifier of a name."""
    if name in LEARNING:
        return fitted(name)
    made = tamis.IDENTIFIERS[name]()
    return Looking(made) if needs_layout(made) else made


@cache
def fitted(name: str) -> Identifier:
    """Return an identifier that has learned from sample pages."""
    pages = [TagSet().segment(sample(page)) for page in ("article", "docs", "chinese", "article")]
    return LEARNING[name].fit(pages)
