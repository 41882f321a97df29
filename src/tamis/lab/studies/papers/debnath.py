"""The tables and figures of Debnath et al. 2005."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tamis.lab.report.report import Chart
from tamis.lab.studies.papers.charts import interval_bars
from tamis.lab.studies.papers.data_sets import USES
from tamis.lab.studies.papers.items import Estimate, Outcomes, PaperItem, PaperRow, estimate
from tamis.lab.studies.papers.published import (
    DEBNATH,
    PAPER_NAMES,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_6,
    Triple,
    mean_by_system,
)
from tamis.lab.studies.papers.site_blocks import MEASURES, TOOLS

_BLOCKS: Final = MEASURES[:3]
_SHOWN: Final = (*_BLOCKS, "F1")
_F1: Final = MEASURES.index("F1")
_ORDER: Final = (
    *("entropy", "ibdf", "feature", "kfeature", "shingle", "svm"),
    *("entropy/tagset", "sitestyle", "coreex", "optimum", "learned", "site"),
    *("trafilatura", "resiliparse", "readability-lxml", "all text", "largest"),
)
_OTHER_BLOCKS: Final = (
    "LH and Shingling cut pages in their own way, so that their b-F counts other blocks; word F1 "
    "compares all. Blocks of other tools are those with half of their words in the tool's text."
)


def label(name: str) -> str:
    """Return a system by the paper's name and ours."""
    return f"{PAPER_NAMES[name]} ({name})" if name in PAPER_NAMES else name


def _ordered(names: Sequence[str]) -> list[str]:
    return sorted(names, key=lambda name: _ORDER.index(name) if name in _ORDER else 99)


def _paper_cells(triple: Triple | None) -> dict[str, float]:
    return dict(zip(_BLOCKS, triple, strict=True)) if triple else {}


def _our_cells(rows: Sequence[Sequence[float]], sites: Sequence[str]) -> dict[str, Estimate]:
    """Return the means over sites of the measures that are shown."""
    cells = {
        measure: estimate([row[index] for row in rows], sites)
        for index, measure in enumerate(_BLOCKS)
    }
    return cells | {"F1": estimate([row[_F1] for row in rows], sites)}


def describe_pages(sites: Sequence[str]) -> str:
    """Return how many pages of how many sites there are."""
    return f"{len(sites)} pages of {len(set(sites))} sites"


def build_table_1(outcomes: Outcomes) -> PaperItem:
    """Return the data: the paper's sites, and the sets that ours stand on."""
    rows = [PaperRow(f"{site} ({kind})", {"pages": str(pages)}) for site, kind, pages in TABLE_1]
    rows.append(PaperRow("15 sites of the paper", {"pages": str(sum(n for _, _, n in TABLE_1))}))
    part = outcomes.get("data")
    for name, by_site in part["sets"].items() if part else ():
        pages = {"pages": str(sum(by_site.values())), "sites": str(len(by_site))}
        rows.append(PaperRow(f"{name}: {USES[name]}", ours=pages))
    for site, count in part["sets"].get("sites-dev", {}).items() if part else ():
        rows.append(PaperRow(f"{site} (sites-dev)", ours={"pages": str(count)}, is_detail=True))
    problems = f" Left out: {'; '.join(part['problems'])}." if part and part["problems"] else ""
    return PaperItem(
        "debnath-table-1",
        DEBNATH,
        "Table 1",
        "details of the data set",
        ("pages", "sites"),
        rows,
        "sites-dev for news; wcxb-dev, records-dev and posts-dev for shops, lists and forums; the "
        f"others for further items.{problems}",
        "The paper's 6,311 pages are not public; ours have labels that anybody can check, and are "
        "fewer per site.",
    )


def _site_table(
    outcomes: Outcomes,
    table: Mapping[str, Mapping[str, Triple]],
    names: Sequence[str] | None = None,
) -> list[PaperRow]:
    """Return the means of all systems, then each site of the paper and of ours."""
    paper = mean_by_system(table)
    part = outcomes.get("sites")
    every = _ordered(list(part["scores"])) if part else list(paper)
    rows = [_mean_row(name, paper.get(name), part) for name in names or every]
    for site, systems in table.items():
        rows += [
            PaperRow(f"{site}: {label(name)}", _paper_cells(triple), is_detail=True)
            for name, triple in systems.items()
        ]
    if part:
        for site in dict.fromkeys(part["sites"]):
            rows += [_site_row(site, name, part) for name in names or every]
    return rows


def _mean_row(name: str, paper: Triple | None, part: Mapping[str, Any] | None) -> PaperRow:
    if part is None or name not in part["scores"]:
        return PaperRow(label(name), _paper_cells(paper))
    ours = _our_cells(part["scores"][name], part["sites"])
    return PaperRow(label(name), _paper_cells(paper), ours, describe_pages(part["sites"]))


def _site_row(site: str, name: str, part: Mapping[str, Any]) -> PaperRow:
    pairs = zip(part["scores"][name], part["sites"], strict=True)
    rows = [row for row, other in pairs if other == site]
    ours = _our_cells(rows, [site] * len(rows))
    return PaperRow(f"{site}: {label(name)}", {}, ours, f"{len(rows)} pages", is_detail=True)


