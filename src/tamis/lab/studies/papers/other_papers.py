"""The tables and figures of the other four papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Final

import numpy as np

from tamis.blocks import Chunks
from tamis.lab.report.charts import line_chart
from tamis.lab.report.report import Chart
from tamis.lab.studies.papers.charts import interval_bars
from tamis.lab.studies.papers.debnath import describe_pages, label
from tamis.lab.studies.papers.items import Outcomes, PaperItem, PaperRow, estimate
from tamis.lab.studies.papers.published import (
    KEY_PATTERN,
    KEY_PATTERN_MEANS,
    KEY_PATTERN_PAGES,
    OPTIMUM_NODE,
    PHONE_SHOPS,
    PHONE_SHOPS_MEAN,
    PHONES,
    TAG_WINDOW,
    WIN_THWIN,
)
from tamis.lab.systems.records import mdr_records, record_cells
from tamis.page import parse
from tamis.pipeline import Method, extract
from tamis.verdict import TagWindow

_PRF: Final = ("P", "R", "F")
_QUANTILES: Final = ("worst page", "quarter", "median", "three quarters", "best page")
_WORDS: Final = ("P", "R", "F1", "b-F")
_KEYPATTERN: Final = "keypattern"
_SEGMENTER_LABELS: Final = {
    _KEYPATTERN: "keypattern, before elimination",
    "all text": "all: the page as one block",
    "largest": "largest block alone",
}


def _cells(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return dict(zip(names, values, strict=False))


def _estimates(names: Sequence[str], rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    return {name: estimate([row[i] for row in rows]) for i, name in enumerate(names)}


def build_segmentation(outcomes: Outcomes) -> PaperItem:
    """Return the segmentation of single pages: Table 1 of the key-pattern paper."""
    part, layout = outcomes.get("segments"), outcomes.get("layout")
    rows = [PaperRow("keypattern, before elimination", _cells(_PRF, KEY_PATTERN_MEANS))]
    pages = f"{len(part['pages'])} home pages" if part else "home pages"
    if part:
        rows = [_segment_row(name, scores) for name, scores in _first_keypattern(part["scores"])]
    if layout:
        rows += [
            PaperRow(
                f"{name} (laid out)",
                _cells(_PRF, KEY_PATTERN_MEANS) if name == _KEYPATTERN else {},
                _estimates(_PRF, scores),
                _count(layout),
            )
            for name, scores in _first_keypattern(layout["scores"])
            if name.startswith((_KEYPATTERN, "layout", "visual", "vips"))
        ]
    shown = list(rows)
    rows += [
        PaperRow(f"page {number} of the paper", _cells(_PRF, values), is_detail=True)
        for number, values in enumerate(KEY_PATTERN_PAGES, 1)
    ]
    if part:
        pairs = zip(part["pages"], part["scores"][_KEYPATTERN], strict=True)
        rows += [PaperRow(page, {}, _cells(_PRF, scores), is_detail=True) for page, scores in pairs]
    return PaperItem(
        "keypattern-table-1",
        KEY_PATTERN,
        "Table 1",
        "precision and recall of segmentation",
        (*_PRF, "blocks per page"),
        rows,
        f"segments-dev, {pages} whose blocks people marked; a block is correct if its text is "
        "similar (0.8) to that of a marked one. After elimination: blocks below the mean "
        "importance are gone. Against content: only marks of the types Article and Content count.",
        "The paper's experts assessed the blocks that came out, by its fractions few on a page; "
        "here people marked blocks beforehand, 12 with text on a page, and keypattern cuts "
        "every repetition. Elimination by the number of tags removes few blocks. Blocks that no "
        "reader sees, such as menus that open, count as wrong unless the page is laid out.",
        lambda: [
            interval_bars(
                "F of segmentation",
                "Bars are ours with their 95 % intervals, the diamond is the paper's mean of 19 "
                "pages.",
                shown,
                "F",
            )
        ],
    )


def _first_keypattern(scores: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(scores.items(), key=lambda pair: not pair[0].startswith(_KEYPATTERN))


def _segment_row(name: str, scores: Sequence[Sequence[float]]) -> PaperRow:
    paper = _cells(_PRF, KEY_PATTERN_MEANS) if name == _KEYPATTERN else {}
    ours = _estimates(_PRF, scores)
    ours["blocks per page"] = float(np.mean([row[3] for row in scores]))
    return PaperRow(_SEGMENTER_LABELS.get(name, name), paper, ours, f"{len(scores)} pages")


def _count(layout: Mapping[str, Any]) -> str:
    return f"{len(next(iter(layout['scores'].values())))} pages"


def _quantiles(pages: Sequence[Sequence[float]], index: int) -> dict[str, float]:
    values = [page[index] for page in pages]
    return _cells(_QUANTILES, np.quantile(values, np.linspace(0, 1, 5)).tolist())


def build_segmentation_graphs(outcomes: Outcomes) -> PaperItem:
    """Return the graphs of precision, recall and F: Figures 5 and 6 of the key-pattern paper."""
    part, layout = outcomes.get("segments"), outcomes.get("layout")
    count = len(part["pages"]) if part else "those"
    rows = []
    for index, measure in enumerate(_PRF):
        ours = _quantiles(part["scores"][_KEYPATTERN], index) if part else {}
        rows.append(PaperRow(measure, _quantiles(KEY_PATTERN_PAGES, index), ours))
        if layout:
            laid_out = _quantiles(layout["scores"][_KEYPATTERN], index)
            rows.append(PaperRow(f"{measure}, laid out", {}, laid_out))
    return PaperItem(
        "keypattern-figures-5-6",
        KEY_PATTERN,
        "Figures 5 and 6",
        "precision, recall and F of single pages",
        _QUANTILES,
        rows,
        f"the pages of Table 1: 19 of the paper, {count} of segments-dev, from the worst to the "
        "best.",
        "As for Table 1: experts who judge given blocks find most of them right.",
        lambda: [_quantile_chart(part, layout, index) for index in range(3)] if part else [],
    )


def _quantile_chart(part: Mapping[str, Any], layout: Mapping[str, Any] | None, index: int) -> Chart:
    """Return a measure of all pages in order, of the paper and of ours."""
    measure = ("Precision", "Recall", "F")[index]
    pages_by_name = {"the paper": KEY_PATTERN_PAGES, "ours": part["scores"][_KEYPATTERN]}
    if layout:
        pages_by_name["ours, laid out"] = layout["scores"][_KEYPATTERN]
    lines = {}
    for name, pages in pages_by_name.items():
        values = sorted(page[index] for page in pages)
        last = max(len(values) - 1, 1)
        lines[name] = [(100 * number / last, value) for number, value in enumerate(values)]
    figure = 6 if index == 2 else 5
    return line_chart(
        f"Figure {figure}: {measure} of single pages",
        "Pages from the worst to the best.",
        lines,
        ("share of pages, %", measure),
        (0.0, 1.0),
        is_log=(False, False),
        margin=1.2,
        unit="% of pages",
    )


def build_search(outcomes: Outcomes) -> PaperItem:
    """Return index size and search precision with and without noise."""
    part = outcomes.get("search")
    statement = {"paper": "noise affects the precision of search and the size of the index"}
    rows = [PaperRow("full text against informative blocks", statement)]
    measures = ["paper", "index, MB"]
    if part:
        rows = []
        for name, arm in part["arms"].items():
            ours: dict[str, Any] = {"index, MB": arm["index_bytes"] / 1e6}
            for kind, quality in arm["all_queries"].items():
                ranks = quality["ranks"]
                ours[f"MRR, {kind}"] = estimate([1 / rank if rank else 0.0 for rank in ranks])
                ours[f"P@1, {kind}"] = estimate([float(rank == 1) for rank in ranks])
            counts = ", ".join(f"{q['queries']} by {k}" for k, q in arm["all_queries"].items())
            paper = statement if name == "full text" else {}
            rows.append(PaperRow(name, paper, ours, f"{part['pages']} pages, queries: {counts}"))
        measures += [name for name in rows[0].ours if name != "index, MB"]
    return PaperItem(
        "keypattern-search",
        KEY_PATTERN,
        "§1",
        "index size and search precision",
        measures,
        rows,
        "wcxb-dev; pages are looked for by their title and by the first sentence of their content. "
        "Informative blocks by the default method, out of fold.",
        "The paper claims this and does not measure it. A search for words that stand in the "
        "content finds it in full text as well; what noise costs is mostly the size of the index.",
    )


def build_optimum(outcomes: Outcomes) -> PaperItem:
    """Return the optimum node with and without the adjustment of siblings."""
    part = outcomes.get("pages")
    rows = [PaperRow("optimum", {"paper": "no experiment"})]
    pages = f"{len(part['sites']):,} pages" if part else "pages"
    if part:
        rows = [_page_row(name, part) for name in _page_order(part["scores"])]
    return PaperItem(
        "optimum-node",
        OPTIMUM_NODE,
        "no experiment",
        "the optimum node, with and without siblings",
        ("paper", *_WORDS),
        rows,
        f"wcxb-dev, {pages} of all types; word P, R and F1 and b-F, means over pages with 95 % "
        "intervals. learned and svm are taken out of fold. The literal descent goes to content "
        "nodes alone, while ours passes through nodes with too many links on its way (step 4).",
        "The paper reports no experiment; our figures stand alone.",
        lambda: (
            [
                interval_bars(
                    "Word F1 on wcxb-dev",
                    "Ours with 95 % intervals; the paper has none.",
                    rows,
                    "F1",
                )
            ]
            if part
            else []
        ),
    )


def _page_order(scores: Mapping[str, Any]) -> list[str]:
    return sorted(scores, key=lambda name: (not name.startswith("optimum"), name))


def _page_row(name: str, part: Mapping[str, Any]) -> PaperRow:
    rows = part["scores"][name]
    columns = {"P": 3, "R": 4, "F1": 5, "b-F": 2}
    ours = {
        measure: estimate([row[index] for row in rows])
        for measure, index in columns.items()
        if all(row[index] is not None for row in rows)
    }
    paper = {"paper": "no experiment"} if name == "optimum" else {}
    return PaperRow(label(name), paper, ours, describe_pages(part["sites"]))


def build_phones(outcomes: Outcomes) -> PaperItem:
    """Return the phones of the tag-window paper's Table 1, found on a page written for it."""
    html = _phone_page()
    texts = {
        "tagwindow": extract(html, method="tagwindow").text,
        "as printed": extract(html, method=Method(Chunks(), TagWindow(as_printed=True))).text,
    }
    tables = {
        "records": record_cells(extract(html, method="tagwindow").records),
        "mdr": mdr_records(parse(html)),
    }
    rows = []
    for model, price in PHONES:
        ours: dict[str, Any] = {
            name: "found" if model in text and price in text else "not found"
            for name, text in texts.items()
        }
        for name, table in tables.items():
            hit = any(model in " ".join(row) and price in " ".join(row) for row in table)
            ours[name] = "a record" if hit else "not found"
        rows.append(PaperRow(model, {"price": price}, ours))
    return PaperItem(
        "tagwindow-table-1",
        TAG_WINDOW,
        "Table 1",
        "the phones",
        ("price", "tagwindow", "as printed", "records", "mdr"),
        rows,
        "a shop page written for this study with the paper's four phones, each with an image that "
        "is a link, a menu and a footer.",
        "The paper's page is not public.",
    )


