"""Bad pages are told and stop nothing; mistakes in a call are messages."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import tamis
from tamis.cli import tamis as command

from .called import WORDS, assert_usage_error, extract, page, rows

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


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"%PDF-1.7\n" + WORDS.encode(), "is a PDF file, not HTML"),
     (bytes(range(256)) * 50, "is binary data, not HTML")],
)  # fmt: skip
def test_what_is_plainly_no_page_is_a_failed_input(data: bytes, said: str, tmp_path: Path) -> None:
    junk = tmp_path / "junk.html"
    junk.write_bytes(data)
    (tmp_path / "page.html").write_text(page("Fine"), encoding="utf-8")
    result = extract("-f", "jsonl", junk, tmp_path / "page.html")
    assert result.exit_code == 1
    failed, fine = rows(result.stdout)
    assert (failed["kind"], fine["error"]) == ("SourceError", None)
    assert said in failed["error"]
    assert said in extract("-", data=data).stderr


def test_binary_junk_with_a_tag_is_a_page_like_any_other(tmp_path: Path) -> None:
    junk = tmp_path / "junk.html"
    junk.write_bytes(bytes(range(256)) * 50 + b"<p>Some words.</p>")
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
    original = tamis.extract

    def buggy(data: bytes, *arguments: Any, **options: Any) -> tamis.Document:
        if b"b.htm" in data:
            raise ZeroDivisionError("oops")
        return original(data, *arguments, **options)

    monkeypatch.setattr("tamis.pipeline.extract", buggy)
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
        (["--method", "magic", "x.html"], "no method 'magic': take one of feature"),
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
    names = (
        "blocks crawl evaluate extract inspect mcp methods records scale search serve site store "
        "train"
    )
    assert sorted(command.commands) == names.split()


def test_a_message_shows_a_name_on_one_line_and_commands_no_terminal() -> None:
    result = extract("a\nb\x1b[31m.html", "c.html")
    assert "tamis: no file matches a\\nb\\x1b[31m.html: " in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr.splitlines()) == 3


# Pages without content, and options that do not go together ------------------------------------

SHELL = "<div id=root></div><script src=/app.js></script><noscript>Turn JavaScript on.</noscript>"


def test_a_page_without_content_is_told(tmp_path: Path) -> None:
    result = extract("-", data="<html><body></body></html>")
    assert (result.exit_code, result.stdout.strip()) == (0, "")
    assert result.stderr == "tamis: -: no content was found\n"
    shell = extract("-", data=SHELL)
    assert shell.exit_code == 0
    assert shell.stderr.endswith("seems to need its scripts: try tamis extract --javascript\n")
    assert extract("-", data=page("Good")).stderr == ""


def test_rows_of_many_pages_tell_it_themselves(site: Path) -> None:
    (site / "empty.html").write_text("<html></html>", encoding="utf-8")
    result = extract(site)
    assert [row["status"] for row in rows(result.stdout)].count("empty") == 1
    assert "no content" not in result.stderr


@pytest.mark.parametrize("option", ["--informative", "--noise"])
def test_a_segmenter_alone_gives_no_verdict_to_choose_by(option: str, site: Path) -> None:
    arguments = ["blocks", str(site / "a.html"), "-s", "tagset", option]
    assert_usage_error(CliRunner().invoke(command, arguments), "gives no verdict")


def test_one_address_is_for_one_page(site: Path) -> None:
    url = "https://example.org/a"
    assert_usage_error(extract(site, "--url", url), "--url is the address of one page")
    assert extract(site / "a.html", "--url", url).exit_code == 0


def test_the_deadline_holds_for_the_output_too(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tamis.content import Document

    def slow(self: Document, **options: object) -> str:
        time.sleep(1.1)
        return "slow"

    monkeypatch.setattr(Document, "to_markdown", slow)
    result = extract("-f", "markdown", "--deadline", "1", site / "a.html")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the deadline of 1 s passed" in result.stderr
