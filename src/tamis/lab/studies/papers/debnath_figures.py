"""The figures of Debnath et al. 2005."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tamis.lab.metrics.statistics import bootstrap_means
from tamis.lab.report.charts import line_chart, quality_range
from tamis.lab.report.report import Chart
from tamis.lab.studies.papers.charts import interval_bars
from tamis.lab.studies.papers.copies import CONTENT
from tamis.lab.studies.papers.debnath import label
from tamis.lab.studies.papers.items import Cell, Estimate, Outcomes, PaperItem, PaperRow, estimate
from tamis.lab.studies.papers.published import DEBNATH, SVM_PAGES

_MIN_GROWTH: Final = 100  # pages from which on growth is measured


def build_figure_7(outcomes: Outcomes) -> PaperItem:
    """Return the run times of LH, ContentExtractor and FeatureExtractor."""
    names = ("entropy", "ibdf", "feature", "kfeature", "sitestyle", "coreex", "learned", "site")
    return _time_item(
        outcomes,
        names,
        "debnath-figure-7",
        "Figure 7",
        "run time against the number of pages",
        "The figure's values are not in our copy of the paper; its text says that LH takes longest "
        "and FeatureExtractor least. The paper's programs were written in Perl for computers of "
        "2004 and compare all blocks with all; ours finds similar blocks by an index.",
    )


def build_figure_9(outcomes: Outcomes) -> PaperItem:
    """Return the run times of ContentExtractor and the shingling algorithm."""
    return _time_item(
        outcomes,
        ("ibdf", "shingle"),
        "debnath-figure-9",
        "Figure 9",
        "run time of shingling and ContentExtractor",
        "The figure's values are not in our copy of the paper; its text says that shingling is far "
        "slower and does not scale. Both are built here with the same care: shingles of a block "
        "are computed from those of its children, and both are looked up in an index.",
    )


def _time_item(
    outcomes: Outcomes, names: Sequence[str], key: str, item: str, title: str, why: str
) -> PaperItem:
    part = outcomes.get("times")
    statement = {
        "entropy": "slowest",
        "ibdf": "less than LH and shingling",
        "feature": "least",
        "kfeature": "as FeatureExtractor",
        "shingle": "much slower, not shown for many pages",
    }
    rows = [
        PaperRow(label(name), {"paper": statement[name]} if name in statement else {})
        for name in names
    ]
    measures: list[str] = ["paper"]
    if part:
        rows = [row for name in names for row in _time_rows(name, statement.get(name), part)]
        counts = sorted({int(n) for by_count in part["seconds"].values() for n in by_count})
        measures += [*(f"{count} pages, s" for count in counts), "exponent"]
        rows += _whole_rows(part["whole"]) if "learned" in names else []
    sources = ", ".join(f"{n} of {name}" for name, n in part["sources"].items()) if part else ""
    data = (
        f"real pages as one class, site by site: {sources or 'sites-dev, blocks-dev, the WARCs'}; "
        "beyond these, in rows of their own, pages of a made-up site. Seconds of one thread, "
        "without parsing, the better of two runs; the time grows with pages to the power of the "
        "exponent, from 100 pages on. Rows “from HTML to text” include parsing, in one run, as "
        "other tools cannot be timed without."
    )
    return PaperItem(
        key, DEBNATH, item, title, measures, rows, data, why,
        lambda: [_time_chart(part, names, f"{item}: {title}")] if part else [],
    )  # fmt: skip


def _time_rows(name: str, statement: str | None, part: Mapping[str, Any]) -> list[PaperRow]:
    """Return seconds by the number of pages, and how the time grows: real pages, made-up ones."""
    paper = {"paper": statement} if statement else {}
    rows = []
    for kind, by_count in part["seconds"].items():
        ours = {f"{count} pages, s": systems[name] for count, systems in by_count.items()}
        ours["exponent"] = growth(name, by_count)
        mark = "" if kind == "real" else ", made-up pages"
        rows.append(PaperRow(label(name) + mark, paper if kind == "real" else {}, ours))
    return rows


def _whole_rows(whole: Mapping[str, Mapping[str, float]]) -> list[PaperRow]:
    """Return the seconds of what goes from HTML to text."""
    names = dict.fromkeys(name for systems in whole.values() for name in systems)
    return [
        PaperRow(
            f"{name}, from HTML to text",
            {},
            {f"{count} pages, s": systems[name] for count, systems in whole.items()},
        )
        for name in names
    ]


def growth(name: str, seconds: Mapping[str, Mapping[str, float]]) -> float:
    """Return the exponent of time against pages, from a hundred (or the fewest) to the most."""
    times = {int(count): systems[name] for count, systems in seconds.items()}
    times = {n: value for n, value in times.items() if n >= _MIN_GROWTH} or times
    few, many = min(times), max(times)
    return math.log(times[many] / times[few]) / math.log(many / few) if many > few else math.nan


def _time_chart(part: Mapping[str, Any], names: Sequence[str], title: str) -> Chart:
    """Return seconds against pages; dashes join made-up pages."""
    lines: dict[str, list[tuple[int, float]]] = {}
    dashed: dict[str, str] = {}
    for kind in ("real", "made-up"):
        for name in names:
            points = [(int(n), s[name]) for n, s in part["seconds"][kind].items()]
            lines[name if kind == "real" else f"{name}, made-up pages"] = points
            dashed |= {f"{name}, made-up pages": name}
    values = [value for points in lines.values() for _, value in points]
    return line_chart(
        title,
        "Learning from all pages and judging each, without parsing. Lines of the same colour with "
        "dashes are of a made-up site; both scales are logarithmic.",
        lines,
        ("pages", "seconds"),
        (min(values) / 1.3, max(values) * 1.3),
        is_log=(True, True),
        margin=2.6,
        dashed=dashed,
    )


def build_figure_8(outcomes: Outcomes) -> PaperItem:
    """Return the storage of web caches."""
    part = outcomes.get("storage")
    statement = {
        "raw": "initial storage",
        "shingle": "substantial savings",
        "ibdf": "almost the same savings as shingling",
    }
    rows = [PaperRow(way, {"paper": text}) for way, text in statement.items()]
    if part:
        ways = next(iter(part["bytes"].values()))
        rows = [_storage_row(way, statement.get(way), part) for way in ways]
    pages = sum(part["pages"].values()) if part else 0
    return PaperItem(
        "debnath-figure-8",
        DEBNATH,
        "Figure 8",
        "storage of web caches",
        ("paper", "share of raw", "MB"),
        rows,
        f"{pages or 'the'} pages of sites-dev and of the WARCs; noise of a site that is the same "
        "byte for byte is kept once. Intervals by bootstrap over sites.",
        "The figure's values are not in our copy of the paper, which says that both save much and "
        "about the same. Fragments of shingling are larger than blocks, so that one changed word "
        "keeps a larger piece from being shared.",
        lambda: [_storage_chart(rows)] if part else [],
    )


def _storage_row(way: str, statement: str | None, part: Mapping[str, Any]) -> PaperRow:
    sizes = np.array([by_way[way] for by_way in part["bytes"].values()], dtype=np.float64)
    raw = np.array([by_way["raw"] for by_way in part["bytes"].values()], dtype=np.float64)
    low, high = np.quantile(bootstrap_means(sizes, raw), (0.025, 0.975))
    share = Estimate(float(sizes.sum() / raw.sum()), float(low), float(high))
    ours: dict[str, Cell] = {"share of raw": share, "MB": float(sizes.sum() / 1e6)}
    return PaperRow(
        way, {"paper": statement} if statement else {}, ours, f"{len(raw)} sites and archives"
    )


def _storage_chart(rows: Sequence[PaperRow]) -> Chart:
    return interval_bars(
        "Figure 8: bytes of all pages, kept in different ways",
        "Shares of the raw pages. Raw and normalised pages, shingle, ibdf and pieces are not "
        "compressed; a store is an SQLite file with all but the index of words.",
        rows,
        "share of raw",
    )


def build_figure_10(outcomes: Outcomes) -> PaperItem:
    """Return the accuracy of L-Extractor against the number of pages."""
    part = outcomes.get("svm")
    rows = [PaperRow(label("svm"), {"paper": f"high, up to {SVM_PAGES} pages"})]
    if part:
        rows = [
            PaperRow(
                f"svm, {point['pages']} pages",
                {"paper": "high"} if point["pages"] == SVM_PAGES else {},
                {"accuracy": _fold_interval(point["accuracy"], point["deviation"])},
            )
            for point in part["points"]
        ]
        majority = {"accuracy": _fold_interval(*part["majority"])}
        rows.append(PaperRow("majority: every block is noise", {}, majority))
        rows += [
            PaperRow(f"{label(name)}, blocks of tagset", {}, {"accuracy": _fold_interval(*value)})
            for name, value in part["others"].items()
        ]
    size = f"{part['pages']} pages, {part['blocks']} blocks, {part['sites']} hosts" if part else ""
    return PaperItem(
        "debnath-figure-10",
        DEBNATH,
        "Figure 10",
        "accuracy of L-Extractor",
        ("paper", "accuracy"),
        rows,
        f"blocks-dev ({size or '400 news pages of 2008'}), five folds by host; intervals from the "
        "folds. svm cuts pages by the classic tag set, as the paper does, the rows of tagset by "
        "that of today; “all text” takes every block.",
        "The figure's values are not in our copy of the paper, whose text claims “high "
        "efficiency”. Accuracy flatters where most blocks are noise: the row of the majority is "
        "what a system reaches that does not look at all.",
        lambda: [_accuracy_chart(part)] if part else [],
    )


def _fold_interval(value: float, deviation: float, folds: int = 5) -> Estimate:
    """Return a mean of folds with its interval (Student's t with four degrees of freedom)."""
    half = 2.776 * deviation / math.sqrt(folds)
    return Estimate(value, value - half, min(value + half, 1.0))


def _accuracy_chart(part: Mapping[str, Any]) -> Chart:
    points = [(point["pages"], point["accuracy"]) for point in part["points"]]
    ends = [points[0][0], points[-1][0]]
    lines = {
        "svm": points,
        "majority": [(end, part["majority"][0]) for end in ends],
        "learned": [(end, part["others"]["learned"][0]) for end in ends],
    }
    return line_chart(
        "Figure 10: accuracy against pages learned from",
        "Share of blocks that are classified correctly, mean of five folds by host. learned was "
        "trained on other sets: its line only shows its accuracy.",
        lines,
        ("pages learned from (logarithmic)", "accuracy"),
        quality_range([value for line in lines.values() for _, value in line]),
        is_log=(True, False),
        margin=1.5,
    )


def build_copies(outcomes: Outcomes) -> PaperItem:
    """Return how many syndicated copies are found, by full text and by content (§1)."""
    part = outcomes.get("copies")
    statement = {CONTENT: {"paper": "copies are easily identified"}}
    rows = [PaperRow(CONTENT, statement[CONTENT])]
    if part:
        rows = [
            PaperRow(
                name,
                statement.get(name, {}),
                {
                    "copies found": estimate(list(map(float, part["hits"][name]))),
                    "frames taken for copies": estimate(list(map(float, part["mistakes"][name]))),
                },
                f"{part['copies']} made-up copies",
            )
            for name in part["hits"]
        ]
    return PaperItem(
        "debnath-copies",
        DEBNATH,
        "§1",
        "syndicated copies",
        ("paper", "copies found", "frames taken for copies"),
        rows,
        "sites-dev with made-up copies: the article of a page in the place of that of a page of "
        "another site. Near duplicates by MinHash, as tamis store duplicates finds them, of all "
        "pages and copies in one store; a copy is found if it is in one group with its article, "
        "and a frame is taken for a copy if it is in one group with it.",
        "The paper claims this and does not measure it. Copies on real sites are also shortened "
        "and edited, which these are not.",
    )


def build_pages_needed(outcomes: Outcomes) -> PaperItem:
    """Return quality against the number of pages learned from (Table 4, §6.5)."""
    part = outcomes.get("curve")
    rows = [PaperRow(label("ibdf"), {"paper": "5 to 10 pages are enough"})]
    measures = ["paper"]
    if part:
        sizes = list(dict.fromkeys(n for curve in part["curve"].values() for n in curve))
        sizes.sort(key=int)
        measures += [f"b-F after {size}" for size in sizes]
        rows = [_curve_row(name, part) for name in part["curve"]]
    many = f"{part['sites']} sites" if part else "sites"
    draws = f"{part['draws']} times" if part else "several times"
    return PaperItem(
        "debnath-pages-needed",
        DEBNATH,
        "Table 4, §6.5",
        "pages needed",
        measures,
        rows,
        f"the {many} of sites-dev with more than 20 pages; b-F on the other pages of the site, "
        f"pages to learn from are drawn {draws}. Intervals by bootstrap over sites.",
        "Noise that changes every few pages is only recognised once it was seen twice, so that "
        "more pages keep helping.",
        lambda: [_pages_chart(part)] if part else [],
    )


def site_means(part: Mapping[str, Any], name: str, size: str, index: int) -> list[float]:
    """Return a measure of a system that learned from so many pages: each site's mean of draws."""
    values: dict[str, list[float]] = {}
    for site, row in zip(part["names"], part["curve"][name][size], strict=True):
        values.setdefault(site, []).append(row[index])
    return [float(np.mean(of_site)) for of_site in values.values()]


def _curve_row(name: str, part: Mapping[str, Any]) -> PaperRow:
    ours = {f"b-F after {n}": estimate(site_means(part, name, n, 2)) for n in part["curve"][name]}
    paper = {"paper": "5 to 10 pages are enough"} if name == "ibdf" else {}
    return PaperRow(label(name), paper, ours)


def _pages_chart(part: Mapping[str, Any]) -> Chart:
    lines = {
        name: [(int(n), float(np.mean([row[2] for row in rows]))) for n, rows in curve.items()]
        for name, curve in part["curve"].items()
    }
    values = [value for line in lines.values() for _, value in line]
    return line_chart(
        "b-F against pages learned from",
        "Means over sites and draws, on pages that were not learned from. entropy cuts pages at "
        "tables only, so that its b-F counts other blocks. site is the template that tamis learns, "
        "on top of its default method.",
        lines,
        ("pages learned from (logarithmic)", "b-F"),
        quality_range(values),
        is_log=(True, False),
        margin=1.6,
    )
