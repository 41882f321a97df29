"""`tamis store` and `tamis search` as users run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helpers.archives import gzipped, http, record
from helpers.news import address, news
from helpers.terminals import Terminal
from tamis.cli import open_store
from tamis.cli import tamis as command

from .called import assert_usage_error

pytest.importorskip("datasketch")

SITE = "https://news.example/"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    open_store.cache_clear()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TAMIS_STORE", raising=False)
    (tmp_path / "story").mkdir()
    for number in range(4):
        (tmp_path / "story" / f"{number}.html").write_text(news(number))
    (tmp_path / "copy.html").write_text(news(1))
    return tmp_path


def tamis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)])


def added() -> None:
    assert tamis("store", "add", "story", "--base", "https://news.example/").exit_code == 0
    assert tamis("store", "add", "copy.html", "--base", "https://copy.example/").exit_code == 0


def test_pages_go_in_and_come_back(folder: Path) -> None:
    result = tamis("store", "add", "story", "copy.html", "--base", "https://news.example/")
    assert result.exit_code == 0
    assert "5 pages, 0 failed" in result.stderr
    url = "https://news.example/story/1.html"
    assert "number 310" in tamis("store", "get", url).stdout
    assert tamis("store", "get", url, "-f", "source").stdout.startswith("<!DOCTYPE html><html")
    assert json.loads(tamis("store", "get", url, "-f", "json").stdout)["url"] == url
    for form in ("markdown", "text", "html"):
        stored = tamis("store", "get", url, "-f", form).stdout
        assert stored == tamis("extract", "story/1.html", "-f", form).stdout
        assert "number 310" in stored


def test_a_page_that_cannot_be_read_does_not_stop_the_others() -> None:
    result = tamis("store", "add", "story/0.html", "nowhere.html", "story/1.html")
    assert result.exit_code == 1
    assert "nowhere.html does not exist" in result.stderr
    assert "3 pages, 1 failed" in result.stderr
    assert tamis("search", "story").exit_code == 0


def test_resume_leaves_what_is_there() -> None:
    added()
    again = ("store", "add", "story", "--base", SITE)
    history = ("store", "history", f"{SITE}0.html", "--json")
    assert tamis(*again, "--resume").exit_code == 0
    assert len(tamis(*history).stdout.splitlines()) == 1
    assert tamis(*again).exit_code == 0
    assert len(tamis(*history).stdout.splitlines()) == 2


def crawl(path: Path, *captures: tuple[str, str]) -> Path:
    """An archive of captures: addresses, each with the day it was fetched."""
    records = (
        record(number, http(news(number).encode()), WARC_Target_URI=url, WARC_Date=day)
        for number, (url, day) in enumerate(captures)
    )
    path.write_bytes(gzipped(records))
    return path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_resume_leaves_captures_that_are_there_and_no_others(folder: Path, jobs: str) -> None:
    pytest.importorskip("warcio")
    add = ("store", "add", "--resume", "-j", jobs)
    one, two = (SITE, "2026-01-01T00:00:00Z"), (SITE, "2026-02-01T00:00:00.1Z")
    warc = crawl(folder / "a.warc.gz", one, two)
    assert "tamis: 2 pages, 0 failed, " in (first := tamis(*add, warc).stderr)
    assert "done before" not in first
    assert "2 were done before" in tamis(*add, warc).stderr
    crawl(warc, one, two, (SITE, "2026-02-01T00:00:00.9Z"))
    third = tamis(*add, warc).stderr
    assert "tamis: 1 page, 0 failed, " in third
    assert "2 were done before" in third
    days = [json.loads(row)["fetched_at"][:10] for row in history(SITE)]
    assert days == ["2026-01-01", "2026-02-01", "2026-02-01"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_run_stored_itself_was_not_done_before(folder: Path, jobs: str) -> None:
    pytest.importorskip("warcio")
    twice = crawl(folder / "a.warc.gz", *[(SITE, "2026-01-01T00:00:00Z")] * 2)
    add = ("store", "add", "--resume", "-j", jobs)
    result = tamis(*add, twice, "copy.html", "copy.html")
    assert "tamis: 4 pages, 0 failed, " in result.stderr
    assert "done before" not in result.stderr
    assert "4 were done before" in tamis(*add, twice, "copy.html", "copy.html").stderr


def history(url: str) -> list[str]:
    return tamis("store", "history", url, "--json").stdout.splitlines()


@pytest.mark.slow
def test_several_processes_add_to_one_store(folder: Path) -> None:
    for number in range(4, 30):
        (folder / "story" / f"{number}.html").write_text(news(number))
    result = tamis("store", "add", "story", "--base", "https://news.example/", "--jobs", "2")
    assert result.exit_code == 0
    stats = json.loads(tamis("store", "stats", "--json").stdout)
    assert stats["sites"][0]["pages"] == 30


def test_stats_duplicates_history_and_search() -> None:
    added()
    assert "news.example" in tamis("store", "stats").stdout
    shown = tamis("store", "duplicates").stdout
    assert shown.splitlines() == [
        "the same",
        "  https://news.example/1.html",
        "  https://copy.example/copy.html",
    ]
    assert json.loads(tamis("store", "duplicates", "--json").stdout)["exact"] is True
    result = tamis("search", "story", "2", "--site", "news.example")
    assert result.exit_code == 0
    assert "https://news.example/2.html" in result.stdout
    assert "**2**" in result.stdout or "**Story**" in result.stdout
    hit = json.loads(tamis("search", '"number 310"', "--json").stdout)
    assert sorted([hit["url"], *hit["copies"]]) == [
        "https://copy.example/copy.html",
        "https://news.example/1.html",
    ]


def test_tables_in_a_terminal_have_colours_and_no_codes() -> None:
    added()
    for words in (["stats"], ["history", "https://copy.example/copy.html"]):
        terminal = Terminal()
        program = [sys.executable, "-c", "from tamis.cli import main; main()", "store"]
        subprocess.run(
            [*program, *words],
            check=True,
            env=os.environ | {"TERM": "xterm"},
            stdout=terminal.writer,
            stderr=terminal.writer,
        )
        shown = terminal.close()
        assert "\x1b[1m" in shown
        assert "u001b" not in shown


def test_what_changed_is_told(folder: Path) -> None:
    added()
    page = folder / "story" / "0.html"
    page.write_text(news(0, extra="<p>Correction: the bridge was never there at all, we hear.</p>"))
    assert tamis("store", "add", page.parent, "--base", "https://news.example/").exit_code == 0
    url = "https://news.example/0.html"
    diff = ("store", "history", url, "--diff", "1", "2")
    assert "Correction: the bridge" in tamis(*diff).stdout
    (line,) = tamis(*diff, "--json").stdout.splitlines()
    found = json.loads(line)
    assert any("Correction: the bridge" in piece["text"] for piece in found["added"])
    assert found["before"]["fetched_at"] < found["after"]["fetched_at"]
    assert found["kept"] > 0
    assert len(tamis("store", "history", url).stdout.splitlines()) == 3
    assert "Correction" not in tamis("store", "get", url, "--version", "1").stdout


def test_export_and_garbage(folder: Path) -> None:
    added()
    assert "wrote 5 pages" in tamis("store", "export", "pages.jsonl").stderr
    assert len((folder / "pages.jsonl").read_text().splitlines()) == 5
    assert_usage_error(tamis("store", "export", "pages.jsonl"), "exists: replace it")
    assert "threw away" in tamis("store", "gc", "https://news.example/0.html").stderr
    assert tamis("store", "get", "https://news.example/0.html").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("store", "add"), "name a file"),
        (("store", "get", address(1)), "there is no store tamis.db"),
        (("search", "x"), "there is no store"),
        (("search", "x", "--store", "mysql://h/b"), "no database that tamis knows"),
        (("store", "stats", "--store", "postgresql://127.0.0.1:1/x"), "does not answer"),
        (("store", "add", "story", "--store", "story"), "is a folder"),
        (("store", "add", "story", "--store", "nowhere/x.db"), "does not exist"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: tuple[str, ...], said: str) -> None:
    assert_usage_error(tamis(*arguments), said)


def test_mistakes_with_a_store_that_is_there() -> None:
    added()
    assert_usage_error(tamis("store", "get", address(9)), "is not in the store")
    assert_usage_error(tamis("store", "history", address(9)), "is not in the store")
    assert_usage_error(tamis("search", "x", "--since", "yesterday"), "is no day")
    assert_usage_error(
        tamis("store", "get", "https://news.example/0.html", "--version", "7"), "no version 7"
    )
    result = tamis("search", "quasar")
    assert result.exit_code == 1
    assert "nothing found" in result.stderr


def test_content_alone_has_no_source(folder: Path) -> None:
    url = (folder / "story" / "0.html").as_uri()
    tamis("store", "add", "story/0.html", "--keep", "content")
    assert_usage_error(tamis("store", "get", url, "-f", "source"), "only the content")
    assert "number 0" in tamis("store", "get", url).stdout


def test_files_of_one_name_in_two_folders_are_two_pages(folder: Path) -> None:
    odd = folder / "other one"
    odd.mkdir()
    (odd / "0.html").write_text(news(7))
    for name in ("story", "./other one/", "story/../other one"):
        assert tamis("store", "add", name).exit_code == 0
    assert len(history((folder / "story" / "0.html").as_uri())) == 1
    assert len(history((odd / "0.html").as_uri())) == 2
    assert "(files)" in tamis("store", "stats").stdout


def test_a_file_whose_name_is_no_text_has_an_address(folder: Path) -> None:
    name = os.fsdecode(b"\xff.html")
    try:
        (folder / name).write_text(news(3))
    except OSError:
        pytest.skip("the system has no such names")
    assert tamis("store", "add", folder / name).exit_code == 0
    assert len(history(f"{folder.as_uri()}/%FF.html")) == 1


def test_a_page_on_standard_input_needs_an_address() -> None:
    def add(*options: str) -> Result:
        return CliRunner().invoke(command, ["store", "add", "-", *options], input=news(1))

    assert_usage_error(add(), "a page on standard input has no address: give one with --url")
    assert not Path("tamis.db").exists()
    assert add("--url", "https://news.example/a").exit_code == 0
    assert add("--base", SITE).exit_code == 0
    for url in ("https://news.example/a", "https://news.example/-"):
        assert len(history(url)) == 1
    assert_usage_error(tamis("store", "add", "story", "--url", SITE), "the address of one page")


def test_a_page_of_an_archive_without_address_needs_a_base(folder: Path) -> None:
    pytest.importorskip("warcio")
    page = record(1, news(1).encode(), WARC_Type="resource", Content_Type="text/html")
    warc = folder / "a.warc"
    warc.write_bytes(page.replace(b"WARC-Target-URI: https://site.example/1\r\n", b""))
    result = tamis("store", "add", warc)
    assert result.exit_code == 1
    assert "a.warc#1 has no address: give --base" in result.stderr
    assert tamis("store", "add", "a.warc", "--base", SITE).exit_code == 0
    assert len(history(f"{SITE}a.warc%231")) == 1


def test_a_page_that_is_missing_deletes_none_of_the_others() -> None:
    added()
    url = "https://news.example/0.html"
    assert_usage_error(tamis("store", "gc", url, address(9)), "is not in the store")
    assert tamis("store", "get", url).exit_code == 0
    result = tamis("store", "gc", url, url)
    assert result.exit_code == 0
    assert "deleted 1 page, threw away " in result.stderr
    assert "deleted 0 pages, " in tamis("store", "gc").stderr


@pytest.mark.parametrize("base", ["https://news.example", "https://news.example/"])
def test_addresses_of_files_are_joined_with_a_slash(base: str) -> None:
    assert tamis("store", "add", "story", "--base", base).exit_code == 0
    assert tamis("store", "get", "https://news.example/0.html").exit_code == 0


@pytest.mark.parametrize("base", ["nonsense", "//host", "http://", ""])
def test_a_base_that_is_no_address_is_a_mistake(base: str) -> None:
    assert_usage_error(tamis("store", "add", "story", "--base", base), "is no whole address")
    assert not Path("tamis.db").exists()


def test_pages_that_were_stored_before_are_told_as_such() -> None:
    added()
    again = tamis("store", "add", "story", "--base", SITE, "--resume")
    assert "tamis: 0 pages, 0 failed, " in again.stderr
    assert "4 were done before" in again.stderr
    new = tamis("store", "add", "story", "copy.html", "--base", SITE, "--resume", "-j", "2")
    assert "tamis: 5 pages, 0 failed, " in new.stderr
