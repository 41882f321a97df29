"""The study as a page: all tables, the curve and the times as plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tamis.evaluate.report import svg
from tamis.evaluate.report.labels import Box, point_labels
from tamis.evaluate.report.svg import Figure, Scale
from tamis.evaluate.sites.study import Study
from tamis.evaluate.sites.tables import sites_tables
from tamis.evaluate.tables import html_text

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
