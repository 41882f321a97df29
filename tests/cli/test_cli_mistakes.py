"""Bad pages are told and stop nothing; mistakes in a call are messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import tamis
from tamis.cli.commands import tamis as command

from .called import assert_usage_error, extract, page, rows

# Bad pages ------------------------------------------------------------------------------------


def test_one_bad_page_is_a_row_with_its_reason_and_stops_nothing(site: Path) -> None:
    (site / "big.html").write_text(page("Big", times=100), encoding="utf-8")
    (site / "broken.html.gz").write_bytes(b"\x1f\x8bbroken")
    missing = site / "missing.html"
    result = extract("--max-bytes", "2000", site / "a.html", missing, site / "big.html",
                     site / "broken.html.gz", site / "b.htm")  # fmt: skip
    assert result.exit_code == 1
    found = rows(result.stdout)
    assert [row["error"] is None for row in found] == [True, False, False, False, True]
    assert [row.get("kind") for row in found[1:4]] == ["SourceError", "TooLarge", "SourceError"]
    for row in found[1:4]:
        assert list(row) == ["name", "error", "kind"]
        assert f"tamis: {row['error']}\n" in result.stderr  # which begins with the name
    assert "does not exist" in found[1]["error"]
    assert "more than 2,000 bytes" in found[2]["error"]
    assert "cannot be unpacked" in found[3]["error"]
    assert "5 pages, 3 failed" in result.stderr


def test_binary_junk_is_a_page_like_any_other(tmp_path: Path) -> None:
    junk = tmp_path / "junk.html"
    junk.write_bytes(bytes(range(256)) * 50)
    result = extract("-f", "jsonl", junk)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["error"] is None


def test_a_single_bad_page_is_a_message_and_no_output(tmp_path: Path) -> None:
    result = extract(tmp_path / "missing.html")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "does not exist" in result.stderr


def test_the_deadline_of_a_page_is_an_error_of_that_page(site: Path) -> None:
    result = extract("--deadline", "0", site)
    assert result.exit_code == 1
    assert {row["kind"] for row in rows(result.stdout)} == {"DeadlineExceeded"}


def test_too_many_nodes_are_an_error_of_that_page(site: Path) -> None:
    result = extract("--max-nodes", "2", "-f", "jsonl", site / "a.html")
    assert json.loads(result.stdout)["kind"] == "TooLarge"


def test_a_bug_is_an_error_of_the_page_it_shows_on(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tamis.cli.job

    def buggy(data: bytes, *arguments: Any, **options: Any) -> tamis.Document:
        if b"b.htm" in data:
            raise ZeroDivisionError("oops")
        return tamis.extract(data, *arguments, **options)

    monkeypatch.setattr(tamis.cli.job, "extract", buggy)
    found = rows(extract(site).stdout)
    assert [row.get("kind") for row in found] == [None, "Bug", None]
    assert "ZeroDivisionError: oops" in found[1]["error"]
    assert "report" in found[1]["error"]


# Mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a file"),
        (["--format", "pdf", "x.html"], "'pdf' is not one of 'text'"),
        (["--method", "magic", "x.html"], "'magic' is not one of 'feature'"),
        (["--jobs", "0", "x.html"], "--jobs"),
        (["--max-bytes", "-1", "x.html"], "--max-bytes"),
        (["--deadline", "soon", "x.html"], "--deadline"),
        (["--resume", "x.html"], "--resume needs -o"),
        (["--resume", "-o", "x.txt", "x.html"], "--resume goes on with rows or a folder"),
        (["--resume", "--overwrite", "-o", "x", "x.html"], "--resume keeps what --overwrite"),
        (["--charset", "nope", "x.html"], "'nope' is no character set that browsers know"),
        (["--url", "nonsense", "x.html"], "'nonsense' is no whole address"),
        (["--url", "//host/a", "x.html"], "is no whole address"),
        (["--url", "http://", "x.html"], "is no whole address"),
        (["--url", "http://[", "x.html"], "is no whole address"),
        (["--nonsense"], "No such option"),
    ],
)
def test_a_mistake_in_the_call_is_a_message(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_usage_error(extract(*arguments), said)


def test_an_unknown_command_is_a_message() -> None:
    result = CliRunner().invoke(command, ["extrakt"])
    assert_usage_error(result, "No such command")


def test_the_commands_are_a_click_group() -> None:
    assert isinstance(command, click.Group)
    known = "blocks evaluate extract records search site store train".split()
    assert sorted(command.commands) == known


def test_a_message_shows_a_name_on_one_line_and_commands_no_terminal() -> None:
    result = extract("a\nb\x1b[31m.html", "c.html")
    assert "tamis: no file matches a\\nb\\x1b[31m.html: " in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr.splitlines()) == 3
