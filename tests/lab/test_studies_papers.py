"""The papers, measured: on small sets that are written for the test, and without any."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tamis
from helpers.sites import article_page
from tamis.cli import tamis as command
from tamis.errors import InputError, UnknownName
from tamis.lab import Log, load
from tamis.lab.report import render_html, render_json, render_markdown, render_text
from tamis.lab.studies.papers import (
    ITEMS,
    KEY_PATTERN_MEANS,
    KEY_PATTERN_PAGES,
    PARTS,
    PHONES,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_6,
    Estimate,
    PaperItem,
    PaperRow,
    PapersStudy,
    build_claims,
    build_report,
    choose_items,
    estimate,
    make_copies,
    mean_by_system,
    measure_part,
    user_part_cache,
)
from tamis.lab.systems import BASELINES

pytest.importorskip("rapidfuzz")
pytest.importorskip("sklearn")

PAGES = 6
PAPERS = "tamis.lab.studies.papers"


def content(html: str) -> str:
    page = tamis.parse(html)
    blocks = [b.text for b in tamis.segment(page) if b.xpath.startswith("/html/body/main")]
    return "\n".join(blocks)


def write_set(folder: Path, rows: list[dict[str, Any]], pages: dict[str, str]) -> None:
    (folder / "html").mkdir(parents=True)
    for name, html in pages.items():
        (folder / "html" / f"{name}.html").write_text(html, encoding="utf-8")
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def write_text_set(folder: Path, sites: int, kinds: tuple[str, ...] = ("article",)) -> None:
    """Sites of several articles; a page is one of some types."""
    rows, pages = [], {}
    for number in range(sites * PAGES):
        html = article_page(number)
        if number % 2:
            html = html.replace("<article>", "<div class=text>").replace("</article>", "</div>")
        pages[f"p{number}"] = html
        rows.append(
            {
                "id": f"p{number}",
                "domain": f"site{number // PAGES}.example",
                "page_type": kinds[number % len(kinds)],
                "title": f"Story {number}",
                "main_content": content(html),
            }
        )
    write_set(folder, rows, pages)


def write_record_set(folder: Path) -> None:
    """Two shops with three result pages each."""
    rows, pages = [], {}
    for number in range(6):
        records = [[f"Lamp {number}{n} of brass", f"${n + 3}.50"] for n in range(6)]
        items = "".join(f"<li><h3>{a}</h3><p>{b}</p></li>" for a, b in records)
        menu = "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(5))
        pages[f"r{number}"] = f"<body><ul class=m>{menu}</ul><ul class=list>{items}</ul>"
        about = {"id": f"r{number}", "site": f"shop{number // 3}.example", "category": "lamps"}
        rows.append({**about, "has_price": number < 3, "records": records})
    write_set(folder, rows, pages)


def write_labelled_set(folder: Path) -> None:
    """Pages of many hosts, each text with a label."""
    rows, pages = [], {}
    for number in range(30):
        texts = [f"menu {number}", f"The river rose on day {number} and nobody slept.", "imprint"]
        pages[f"l{number}"] = (
            f"<body><table><tr><td><a href=/>{texts[0]}</a></td></tr></table>"
            f"<p>{texts[1]}</p><div><a href=/i>{texts[2]}</a></div>"
        )
        segments = [{"text": text, "label": 2 * (n == 1)} for n, text in enumerate(texts)]
        rows.append({"id": f"l{number}", "host": f"h{number}.example", "segments": segments})
    write_set(folder, rows, pages)


def write_segment_set(folder: Path) -> None:
    """Pages whose blocks are marked."""
    rows, pages = [], {}
    for number in range(3):
        pages[f"s{number}"] = f"<body><h1>Head {number}</h1><p>alpha beta</p><p>gamma {number}</p>"
        blocks = [
            {"xpath": "/html/body/h1", "type": "Header", "level": 1, "text": f"Head {number}"},
            {"xpath": "/html/body/p[1]", "type": "Article", "level": 1, "text": "alpha beta"},
        ]
        rows.append({"id": f"s{number}", "url": None, "blocks": blocks})
    write_set(folder, rows, pages)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All sets, small; few tools, few sizes and few made-up pages."""
    folder = tmp_path / "bench"
    write_text_set(folder / "sites-dev", 3)
    write_text_set(folder / "wcxb-dev", 2, ("product", "collection", "forum"))
    write_text_set(folder / "posts-dev", 1, ("forum",))
    write_record_set(folder / "records-dev")
    write_labelled_set(folder / "blocks-dev")
    write_segment_set(folder / "segments-dev")
    monkeypatch.setenv("TAMIS_BENCH", str(folder))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(f"{PAPERS}.site_blocks.TOOLS", ())
    monkeypatch.setattr(f"{PAPERS}.site_blocks.CURVE_SIZES", (1, 2, 5))
    monkeypatch.setattr(f"{PAPERS}.site_blocks.THRESHOLDS", (0.5, 0.9))
    monkeypatch.setattr(f"{PAPERS}.times._MADE_UP_COUNTS", (4, 8))
    monkeypatch.setattr(f"{PAPERS}.times._REAL_COUNTS", (4,))
    return folder


