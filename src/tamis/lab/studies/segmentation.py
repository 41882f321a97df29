"""Segmenters held against blocks that people marked, with parameters chosen on other sites.

What is told of segmentations: tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import (
    DEFAULT_RULES,
    RULES,
    SEGMENTERS,
    Segmenter,
    Vips,
    Visual,
    build_visual_tree,
)
from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.layouts import Layouts, laid_out
from tamis.lab.metrics.segments import Judge, SegmentScore, judge
from tamis.lab.metrics.statistics import mean_of, paired_difference
from tamis.lab.metrics.text import Counts
from tamis.lab.tables import Table
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
    seen = build_visual_tree(of_page.page, "visual")
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


LEFT_OUT: Final = "site left out"
QUALITY: Final = (
    *("segmenter", "P", "R", "F ± se", "exact F", "F level 1", "exact F level 1"),
    *("BCubed P", "BCubed R", "BCubed F", "blocks"),
)


def segmentation_tables(measured: Measured) -> list[Table]:
    """Return what is told of the measurements."""
    rows = {name: measured.scores[name] for name in SEGMENTERS}
    choices = {}
    for name in ("visual", "vips"):
        label = f"{name} ({LEFT_OUT})"
        rows[label], choices[label] = left_out(measured, f"{name} ")
    return [
        quality_table(measured, rows),
        type_table(measured, rows),
        ablation_table(measured),
        content_table(measured),
        choice_table(choices),
    ]


def quality_table(measured: Measured, rows: Mapping[str, Sequence[SegmentScore]]) -> Table:
    """Return precision, recall and F of each segmenter, the best first."""
    lines = []
    for name, scores in sorted(rows.items(), key=lambda row: -mean_f(row[1])):
        fuzzy = mean_of([s.fuzzy.f1 for s in scores])
        values = [
            np.mean([s.fuzzy.precision for s in scores]),
            np.mean([s.fuzzy.recall for s in scores]),
            f"{fuzzy.value:.3f} ± {fuzzy.error or 0:.3f}",
            np.mean([s.exact.f1 for s in scores]),
            np.mean([s.fuzzy_top.f1 for s in scores]),
            np.mean([s.exact_top.f1 for s in scores]),
            *np.mean([s.cubed for s in scores], axis=0),
        ]
        blocks = f"{np.mean([s.fuzzy.found for s in scores]):.1f}"
        lines.append((name, *(v if isinstance(v, str) else f"{v:.3f}" for v in values), blocks))
    pages = len(measured.dataset.items)
    marked = np.mean([s.fuzzy.wanted for s in next(iter(rows.values()))])
    caption = (
        "Blocks by their text: fuzzy (similarity of at least 0.8), exact (same letters), mean over "
        f"pages. People marked {marked:.1f} blocks with text a page. A segmenter ({LEFT_OUT}) has "
        "the settings that are best on all other sites, the others those that ship."
    )
    if measured.failures:
        caption += f" Not laid out, and counted as 0: {', '.join(measured.failures)}."
    return Table(f"Segmentation of {measured.dataset.name}, {pages} pages", QUALITY, lines, caption)


def mean_f(scores: Sequence[SegmentScore]) -> float:
    """Return the mean fuzzy F of all blocks."""
    return float(np.mean([s.fuzzy.f1 for s in scores]))


def type_table(measured: Measured, rows: Mapping[str, Sequence[SegmentScore]]) -> Table:
    """Return the share of marked blocks with text that were found, by type."""
    has_text = [
        [bool(block["text"].strip()) for block in item.gold["blocks"]]
        for item in measured.dataset.items
    ]
    totals: dict[str, int] = defaultdict(int)
    for kinds, some in zip(measured.types, has_text, strict=True):
        for kind, text in zip(kinds, some, strict=True):
            totals[kind] += text
    order = sorted((kind for kind in totals if totals[kind]), key=lambda kind: -totals[kind])
    ranked = sorted(rows, key=lambda name: -mean_f(rows[name]))
    hits = {name: hits_by_type(measured, rows[name]) for name in ranked}
    lines = [
        (f"{kind} ({totals[kind]})", *(f"{hits[n][kind] / totals[kind]:.2f}" for n in ranked))
        for kind in order
    ]
    caption = "The share of marked blocks with text that were found (fuzzy), of all pages together."
    return Table("Found, by type of block", ("type", *ranked), lines, caption)


def hits_by_type(measured: Measured, scores: Sequence[SegmentScore]) -> dict[str, int]:
    """Return how many marked blocks of each type a segmenter found."""
    hits: dict[str, int] = defaultdict(int)
    for kinds, score in zip(measured.types, scores, strict=True):
        for place in score.hits:
            hits[kinds[place]] += 1
    return hits


def ablation_table(measured: Measured) -> Table:
    """Return what each rule does to the score of `visual` as it ships."""
    shipped = measured.scores["visual"]
    lines = [ablation_line("visual, as it ships", shipped, shipped)]
    lines += [ablation_line(name, measured.scores[name], shipped) for name in ablation()]
    heads = ("visual", "P", "R", "F", "difference", "95 % interval", "F level 1")
    caption = "Fuzzy, all blocks; each rule switched the other way, paired by page."
    return Table("What the rules contribute", heads, lines, caption)


def ablation_line(
    name: str, scores: Sequence[SegmentScore], shipped: Sequence[SegmentScore]
) -> tuple[str, ...]:
    """Return a line of the ablation table."""
    apart = paired_difference([s.fuzzy.f1 for s in scores], [s.fuzzy.f1 for s in shipped])
    return (
        name,
        f"{np.mean([s.fuzzy.precision for s in scores]):.3f}",
        f"{np.mean([s.fuzzy.recall for s in scores]):.3f}",
        f"{mean_f(scores):.3f}",
        f"{apart.value:+.3f}",
        f"{apart.low:+.3f} … {apart.high:+.3f}",
        f"{np.mean([s.fuzzy_top.f1 for s in scores]):.3f}",
    )


def content_table(measured: Measured) -> Table:
    """Return how well methods tell articles and content from the rest."""
    names = [name for name in measured.content if name.startswith("eifce ")]
    values = np.array([[c.f1 for c in measured.content[name]] for name in names])
    chosen = chosen_elsewhere(values, [item.group for item in measured.dataset.items])
    rows = {name: measured.content[name] for name in METHODS}
    rows[f"eifce ({LEFT_OUT})"] = [
        measured.content[names[c]][page] for page, c in enumerate(chosen)
    ]
    lines = []
    for name, counts in sorted(rows.items(), key=lambda r: -np.mean([c.f1 for c in r[1]])):
        means = (np.mean([getattr(c, m) for c in counts]) for m in ("precision", "recall", "f1"))
        lines.append((name, *(f"{value:.3f}" for value in means)))
    caption = (
        "Letters in blocks marked Article or Content (by the innermost mark around them) against "
        "all others that are seen, mean over pages."
    )
    return Table("Informative blocks", ("method", "P", "R", "F"), lines, caption)


def choice_table(choices: Mapping[str, Sequence[str]]) -> Table:
    """Return how often which settings were chosen when a site was left out."""
    lines = [
        (label, name, str(list(names).count(name)))
        for label, names in choices.items()
        for name in sorted(set(names), key=lambda n: (-list(names).count(n), n))
    ]
    heads = ("segmenter", "settings", "pages")
    return Table("Settings chosen with the page's site left out", heads, lines)
