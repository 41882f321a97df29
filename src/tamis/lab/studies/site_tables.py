"""The study as tables: in the form of 004's Tables 2, 3 and 6, and as rows for other uses.

The study as a page: all tables, the curve and the times as plots.
"""

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


WIDTH = 940.0
Lines = Mapping[str, Sequence[tuple[float, float]]]


def sites_page(found: Study) -> str:
    """Return the report on the study, a page that needs nothing but itself."""
    plots = [curve_figure(found), *times_figures(found)]
    lead = (
        "Each page is scored by what was learned from other pages of its site; the weights of site "
        "templates are chosen on the other sites. Systems cut pages in different ways, so measures "
        "of blocks compare only with care."
    )
    return html_text(f"tamis: sites of {found.dataset}", sites_tables(found), plots, lead)


def curve_figure(found: Study) -> Figure:
    """Return F1 against the number of pages learned from."""
    lines = {
        name: [(size, scores["f1"]) for size, scores in sorted(by.items())]
        for name, by in found.curve.items()
    }
    sizes = [size for points in lines.values() for size, _ in points]
    counts = ", ".join(f"{size}: {count}" for size, count in found.curve_sites.items())
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


def times_figures(found: Study) -> list[Figure]:
    """Return time against the number of pages: 004's Figure 7 and Figure 9."""
    return [
        times_figure(found, ("ibdf", "entropy", "feature", "site"), "Run time (004, Figure 7)"),
        times_figure(found, ("ibdf", "shingle"), "Run time of ibdf and shingle (004, Figure 9)"),
    ]


def times_figure(found: Study, names: Sequence[str], title: str) -> Figure:
    """Return the time of some systems, as multiples of that of ibdf for the fewest pages."""
    chosen = [timing for timing in found.times if timing.name in names]
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
        for place, (pages, value) in zip(places, points, strict=True):
            said = f"{name}, {pages:g} pages: {value:.3g}"
            parts.append(svg.mark(*place, number, hollow=False, said=said))
        ends.append(places[-1])
    frame = Box(x.start, y.stop, x.stop, y.start)
    parts += point_labels(ends, list(lines), frame)
    return Figure(title, caption, svg.canvas(WIDTH, y.start + 46, parts, title))