def run(only: str) -> dict[str, dict[str, Any]]:
    report = PapersStudy(only=only).run(Log())
    items = json.loads(render_json(report))["items"]
    return {item["key"]: item for item in items}


def labelled(item: dict[str, Any], label: str) -> dict[str, Any]:
    return next(row for row in item["rows"] if row["label"] == label)


def test_the_papers_numbers_stand_beside_ours(bench: Path) -> None:
    item = run("debnath-table-2")["debnath-table-2"]
    row = labelled(item, "ContentExtractor (ibdf)")
    assert row["paper"]["b-P"] == pytest.approx(0.9602727, abs=1e-6)
    assert row["n"] == "18 pages of 3 sites"
    ours = row["ours"]["b-F"]
    assert 0 <= ours["low"] <= ours["value"] <= ours["high"] <= 1
    assert labelled(item, "YAHOO: LH (entropy)")["paper"] == {"b-P": 0.73, "b-R": 1.0, "b-F": 0.84}
    assert labelled(item, "YAHOO: LH (entropy)")["ours"] is None
    labels = {row["label"] for row in item["rows"]}
    assert {"sitestyle", "coreex", "all text", "largest", "learned", "site"} <= labels
    assert {"FeatureExtractor (feature)", "site0.example: learned"} <= labels
    assert item["why_not"]
    assert item["command"].startswith("tamis evaluate papers --only debnath-table-2")
    assert set(item) >= {"paper", "item", "data", "rows", "why_not"}


def test_everything_on_a_page_counts_for_all_text_and_the_article_for_learned(bench: Path) -> None:
    item = run("debnath-table-2")["debnath-table-2"]
    everything = labelled(item, "all text")["ours"]
    assert everything["b-R"]["value"] == pytest.approx(1.0)
    assert everything["b-P"]["value"] < 0.8
    assert labelled(item, "learned")["ours"]["F1"]["value"] > everything["F1"]["value"]


def test_table_1_counts_the_sets_that_are_there(bench: Path) -> None:
    (bench / "posts-dev" / "gold.jsonl").write_text("{broken", encoding="utf-8")
    item = run("debnath-table-1")["debnath-table-1"]
    assert labelled(item, "15 sites of the paper")["paper"] == {"pages": "6311"}
    sites = labelled(item, "sites-dev: news sites, several pages each")
    assert sites["ours"] == {"pages": "18", "sites": "3"}
    assert "Left out: posts-dev" in item["data"]


