"""The study of sites: every page is scored by what was learned from others."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import patient
from helpers.sites import article_page
from tamis.cli import tamis as command
from tamis.errors import InputError
from tamis.lab import Log, load
from tamis.lab.studies.sites import (
    GRID,
    MEASURES,
    RECALLS,
    SHAPES,
    SYSTEM_NAMES,
    GrowthStudy,
    SiteDomainsStudy,
    group_by_domain,
    measure_sites,
    measure_times,
    pages_by_site,
    precisions_at_recalls,
    site_pages,
    split_site,
    word,
)

PAGES = 6


def content(html: str) -> str:
    page = tamis.parse(html)
    kept = [
        block.text for block in tamis.segment(page) if block.xpath.startswith("/html/body/main")
    ]
    return "\n".join(kept)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set of two sites that differ in their markup, instead of sites-dev."""
    folder = tmp_path / "sites-dev"
    (folder / "html").mkdir(parents=True)
    rows = []
    for site, tag in (("a.example", "main"), ("b.example", "main")):
        for number in range(PAGES):
            name = f"{site[0]}{number}"
            html = article_page(number + 50 * (site[0] == "b"))
            if site[0] == "b":
                html = html.replace("<article>", "<div class=text>").replace("</article>", "</div>")
            (folder / "html" / f"{name}.html").write_text(html, encoding="utf-8")
            rows.append({"id": name, "site": site, "lang": "en", "main_content": content(html)})
            assert tag in html
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    monkeypatch.setattr("tamis.lab.studies.sites.measuring.COUNTS", (3, 6))
    some = {name: SHAPES[name] for name in ("slogan", "one cell")}
    monkeypatch.setattr("tamis.lab.studies.sites.effect.SHAPES", some)
    return folder


def test_all_is_measured_and_told(bench: Path, tmp_path: Path) -> None:
    report, data = tmp_path / "r.html", tmp_path / "d.json"
    result = CliRunner().invoke(
        command, ["evaluate", "sites", "--report", str(report), "--json", str(data)]
    )
    assert result.exit_code == 0, result.output
    outcome = json.loads(data.read_text(encoding="utf-8"))
    assert outcome["sites"] == {"a.example": PAGES, "b.example": PAGES}
    assert list(outcome["scores"]) == list(SYSTEM_NAMES)
    for scores in outcome["scores"].values():
        for site in scores.values():
            assert list(site) == list(MEASURES)
            assert all(0 <= value <= 1 for value in site.values())
    assert outcome["scores"]["site"]["a.example"]["f1"] > 0.8
    assert set(outcome["curve"]["site"]) == {"1", "2", "5"}
    assert set(outcome["curve"]["entropy"]) == {"2", "5"}
    assert {(timing["name"], timing["pages"]) for timing in outcome["times"]} >= {("ibdf", 6)}
    equal = {(row["name"], row["pages"]): row for row in outcome["at_recalls"]}
    assert list(equal) == [("ibdf", 5), ("entropy", 5), ("entropy/tagset", 5)]
    assert all(row["sites"] == 2 and len(row["blocks"]) == 4 for row in equal.values())
    for row in equal.values():
        assert all(0 < value <= 1 for value in row["blocks"] + row["words"])
        assert row["blocks"] == sorted(row["blocks"], reverse=True)
    assert [(row["site"], row["learned"]) for row in outcome["effects"]] == [
        ("a.example", 5),
        ("b.example", 5),
    ]
    assert [(row["site"], row["learned"]) for row in outcome["shaped"]] == [
        (name, learned) for name in ("slogan", "one cell") for learned in (5, 10)
    ]
    assert outcome["shaped"][0]["gain"] > 0.05
    assert set(map(tuple, (chosen.items() for chosen in outcome["chosen"].values()))) <= {
        tuple(asdict(weights).items()) for weights in GRID
    }
    page = report.read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "Blocks by site (Debnath et al. 2005, Tables 2 and 3)" in page
    for word_of_it in (
        "b-F ibdf",
        "F1 on the other pages",
        "Precision at equal recall",
        "Time, ibdf = 1",
        "Templates on made-up sites",
        "lose over 0.02",
        "a.example (6)",
    ):
        assert word_of_it in page
        assert word_of_it.split()[0] in result.stdout


