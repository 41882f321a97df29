"""The study as tables: in the form of 004's Tables 2, 3 and 6, and as rows for other uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tamis.evaluate.sites.effect import FEW, HEAVY_LOSS, LOSS, Effect
from tamis.evaluate.sites.recalls import RECALLS
from tamis.evaluate.sites.study import MEASURES, SIZES, Study
from tamis.evaluate.sites.systems import NAMES, ON_TAGSET
from tamis.evaluate.tables import Table

HEADS: Final = dict(zip(MEASURES, ("b-P", "b-R", "b-F", "P", "R", "F1"), strict=True))
PAPER: Final = ("entropy", "ibdf", "kfeature")
PAPER_6: Final = ("shingle", "ibdf")
OURS: Final = (ON_TAGSET, "learned", "site")


def sites_tables(found: Study) -> list[Table]:
    """Return all tables of the study."""
    return [
        overview(found),
        by_site(found, "Blocks by site (004, Tables 2 and 3)", MEASURES[:3], PAPER),
        by_site(found, "Blocks by site (004, Table 6)", MEASURES[:3], PAPER_6),
        by_site(found, "Blocks by site, further systems", MEASURES[:3], OURS),
        by_site(found, "Word F1 by site", MEASURES[5:], NAMES),
        differences(found),
        effect_table(f"Templates on the pages of {found.dataset}", found.effects),
        effect_table("Templates on sites that are made up", found.shaped),
        curve(found, "F1", ("f1",)),
        curve(found, "Precision and recall", ("precision", "recall")),
        at_recalls(found),
        times(found),
    ]


def overview(found: Study) -> Table:
    """Return the means over sites of each system."""
    rows = [
        [name, *(f"{mean(found, name, measure):.3f}" for measure in MEASURES)]
        for name in found.scores
    ]
    title = f"{found.dataset}, {sum(found.sites.values())} pages of {len(found.sites)} sites"
    return Table(title, ["system", *HEADS.values()], rows)


def mean(found: Study, name: str, measure: str) -> float:
    """Return the mean of a measure over sites."""
    values = [scores[measure] for scores in found.scores[name].values()]
    return sum(values) / len(values)


def by_site(found: Study, title: str, measures: Sequence[str], names: Sequence[str]) -> Table:
    """Return some measures of some systems, a row a site, as the paper does."""
    heads = [f"{HEADS[measure]} {name}" for name in names for measure in measures]
    rows = [
        [
            f"{site} ({pages})",
            *(f"{found.scores[name][site][m]:.3f}" for name in names for m in measures),
        ]
        for site, pages in found.sites.items()
    ]
    return Table(title, ["site (pages)", *heads], rows)


def differences(found: Study) -> Table:
    """Return how site templates compare with the other systems, page by page."""
    rows = [
        [
            name,
            f"{apart.value:+.3f}",
            apart.interval,
            "yes" if apart.is_clear else "no",
        ]
        for name, apart in found.differences.items()
    ]
    title = "site against the others: F1, paired by page"
    return Table(title, ["system", "difference", "95 % interval", "clear"], rows)


def effect_table(title: str, effects: Sequence[Effect]) -> Table:
    """Return what templates change, a row a site: learned from few pages and from many."""
    rows = []
    for site in dict.fromkeys(effect.site for effect in effects):
        by = {effect.learned: effect for effect in effects if effect.site == site}
        rows.append(
            [
                site,
                f"{by[FEW].alone:.3f}",
                *(f"{effect.gain:+.4f} ({size})" for size, effect in by.items()),
                *([""] if len(by) == 1 else []),
                f"{min(effect.worst for effect in by.values()):+.3f}",
                *(
                    f"{sum(counts)} of {sum(effect.pages for effect in by.values())}"
                    for counts in zip(*map(losses, by.values()), strict=True)
                ),
            ]
        )
    few = [effect.gain for effect in effects if effect.learned == FEW]
    many = [effect.gain for effect in effects if effect.learned != FEW]
    means = [f"{sum(gains) / max(len(gains), 1):+.4f}" for gains in (few, many)]
    rows.append(["mean", "", *means, *[""] * 4])
    heads = ["page by page", f"after {FEW} pages", "after more", "worst page"]
    heads += [f"lose over {LOSS}", f"over {HEAVY_LOSS}", "emptied"]
    return Table(title, ["site", *heads], rows)


def losses(effect: Effect) -> tuple[int, int, int]:
    """Return how many pages lose, lose much, and lose all."""
    return effect.losing, effect.losing_much, effect.emptied


def curve(found: Study, what: str, measures: Sequence[str]) -> Table:
    """Return measures by the number of pages learned from."""
    rows = [
        [name, *(" / ".join(f"{by[n][m]:.3f}" for m in measures if n in by) for n in SIZES)]
        for name, by in found.curve.items()
    ]
    heads = [f"{size} ({found.curve_sites[size]} sites)" for size in SIZES]
    return Table(f"{what} on the other pages by pages learned from", ["system", *heads], rows)


def at_recalls(found: Study) -> Table:
    """Return precision at the same recall, in blocks and in words."""
    heads = [f"{kind} at {recall}" for kind in ("b-P", "P") for recall in RECALLS]
    rows = [
        [
            row.name,
            f"{row.pages} ({row.sites} sites)",
            *(f"{p:.3f}" for p in row.blocks + row.words),
        ]
        for row in found.at_recalls
    ]
    title = "Precision at equal recall, of blocks and of words, whatever the threshold"
    return Table(title, ["system", "pages learned from", *heads], rows)


def times(found: Study) -> Table:
    """Return times as multiples of that of ibdf, which is also given as growth (004, Figs 7, 9)."""
    counts = list(dict.fromkeys(timing.pages for timing in found.times))
    names = list(dict.fromkeys(timing.name for timing in found.times))
    ratio = {(timing.name, timing.pages): timing.ratio for timing in found.times}
    seconds = {(timing.name, timing.pages): timing.seconds for timing in found.times}
    rows = [[name, *(f"{ratio[name, count]:.2f}" for count in counts)] for name in names]
    rows += [
        [f"{name}, growth", *(f"{seconds[name, n] / seconds[name, counts[0]]:.0f}" for n in counts)]
        for name in names
    ]
    heads = [f"{count:,} pages" for count in counts]
    return Table("Time, ibdf = 1; growth, ten pages = 1", ["system", *heads], rows)