def test_copies_have_the_article_of_one_site_in_the_frame_of_another(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{PAPERS}.copies._MIN_WORDS", 10)
    copies = make_copies(load("sites-dev"))
    assert copies
    for copy in copies:
        assert copy.article.group != copy.frame.group
        article, frame = (item.gold["main_content"] or "" for item in (copy.article, copy.frame))
        text = tamis.extract(copy.html, method=BASELINES["all text"]).text
        assert all(line in text for line in article.splitlines())
        assert not any(line in text for line in frame.splitlines() if line not in article)
        assert "<nav" in copy.html
    item = run("debnath-copies")["debnath-copies"]
    by_content = labelled(item, "informative blocks")
    assert by_content["n"] == f"{len(copies)} made-up copies"
    hits, mistakes = (
        by_content["ours"][name]["value"] for name in ("copies found", "frames taken for copies")
    )
    assert hits > mistakes


def test_shops_are_learned_where_there_are_pages_enough(bench: Path) -> None:
    item = run("debnath-table-3")["debnath-table-3"]
    assert labelled(item, "Epinion: K-FeatureExtractor (kfeature)")["paper"]["b-F"] == 0.977
    learned = labelled(item, "result pages with prices of records-dev: ContentExtractor (ibdf)")
    assert learned["n"] == "3 pages of 1 sites"
    assert learned["ours"]["b-F"]["value"] > 0
    threads = labelled(item, "threads of posts-dev: learned")
    assert threads["n"] == "6 pages of 1 sites"


def test_times_are_of_real_pages_and_made_up_ones_are_marked(bench: Path) -> None:
    items = run("debnath-figure-7,debnath-figure-9")
    figure = items["debnath-figure-7"]
    ours = labelled(figure, "ContentExtractor (ibdf)")["ours"]
    assert set(ours) == {"4 pages, s", "48 pages, s", "exponent"}
    made_up = labelled(figure, "ContentExtractor (ibdf), made-up pages")["ours"]
    assert set(made_up) == {"4 pages, s", "8 pages, s", "exponent"}
    assert all(seconds > 0 for name, seconds in ours.items() if name != "exponent")
    whole = labelled(figure, "learned, from HTML to text")["ours"]
    assert whole["48 pages, s"] > whole["4 pages, s"] > 0
    assert "18 of sites-dev, 30 of blocks-dev" in figure["data"]
    assert len(items["debnath-figure-9"]["rows"]) == 4


def test_figure_10_has_a_majority_baseline(bench: Path) -> None:
    item = run("debnath-figure-10")["debnath-figure-10"]
    assert labelled(item, "majority: every block is noise")["ours"]["accuracy"][
        "value"
    ] == pytest.approx(2 / 3)
    assert labelled(item, "svm, 20 pages")["ours"]["accuracy"]["value"] > 0.9
    everything = labelled(item, "all text, blocks of tagset")["ours"]["accuracy"]["value"]
    assert everything == pytest.approx(1 / 3)
    labels = {row["label"] for row in item["rows"]}
    assert {f"{name}, blocks of tagset" for name in ("learned", "coreex", "largest")} <= labels


def test_records_and_phones(bench: Path) -> None:
    items = run("tagwindow")
    phones = items["tagwindow-table-1"]["rows"]
    assert [row["paper"]["price"] for row in phones] == [price for _, price in PHONES]
    assert all(row["ours"]["tagwindow"] == row["ours"]["as printed"] == "found" for row in phones)
    assert all(row["ours"]["records"] == row["ours"]["mdr"] == "a record" for row in phones)
    shops = items["tagwindow-table-2"]
    assert labelled(shops, "records")["paper"] == {"precision": 0.971, "recall": 0.931}
    assert labelled(shops, "lamps: records")["n"] == "6 pages of 2 sites"
    assert {"mdr", "siblings"} <= {row["label"] for row in shops["rows"]}


def test_segmentation_is_shown_before_and_after_elimination(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_browser(monkeypatch)
    items = run("keypattern-table-1,keypattern-figures-5-6")
    table = items["keypattern-table-1"]
    before = labelled(table, "keypattern, before elimination")
    assert before["paper"]["F"] == pytest.approx(0.738, abs=1e-3)
    after = labelled(table, "keypattern, after elimination")
    blocks = [row["ours"]["blocks per page"] for row in (before, after)]
    assert blocks[1] <= blocks[0]
    assert labelled(table, "tagset")["ours"]["R"]["value"] == pytest.approx(1.0)
    assert "Chromium" in table["needs"][0]
    assert len([row for row in table["rows"] if "of the paper" in row["label"]]) == 19
    assert labelled(items["keypattern-figures-5-6"], "F")["paper"]["best page"] == 1.0


def without_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Log) -> dict[str, Any]:
        raise InputError("no Chromium here")

    monkeypatch.setitem(PARTS, "layout", replace(PARTS["layout"], measure=fail))


def test_the_optimum_node_is_measured_with_and_without_siblings(bench: Path) -> None:
    rows = {row["label"]: row for row in run("optimum-node")["optimum-node"]["rows"]}
    assert rows["optimum"]["paper"] == {"paper": "no experiment"}
    for name in ("optimum, without siblings", "optimum, literal descent"):
        assert rows[name]["ours"]["F1"]["value"] > 0
    assert "all text" in rows


def test_sitestyle_is_measured_with_thresholds_of_other_sites(bench: Path) -> None:
    rows = run("sitestyle")["sitestyle"]["rows"]
    assert [row["label"] for row in rows] == ["t = 0.5", "t = 0.9"]
    chosen = [int(row["ours"]["chosen for"].split()[0]) for row in rows]
    assert sum(chosen) == 3


def test_a_second_run_takes_what_the_first_measured(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run("debnath-figure-10")

    def fail(_: Log) -> dict[str, Any]:
        raise AssertionError("measured again")

    monkeypatch.setitem(PARTS, "svm", replace(PARTS["svm"], measure=fail))
    assert run("debnath-figure-10") == first
    with pytest.raises(AssertionError, match="measured again"):
        measure_part("svm", user_part_cache(), Log(), fresh=True)


def test_without_data_sets_each_item_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAMIS_BENCH", raising=False)
    monkeypatch.chdir(tmp_path)
    report = PapersStudy().run(Log())
    for item in json.loads(render_json(report))["items"]:
        if item["key"] == "tagwindow-table-1":
            assert not item["needs"]
            continue
        assert item["needs"], item["key"]
        assert all("$TAMIS_BENCH" in reason for reason in item["needs"])
        assert any(row["paper"] for row in item["rows"]) or item["key"] == "sitestyle"
    assert "Not measured: " in render_html(report)
    assert "cannot be told" in render_text(report)


def test_a_set_that_fails_does_not_stop_the_others(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench / "blocks-dev" / "gold.jsonl").write_text("{broken", encoding="utf-8")
    items = run("debnath-figure-10,optimum-node")
    assert "is not JSON" in items["debnath-figure-10"]["needs"][0]
    assert not items["optimum-node"]["needs"]
    (bench / "posts-dev" / "gold.jsonl").write_text("{broken", encoding="utf-8")
    shops = run("debnath-table-3")["debnath-table-3"]
    assert "posts-dev" in shops["data"]
    assert labelled(shops, "product pages of wcxb-dev: learned")["ours"]


def test_items_are_named_by_their_key_or_its_beginning() -> None:
    assert list(choose_items("debnath-table-2, optimum-node")) == [
        "debnath-table-2",
        "optimum-node",
    ]
    assert list(choose_items("tagwindow")) == ["tagwindow-table-1", "tagwindow-table-2"]
    assert list(choose_items(None)) == list(ITEMS)
    with pytest.raises(
        UnknownName, match="no item 'table-9': take some of claims, debnath-table-1"
    ):
        choose_items("table-9")
    with pytest.raises(InputError, match="names no item"):
        choose_items(" , ")


def test_every_table_and_figure_of_the_papers_is_an_item() -> None:
    for item in ("table-1", "table-2", "table-3", "table-4", "table-5", "table-6"):
        assert f"debnath-{item}" in ITEMS
    for number in (7, 8, 9, 10):
        assert f"debnath-figure-{number}" in ITEMS
    assert {
        "keypattern-table-1",
        "keypattern-figures-5-6",
        "keypattern-search",
        "optimum-node",
        "tagwindow-table-1",
    } <= set(ITEMS)
    assert {"tagwindow-table-2", "eifce", "claims"} <= set(ITEMS)
    for spec in ITEMS.values():
        assert set(spec.parts + spec.optional) <= set(PARTS)


def test_the_published_numbers_agree_with_each_other() -> None:
    for table in (TABLE_2, TABLE_3, TABLE_6):
        for site, systems in table.items():
            for name, (precision, recall, f1) in systems.items():
                harmonic = 2 * precision * recall / (precision + recall)
                assert f1 == pytest.approx(harmonic, abs=0.012), (site, name)
    assert mean_by_system(TABLE_6)["ibdf"][0] == pytest.approx(0.9658)
    pages = KEY_PATTERN_PAGES
    for index, value in enumerate(KEY_PATTERN_MEANS):
        assert sum(page[index] for page in pages) / len(pages) == pytest.approx(value, abs=1e-5)
    assert sum(number for _, _, number in TABLE_1) == 6311


def test_an_estimate_counts_sites_the_same() -> None:
    values = [0.0, 1.0, 1.0, 1.0]
    assert estimate(values).value == 0.75
    by_site = estimate(values, ["a", "b", "b", "b"])
    assert by_site.value == pytest.approx(0.5)
    assert by_site.low is not None
    assert by_site.low < 0.5
    assert estimate([0.4]) == Estimate(0.4)
    assert math.isnan(estimate([]).value)


def test_claims_are_judged_by_their_figures() -> None:
    def verdicts(first: float, second: float) -> dict[str, Any]:
        rows = {"ibdf": first, "entropy": second, "shingle": second, "kfeature": 0.5}
        scores = {name: [[value + n / 100] * 6 for n in range(9)] for name, value in rows.items()}
        scores["feature"] = scores["kfeature"]
        outcomes = {"sites": {"sites": ["a", "b", "c"] * 3, "scores": scores}}
        return {row.label: row.ours for row in build_claims(outcomes).rows}

    claim = "Debnath et al. 2005: ContentExtractor has a better b-F than LH (§6.4)"
    assert verdicts(0.8, 0.6)[claim]["verdict"] == "holds"
    assert verdicts(0.6, 0.8)[claim]["verdict"] == "does not hold here"
    assert verdicts(0.7, 0.7)[claim]["verdict"] == "cannot be told"
    storage = "Debnath et al. 2005: Removing noise saves much storage (§1)"
    assert verdicts(0.8, 0.6)[storage] == {"verdict": "cannot be told", "figure": None}
    for property_of_feature in (
        "Debnath et al. 2005: (K-)FeatureExtractor is more precise than ContentExtractor (Table 4)",
        "Debnath et al. 2005: A single page is enough for (K-)FeatureExtractor (Table 4)",
    ):
        assert verdicts(0.4, 0.3)[property_of_feature]["verdict"] == "holds"
        assert verdicts(0.6, 0.3)[property_of_feature]["verdict"] == "does not hold here"


def test_tables_of_properties_have_the_rows_of_the_paper() -> None:
    def words(item: str) -> str:
        return " ".join(row.label for row in ITEMS[item].build({}).rows)

    for text in ("precise than LH", "recall", "5 to 10 pages", "single page", "faster than LH"):
        assert text in words("debnath-table-4")
    for text in ("as good as shingling", "faster than shingling", "same storage"):
        assert text in words("debnath-table-5")


def test_segmentation_of_pages_with_layout_stands_beside_that_without() -> None:
    names = ("tagset", "layout", "vips", "keypattern", "layout, site left out")
    layout = {"scores": {name: [[0.5, 0.5, 0.5]] * 3 for name in names}}
    segments = {"pages": ["a"] * 3, "scores": {"keypattern": [[0.2, 0.2, 0.2, 9]] * 3}}
    rows = ITEMS["keypattern-table-1"].build({"segments": segments, "layout": layout}).rows
    rows = [row for row in rows if not row.is_detail]
    assert [row.label for row in rows] == [
        "keypattern, before elimination",
        "keypattern (laid out)",
        "layout (laid out)",
        "vips (laid out)",
        "layout, site left out (laid out)",
    ]
    assert [bool(row.paper) for row in rows] == [True, True, False, False, False]
    graphs = ITEMS["keypattern-figures-5-6"].build({"segments": segments, "layout": layout})
    assert [row.label for row in graphs.rows] == [
        *("P", "P, laid out", "R", "R, laid out", "F", "F, laid out")
    ]
    assert all("ours, laid out" in chart.svg for chart in graphs.charts())
    alone = ITEMS["keypattern-figures-5-6"].build({"segments": segments})
    assert [row.label for row in alone.rows] == ["P", "R", "F"]


def test_columns_of_words_are_told_from_columns_of_numbers() -> None:
    rows = [
        PaperRow("a", {}, {"verdict": "found", "price": "Rs 3,942", "size": "9 MB", "F": 0.5}),
        PaperRow("b", {}, {"verdict": "a record"}),
    ]
    item = small_item(rows=rows, measures=("verdict", "price", "size", "F"))
    assert item.table.text_heads == ["verdict"]


def test_the_paper_has_one_row_for_both_feature_extractors() -> None:
    assert mean_by_system(TABLE_2)["feature"] == mean_by_system(TABLE_2)["kfeature"]
    assert "feature" not in mean_by_system(TABLE_3)  # "poor performance"


def small_item(**changes: Any) -> PaperItem:
    rows = [
        PaperRow("<b>one</b>", {"b-F": 0.9}, {"b-F": Estimate(0.5, 0.4, 0.6)}, "3 pages"),
        PaperRow("two", {}, {"b-F": 0.25}, is_detail=True),
    ]
    item = PaperItem("key", "A paper", "Table 1", "a title", ("b-F",), rows, "a set.", "Because.")
    return replace(item, **changes)


def test_a_report_has_contents_tables_and_commands() -> None:
    report = build_report([small_item(), small_item(key="other", needs=["other needs x-dev"])])
    html = render_html(report)
    assert '<a href="#key">' in html
    assert '<section id="other">' in html
    assert "&lt;b&gt;one&lt;/b&gt;" in html
    assert "<b>one" not in html
    assert "<details><summary>Rows of single sites and pages (1)</summary>" in html
    assert "tamis evaluate papers --only key --report key.html" in html
    assert "Not measured: other needs x-dev" in html
    markdown = render_markdown(report)
    assert "| 0.900 | 0.500 (0.400–0.600) |" in markdown
    assert "All rows: 3 pages." in markdown
    assert "two" not in markdown


def test_the_command_writes_what_it_is_asked_for(bench: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("r.html", "r.json", "r.md")]
    arguments = ["evaluate", "papers", "--only", "tagwindow-table-1", "--report", str(files[0])]
    arguments += ["--json", str(files[1]), "--markdown", str(files[2])]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(files[1].read_text(encoding="utf-8"))["items"][0]["item"] == "Table 1"
    assert "src=" not in files[0].read_text(encoding="utf-8")
    wrong = CliRunner().invoke(command, ["evaluate", "papers", "--only", "nothing"])
    assert wrong.exit_code == 2
    assert "no item 'nothing'" in wrong.output
    wrong = CliRunner().invoke(
        command, ["evaluate", str(bench / "wcxb-dev"), "--only", "optimum-node"]
    )
    assert wrong.exit_code == 2