def _phone_page() -> str:
    """Return a shop page with the phones."""
    menu = "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(6))
    items = "".join(
        f"<div class='phone'><a href='/phone/{n}'><img src='/{n}.jpg' alt=''></a>"
        f"<p>{escape(model)}</p><p>{escape(price)}</p></div>"
        for n, (model, price) in enumerate(PHONES)
    )
    return (
        f"<html><body><div><ul>{menu}</ul></div><div class='list'>{items}</div>"
        "<div><a href='/c'>Contact</a> <a href='/p'>Company profile</a> Copyright</div>"
        "</body></html>"
    )


def build_phone_shops(outcomes: Outcomes) -> PaperItem:
    """Return records by category: Table 2 of the tag-window paper."""
    part = outcomes.get("records")
    mean = _cells(("precision", "recall"), PHONE_SHOPS_MEAN)
    rows = [PaperRow("average", mean)]
    if part:
        rows = [_record_row(name, part, lambda _: True) for name in part["scores"]]
        first = rows[0]
        rows[0] = PaperRow(first.label, mean, first.ours, first.n)
        rows.append(_record_row("records", part, lambda i: part["priced"][i], "with prices: "))
        rows.append(_record_row("mdr", part, lambda i: part["priced"][i], "with prices: "))
        for category in sorted(set(part["categories"])):
            rows.append(_category_row(part, category))
    shown = list(rows)
    rows += [
        PaperRow(site, _cells(("precision", "recall"), values), is_detail=True)
        for site, values in PHONE_SHOPS.items()
    ]
    return PaperItem(
        "tagwindow-table-2",
        TAG_WINDOW,
        "Table 2",
        "records of shops",
        ("precision", "recall", "F1"),
        rows,
        "records-dev, result pages of 95 sites of 2017; a record is right if the F1 of its words "
        "with a true one is 0.5 or more, one to one. Means over sites with 95 % intervals.",
        "The paper checked pages of four phone shops by hand, whose lists are all alike; here are "
        "sites of many categories, and a page counts as wrong if another list on it was taken.",
        lambda: [
            interval_bars(
                "Precision of records",
                "Bars are ours with their 95 % intervals, the diamond is the paper's average of "
                "four phone shops.",
                shown,
                "precision",
            )
        ],
    )


