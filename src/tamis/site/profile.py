"""PageProfile: what learning and applying a template see of a page.

Every block has a fingerprint of its terms and a path signature, which says where in a template it
stands. The page also has a main container: the element that holds most of its content.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.blocks import Blocks, block_terms, fingerprint
from tamis.page import Bools, Page, tags
from tamis.pipeline import DEFAULT_METHOD, METHODS
from tamis.verdict import Floats, Identifier, Verdict

METHOD: Final = METHODS[DEFAULT_METHOD]  # judges a page by itself
_MIN_PROBABILITY: Final = 1e-4  # log odds stay finite: no probability is nearer to 0 or 1
_MAX_STEPS: Final = 4  # elements of a path signature: further up, classes name the single page
_CONTAINER_SHARE: Final = 0.8  # of the informative terms that the main container holds
_OUTSIDE: Final = tags.tag_table(("html", "body"))
_DIGITS: Final = re.compile(rb"[0-9]+")


class MainContainer(NamedTuple):
    """The element that holds most of the informative text of one page."""

    row: int
    path: str  # signature
    share: float  # of its terms that are informative


@dataclass(frozen=True, eq=False)
class PageProfile:
    """The blocks of a page, each with fingerprint, path signature, terms and verdict."""

    blocks: Blocks
    verdict: Verdict  # of an identifier that sees this page only
    fingerprints: tuple[str | None, ...]  # None for a block without terms
    paths: tuple[str, ...]  # signatures
    terms: Floats  # number of terms

    @cached_property
    def log_odds(self) -> Floats:
        """The log odds that a block is content, judged by this page alone."""
        bounded = np.clip(self.verdict.score, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
        return np.log(bounded / (1 - bounded))

    @property
    def informative(self) -> Bools:
        """The blocks that are informative by this page alone."""
        return self.verdict.informative

    @cached_property
    def main_container(self) -> MainContainer | None:
        """The element that holds most of the informative text; None if there is no such text."""
        return _find_main_container(self.blocks, self.terms, self.informative)

    @cached_property
    def path_weights(self) -> Mapping[str, float]:
        """The path signatures that have text, with their weights: log(1 + terms)."""
        sums: dict[str, float] = {}
        for path, terms in zip(self.paths, self.terms.tolist(), strict=True):
            if terms:
                sums[path] = sums.get(path, 0.0) + terms
        return {path: math.log1p(terms) for path, terms in sums.items()}


def build_profile(blocks: Blocks, identifier: Identifier = METHOD.identifier) -> PageProfile:
    """Return the profile of a page from its blocks, which METHOD's segmenter made."""
    terms = block_terms(blocks).by_block(len(blocks))
    steps: dict[int, str] = {}
    paths: dict[int, str] = {}
    return PageProfile(
        blocks,
        identifier.identify(blocks),
        tuple(fingerprint(own_terms) if own_terms else None for own_terms in terms),
        tuple(_build_path(blocks.page, row, steps, paths) for row in blocks.node.tolist()),
        blocks.owned(blocks.page.terms),
    )


def path_signature(page: Page, row: int) -> str:
    """Return where an element stands: names, ids and classes of it and of elements around it.

    Digits are left out, because ids and classes often hold the number of an article.
    """
    return _build_path(page, row, {}, {})


def is_inside(blocks: Blocks, row: int) -> Bools:
    """Say for each block whether it stands in an element, or is it."""
    inside: Bools = (blocks.node >= row) & (blocks.node < blocks.page.end[row])
    return inside


def _build_path(page: Page, row: int, steps: dict[int, str], paths: dict[int, str]) -> str:
    """Return a path signature; `steps` and `paths` cache what was built for other elements."""
    if row not in paths:
        names: list[str] = []
        ancestor = row
        while ancestor >= 0 and len(names) < _MAX_STEPS and not _OUTSIDE[page.tag[ancestor]]:
            if ancestor not in steps:
                steps[ancestor] = _build_step(page, ancestor)
            names.append(steps[ancestor])
            ancestor = int(page.parent[ancestor])
        paths[row] = "/".join(reversed(names))
    return paths[row]


def _build_step(page: Page, row: int) -> str:
    """Return an element as in a style sheet: name#id.class.class, without digits."""
    step = page.name(row)
    if page.id_stop[row] > page.id_start[row]:
        step += f"#{_strip_digits(page.source[page.id_start[row] : page.id_stop[row]].strip())}"
    if page.class_stop[row] > page.class_start[row]:
        classes = page.source[page.class_start[row] : page.class_stop[row]].split()
        step += "".join(f".{_strip_digits(name)}" for name in classes)
    return step


def _strip_digits(name: bytes) -> str:
    return _DIGITS.sub(b"", name).decode("utf-8", "replace")


def _find_main_container(blocks: Blocks, terms: Floats, informative: Bools) -> MainContainer | None:
    """Return the smallest element that holds most of the informative text.

    The search starts at the longest informative block and goes upwards. So text far from the rest,
    such as a headline above the columns, does not widen the container.
    """
    weights = terms * informative
    total = float(weights.sum())
    if not total:
        return None
    page, row = blocks.page, int(blocks.node[np.argmax(weights)])
    order = np.argsort(blocks.node, kind="stable")
    rows = blocks.node[order].tolist()
    sums = [0.0, *np.cumsum(weights[order]).tolist()]
    first, last = _block_range(page, rows, row)
    while sums[last] - sums[first] < _CONTAINER_SHARE * total and page.parent[row] >= 0:
        row = int(page.parent[row])
        first, last = _block_range(page, rows, row)
    share = (sums[last] - sums[first]) / float(terms[order[first:last]].sum())
    return MainContainer(row, path_signature(page, row), share)


def _block_range(page: Page, rows: list[int], row: int) -> tuple[int, int]:
    """Return start and stop, in the sorted rows of blocks, of those in an element."""
    return bisect_left(rows, row), bisect_left(rows, int(page.end[row]))
