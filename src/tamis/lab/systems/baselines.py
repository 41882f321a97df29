"""Baselines: what takes no method at all. Every table of methods and peers carries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks import Blocks, TagSet
from tamis.lab.datasets import Item
from tamis.lab.systems.methods import Answer, Extractor, System
from tamis.pipeline import Method, extract
from tamis.verdict import Verdict, build_verdict


@dataclass(frozen=True)
class AllText:
    """Takes every block: all text that a page shows."""

    def identify(self, blocks: Blocks) -> Verdict:
        """Return all blocks as informative."""
        score = np.ones(len(blocks))
        return build_verdict(score, score > 0, np.zeros(len(blocks), np.uint8), score, "all text")


@dataclass(frozen=True)
class Largest:
    """Takes the block with most words (McKeown et al., discussed by 001)."""

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the block with most words, the first of several, as informative."""
        terms = blocks.owned(blocks.page.terms)
        kept = np.zeros(len(blocks), dtype=np.bool_)
        if terms.any():
            kept[np.argmax(terms)] = True
        return build_verdict(
            terms, kept, np.where(kept, 0, 1), terms, "{:.0f} words, most", "{:.0f}"
        )


BASELINES: Final[Mapping[str, Method]] = {
    "all text": Method(TagSet(), AllText()),
    "largest": Method(TagSet(), Largest()),
}


def baselines(version: str) -> list[System]:
    """Return the baselines as systems. They stand beside methods as peers do."""
    return [_system(name, method, version) for name, method in BASELINES.items()]


def _system(name: str, method: Method, version: str) -> System:
    @contextmanager
    def started() -> Iterator[Extractor]:
        yield answer

    def answer(html: str, item: Item) -> Answer:
        document = extract(html, method=method)
        return Answer(document.text, document=document)

    return System(name, version, started, is_peer=True)