def _record_row(
    name: str, part: Mapping[str, Any], is_chosen: Callable[[int], bool], prefix: str = ""
) -> PaperRow:
    """Return the scores of a system on some pages."""
    numbers = [i for i in range(len(part["sites"])) if is_chosen(i)]
    sites = [part["sites"][i] for i in numbers]
    rows = [part["scores"][name][i] for i in numbers]
    ours = {
        measure: estimate([row[index] for row in rows], sites)
        for index, measure in enumerate(("precision", "recall", "F1"))
    }
    return PaperRow(prefix + name, {}, ours, describe_pages(sites))


def _category_row(part: Mapping[str, Any], category: str) -> PaperRow:
    return _record_row(
        "records", part, lambda i: part["categories"][i] == category, f"{category}: "
    )


def build_eifce(outcomes: Outcomes) -> PaperItem:
    """Return the experiment that Win & Thwin planned: segmentation and informative content."""
    layout = outcomes.get("layout")
    plan = {"paper": "planned"}
    rows = [PaperRow("visual (EVBE)", plan), PaperRow("eifce (EIFCE)", plan)]
    if layout:
        rows = [
            PaperRow(
                f"blocks: {name}",
                plan if name == "visual" else {},
                _estimates(_PRF, scores),
                _count(layout),
            )
            for name, scores in layout["scores"].items()
        ]
        rows += [
            PaperRow(
                f"content: {name}",
                plan if name == "eifce" else {},
                _estimates(_PRF, scores),
                _count(layout),
            )
            for name, scores in layout["content"].items()
        ]
    return PaperItem(
        "eifce",
        WIN_THWIN,
        "planned experiment",
        "visual blocks and informative content",
        ("paper", *_PRF),
        rows,
        "segments-dev laid out by Chromium: blocks against those that people marked, content by "
        "letters of blocks marked Article or Content. The shipped settings of layout, visual, "
        "vips and eifce were chosen on these pages; rows “site left out” have those that are best "
        "on all other sites.",
        "The paper planned its experiment and did not run it; our figures stand alone.",
        lambda: (
            [interval_bars("F of blocks and of content", "Ours with 95 % intervals.", rows, "F")]
            if layout
            else []
        ),
    )
