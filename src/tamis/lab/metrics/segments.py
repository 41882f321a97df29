"""Measures of segmentations: a page's blocks against those that people marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, leaf_rows
from tamis.errors import unavailable
from tamis.lab.metrics.records import MIN_SIMILARITY, best_pairs, letters
from tamis.lab.metrics.text import Counts
from tamis.page import Bools, Page, find_row

_CONTENT_TYPES: Final = frozenset({"Article", "Content"})

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SegmentScore:
    """How good a segmentation of a page is; `hits` are the marked blocks that were matched."""

    fuzzy: Counts
    exact: Counts
    fuzzy_top: Counts
    exact_top: Counts
    cubed: tuple[float, float, float]  # precision, recall and F of extended BCubed
    hits: frozenset[int]


@dataclass(frozen=True, eq=False)
class Judge:
    """Knows the blocks that people marked on a page, and remembers what it compared."""

    page: Page
    texts: tuple[str, ...]  # the letters of each
    levels: tuple[int, ...]
    types: tuple[str, ...]
    rows: tuple[int, ...]
    similar: dict[str, tuple[tuple[float, int], ...]] = field(default_factory=dict)
    read: dict[tuple[int, int], str] = field(default_factory=dict)

    def score(self, blocks: Blocks) -> SegmentScore:
        """Return how good blocks are; those that show nothing do not count.

        The blocks of level 1 are those without a block around them, or with none but one that is
        the whole page.
        """
        texts, tops = self._visible_texts(blocks)
        pairs = best_pairs(
            (alike, i, j) for i, text in enumerate(texts) for alike, j in self._similar(text)
        )
        upper = [texts[i] for i in tops]
        first = {j for j, level in enumerate(self.levels) if level == 1}
        top_pairs = best_pairs(
            (alike, i, j)
            for i, text in enumerate(upper)
            for alike, j in self._similar(text)
            if j in first
        )
        wanted = [text for text in self.texts if text]
        wanted_top = [self.texts[j] for j in sorted(first) if self.texts[j]]
        return SegmentScore(
            Counts(len(pairs), len(texts), len(wanted)),
            Counts((Counter(texts) & Counter(wanted)).total(), len(texts), len(wanted)),
            Counts(len(top_pairs), len(upper), len(wanted_top)),
            Counts((Counter(upper) & Counter(wanted_top)).total(), len(upper), len(wanted_top)),
            self.cubed(blocks),
            frozenset(j for _, j in pairs),
        )

    def _visible_texts(self, blocks: Blocks) -> tuple[list[str], list[int]]:
        """Return the letters of the blocks that are visible, and which of these are on top."""
        page = blocks.page
        shown = leaf_rows(page)
        layout = page.layout
        seen = shown if layout is None else shown & layout.shown & (layout.width > 0)
        is_page = blocks.inside(shown) == shown.sum()
        visible = blocks.inside(seen) > 0
        texts: list[str] = []
        tops: list[int] = []
        for index in np.flatnonzero(visible).tolist():
            text = self._text(blocks, index)
            if not text:
                continue
            above = int(blocks.parent[index])
            if (above < 0 or is_page[above]) and not (is_page[index] and len(blocks) > 1):
                tops.append(len(texts))
            texts.append(text)
        return texts, tops

    def _text(self, blocks: Blocks, index: int) -> str:
        """Return the letters of a block with those of its child blocks."""
        key = (int(blocks.first[index]), int(blocks.stop[index]))
        if key not in self.read:
            self.read[key] = letters(blocks.full_text(index))
        return self.read[key]

    def _similar(self, text: str) -> tuple[tuple[float, int], ...]:
        """Return the marked blocks that are similar to a text, with how similar they are."""
        if text not in self.similar:
            self.similar[text] = tuple(
                (alike, j)
                for j, other in enumerate(self.texts)
                if other and (alike := _similarity(text, other)) >= MIN_SIMILARITY
            )
        return self.similar[text]

    def cubed(self, blocks: Blocks) -> tuple[float, float, float]:
        """Return precision, recall and F of extended BCubed over text nodes, by letters.

        A node is in the innermost block around it, and in all marked blocks of level 2 (or, where
        there is none, of level 1) around it. Nodes in no marked block do not count.
        """
        page = self.page
        marked = self._marked()
        rows = np.flatnonzero(page.visible & marked.any(axis=1))
        if not len(rows):
            return (1.0, 1.0, 1.0)
        weight = page.chars[rows].astype(np.float64)
        owner = blocks.owner[rows]
        here = owner[:, None] == owner[None, :]
        there = marked[rows].astype(np.float64) @ marked[rows].T.astype(np.float64)
        both = np.minimum(here, there)
        precision = (both * here) @ weight / np.maximum(here @ weight, 1)
        shared = there > 0
        part = np.divide(both, there, out=np.zeros_like(there), where=shared)
        recall = part @ weight / np.maximum(shared @ weight, 1)
        mean_p, mean_r = (float(np.average(v, weights=weight)) for v in (precision, recall))
        return mean_p, mean_r, 2 * mean_p * mean_r / max(mean_p + mean_r, 1e-9)

    def _marked(self) -> Bools:
        """Return for each row the marked blocks that it counts for, as a matrix."""
        marked = np.zeros((len(self.page), max(len(self.rows), 1)), dtype=np.bool_)
        for level in (1, 2):
            for j, row in enumerate(self.rows):
                if self.levels[j] == level:
                    inside = slice(row, int(self.page.end[row]))
                    if level == 2:
                        marked[inside, np.array(self.levels) == 1] = False
                    marked[inside, j] = True
        return marked

    @cached_property
    def wanted(self) -> Bools:
        """Which rows are article or content: the innermost marked block around them decides."""
        wanted = np.zeros(len(self.page), dtype=np.bool_)
        for row, kind in sorted(zip(self.rows, self.types, strict=True)):
            wanted[row : self.page.end[row]] = kind in _CONTENT_TYPES
        return wanted

    def content(self, kept: Bools) -> Counts:
        """Compare rows that were kept with those of articles and content, by letters."""
        page, wanted = self.page, self.wanted
        chars = page.chars if page.layout is None else page.chars * page.layout.shown
        return Counts(
            float(chars[kept & wanted].sum()), float(chars[kept].sum()), float(chars[wanted].sum())
        )


def build_judge(page: Page, marked: Sequence[Mapping[str, Any]]) -> Judge:
    """Return the judge of a page with marked blocks: xpath, type, level and text each."""
    return Judge(
        page,
        tuple(letters(block["text"]) for block in marked),
        tuple(int(block["level"]) for block in marked),
        tuple(str(block["type"]) for block in marked),
        tuple(find_row(page, block["xpath"]) for block in marked),
    )


def _similarity(text: str, other: str) -> float:
    """Return how similar two texts are, 0 if it is less than counts."""
    try:
        from rapidfuzz.distance import Indel
    except ImportError as error:
        raise unavailable("fuzzy matching needs rapidfuzz", "evaluate") from error
    return float(Indel.normalized_similarity(text, other, score_cutoff=MIN_SIMILARITY))
