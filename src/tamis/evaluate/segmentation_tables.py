"""What is told of segmentations: tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from tamis.blocks import SEGMENTERS
from tamis.evaluate.segment_metrics import SegmentScore
from tamis.evaluate.segmentation import Measured, ablation, chosen_elsewhere, left_out
from tamis.evaluate.statistics import mean_of, paired_difference
from tamis.evaluate.tables import Table
from tamis.pipeline import METHODS

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
