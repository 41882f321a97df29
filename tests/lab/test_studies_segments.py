"""The lab on segmentations: measures by hand, settings chosen elsewhere, and the tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.chromium import needs_chromium
from helpers.layouts import laid_out, made_layout
from tamis.blocks import Visual
from tamis.lab import Dataset, Layouts, lay_out_pages, load, page_files
from tamis.lab.metrics import best_pairs, build_judge
from tamis.lab.report import (
    Report,
    ReportTable,
    render_html,
    render_json,
    render_markdown,
    render_text,
)
from tamis.lab.studies import (
    choose_elsewhere,
    measure_segments,
    segmentation_tables,
    visual_grid,
)
from tamis.page import Bools

rapidfuzz = pytest.importorskip("rapidfuzz")

HTML = "<body><div><h1>Head</h1></div><div><p>alpha beta</p><p>gamma delta</p></div><p>foot</p>"


def block(xpath: str, kind: str, level: int, text: str) -> dict[str, Any]:
    return {"xpath": xpath, "type": kind, "level": level, "text": text}


MARKED = [
    block("/html/body/div[1]", "Header", 1, "Head"),
    block("/html/body/div[2]", "Content", 1, "alpha beta gamma delta"),
    block("/html/body/div[2]/p[1]", "Article", 2, "alpha beta"),
    block("/html/body/div[2]/p[2]", "Menu", 2, "gamma delta"),
    block("/html/body/p", "Image", 1, ""),
]


def test_blocks_are_matched_by_their_text() -> None:
    page = tamis.parse(HTML)
    score = build_judge(page, MARKED).score(tamis.segment(page, "chunks"))
    # body, div, div, p, p, p, of which body and the last p match nothing
    assert (score.fuzzy.common, score.fuzzy.predicted, score.fuzzy.wanted) == (4, 6, 4)
    assert score.exact == score.fuzzy
    assert (score.fuzzy_top.common, score.fuzzy_top.predicted, score.fuzzy_top.wanted) == (2, 3, 2)
    assert score.hits == {0, 1, 2, 3}
    flat = build_judge(page, MARKED).score(tamis.segment(page, "tagset"))
    assert (flat.fuzzy.common, flat.fuzzy.predicted) == (3, 4)
    assert (flat.fuzzy_top.common, flat.fuzzy_top.predicted) == (1, 4)


def test_blocks_that_are_not_seen_do_not_count() -> None:
    page = laid_out(tamis.parse(HTML))
    assert page.layout is not None
    blind = replace(page, layout=replace(page.layout, shown=np.zeros(len(page), dtype=np.bool_)))
    score = build_judge(blind, MARKED).score(tamis.segment(blind, "chunks"))
    assert score.fuzzy.predicted == 0


def test_extended_bcubed_is_one_for_the_marked_blocks_and_falls_with_others() -> None:
    page = tamis.parse(HTML)
    made = build_judge(page, MARKED)
    assert made.cubed(tamis.segment(page, "tagset")) == pytest.approx((1, 1, 1))
    coarse = tamis.segment(page, tamis.SEGMENTERS["chunks"](tags=("hr",)))  # type: ignore[call-arg]
    precision, recall, _ = made.cubed(coarse)
    assert recall == 1
    # in letters: Head 4, alpha beta 9, gamma delta 10, foot 4, all in one block, of 27
    assert precision == pytest.approx((4 * 4 + 9 * 9 + 10 * 10 + 4 * 4) / 27 / 27)


def test_a_node_in_two_marked_blocks_counts_for_both() -> None:
    page = tamis.parse("<body><div><p>abcd</p></div><p>efgh</p>")
    marked = [
        block("/html/body/div", "Menu", 2, "abcd"),
        block("/html/body/div/p", "Menu", 2, "abcd"),
        block("/html/body/p", "Menu", 2, "efgh"),
    ]
    precision, recall, _ = build_judge(page, marked).cubed(tamis.segment(page, "tagset"))
    assert precision == 1
    assert recall == pytest.approx((0.5 + 1) / 2)  # one of two blocks that they share


def test_content_is_what_lies_in_articles_and_content() -> None:
    page = tamis.parse(HTML)
    everything: Bools = np.ones(len(page), dtype=np.bool_)
    counts = build_judge(page, MARKED).content(everything)
    assert (counts.common, counts.predicted, counts.wanted) == (9, 27, 9)


@given(st.lists(st.tuples(st.floats(0.8, 1), st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_nobody_is_in_two_pairs(pairs: list[tuple[float, int, int]]) -> None:
    found = best_pairs(pairs)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)
    left = [(i, j) for _, i, j in pairs if (i, j) not in found]
    taken_i, taken_j = {i for i, _ in found}, {j for _, j in found}
    assert all(i in taken_i or j in taken_j for i, j in left)


def test_settings_are_chosen_without_the_site_of_the_page() -> None:
    values = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.4, 0.4, 0.4]])
    assert choose_elsewhere(values, ["a", "b", "c"]) == [1, 0, 0]
    assert choose_elsewhere(values, ["a", "b", "b"]) == [1, 0, 0]
    assert choose_elsewhere(values[:, :1], ["a"]) == [0]


def test_what_ships_is_among_what_is_chosen_from() -> None:
    assert Visual() in visual_grid().values()


@pytest.fixture
def marked_set(tmp_path: Path) -> Dataset:
    folder = tmp_path / "marked"
    rows = []
    for site in ("one", "two"):
        place = f"pages/{site}/{site}.example/page.html"
        path = folder / place
        path.parent.mkdir(parents=True)
        path.write_text(f"<link rel=stylesheet href=../s.css>{HTML}", encoding="utf-8")
        (path.parent.parent / "s.css").write_text("p { height: 123px }")
        rows.append({"id": site, "page": place, "site": site, "blocks": MARKED})
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load(str(folder))


def test_a_layout_is_kept_and_read_again(marked_set: Dataset, tmp_path: Path) -> None:
    kept, item = Layouts(tmp_path / "kept"), marked_set.items[0]
    page = tamis.parse(item.html)
    layout = made_layout(page)
    assert kept.read(item, page) is None
    kept.write(item, layout)
    again = kept.read(item, page)
    assert again is not None
    assert again.size == layout.size
    np.testing.assert_array_equal(again.x, layout.x)
    assert not again.x.flags.writeable
    assert kept.read(item, tamis.parse("<p>another page")) is None
    kept.path(item).write_bytes(b"damaged")
    assert kept.read(item, page) is None


def test_the_files_of_a_page_are_those_of_its_site(marked_set: Dataset) -> None:
    found = page_files(marked_set.items[0])
    assert found is not None
    assert found.page == "one.example/page.html"
    assert found.root.name == "one"


@needs_chromium
def test_a_set_of_marked_pages_is_measured(marked_set: Dataset, tmp_path: Path) -> None:
    kept = Layouts(tmp_path / "kept")
    laid = [page for _, page in lay_out_pages(marked_set.items, kept)]
    assert all(123 in page.layout.height for page in laid)  # type: ignore[union-attr]
    told = []
    measured = measure_segments(marked_set, kept, lambda: told.append(1))
    assert len(told) == 2
    assert all(len(scores) == 2 for scores in measured.scores.values())
    tables = segmentation_tables(measured)
    names = {row[0] for row in tables[0].rows}
    assert {"visual", "vips", "tagset", "keypattern", "chunks"} <= names
    assert "visual (site left out)" in names
    ablated = {row[0] for row in tables[3].rows}
    rules = {name.split()[-1] for name in ablated if name.startswith(("with rule", "without rule"))}
    assert rules == set(map(str, range(1, 11)))
    assert "eifce" in {row[0] for row in tables[4].rows}


def test_a_page_that_is_not_laid_out_counts_as_zero(
    marked_set: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tamis.errors import RenderError

    class Broken:
        def __init__(self, **_: object) -> None: ...

        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None: ...

        def render(self, *_: object, **__: object) -> None:
            raise RenderError("it crashed")

    monkeypatch.setattr("tamis.lab.layouts.Browser", Broken)
    measured = measure_segments(marked_set, Layouts(tmp_path / "kept"))
    assert measured.failures == {"one": "it crashed", "two": "it crashed"}
    assert {s.fuzzy.f1 for scores in measured.scores.values() for s in scores} == {0.0}
    assert "one, two" in segmentation_tables(measured)[0].caption


def test_tables_are_rendered_in_four_ways() -> None:
    table = ReportTable("A <title>", ("name", "F"), [("a", "0.5"), ("b", "0.4")], "how to read it")
    report = Report("all", [table])
    assert "A <title>" in render_text(report)
    assert "| a | 0.5 |\n| b | 0.4 |\n" in render_markdown(report)
    page = render_html(report)
    assert "A &lt;title&gt;" in page
    assert "<td>0.5</td>" in page
    assert json.loads(render_json(report))[0]["rows"] == [["a", "0.5"], ["b", "0.4"]]