@patient
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(1, 5), st.integers(0, 5)).map(
            lambda item: (item[0], item[1], min(item[1:]))
        ),
        max_size=12,
    )
)
def test_precision_at_a_recall_is_the_best_of_all_thresholds(
    items: list[tuple[int, int, int]],
) -> None:
    total = sum(wanted for _, _, wanted in items)
    expected = []
    for recall in RECALLS:
        best = 0.0
        for bound in range(5):
            kept = [item for item in items if item[0] >= bound]
            right = sum(wanted for _, _, wanted in kept)
            if total and right / total >= recall:
                best = max(best, right / sum(weight for _, weight, _ in kept))
        expected.append(best)
    scores, weights, rights = np.array(items, dtype=np.float64).reshape(-1, 3).T
    assert precisions_at_recalls(scores, weights, rights) == pytest.approx(expected)


def test_options_of_data_sets_are_not_those_of_studies(bench: Path) -> None:
    result = CliRunner().invoke(command, ["evaluate", "sites", "--limit", "3"])
    assert result.exit_code == 2
    assert "the study sites takes no --limit" in result.stderr


def test_no_page_is_learned_from_and_scored(bench: Path) -> None:
    for pages in pages_by_site(load("sites-dev")).values():
        scored_once = []
        for scored, others in split_site(pages):
            assert not set(scored) & set(others)
            assert len(scored) + len(others) == len(pages)
            scored_once += scored
        assert sorted(map(id, scored_once)) == sorted(map(id, pages))


def test_a_set_without_sites_is_a_mistake(bench: Path, tmp_path: Path) -> None:
    rows = (bench / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    (bench / "gold.jsonl").write_text("\n".join(rows[:PAGES]), encoding="utf-8")
    with pytest.raises(InputError, match="has 1 sites with 5 pages or more: two are needed"):
        measure_sites(load("sites-dev"))
    one = {"id": "a0", "segments": []}
    (bench / "gold.jsonl").write_text(json.dumps(one), encoding="utf-8")
    with pytest.raises(InputError, match="has no main_content"):
        measure_sites(load("sites-dev"))


def test_times_are_given_as_multiples_of_ibdf() -> None:
    times = measure_times((4,))
    assert [timing.name for timing in times] == ["ibdf", "entropy", "shingle", "feature", "site"]
    assert times[0].ratio == 1.0
    assert all(timing.seconds > 0 for timing in times)


def test_the_made_site_is_the_same_every_time_and_no_two_pages_are() -> None:
    assert list(site_pages(5)) == list(site_pages(5))
    assert len({html for _, html in site_pages(50, index_every=5)}) == 50
    assert len({word(number) for number in range(5000)}) == 5000


def test_learning_grows_with_pages() -> None:
    (table,) = GrowthStudy((10, 20)).run(Log()).tables
    assert [row[0] for row in table.rows] == ["10", "20"]
    assert table.rows[0][1] == "1.0"
    assert all(int(row[3]) > 0 for row in table.rows)


def test_hosts_of_one_domain_are_one_site_whatever_set_they_are_in(
    bench: Path, tmp_path: Path
) -> None:
    gold = bench / "gold.jsonl"
    hosts = {"a.example": "www.pane.com", "b.example": "news.pane.com"}
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    rows = [row | {"site": hosts[row["site"]]} for row in rows]
    gold.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    bench.rename(tmp_path / "languages-dev")
    assert {d: len(p) for d, p in group_by_domain(load("languages-dev")).items()} == {
        "pane.com": 2 * PAGES
    }
    report = SiteDomainsStudy(draws=2).run(Log())
    domain, mean = report.tables[0].rows
    assert domain[0] == "pane.com (languages-dev)"
    assert [bool(cell) for cell in domain[2:6]] == [True, True, True, False]  # 12 pages
    assert mean[0] == "mean of other sets (domains)"
    assert mean[2].endswith(" (1)")
    assert any("wcxb-dev" in remark for remark in report.remarks)


def test_without_sets_the_domains_need_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    with pytest.raises(InputError, match="put wcxb-dev or languages-dev"):
        SiteDomainsStudy().run(Log())
