"""The registry of studies, and the small studies on small sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tamis
from helpers.chromium import needs_chromium
from tamis.cli import tamis as command
from tamis.lab import Log, Study
from tamis.lab.report import Report, ReportTable, render_markdown
from tamis.lab.studies import STUDIES, find_study, list_options

from .conftest import Writer

CRAWLS = ("crawl", "crawl-speed", "frontier")
NAMES = [name for name in STUDIES if name not in ("storage", "search", *CRAWLS)]
RECORDS = [[f"Thing number {n} of the shop", f"${n}.50"] for n in range(1, 7)]
LIST = (
    "<html><body><h1>Shop</h1><ul>"
    + "".join(f"<li><h3><a href=/p>{name}</a></h3><b>{price}</b></li>" for name, price in RECORDS)
    + "</ul></body></html>"
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, ["evaluate", *map(str, arguments)])


@pytest.fixture
def bench(tiny: Path, written: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small sets with the names of the real ones."""
    tiny.rename(tmp_path / "wcxb-dev")
    rows = [{"id": f"r{n}", "site": f"s{n // 2}.example", "records": RECORDS} for n in range(4)]
    written("records-dev", rows, {f"html/r{n}.html": LIST.encode() for n in range(4)})
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    monkeypatch.chdir(tmp_path.parent)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_every_study_keeps_the_contract(name: str) -> None:
    study = find_study(name)
    assert issubclass(study, Study)
    assert study.name == name
    assert study.__doc__
    assert "name" not in list_options(study)
    study()  # all that can be varied has a default


def test_studies_of_the_store_keep_the_contract() -> None:
    pytest.importorskip("sqlalchemy")
    assert [find_study(name).name for name in ("storage", "search")] == ["storage", "search"]


@pytest.mark.parametrize(
    "name",
    [
        "script-bytes",
        "noscript",
        "hidden-text",
        "records-time",
        "records-pages",
        "records-choice",
        "records-folds",
        "patterns",
        "whole-records",
    ],
)
def test_small_studies_are_commands(
    bench: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr("tamis.lab.studies.records._LIST_SIZES", (5, 10))
    outcome = run(name, "--limit", 4, "--json", "-")
    assert outcome.exit_code == 0, outcome.stderr
    tables = json.loads(outcome.stdout)
    assert len(tables) == (3 if name == "records-folds" else 1)
    for table in tables:
        assert table["rows"] or name == "noscript"
        assert all(len(row) == len(table["heads"]) for row in table["rows"])


def test_a_pattern_reads_other_pages_of_its_site(bench: Path) -> None:
    outcome = run("patterns", "--site", "s0.example", "--json", "-")
    (table,) = json.loads(outcome.stdout)
    assert table["rows"] == [
        ["the same page", "2", "1.000", "1.000", "1.000", "1.000"],
        ["others of its site", "2", "1.000", "1.000", "1.000", "1.000"],
    ]


def test_a_study_leaves_the_package_as_it_was(bench: Path) -> None:
    before = list(tamis.extract(LIST).records)
    find_study("records-choice")(limit=1).run(Log())  # type: ignore[call-arg]
    assert list(tamis.extract(LIST).records) == before


@pytest.mark.slow
def test_speed_is_measured_and_written_below_the_marker(
    bench: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("resiliparse")
    pytest.importorskip("trafilatura")
    path = tmp_path_factory.mktemp("docs") / "speed.md"
    path.write_text("# Performance\n\n<!-- tamis evaluate -->\nold\n", encoding="utf-8")
    outcome = run("speed", "--limit", 2, "--markdown", path, "--overwrite")
    assert outcome.exit_code == 0, outcome.stderr
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Performance\n\n<!-- tamis evaluate -->\n")
    assert "old" not in text
    assert "| tamis: bytes → Page | " in text
    assert "- `tamis --help`: " in text


@needs_chromium
def test_layout_is_compared(bench: Path) -> None:
    outcome = run("records-layout", "--limit", 2, "--json", "-")
    assert outcome.exit_code == 0, outcome.stderr
    (table,) = json.loads(outcome.stdout)
    assert table["title"] == "2 of 2 pages of records-dev, means over sites"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sites", "--methods", "feature"], "the study sites takes no --methods"),
        (["speed", "--no-cache"], "the study speed takes no --no-cache"),
        (["records-time", "--site", "a"], "the study records-time takes no --site"),
        (["wcxb-dev", "--site", "a"], "--site is for studies"),
    ],
)
def test_options_that_a_study_does_not_take(
    bench: Path, arguments: list[str], message: str
) -> None:
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_markdown_goes_to_standard_output(bench: Path) -> None:
    outcome = run("script-bytes", "--markdown", "-")
    assert outcome.stdout.startswith(
        "Bytes of pages of wcxb-dev:\n\n| part | share |\n|---|---:|\n"
    )


def test_cells_cannot_break_a_markdown_table() -> None:
    report = Report("", [ReportTable("T", ["a|b"], [["c|d"]], "how to read it")], lead="Today.")
    assert render_markdown(report) == (
        "Today.\n\nT: how to read it\n\n| a\\|b |\n|---|\n| c\\|d |\n"
    )