def build_table_2(outcomes: Outcomes) -> PaperItem:
    """Return blocks of news sites."""
    rows = _site_table(outcomes, TABLE_2)
    return PaperItem(
        "debnath-table-2",
        DEBNATH,
        "Table 2",
        "blocks of news sites",
        _SHOWN,
        rows,
        "sites-dev, each page by what was learned from other pages of its site (five parts); "
        "means over sites, 95 % intervals by bootstrap over pages. The threshold of sitestyle and "
        "the weights of site are those that are best on the other sites.",
        "The paper counts what its readers accepted as relevant blocks and found hardly any noise; "
        "here every block of the page counts and the truth is the article's text, and pages of the "
        f"2010s carry more noise, and noise that changes, than those of 2004. {_OTHER_BLOCKS}",
        lambda: _bars(rows, "News sites", ("b-F", "F1")),
    )


def _bars(rows: Sequence[PaperRow], title: str, measures: Sequence[str]) -> list[Chart]:
    """Return a chart of bars for each measure."""
    shown = [row for row in rows if not row.is_detail]
    names = {"b-F": "b-F", "F1": "word F1"}
    return [
        interval_bars(
            f"{title}: {names.get(measure, measure)}",
            "Bars are ours with their 95 % intervals, diamonds the mean of the paper's sites.",
            shown,
            measure,
        )
        for measure in measures
        if any(measure in row.ours for row in shown)
    ]


def build_table_3(outcomes: Outcomes) -> PaperItem:
    """Return blocks of shops, reviews and forums."""
    paper = mean_by_system(TABLE_3)
    part = outcomes.get("shops")
    rows = [
        PaperRow(f"{site}: {label(name)}", _paper_cells(triple), is_detail=True)
        for site, systems in TABLE_3.items()
        for name, triple in systems.items()
    ]
    means = [PaperRow(label(name), _paper_cells(triple)) for name, triple in paper.items()]
    if part:
        names = _ordered(
            list(dict.fromkeys(n for g in part["groups"].values() for n in g["sites"]))
        )
        means = [_shop_row(name, paper.get(name), part["groups"].values()) for name in names]
        for group, of_group in part["groups"].items():
            present = [name for name in names if name in of_group["scores"]]
            rows += [_shop_row(n, None, [of_group], f"{group}: ") for n in present]
    problems = f" Left out: {'; '.join(part['problems'])}." if part and part["problems"] else ""
    return PaperItem(
        "debnath-table-3",
        DEBNATH,
        "Table 3",
        "blocks of shops, reviews and forums",
        _SHOWN,
        [*means, *rows],
        "product, collection and forum pages of wcxb-dev, result pages of records-dev (the content "
        "is the text of the records) and threads of posts-dev. Systems that learn from several "
        "pages learn from all pages of the site, as in the paper, where there are five or more in "
        f"wcxb-dev, three in records-dev, two in posts-dev: n says how many that is.{problems}",
        "Shops and forums of today repeat their lists, menus and buttons with changes on every "
        "page, so that few blocks are the same on two or three pages; the paper had 100 pages of "
        f"each site, and content that is one kind of block. {_OTHER_BLOCKS}",
        lambda: _bars(means, "Shops, reviews and forums", ("b-F", "F1")),
    )


def _shop_row(name: str, paper: Triple | None, groups: Any, prefix: str = "") -> PaperRow:
    """Return the mean of a system over the sites of groups of pages."""
    rows = [row for group in groups for row in group["scores"].get(name, ())]
    sites = [site for group in groups for site in group["sites"].get(name, ())]
    ours = _our_cells(rows, sites) if rows else {}
    n = describe_pages(sites) if rows else ""
    return PaperRow(prefix + label(name), _paper_cells(paper), ours, n, is_detail=bool(prefix))


def build_table_6(outcomes: Outcomes) -> PaperItem:
    """Return ContentExtractor beside the shingling algorithm."""
    rows = _site_table(outcomes, TABLE_6, ("shingle", "ibdf"))
    part = outcomes.get("sites")
    if part:
        further = ("sitestyle", "coreex", "learned", "site", *TOOLS, "all text", "largest")
        rows[2:2] = [_mean_row(name, None, part) for name in further if name in part["scores"]]
    return PaperItem(
        "debnath-table-6",
        DEBNATH,
        "Table 6",
        "shingling beside ContentExtractor",
        _SHOWN,
        rows,
        "sites-dev, as in Table 2 (the paper: 50 pages of five sites).",
        "Both find what repeats and miss noise that changes from page to page, which is most of "
        f"the noise of these sites. {_OTHER_BLOCKS}",
        lambda: _bars(rows, "Shingling beside ContentExtractor", ("b-F", "F1")),
    )


def build_sitestyle(outcomes: Outcomes) -> PaperItem:
    """Return the scores of sitestyle by threshold, and what was chosen."""
    part = outcomes.get("sites")
    rows = []
    if part:
        counts = list(part["thresholds"].values())
        rows = [
            PaperRow(
                f"t = {threshold}",
                {},
                {
                    "b-F": estimate([row[2] for row in scores], part["sites"]),
                    "F1": estimate([row[_F1] for row in scores], part["sites"]),
                    "chosen for": f"{counts.count(float(threshold))} of {len(counts)} sites",
                },
            )
            for threshold, scores in part["by_threshold"].items()
        ]
    return PaperItem(
        "sitestyle",
        "Yi, Liu & Li 2003",
        "the threshold t",
        "sitestyle by its threshold",
        ("b-F", "F1", "chosen for"),
        rows,
        "sites-dev; means over sites. Each site is measured with the threshold that has the best "
        "b-F on all other sites.",
        "The paper chooses its threshold by hand for each site.",
    )
