"""Segmenters held against blocks that people marked, with parameters chosen on other sites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import SEGMENTERS, Segmenter, Vips, Visual
from tamis.blocks.evbe import DEFAULT_RULES, RULES
from tamis.blocks.sight import sight
from tamis.errors import TamisError
from tamis.evaluate.datasets import Dataset, Item
from tamis.evaluate.layouts import Layouts, laid_out
from tamis.evaluate.metrics import Counts
from tamis.evaluate.segment_metrics import Judge, SegmentScore, judge
from tamis.page import Page
from tamis.pipeline import METHODS, Method
from tamis.verdict import Eifce

NOTHING: Final = Counts(0, 0, 1)
FAILED: Final = SegmentScore(NOTHING, NOTHING, NOTHING, NOTHING, (0.0, 0.0, 0.0), frozenset())
OFF: Final = 99  # a visual distance that nothing has


def visual_grid() -> dict[str, Segmenter]:
    """Return the settings that `visual` is chosen from."""
    axes: dict[str, tuple[Any, ...]] = {
        "rules": (DEFAULT_RULES, RULES),
        "limit": (0, 1),
        "levels": (4, 5, 6),
        "min_height": (15.0, 25.0),
        "min_area": (0.0025, 0.005, 0.01),
        "same": (0.9, 0.95),
        "items": (False, True),
    }
    made = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    return {f"visual {settings}": Visual(**settings) for settings in made}


def vips_grid() -> dict[str, Segmenter]:
    """Return the settings that `vips` is chosen from."""
    pairs = product((5, 6, 7, 8), (0.02, 0.05, 0.1))
    return {f"vips {pair}": Vips(pdoc=pair[0], size=pair[1]) for pair in pairs}


def ablation() -> dict[str, Segmenter]:
    """Return `visual` with each rule switched the other way, and with its parts alone."""
    shipped = Visual()
    found: dict[str, Segmenter] = {}
    for rule in RULES:
        rules = tuple(r for r in RULES if (r in shipped.rules) != (r == rule))
        found[f"{'without' if rule in shipped.rules else 'with'} rule {rule}"] = replace(
            shipped, rules=rules
        )
    found["with all rules"] = replace(shipped, rules=RULES)
    found["all rules, no visual distance"] = replace(
        shipped, rules=RULES, limit=OFF, sibling_limit=OFF
    )
    found["with items of lists"] = replace(shipped, items=True)
    found["a visual distance of two"] = replace(shipped, limit=1)
    found["visual distance alone (rules 1, 2, 3)"] = replace(shipped, rules=(1, 2, 3))
    return found


def eifce_grid() -> dict[str, Method]:
    """Return the settings that `eifce` is chosen from."""
    pairs = product((20, 40), (0.5, 0.75, 1.0))
    return {
        f"eifce {pair}": Method(Visual(), Eifce(min_terms=pair[0], link_weight=pair[1]))
        for pair in pairs
    }


@dataclass(frozen=True, eq=False)
class Measured:
    """The scores of all segmenters and methods on all pages of a set."""

    dataset: Dataset
    scores: Mapping[str, Sequence[SegmentScore]]  # by segmenter, a score a page
    content: Mapping[str, Sequence[Counts]]  # by method
    types: Sequence[Sequence[str]]  # of the marked blocks of each page
    failures: Mapping[str, str]  # pages that were not laid out


def measure_segments(
    dataset: Dataset, layouts: Layouts, told: Callable[[], None] = lambda: None
) -> Measured:
    """Measure everything on all pages; a page that is not laid out scores 0."""
    plain = {name: made() for name, made in SEGMENTERS.items()}
    segmenters: dict[str, Segmenter] = plain | visual_grid() | vips_grid() | ablation()
    methods = dict(METHODS) | eifce_grid()
    scores: dict[str, list[SegmentScore]] = defaultdict(list)
    content: dict[str, list[Counts]] = defaultdict(list)
    types: list[Sequence[str]] = []
    failures: dict[str, str] = {}
    for item, page in laid_out(dataset.items, layouts):
        types.append([str(block["type"]) for block in item.gold["blocks"]])
        if isinstance(page, TamisError):
            failures[item.id] = str(page)
        of_page = judged(item, page)
        for name, found in segmentations(of_page, segmenters):
            scores[name].append(found)
        for name, method in methods.items():
            content[name].append(content_counts(of_page, method) if of_page else NOTHING)
        told()
    return Measured(dataset, scores, content, types, failures)


def judged(item: Item, page: Page | TamisError) -> Judge | None:
    """Return the judge of a page, None for one that was not laid out."""
    return None if isinstance(page, TamisError) else judge(page, item.gold["blocks"])


def segmentations(
    of_page: Judge | None, segmenters: Mapping[str, Segmenter]
) -> Iterator[tuple[str, SegmentScore]]:
    """Yield the score of each segmenter on a page; how the page is seen is found out once."""
    if of_page is None:
        yield from ((name, FAILED) for name in segmenters)
        return
    seen = sight(of_page.page, "visual")
    for name, segmenter in segmenters.items():
        shared = isinstance(segmenter, Visual) and 1 in segmenter.rules
        blocks = segmenter.cut(seen) if shared else segmenter.segment(of_page.page)  # type: ignore[attr-defined]
        yield name, of_page.score(blocks)


def content_counts(of_page: Judge, method: Method) -> Counts:
    """Return how well a method tells articles and content from the rest of a page."""
    blocks = method.segmenter.segment(of_page.page)
    kept = np.append(method.identifier.identify(blocks).informative, False)
    return of_page.content(kept[blocks.owner])


def chosen_elsewhere(values: NDArray[np.float64], groups: Sequence[str]) -> list[int]:
    """Return for each page the setting that is best on the pages of all other sites.

    `values` has a row a setting and a column a page.
    """
    names = np.array(groups)
    found = []
    for group in groups:
        others = names != group
        means = values[:, others].mean(axis=1) if others.any() else values.mean(axis=1)
        found.append(int(means.argmax()))
    return found


def left_out(measured: Measured, prefix: str) -> tuple[list[SegmentScore], list[str]]:
    """Return the scores of a segmenter whose settings were chosen without the page's site.

    Chosen is what has the greatest mean of the fuzzy F of all blocks and that of level 1.
    """
    names = [name for name in measured.scores if name.startswith(prefix)]
    values = np.array(
        [[(s.fuzzy.f1 + s.fuzzy_top.f1) / 2 for s in measured.scores[name]] for name in names]
    )
    chosen = chosen_elsewhere(values, [item.group for item in measured.dataset.items])
    scores = [measured.scores[names[c]][page] for page, c in enumerate(chosen)]
    return scores, [names[c] for c in chosen]
