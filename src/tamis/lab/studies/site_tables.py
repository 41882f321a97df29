"""The report of the sites study: tables as in Debnath et al. 2005, and a page with plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tamis.lab.report import svg
from tamis.lab.report.svg import Box, Figure, Scale, point_labels
from tamis.lab.studies.site_effect import FEW, HEAVY_LOSS, LOSS, Effect
from tamis.lab.studies.site_systems import NAMES, ON_TAGSET, RECALLS
from tamis.lab.studies.sites import MEASURES, SIZES, Study
from tamis.lab.tables import Table, html_text

HEADS: Final = dict(zip(MEASURES, ("b-P", "b-R", "b-F", "P", "R", "F1"), strict=True))
PAPER: Final = ("entropy", "ibdf", "kfeature")
PAPER_6: Final = ("shingle", "ibdf")
OURS: Final = (ON_TAGSET, "learned", "site")


def sites_tables(study: Study) -> list[Table]:
    """Return all tables of the study."""
    return [
        overview(study),
        by_site(study, "Blocks by site (Debnath et al. 2005, Tables 2 and 3)", MEASURES[:3], PAPER),
        by_site(study, "Blocks by site (Debnath et al. 2005, Table 6)", MEASURES[:3], PAPER_6),
        by_site(study, "Blocks by site, further systems", MEASURES[:3], OURS),
        by_site(study, "Word F1 by site", MEASURES[5:], NAMES),
        differences(study),
        effect_table(f"Templates on the pages of {study.dataset}", study.effects),
        effect_table("Templates on sites that are made up", study.shaped),
        curve(study, "F1", ("f1",)),
        curve(study, "Precision and recall", ("precision", "recall")),
        at_recalls(study),
        times(study),
    ]


def overview(study: Study) -> Table:
    """Return the means over sites of each system."""
    rows = [
        [name, *(f"{mean(study, name, measure):.3f}" for measure in MEASURES)]
        for name in study.scores
    ]
    title = f"{study.dataset}, {sum(study.sites.values())} pages of {len(study.sites)} sites"
    return Table(title, ["system", *HEADS.values()], rows)


def mean(study: Study, name: str, measure: str) -> float:
    """Return the mean of a measure over sites."""
    values = [scores[measure] for scores in study.scores[name].values()]
    return sum(values) / len(values)


def by_site(study: Study, title: str, measures: Sequence[str], names: Sequence[str]) -> Table:
    """Return the named measures of the named systems, one row per site, as the paper does."""
    heads = [f"{HEADS[measure]} {name}" for name in names for measure in measures]
    rows = [
        [
            f"{site} ({pages})",
            *(f"{study.scores[name][site][m]:.3f}" for name in names for m in measures),
        ]
        for site, pages in study.sites.items()
    ]
    return Table(title, ["site (pages)", *heads], rows)


def differences(study: Study) -> Table:
    """Return how site templates compare with the other systems, page by page."""
    rows = [
        [
            name,
            f"{apart.value:+.3f}",
            apart.interval,
            "yes" if apart.is_clear else "no",
        ]
        for name, apart in study.differences.items()
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


def curve(study: Study, what: str, measures: Sequence[str]) -> Table:
    """Return measures by the number of pages learned from."""
    rows = [
        [name, *(" / ".join(f"{by[n][m]:.3f}" for m in measures if n in by) for n in SIZES)]
        for name, by in study.curve.items()
    ]
    heads = [f"{size} ({study.curve_sites[size]} sites)" for size in SIZES]
    return Table(f"{what} on the other pages by pages learned from", ["system", *heads], rows)


def at_recalls(study: Study) -> Table:
    """Return precision at the same recall, in blocks and in words."""
    heads = [f"{kind} at {recall}" for kind in ("b-P", "P") for recall in RECALLS]
    rows = [
        [
            row.name,
            f"{row.pages} ({row.sites} sites)",
            *(f"{p:.3f}" for p in row.blocks + row.words),
        ]
        for row in study.at_recalls
    ]
    title = "Precision at equal recall, of blocks and of words, whatever the threshold"
    return Table(title, ["system", "pages learned from", *heads], rows)


def times(study: Study) -> Table:
    """Return times as multiples of the time of ibdf, and their growth with the number of pages."""
    counts = list(dict.fromkeys(timing.pages for timing in study.times))
    names = list(dict.fromkeys(timing.name for timing in study.times))
    ratio = {(timing.name, timing.pages): timing.ratio for timing in study.times}
    seconds = {(timing.name, timing.pages): timing.seconds for timing in study.times}
    rows = [[name, *(f"{ratio[name, count]:.2f}" for count in counts)] for name in names]
    rows += [
        [f"{name}, growth", *(f"{seconds[name, n] / seconds[name, counts[0]]:.0f}" for n in counts)]
        for name in names
    ]
    heads = [f"{count:,} pages" for count in counts]
    return Table("Time, ibdf = 1; growth, ten pages = 1", ["system", *heads], rows)


WIDTH = 940.0
Lines = Mapping[str, Sequence[tuple[float, float]]]


def sites_page(study: Study) -> str:
    """Return the report on the study, a page that needs nothing but itself."""
    plots = [curve_figure(study), *times_figures(study)]
    lead = (
        "Each page is scored by what was learned from other pages of its site; the weights of site "
        "templates are chosen on the other sites. Systems cut pages in different ways, so measures "
        "of blocks compare only with care."
    )
    return html_text(f"tamis: sites of {study.dataset}", sites_tables(study), plots, lead)


def curve_figure(study: Study) -> Figure:
    """Return F1 against the number of pages learned from."""
    lines = {
        name: [(size, scores["f1"]) for size, scores in sorted(by.items())]
        for name, by in study.curve.items()
    }
    sizes = [size for points in lines.values() for size, _ in points]
    counts = ", ".join(f"{size}: {count}" for size, count in study.curve_sites.items())
    values = [value for points in lines.values() for _, value in points]
    return plot(
        "F1 against the number of pages learned from",
        f"Word F1 on the site's other pages, mean over sites with enough pages ({counts}); pages "
        "to learn from are drawn three times. kfeature and learned learn nothing: their lines only "
        "show which pages are scored.",
        lines,
        Scale(min(sizes), max(sizes) * 1.6, 70, WIDTH - 20, is_log=True),
        Scale(max(min(values) - 0.05, 0), 1.0, 400, 16),
        ("pages learned from (logarithmic)", "F1"),
    )


def times_figures(study: Study) -> list[Figure]:
    """Return time against the number of pages: Figures 7 and 9 of Debnath et al. 2005."""
    return [
        times_figure(study, ("ibdf", "entropy", "feature", "site"), "Run time (Figure 7)"),
        times_figure(study, ("ibdf", "shingle"), "Run time of ibdf and shingle (Figure 9)"),
    ]


def times_figure(study: Study, names: Sequence[str], title: str) -> Figure:
    """Return the time of some systems, as multiples of that of ibdf for the fewest pages."""
    chosen = [timing for timing in study.times if timing.name in names]
    unit = next(timing.seconds for timing in chosen if timing.name == "ibdf")
    lines = {
        name: [(t.pages, t.seconds / unit) for t in chosen if t.name == name] for name in names
    }
    counts = [timing.pages for timing in chosen]
    values = [timing.seconds / unit for timing in chosen]
    return plot(
        title,
        "Learning from all pages and judging each, without parsing; pages of a site that is made "
        "up. The unit is the time of ibdf for ten pages; both scales are logarithmic.",
        lines,
        Scale(min(counts), max(counts) * 1.8, 70, WIDTH - 20, is_log=True),
        Scale(min(values) / 1.3, max(values) * 1.3, 400, 16, is_log=True),
        ("pages", "time"),
    )


def plot(
    title: str, caption: str, lines: Lines, x: Scale, y: Scale, axes: tuple[str, str]
) -> Figure:
    """Return lines with marks, each named at its end."""
    parts = [
        svg.x_axis(x, y.stop, y.start, axes[0]),
        svg.y_axis(y, x.start, x.stop, axes[1]),
    ]
    ends = []
    for number, (name, points) in enumerate(lines.items()):
        places = [(x(pages), y(value)) for pages, value in points]
        parts.append(svg.path(places, f"curve c{number % svg.COLOURS} own"))
        for point, (pages, value) in zip(places, points, strict=True):
            label = f"{name}, {pages:g} pages: {value:.3g}"
            parts.append(svg.mark(*point, number, hollow=False, said=label))
        ends.append(places[-1])
    frame = Box(x.start, y.stop, x.stop, y.start)
    parts += point_labels(ends, list(lines), frame)
    return Figure(title, caption, svg.canvas(WIDTH, y.start + 46, parts, title))
