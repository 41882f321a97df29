"""No command loses what is there: files are replaced only with --overwrite, inputs never."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tamis.cli import tamis as command

from .called import assert_usage_error, page

SAMPLES = Path(__file__).parents[2] / "samples"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, list(map(str, arguments)))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a list, pages, a data set and a store, in which commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TAMIS_STORE", str(tmp_path / "tamis.db"))  # a process keeps it open
    Path("list.html").write_bytes((SAMPLES / "lists/grid.html").read_bytes())
    Path("a.html").write_text(page("a"), encoding="utf-8")
    Path("keep.html").write_text("precious", encoding="utf-8")
    Path("urls.txt").write_text("a.html\n", encoding="utf-8")
    Path("mine").mkdir()
    Path("mine/a.html").write_text(page("a"), encoding="utf-8")
    gold = {"id": "a", "file": "a.html", "main_content": "The quick brown fox"}
    Path("mine/gold.jsonl").write_text(json.dumps(gold) + "\n", encoding="utf-8")
    return tmp_path


def contents() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in Path().rglob("*")
        if path.is_file() and "cache" not in path.parts
    }


EVALUATE = ["evaluate", "mine", "-m", "feature", "-p", "none"]

EXISTING = [
    ["blocks", "a.html", "--picture", "keep.html"],
    [*EVALUATE, "--report", "keep.html"],
    [*EVALUATE, "--json", "keep.html"],
    ["records", "list.html", "-f", "csv", "-o", "keep.html"],
    ["records", "learn", "list.html", "-o", "keep.html"],
    ["site", "learn", "a.html", "-o", "keep.html"],
    ["train", "mine", "-o", "keep.html"],
    ["extract", "a.html", "-o", "keep.html"],
]

INPUTS = [
    ["blocks", "a.html", "--picture", "a.html"],
    [*EVALUATE, "--report", "mine/a.html"],
    [*EVALUATE, "--json", "mine/gold.jsonl"],
    ["records", "list.html", "-f", "csv", "-o", "list.html"],
    ["records", "list.html", "--regions", "-f", "table", "-o", "list.html"],
    ["records", "learn", "list.html", "-o", "list.html"],
    ["site", "learn", "a.html", "-o", "a.html"],
    ["site", "learn", "urls.txt", "-o", "urls.txt"],
    ["train", "mine", "-o", "mine/gold.jsonl"],
    ["train", "mine", "--folds", "mine/a.html"],
    ["extract", "urls.txt", "-o", "urls.txt"],
]


@pytest.mark.parametrize("arguments", EXISTING, ids=" ".join)
def test_a_file_that_exists_is_not_replaced_by_accident(arguments: list[str], here: Path) -> None:
    before = contents()
    assert_usage_error(run(*arguments), "keep.html exists: replace it with --overwrite")
    assert contents() == before


@pytest.mark.parametrize("arguments", INPUTS, ids=" ".join)
def test_an_input_is_never_written_to(arguments: list[str], here: Path) -> None:
    before = contents()
    assert_usage_error(run(*arguments, "--overwrite"), "is an input as well")
    assert_usage_error(run(*arguments), "")
    assert contents() == before


def test_a_pattern_and_a_store_are_inputs_too(here: Path) -> None:
    assert run("records", "learn", "list.html", "-o", "p.json").exit_code == 0
    assert run("store", "add", "a.html").exit_code == 0
    before = contents()
    applied = run("records", "apply", "p.json", "list.html", "-o", "p.json", "--overwrite")
    assert_usage_error(applied, "is an input as well")
    result = run("store", "export", "tamis.db", "-f", "jsonl", "--overwrite")
    assert_usage_error(result, "is an input as well")
    assert contents()["p.json"] == before["p.json"]
    assert run("store", "stats").exit_code == 0


def test_a_report_is_replaced_where_that_is_wanted(here: Path) -> None:
    arguments = [*EVALUATE, "--report", "keep.html", "--json", "-", "--overwrite"]
    assert run(*arguments).exit_code == 0
    assert Path("keep.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "arguments",
    [["records", "list.html", "-f", "csv", "-o"], ["store", "export", "-f", "jsonl"],
     [*EVALUATE, "--json"]],
)  # fmt: skip
def test_a_pipe_is_written_to_and_stays_one(arguments: list[str], here: Path) -> None:
    assert run("store", "add", "a.html").exit_code == 0
    os.mkfifo("pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(Path("pipe").read_bytes()), daemon=True)
    reader.start()
    result = run(*arguments, "pipe")
    assert result.exit_code == 0, result.output
    reader.join(60)
    assert found[0].endswith(b"\n")
    assert Path("pipe").is_fifo()


def limited(most: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command that can write no file of more than some bytes, as on a disk that is full."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))"
    code = f"{limit}; from tamis.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("most", "arguments"),
    [
        (200, ["records", "list.html", "-f", "json", "-o"]),
        (100_000, ["store", "export", "-f", "jsonl"]),
    ],
)
def test_a_file_that_does_not_fit_leaves_all_as_it_was(
    most: int, arguments: list[str], here: Path
) -> None:
    Path("large.html").write_text(page("large", times=3000), encoding="utf-8")
    assert run("store", "add", "large.html").exit_code == 0
    before = set(Path().iterdir())
    done = limited(most, *arguments, "keep.html", "--overwrite")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tamis: cannot write keep.html: File too large\n"
    assert Path("keep.html").read_text(encoding="utf-8") == "precious"
    assert set(Path().iterdir()) == before


def test_a_study_writes_over_no_data_set(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_BENCH", str(here))
    before = contents()
    result = run("evaluate", "sites", "--report", "mine/a.html", "--overwrite")
    assert_usage_error(result, "is an input as well")
    assert contents() == before


def test_a_link_stays_a_link(here: Path) -> None:
    Path("out.csv").symlink_to("keep.html")
    assert run("records", "list.html", "-o", "out.csv", "--overwrite").exit_code == 0
    assert Path("out.csv").is_symlink()
    assert "Cast iron pot" in Path("keep.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["g.xlsx", "g.html"])
def test_records_in_a_format_that_nobody_knows_are_a_mistake(name: str, here: Path) -> None:
    result = run("records", "list.html", "-o", name)
    assert_usage_error(result, "its ending sets no format")
    assert not Path(name).exists()
    assert run("records", "list.html", "-f", "table", "-o", name).exit_code == 0
    assert run("records", "list.html", "-o", "g.txt").exit_code == 0
    assert Path("g.txt").read_bytes() == Path(name).read_bytes()


@pytest.mark.parametrize("arguments", [["-f", "csv"], ["-o", "out.json"]])
def test_regions_are_a_table(arguments: list[str], here: Path) -> None:
    result = run("records", "list.html", "--regions", *arguments)
    assert_usage_error(result, "--regions gives a table")
