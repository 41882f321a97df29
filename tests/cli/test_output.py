"""`-o`: nothing that is there is lost, no input is written to, many pages need a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tamis.cli import tamis as command

WORDS = "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. "


def extract(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, ["extract", *map(str, arguments)])


def assert_refused(result: Result, *said: str) -> None:
    assert result.exit_code == 2, result.output
    assert all(words in result.stderr for words in said), result.stderr
    assert isinstance(result.exception, SystemExit)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two pages, in which the command runs."""
    root = tmp_path / "site"
    root.mkdir()
    for name in ("a.html", "b.html"):
        (root / name).write_text(f"<p>{name} {WORDS * 3}</p>", encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# What is there --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_one_page_replaces_a_file_only_if_told_to(form: str, site: Path) -> None:
    Path("notes").write_text("precious", encoding="utf-8")
    result = extract("-f", form, "-o", "notes", "a.html")
    assert_refused(result, "notes exists: replace it with --overwrite")
    assert Path("notes").read_text(encoding="utf-8") == "precious"
    assert extract("-f", form, "-o", "notes", "--overwrite", "a.html").exit_code == 0
    assert "a.html The quick" in Path("notes").read_text(encoding="utf-8")


def test_one_page_joins_others_in_a_folder_but_replaces_none(site: Path) -> None:
    assert extract("-o", "out/", "a.html").exit_code == 0
    assert extract("-o", "out/", "b.html").exit_code == 0
    assert_refused(extract("-o", "out/", "a.html"), "a.txt exists: replace it with --overwrite")
    assert extract("-o", "out/", "--overwrite", "a.html").exit_code == 0


def test_an_empty_file_and_a_device_may_be_written_to(site: Path) -> None:
    Path("empty").touch()
    assert extract("-o", "empty", "a.html").exit_code == 0
    assert extract("-o", "/dev/null", "a.html").exit_code == 0


# Inputs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--overwrite", "--resume", None])
@pytest.mark.parametrize("target", ["a.html", "./a.html", "../site/a.html", "soft", "hard"])
@pytest.mark.parametrize("inputs", [["a.html"], ["a.html", "b.html"], ["."]])
def test_no_input_is_written_to(
    inputs: list[str], target: str, option: str | None, site: Path
) -> None:
    Path("soft").symlink_to("a.html")
    os.link("a.html", "hard")
    before = contents(site)
    options = [option] if option else []
    result = extract("-f", "jsonl", "-o", target, *options, *inputs)
    assert_refused(result, f"{Path(target)} is an input as well")
    assert contents(site) == before


def test_no_input_is_written_to_in_a_folder_of_outputs(site: Path) -> None:
    before = contents(site)
    for inputs in (["."], ["a.html", "b.html"], ["a.html"]):
        result = extract("-f", "html", "-o", "./", "--overwrite", *inputs)
        assert_refused(result, "a.html is an input as well")
    assert contents(site) == before


def test_neither_the_list_nor_standard_input_is_written_to(site: Path) -> None:
    Path("list").write_text("a.html\n", encoding="utf-8")
    before = contents(site)
    result = extract("--from-list", "list", "-o", "list", "--overwrite")
    assert_refused(result, "list is an input as well")
    start = [sys.executable, "-c", "from tamis.cli import main; main()", "extract"]
    for arguments in (["-", "-o", "a.html"], ["--from-list", "-", "-o", "a.html"]):
        with Path("a.html").open("rb") as piped:
            done = subprocess.run(
                [*start, *arguments, "--overwrite"],
                stdin=piped, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
        assert done.returncode == 2
        assert done.stderr == "tamis: a.html is an input as well: name another output\n"
    assert contents(site) == before


# Files and folders ----------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["file.txt", "file.md", "notes"])
def test_many_pages_that_are_no_rows_need_a_folder(target: str, site: Path) -> None:
    Path("notes").touch()
    result = extract("-f", "markdown", "-o", target, "--overwrite", ".")
    assert_refused(result, "many pages as markdown need a folder", target, "-f jsonl")
    assert not Path("file.txt").exists()
    assert extract("-f", "markdown", "-o", "file.txt/", ".").exit_code == 0
    assert Path("file.txt/a.md").is_file()


def test_an_output_without_a_name_is_a_mistake(site: Path) -> None:
    before = contents(site)
    for inputs in (["a.html"], ["."]):
        assert_refused(extract("-o", "", *inputs), "the output has no name: give -o a file")
    assert contents(site) == before


@pytest.mark.parametrize("name", ["missing.txt", ".", "/proc/self/mem"])
@pytest.mark.parametrize("inputs", [[], ["a.html"]])
def test_a_list_that_cannot_be_read_is_a_mistake(name: str, inputs: list[str], site: Path) -> None:
    result = extract("--from-list", name, *inputs)
    assert_refused(result, f"list {name} cannot be read")
    assert result.stdout == ""


def test_a_name_that_is_not_utf_8_makes_no_folder(site: Path) -> None:
    Path(os.fsdecode(b"caf\xe9.html")).write_text(f"<p>{WORDS}</p>", encoding="utf-8")
    assert extract("-f", "text", "-o", "out", ".").exit_code == 0
    assert len([path for path in Path("out").iterdir() if path.is_file()]) == 3
    assert not [path for path in Path("out").iterdir() if path.is_dir()]
