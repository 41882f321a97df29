"""The tables and charts of the study of sites, in the form that Debnath et al. 2005 have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tamis.lab.report import Chart, ReportTable
from tamis.lab.report.charts import line_chart
from tamis.lab.studies.sites.effect import FEW_PAGES, HEAVY_LOSS, LOSS, Effect
from tamis.lab.studies.sites.measuring import MEASURES, SIZES, SitesOutcome
from tamis.lab.studies.sites.systems import ENTROPY_ON_TAGSET, RECALLS, SYSTEM_NAMES

_HEADS: Final = dict(zip(MEASURES, ("b-P", "b-R", "b-F", "P", "R", "F1"), strict=True))
_PAPER: Final = ("entropy", "ibdf", "kfeature")
_PAPER_TABLE_6: Final = ("shingle", "ibdf")
_FURTHER: Final = (ENTROPY_ON_TAGSET, "learned", "site")


def sites_tables(outcome: SitesOutcome) -> list[ReportTable]:
    """Return all tables of the study."""
    return [
        _overview(outcome),
        _site_table(
            outcome, "Blocks by site (Debnath et al. 2005, Tables 2 and 3)", MEASURES[:3], _PAPER
        ),
        _site_table(
            outcome, "Blocks by site (Debnath et al. 2005, Table 6)", MEASURES[:3], _PAPER_TABLE_6
        ),
        _site_table(outcome, "Blocks by site, further systems", MEASURES[:3], _FURTHER),
        _site_table(outcome, "Word F1 by site", MEASURES[5:], SYSTEM_NAMES),
        _difference_table(outcome),
        _effect_table(f"Templates on the pages of {outcome.dataset}", outcome.effects),
        _effect_table("Templates on made-up sites", outcome.shaped),
        _curve_table(outcome, "F1", ("f1",)),
        _curve_table(outcome, "Precision and recall", ("precision", "recall")),
        _recall_table(outcome),
        _time_table(outcome),
    ]


def _overview(outcome: SitesOutcome) -> ReportTable:
    """Return the means over sites of each system."""
    rows = [
        [name, *(f"{_mean(outcome, name, measure):.3f}" for measure in MEASURES)]
        for name in outcome.scores
    ]
    title = f"{outcome.dataset}, {sum(outcome.sites.values())} pages of {len(outcome.sites)} sites"
    return ReportTable(title, ["system", *_HEADS.values()], rows)


def _mean(outcome: SitesOutcome, name: str, measure: str) -> float:
    """Return the mean of a measure over sites."""
    values = [scores[measure] for scores in outcome.scores[name].values()]
    return sum(values) / len(values)


def _site_table(
    outcome: SitesOutcome, title: str, measures: Sequence[str], names: Sequence[str]
) -> ReportTable:
    """Return measures of systems, one row per site, as the paper does."""
    heads = [f"{_HEADS[measure]} {name}" for name in names for measure in measures]
    rows = [
        [
            f"{site} ({pages})",
            *(f"{outcome.scores[name][site][m]:.3f}" for name in names for m in measures),
        ]
        for site, pages in outcome.sites.items()
    ]
    return ReportTable(title, ["site (pages)", *heads], rows)


def _difference_table(outcome: SitesOutcome) -> ReportTable:
    """Return how site templates compare with the other systems, page by page."""
    rows = [
        [
            name,
            f"{difference.value:+.3f}",
            difference.interval,
            "yes" if difference.is_clear else "no",
        ]
        for name, difference in outcome.differences.items()
    ]
    title = "site against the others: F1, paired by page"
    return ReportTable(title, ["system", "difference", "95 % interval", "clear"], rows)


def _effect_table(title: str, effects: Sequence[Effect]) -> ReportTable:
    """Return what templates change, one row per site: learned from few pages and from many."""
    rows = []
    for site in dict.fromkeys(effect.site for effect in effects):
        by_size = {effect.learned: effect for effect in effects if effect.site == site}
        rows.append(
            [
                site,
                f"{by_size[FEW_PAGES].alone:.3f}",
                *(f"{effect.gain:+.4f} ({size})" for size, effect in by_size.items()),
                *([""] if len(by_size) == 1 else []),
                f"{min(effect.worst for effect in by_size.values()):+.3f}",
                *(
                    f"{sum(counts)} of {sum(effect.pages for effect in by_size.values())}"
                    for counts in zip(*map(_losses, by_size.values()), strict=True)
                ),
            ]
        )
    few = [effect.gain for effect in effects if effect.learned == FEW_PAGES]
    many = [effect.gain for effect in effects if effect.learned != FEW_PAGES]
    means = [f"{sum(gains) / max(len(gains), 1):+.4f}" for gains in (few, many)]
    rows.append(["mean", "", *means, *[""] * 4])
    heads = ["page by page", f"after {FEW_PAGES} pages", "after more", "worst page"]
    heads += [f"lose over {LOSS}", f"over {HEAVY_LOSS}", "emptied"]
    return ReportTable(title, ["site", *heads], rows)


def _losses(effect: Effect) -> tuple[int, int, int]:
    """Return how many pages lose, lose much, and lose all."""
    return effect.losing, effect.losing_much, effect.emptied


def _curve_table(outcome: SitesOutcome, what: str, measures: Sequence[str]) -> ReportTable:
    """Return measures by the number of pages learned from."""
    rows = [
        [
            name,
            *(" / ".join(f"{by_size[n][m]:.3f}" for m in measures if n in by_size) for n in SIZES),
        ]
        for name, by_size in outcome.curve.items()
    ]
    heads = [f"{size} ({outcome.curve_sites[size]} sites)" for size in SIZES]
    return ReportTable(f"{what} on the other pages by pages learned from", ["system", *heads], rows)


def _recall_table(outcome: SitesOutcome) -> ReportTable:
    """Return precision at the same recall, in blocks and in words."""
    heads = [f"{kind} at {recall}" for kind in ("b-P", "P") for recall in RECALLS]
    rows = [
        [
            row.name,
            f"{row.pages} ({row.sites} sites)",
            *(f"{p:.3f}" for p in row.blocks + row.words),
        ]
        for row in outcome.at_recalls
    ]
    title = "Precision at equal recall, of blocks and of words, whatever the threshold"
    return ReportTable(title, ["system", "pages learned from", *heads], rows)


def _time_table(outcome: SitesOutcome) -> ReportTable:
    """Return times as multiples of that of ibdf, which is also given as growth (Figures 7, 9)."""
    counts = list(dict.fromkeys(timing.pages for timing in outcome.times))
    names = list(dict.fromkeys(timing.name for timing in outcome.times))
    ratio = {(timing.name, timing.pages): timing.ratio for timing in outcome.times}
    seconds = {(timing.name, timing.pages): timing.seconds for timing in outcome.times}
    rows = [[name, *(f"{ratio[name, count]:.2f}" for count in counts)] for name in names]
    rows += [
        [f"{name}, growth", *(f"{seconds[name, n] / seconds[name, counts[0]]:.0f}" for n in counts)]
        for name in names
    ]
    heads = [f"{count:,} pages" for count in counts]
    return ReportTable("Time, ibdf = 1; growth, ten pages = 1", ["system", *heads], rows)


def sites_charts(outcome: SitesOutcome) -> list[Chart]:
    """Return F1 and run time against the number of pages (Debnath et al. 2005, Figures 7 and 9)."""
    return [
        _curve_chart(outcome),
        _time_chart(
            outcome,
            ("ibdf", "entropy", "feature", "site"),
            "Run time (Debnath et al. 2005, Figure 7)",
        ),
        _time_chart(
            outcome,
            ("ibdf", "shingle"),
            "Run time of ibdf and shingle (Debnath et al. 2005, Figure 9)",
        ),
    ]


def _curve_chart(outcome: SitesOutcome) -> Chart:
    """Return F1 against the number of pages learned from."""
    lines = {
        name: [(size, scores["f1"]) for size, scores in sorted(by_size.items())]
        for name, by_size in outcome.curve.items()
    }
    counts = ", ".join(f"{size}: {count}" for size, count in outcome.curve_sites.items())
    values = [value for points in lines.values() for _, value in points]
    return line_chart(
        "F1 against the number of pages learned from",
        f"Word F1 on the site's other pages, mean over sites with enough pages ({counts}); pages "
        "to learn from are drawn three times. kfeature and learned learn nothing: their lines only "
        "show which pages are scored.",
        lines,
        ("pages learned from (logarithmic)", "F1"),
        (max(min(values) - 0.05, 0), 1.0),
        is_log=(True, False),
        margin=1.6,
    )


def _time_chart(outcome: SitesOutcome, names: Sequence[str], title: str) -> Chart:
    """Return the time of systems, as multiples of that of ibdf for the fewest pages."""
    timings = [timing for timing in outcome.times if timing.name in names]
    unit = next(timing.seconds for timing in timings if timing.name == "ibdf")
    lines = {
        name: [(t.pages, t.seconds / unit) for t in timings if t.name == name] for name in names
    }
    values = [timing.seconds / unit for timing in timings]
    return line_chart(
        title,
        "Learning from all pages and judging each, without parsing; pages of a made-up site. "
        "The unit is the time of ibdf for ten pages; both scales are logarithmic.",
        lines,
        ("pages", "time"),
        (min(values) / 1.3, max(values) * 1.3),
        is_log=(True, True),
        margin=1.8,
    )
