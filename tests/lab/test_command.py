"""`tamis evaluate` as users run it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tamis.cli import tamis
from tamis.content import Document
from tamis.pipeline import METHODS, extract


def run(*arguments: object) -> Result:
    return CliRunner().invoke(tamis, ["evaluate", *map(str, arguments)])


def test_tables_go_to_standard_output(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    done = run(tiny, "--methods", "optimum,kfeature", "--peers", "none")
    assert done.exit_code == 0, done.stderr
    for said in ("tiny, 4 pages", "optimum", "kfeature", "F1 ± se", "article (3)", "against"):
        assert said in done.stdout
    assert "tagwindow" not in done.stdout


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_narrow_terminal_gets_fewer_columns(
    columns: int, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = run(tiny, "--methods", "optimum,kfeature", "--peers", "none").stdout
    assert max(map(len, shown.splitlines())) <= columns
    assert "F1 ± se" in shown
    assert ("b-P" in shown) == (columns == 200)


def test_json_for_machines(tiny: Path, tmp_path: Path) -> None:
    done = run(tiny, "-m", "optimum", "-p", "none", "--json", "-")
    found = json.loads(done.stdout)
    assert found["dataset"] == "tiny"
    assert found["rows"][0]["name"] == "optimum"
    assert found["rows"][0]["means"]["f1"]["value"] > 0.9
    done = run(tiny, "-m", "optimum", "-p", "none", "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == found


def test_the_report_is_written(tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = run(tiny, "-m", "optimum", "-p", "none", "--report", path, "--limit", 2)
    assert done.exit_code == 0, done.stderr
    assert f"wrote {path}" in done.stderr
    assert "<title>tamis on tiny</title>" in path.read_text(encoding="utf-8")


def test_a_second_run_takes_the_cache(tiny: Path, cache_home: Path) -> None:
    first = run(tiny, "-m", "optimum", "-p", "none")
    files = sorted(path.stat().st_mtime_ns for path in cache_home.rglob("*.gz"))
    assert files
    assert run(tiny, "-m", "optimum", "-p", "none").stdout == first.stdout
    assert sorted(path.stat().st_mtime_ns for path in cache_home.rglob("*.gz")) == files
    run(tiny, "-m", "optimum", "-p", "none", "--no-cache")
    assert sorted(path.stat().st_mtime_ns for path in cache_home.rglob("*.gz")) != files


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no data set 'nowhere'"),
        (["TINY", "-m", "nothing"], "no method 'nothing'"),
        (["TINY", "-p", "nobody"], "no peer 'nobody'"),
        (["TINY", "-m", "none", "-p", "none"], "nothing to measure"),
        (["TINY", "--report", "no/such/folder/r.html"], "does not exist"),
        (["TINY", "--limit", "0"], "--limit"),
    ],
)
def test_a_mistake_is_a_message(arguments: list[str], said: str, tiny: Path) -> None:
    done = run(*(str(tiny) if word == "TINY" else word for word in arguments))
    assert done.exit_code == 2
    assert said in done.stderr


def test_peers_that_are_missing_are_told(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_NODE_MODULES", "/nowhere")
    done = run(tiny, "-m", "optimum", "-p", "defuddle")
    assert done.exit_code == 0
    assert "tamis: left out: defuddle" in done.stderr
    assert "npm install" in done.stderr or "install Node" in done.stderr


def test_an_interrupt_ends_cleanly_and_keeps_results(
    tiny: Path, cache_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []

    def impatient(html: str, url: str | None, **settings: Any) -> Document:
        if settings["method"] is METHODS["optimum"]:  # not a baseline
            pages.append(html)
        if len(pages) == 3:
            raise KeyboardInterrupt
        return extract(html, url, **settings)

    monkeypatch.setattr("tamis.lab.systems.methods.extract", impatient)
    done = run(tiny, "-m", "optimum", "-p", "none")
    assert done.exit_code == 130
    assert "interrupted" in done.stderr
    (path,) = cache_home.rglob("*-optimum-*.jsonl.gz")
    assert len(gzip.decompress(path.read_bytes()).splitlines()) == 2


def test_nothing_of_the_lab_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, tamis, tamis.cli.app\n"
        "tamis.extract('<p>x')\n"
        "print([m for m in sys.modules if m.startswith('tamis.lab') or m == 'trafilatura'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
