"""Segmenters against blocks that people marked, with settings chosen on other sites."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import (
    RULES,
    SEGMENTERS,
    ByLayout,
    Segmenter,
    Vips,
    Visual,
    build_visual_tree,
)
from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.layouts import Layouts, lay_out_pages, user_layouts
from tamis.lab.metrics.segments import Judge, SegmentScore, build_judge
from tamis.lab.metrics.statistics import mean_with_error, paired_difference
from tamis.lab.metrics.text import Counts
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import BASELINES
from tamis.page import Page
from tamis.pipeline import METHODS, Method
from tamis.verdict import Eifce

_NOTHING: Final = Counts(0, 0, 1)
_FAILED: Final = SegmentScore(_NOTHING, _NOTHING, _NOTHING, _NOTHING, (0.0, 0.0, 0.0), frozenset())
_OFF: Final = 99  # a visual distance that no two elements have
_LEFT_OUT: Final = "site left out"
_FOLDS: Final = 5
_CHOSEN_PARAMETERS: Final = {"layout": 3, "visual": 4, "vips": 2}  # by segmenter
_HEADS: Final = (
    *("segmenter", "P", "R", "F ± se", "exact F", "F level 1", "exact F level 1"),
    *("BCubed P", "BCubed R", "BCubed F", "blocks"),
)


@dataclass(frozen=True)
class SegmentsStudy(Study):
    """Measures all segmenters on pages whose blocks people marked."""

    name: ClassVar[str] = "segments"

    dataset: Dataset

    def run(self, log: Log) -> Report:
        """Lay out the pages, and segment each in all ways."""
        with log.progress(len(self.dataset.items)) as progress:
            measured = measure_segments(self.dataset, user_layouts(), progress.advance)
        return Report(f"tamis on {self.dataset.name}", segmentation_tables(measured))


def visual_grid() -> dict[str, Segmenter]:
    """Return the settings that `visual` is chosen from: how large and how deep a block may be."""
    axes: dict[str, tuple[Any, ...]] = {
        "levels": (4, 5, 6),
        "min_height": (15.0, 25.0),
        "min_area": (0.0025, 0.005, 0.01),
        "same": (0.9, 0.95),
    }
    combinations = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    return {f"visual {settings}": Visual(**settings) for settings in combinations}


def _vips_grid() -> dict[str, Segmenter]:
    """Return the settings that `vips` is chosen from."""
    pairs = product((5, 6, 7, 8), (0.02, 0.05, 0.1))
    return {f"vips {pair}": Vips(pdoc=pair[0], size=pair[1]) for pair in pairs}


def _layout_grid() -> dict[str, Segmenter]:
    """Return the settings that `layout` is chosen from."""
    triples = product((-2.4, -2.0, -1.6), (0.5, 0.65, 0.8), (0.1, 0.2, 0.3))
    return {
        f"layout {triple}": ByLayout(limit=triple[0], level_cost=triple[1], area_weight=triple[2])
        for triple in triples
    }


def _ablations() -> dict[str, Segmenter]:
    """Return `visual` with each rule switched the other way, and with its parts alone."""
    shipped = Visual()
    ablations: dict[str, Segmenter] = {}
    for rule in RULES:
        rules = tuple(r for r in RULES if (r in shipped.rules) != (r == rule))
        ablations[f"{'without' if rule in shipped.rules else 'with'} rule {rule}"] = replace(
            shipped, rules=rules
        )
    ablations["with all rules"] = replace(shipped, rules=RULES)
    ablations["all rules, no visual distance"] = replace(
        shipped, rules=RULES, limit=_OFF, sibling_limit=_OFF
    )
    ablations["with items of lists"] = replace(shipped, items=True)
    ablations["a visual distance of two"] = replace(shipped, limit=1)
    ablations["only visual distance (rules 1, 2, 3)"] = replace(shipped, rules=(1, 2, 3))
    return ablations


def _eifce_grid() -> dict[str, Method]:
    """Return the settings that `eifce` is chosen from."""
    pairs = product((20, 40), (0.5, 0.75, 1.0))
    return {
        f"eifce {pair}": Method(Visual(), Eifce(min_terms=pair[0], link_weight=pair[1]))
        for pair in pairs
    }


@dataclass(frozen=True, eq=False)
class SegmentsOutcome:
    """The scores of all segmenters and methods on all pages of a set."""

    dataset: Dataset
    scores: Mapping[str, Sequence[SegmentScore]]  # by segmenter, one score per page
    content: Mapping[str, Sequence[Counts]]  # by method
    types: Sequence[Sequence[str]]  # of the marked blocks of each page
    failures: Mapping[str, str]  # pages that were not laid out


def measure_segments(
    dataset: Dataset, layouts: Layouts, advance: Callable[[], None] = lambda: None
) -> SegmentsOutcome:
    """Measure everything on all pages; a page that is not laid out scores 0."""
    plain = {name: segmenter() for name, segmenter in SEGMENTERS.items()}
    grids = visual_grid() | _layout_grid() | _vips_grid()
    segmenters: dict[str, Segmenter] = plain | grids | _ablations()
    methods = dict(METHODS) | dict(BASELINES) | _eifce_grid()
    scores: dict[str, list[SegmentScore]] = defaultdict(list)
    content: dict[str, list[Counts]] = defaultdict(list)
    types: list[Sequence[str]] = []
    failures: dict[str, str] = {}
    for item, page in lay_out_pages(dataset.items, layouts):
        types.append([str(block["type"]) for block in item.gold["blocks"]])
        if isinstance(page, TamisError):
            failures[item.id] = str(page)
        page_judge = _judge_page(item, page)
        for name, score in _score_segmenters(page_judge, segmenters):
            scores[name].append(score)
        for name, method in methods.items():
            content[name].append(_content_counts(page_judge, method) if page_judge else _NOTHING)
        advance()
    return SegmentsOutcome(dataset, scores, content, types, failures)


def _judge_page(item: Item, page: Page | TamisError) -> Judge | None:
    """Return the judge of a page, None for one that was not laid out."""
    return None if isinstance(page, TamisError) else build_judge(page, item.gold["blocks"])


def _score_segmenters(
    page_judge: Judge | None, segmenters: Mapping[str, Segmenter]
) -> Iterator[tuple[str, SegmentScore]]:
    """Yield the score of each segmenter on a page; its visual tree is built once."""
    if page_judge is None:
        yield from ((name, _FAILED) for name in segmenters)
        return
    tree = build_visual_tree(page_judge.page, "visual")
    for name, segmenter in segmenters.items():
        needs_all_rows = isinstance(segmenter, Visual) and 1 not in segmenter.rules
        if isinstance(segmenter, Visual | ByLayout) and not needs_all_rows:
            blocks = segmenter.cut(tree)
        else:
            blocks = segmenter.segment(page_judge.page)
        yield name, page_judge.score(blocks)


def _content_counts(page_judge: Judge, method: Method) -> Counts:
    """Return how well a method tells articles and content from the rest of a page."""
    blocks = method.segmenter.segment(page_judge.page)
    kept = np.append(method.identifier.identify(blocks).informative, False)
    return page_judge.content(kept[blocks.owner])


def choose_elsewhere(values: NDArray[np.float64], groups: Sequence[str]) -> list[int]:
    """Return for each page the setting that is best on the pages of all other sites.

    `values` has one row per setting and one column per page.
    """
    names = np.array(groups)
    chosen = []
    for group in groups:
        others = names != group
        means = values[:, others].mean(axis=1) if others.any() else values.mean(axis=1)
        chosen.append(int(means.argmax()))
    return chosen


def _choose_left_out(
    measured: SegmentsOutcome, prefix: str
) -> tuple[list[SegmentScore], list[str]]:
    """Return the scores of a segmenter whose settings were chosen without the page's site.

    Chosen is what has the greatest mean of the fuzzy F of all blocks and that of level 1.
    """
    names = [name for name in measured.scores if name.startswith(prefix)]
    values = np.array(
        [[(s.fuzzy.f1 + s.fuzzy_top.f1) / 2 for s in measured.scores[name]] for name in names]
    )
    chosen = choose_elsewhere(values, [item.group for item in measured.dataset.items])
    scores = [measured.scores[names[c]][page] for page, c in enumerate(chosen)]
    return scores, [names[c] for c in chosen]


def segmentation_tables(measured: SegmentsOutcome) -> list[ReportTable]:
    """Return all tables of the measurements."""
    rows = {name: measured.scores[name] for name in SEGMENTERS}
    choices = {}
    for name in ("layout", "visual", "vips"):
        label = f"{name} ({_LEFT_OUT})"
        rows[label], choices[label] = _choose_left_out(measured, f"{name} ")
    return [
        _quality_table(measured, rows),
        _fold_table(measured),
        _type_table(measured, rows),
        _ablation_table(measured),
        _content_table(measured),
        _choice_table(choices),
    ]


def _fold_table(measured: SegmentsOutcome) -> ReportTable:
    """Return fuzzy F on the sites that settings were chosen on, and on those left out."""
    groups = np.array([item.group for item in measured.dataset.items])
    folds = np.array([_site_fold(group) for group in groups])
    rows = []
    for name, parameters in _CHOSEN_PARAMETERS.items():
        settings = [label for label in measured.scores if label.startswith(f"{name} ")]
        fuzzy, exact = (
            np.array([[getattr(s, kind).f1 for s in measured.scores[n]] for n in settings])
            for kind in ("fuzzy", "exact")
        )
        inside, outside = [], np.zeros((2, len(groups)))
        for fold in range(_FOLDS):
            here = folds == fold
            if here.all() or not here.any():
                continue
            best = int(fuzzy[:, ~here].mean(axis=1).argmax())
            inside.append(fuzzy[best, ~here].mean())
            outside[:, here] = fuzzy[best, here], exact[best, here]
        means = (float(np.mean(inside)) if inside else np.nan, *outside.mean(axis=1))
        cells = (f"{mean:.3f}" for mean in means)
        rows.append((name, *cells, str(parameters), str(len(settings))))
    heads = ("segmenter", "F in fold", "F out of fold", "exact F out", "parameters", "settings")
    caption = f"Settings with the best fuzzy F on {_FOLDS - 1} of {_FOLDS} folds of sites."
    return ReportTable("Segmentation over folds of sites", heads, rows, caption)


def _site_fold(site: str) -> int:
    """Return the fold of a site, by a digest of its name."""
    return hashlib.md5(site.encode()).digest()[0] % _FOLDS


def _quality_table(
    measured: SegmentsOutcome, scored: Mapping[str, Sequence[SegmentScore]]
) -> ReportTable:
    """Return precision, recall and F of each segmenter, the best first."""
    rows = []
    for name, scores in sorted(scored.items(), key=lambda pair: -_mean_f(pair[1])):
        fuzzy = mean_with_error([s.fuzzy.f1 for s in scores])
        values = [
            np.mean([s.fuzzy.precision for s in scores]),
            np.mean([s.fuzzy.recall for s in scores]),
            f"{fuzzy.value:.3f} ± {fuzzy.error or 0:.3f}",
            np.mean([s.exact.f1 for s in scores]),
            np.mean([s.fuzzy_top.f1 for s in scores]),
            np.mean([s.exact_top.f1 for s in scores]),
            *np.mean([s.cubed for s in scores], axis=0),
        ]
        blocks = f"{np.mean([s.fuzzy.predicted for s in scores]):.1f}"
        rows.append((name, *(v if isinstance(v, str) else f"{v:.3f}" for v in values), blocks))
    pages = len(measured.dataset.items)
    marked = np.mean([s.fuzzy.wanted for s in next(iter(scored.values()))])
    caption = (
        "Blocks by their text: fuzzy (similarity of at least 0.8), exact (same letters), mean over "
        f"pages. People marked {marked:.1f} blocks with text per page. A segmenter ({_LEFT_OUT}) "
        "has the settings that are best on all other sites, the others those that ship."
    )
    if measured.failures:
        caption += f" Not laid out, and counted as 0: {', '.join(measured.failures)}."
    return ReportTable(
        f"Segmentation of {measured.dataset.name}, {pages} pages", _HEADS, rows, caption
    )


def _mean_f(scores: Sequence[SegmentScore]) -> float:
    """Return the mean fuzzy F of all blocks."""
    return float(np.mean([s.fuzzy.f1 for s in scores]))


def _type_table(
    measured: SegmentsOutcome, scored: Mapping[str, Sequence[SegmentScore]]
) -> ReportTable:
    """Return the share of marked blocks with text that were found, by type."""
    has_text = [
        [bool(block["text"].strip()) for block in item.gold["blocks"]]
        for item in measured.dataset.items
    ]
    totals: dict[str, int] = defaultdict(int)
    for kinds, with_text in zip(measured.types, has_text, strict=True):
        for kind, text in zip(kinds, with_text, strict=True):
            totals[kind] += text
    order = sorted((kind for kind in totals if totals[kind]), key=lambda kind: -totals[kind])
    ranked = sorted(scored, key=lambda name: -_mean_f(scored[name]))
    hits = {name: _hits_by_type(measured, scored[name]) for name in ranked}
    rows = [
        (f"{kind} ({totals[kind]})", *(f"{hits[n][kind] / totals[kind]:.2f}" for n in ranked))
        for kind in order
    ]
    caption = "The share of marked blocks with text that were found (fuzzy), of all pages together."
    return ReportTable("Found, by type of block", ("type", *ranked), rows, caption)


def _hits_by_type(measured: SegmentsOutcome, scores: Sequence[SegmentScore]) -> dict[str, int]:
    """Return how many marked blocks of each type a segmenter found."""
    hits: dict[str, int] = defaultdict(int)
    for kinds, score in zip(measured.types, scores, strict=True):
        for index in score.hits:
            hits[kinds[index]] += 1
    return hits


def _ablation_table(measured: SegmentsOutcome) -> ReportTable:
    """Return what each rule does to the score of `visual` as it ships."""
    shipped = measured.scores["visual"]
    rows = [_ablation_row("visual, as it ships", shipped, shipped)]
    rows += [_ablation_row(name, measured.scores[name], shipped) for name in _ablations()]
    heads = ("visual", "P", "R", "F", "difference", "95 % interval", "F level 1")
    caption = "Fuzzy, all blocks; each rule switched the other way, paired by page."
    return ReportTable("What the rules contribute", heads, rows, caption)


def _ablation_row(
    name: str, scores: Sequence[SegmentScore], shipped: Sequence[SegmentScore]
) -> tuple[str, ...]:
    """Return a row of the ablation table."""
    difference = paired_difference([s.fuzzy.f1 for s in scores], [s.fuzzy.f1 for s in shipped])
    return (
        name,
        f"{np.mean([s.fuzzy.precision for s in scores]):.3f}",
        f"{np.mean([s.fuzzy.recall for s in scores]):.3f}",
        f"{_mean_f(scores):.3f}",
        f"{difference.value:+.3f}",
        f"{difference.low:+.3f} … {difference.high:+.3f}",
        f"{np.mean([s.fuzzy_top.f1 for s in scores]):.3f}",
    )


def _content_table(measured: SegmentsOutcome) -> ReportTable:
    """Return how well methods tell articles and content from the rest."""
    names = [name for name in measured.content if name.startswith("eifce ")]
    values = np.array([[c.f1 for c in measured.content[name]] for name in names])
    chosen = choose_elsewhere(values, [item.group for item in measured.dataset.items])
    counted = {name: measured.content[name] for name in (*METHODS, *BASELINES)}
    counted[f"eifce ({_LEFT_OUT})"] = [
        measured.content[names[c]][page] for page, c in enumerate(chosen)
    ]
    rows = []
    for name, counts in sorted(counted.items(), key=lambda pair: -np.mean([c.f1 for c in pair[1]])):
        means = (np.mean([getattr(c, m) for c in counts]) for m in ("precision", "recall", "f1"))
        rows.append((name, *(f"{value:.3f}" for value in means)))
    caption = (
        "Letters in blocks marked Article or Content (by the innermost mark around them) against "
        "all others that are visible, mean over pages."
    )
    return ReportTable("Informative blocks", ("method", "P", "R", "F"), rows, caption)


def _choice_table(choices: Mapping[str, Sequence[str]]) -> ReportTable:
    """Return how often which settings were chosen when a site was left out."""
    rows = [
        (label, name, str(list(names).count(name)))
        for label, names in choices.items()
        for name in sorted(set(names), key=lambda n: (-list(names).count(n), n))
    ]
    heads = ("segmenter", "settings", "pages")
    return ReportTable("Settings chosen with the page's site left out", heads, rows)
