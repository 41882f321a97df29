"""`tamis extract`: every kind of source, format and output, and what happens to bad pages."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import tamis
from tamis.cli.commands import FORMATS, METHOD_NAMES
from tamis.cli.commands import tamis as command

WORDS = "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. "


def page(title: str, *, times: int = 3) -> str:
    return f"<html><body><nav><a href=/>Home</a></nav><p>{title} {WORDS * times}</p></body>"


def extract(*arguments: str | Path, data: str | bytes | None = None) -> Result:
    return CliRunner().invoke(command, ["extract", *map(str, arguments)], input=data)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def assert_usage_error(result: Result, said: str) -> None:
    """A user's mistake: exit code 2, a message, and no traceback."""
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with pages in it and in a folder below it."""
    root = tmp_path / "site"
    (root / "sub").mkdir(parents=True)
    for name in ("a.html", "b.htm", "sub/c.html"):
        (root / name).write_text(page(name), encoding="utf-8")
    (root / "notes.txt").write_text("no page", encoding="utf-8")
    return root


# Sources --------------------------------------------------------------------------------------


def test_a_file_gives_its_text(site: Path) -> None:
    result = extract(site / "a.html")
    assert result.exit_code == 0
    assert result.stdout == tamis.extract((site / "a.html").read_bytes()).text + "\n"
    assert result.stderr == ""


def test_a_folder_gives_its_pages_and_those_below_it(site: Path) -> None:
    result = extract(site)
    assert result.exit_code == 0
    assert [row["name"] for row in rows(result.stdout)] == ["a.html", "b.htm", "sub/c.html"]
    assert "3 pages, 0 failed" in result.stderr


def test_a_pattern_gives_the_files_that_match_it(site: Path) -> None:
    names = [row["name"] for row in rows(extract("-f", "jsonl", f"{site}/**/*.html").stdout)]
    assert names == [str(site / "a.html"), str(site / "sub/c.html")]


def test_standard_input_is_a_page() -> None:
    result = extract("-", data=page("Piped"))
    assert result.exit_code == 0
    assert result.stdout == tamis.extract(page("Piped")).text + "\n"


def test_standard_input_may_be_compressed() -> None:
    assert extract("-", data=gzip.compress(page("Zipped").encode())).stdout == (
        tamis.extract(page("Zipped")).text + "\n"
    )


def test_a_list_names_inputs(site: Path, tmp_path: Path) -> None:
    names = tmp_path / "list.txt"
    names.write_text(f"# pages\n{site / 'a.html'}\n\n{site / 'sub'}\n", encoding="utf-8")
    result = extract("--from-list", names)
    found = [row["name"] for row in rows(result.stdout)]
    assert found == [str(site / "a.html"), str(site / "sub/c.html")]
    result = extract("--from-list", "-", site / "b.htm", data=f"{site / 'a.html'}\n")
    found = [row["name"] for row in rows(result.stdout)]
    assert found == [str(site / "b.htm"), str(site / "a.html")]


def test_an_empty_list_is_a_mistake(tmp_path: Path) -> None:
    names = tmp_path / "list.txt"
    names.write_text("# nothing\n", encoding="utf-8")
    assert_usage_error(extract("--from-list", names), "names no input")


@pytest.fixture
def server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = page("Served <a href=next.html>next</a>").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/dir/page"
        running.shutdown()
        thread.join()


def test_a_url_is_fetched_and_makes_links_absolute(server: str) -> None:
    result = extract("--allow-private", "-f", "markdown", server)
    assert result.exit_code == 0
    assert result.stdout.startswith(
        f"Served [next]({server.replace('page', 'next.html')}) The quick"
    )
    data = json.loads(extract("--allow-private", "-f", "json", server).stdout)
    assert data["name"] == data["url"] == server


def test_a_private_address_is_refused_unless_allowed(server: str) -> None:
    result = extract(server)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "not a public address" in result.stderr
    assert "--allow-private" in result.stderr or "allow_private" in result.stderr


def test_max_bytes_holds_for_urls_and_can_be_raised_for_them(server: str) -> None:
    assert "more than 10 bytes" in extract("--allow-private", "--max-bytes", "10", server).stderr
    result = extract("--allow-private", "--max-bytes", str(2**30), server)
    assert result.exit_code == 0


# Formats and methods --------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_format_is_an_attribute_of_the_document(form: str, site: Path) -> None:
    result = extract("-f", form, "--url", "http://x/", site / "a.html")
    document = tamis.extract((site / "a.html").read_bytes(), "http://x/")
    assert result.stdout == f"{getattr(document, form)}\n"


def test_json_is_the_whole_document_and_jsonl_a_row_without_its_blocks(site: Path) -> None:
    document = tamis.extract((site / "a.html").read_bytes())
    whole = json.loads(extract("-f", "json", site / "a.html").stdout)
    assert whole == {"name": str(site / "a.html"), **document.json, "error": None}
    result = extract("-f", "jsonl", site / "a.html")
    assert result.stdout.count("\n") == 1
    row = json.loads(result.stdout)
    assert row == {key: value for key, value in whole.items() if key != "blocks"}


def test_rows_without_blocks_are_made_without_them(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def expensive(self: tamis.Document) -> None:
        raise AssertionError("blocks that nobody asked for")

    monkeypatch.setattr(tamis.Document, "blocks", property(expensive))
    assert extract("-f", "jsonl", site / "a.html").exit_code == 0


def test_several_inputs_give_rows_by_default(site: Path) -> None:
    result = extract(site / "a.html", site / "b.htm")
    assert [row["error"] for row in rows(result.stdout)] == [None, None]


def test_several_pages_as_text_have_their_names_above_them(site: Path) -> None:
    result = extract("-f", "text", site)
    assert [line for line in result.stdout.splitlines() if line.startswith("==> ")] == [
        "==> a.html <==",
        "==> b.htm <==",
        "==> sub/c.html <==",
    ]


def test_the_names_of_methods_are_those_of_the_library() -> None:
    assert list(METHOD_NAMES) == list(tamis.METHODS)


def test_the_names_of_formats_are_those_of_the_interface() -> None:
    assert FORMATS == ("text", "markdown", "html", "json", "jsonl")


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_every_method_can_be_chosen(method: str, site: Path) -> None:
    row = json.loads(extract("-f", "jsonl", "--method", method, site / "a.html").stdout)
    assert row["method"] == method
    assert row["text"] == tamis.extract((site / "a.html").read_bytes(), method=method).text


def test_the_charset_of_the_user_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(page("Été à Évian").encode("cp1252"))
    assert "Été à Évian" in extract("--charset", "windows-1252", "-f", "json", path).stdout
    assert "Été à Évian" not in extract("--charset", "utf-8", "-f", "json", path).stdout


# Output ---------------------------------------------------------------------------------------


def test_output_to_a_file(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    assert extract("-o", out, site / "a.html").stdout == ""
    assert out.read_text(encoding="utf-8") == extract(site / "a.html").stdout
    assert extract("-o", out, "--overwrite", site / "b.htm").exit_code == 0
    assert out.read_text(encoding="utf-8") == extract(site / "b.htm").stdout


def test_a_page_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("precious", encoding="utf-8")
    assert extract("-o", out, "--overwrite", tmp_path / "missing.html").exit_code == 1
    assert out.read_text(encoding="utf-8") == "precious"


def test_rows_of_many_pages_go_to_one_file(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert extract("-o", out, site).exit_code == 0
    assert out.read_text(encoding="utf-8") == extract(site).stdout


@pytest.mark.parametrize(
    ("form", "ending"), [("text", "txt"), ("markdown", "md"), ("html", "html")]
)
def test_many_pages_go_to_a_folder_that_looks_like_theirs(
    form: str, ending: str, site: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "out"
    assert extract("-f", form, "-o", out, site).exit_code == 0
    files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert [path.parent.as_posix() for path in files] == [".", ".", "sub"]
    assert all(path.suffix == f".{ending}" for path in files)
    written = (out / f"sub/c.{ending}").read_text(encoding="utf-8")
    assert written == extract("-f", form, site / "sub/c.html").stdout


def test_a_slash_makes_a_folder_for_one_page(site: Path, tmp_path: Path) -> None:
    assert extract("-o", f"{tmp_path}/out/", site / "sub").exit_code == 0
    assert (tmp_path / "out/c.txt").read_text(encoding="utf-8") == extract(site / "sub").stdout


def test_rows_in_a_folder_are_json_files(site: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert extract("-f", "jsonl", "-o", tmp_path / "out", site).exit_code == 0
    data = json.loads((tmp_path / "out/sub/c.json").read_text(encoding="utf-8"))
    assert data["name"] == "sub/c.html"


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_what_is_there_is_not_overwritten_by_accident(
    form: str, site: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert extract("-f", form, "-o", out, site).exit_code == 0
    assert_usage_error(extract("-f", form, "-o", out, site), "--overwrite")
    assert extract("-f", form, "-o", out, "--overwrite", site).exit_code == 0
    if form == "jsonl":
        assert len(rows(out.read_text(encoding="utf-8"))) == 3


def test_pages_that_would_share_a_file_get_two(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    names = ["a.html", "a.htm", "a.html.gz", "a.xhtml", "A b.html", "A?b.html", "a.txt/b.html"]
    for number, name in enumerate(names):
        path = site / name
        path.parent.mkdir(exist_ok=True)
        data = page(f"Title{number}").encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert extract("-f", "text", "-o", tmp_path / "out", site).exit_code == 0
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    said = sorted(path.read_text(encoding="utf-8").split()[0] for path in files)
    assert said == [f"Title{number}" for number in range(len(names))]


def test_a_folder_holds_whole_files_only(site: Path, tmp_path: Path, monkeypatch: Any) -> None:
    written = Path.write_text

    def full(self: Path, data: str, **options: Any) -> int:
        if self.name.startswith(".c."):
            written(self, data[:10], **options)
            raise OSError(28, "No space left on device")
        return written(self, data, **options)

    monkeypatch.setattr(Path, "write_text", full)
    result = extract("-f", "text", "-o", tmp_path / "out", site)
    assert_usage_error(result, "the disk is full")
    assert "--resume" in result.stderr
    assert {path.name for path in (tmp_path / "out/sub").iterdir()} == set()
    assert (tmp_path / "out/a.txt").exists()


@pytest.mark.parametrize("target", ["missing/out.txt", "/proc/out.txt", "a.html/out.txt"])
def test_an_output_that_cannot_be_written_is_said(target: str, site: Path) -> None:
    assert_usage_error(extract("-o", site / target, site / "a.html"), "cannot write")


def test_a_folder_that_cannot_be_made_is_said(site: Path) -> None:
    assert_usage_error(extract("-f", "text", "-o", "/proc/out", site), "cannot write")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_said(site: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert_usage_error(extract("-f", "text", "-o", locked, site), "cannot write")
    assert_usage_error(extract("-f", "text", "-o", locked / "x" / "y", site), "cannot write")


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
    assert sorted(command.commands) == ["blocks", "evaluate", "extract"]


# Names ----------------------------------------------------------------------------------------

WEIRD = ["new\nline.html", "Übergröße 中文.html", "quo'te\".html", "a" * 250 + ".html",
         "-dash.html", "\x1b[31mred.html", "[x]*.html", "%2e%2e.html", " .html"]  # fmt: skip


def test_weird_names_of_files_are_taken_as_they_are(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    for name in WEIRD:
        (site / name).write_text(page("x"), encoding="utf-8")
    (site / os.fsdecode(b"bytes\xff.html")).write_text(page("x"), encoding="utf-8")
    result = extract("-f", "text", "-o", out, site)
    assert result.exit_code == 0, result.stderr
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) == len(WEIRD) + 1
    assert all(path.name.isprintable() for path in files)
    assert {row["name"] for row in rows(extract(site).stdout)} >= set(WEIRD)


def test_a_message_shows_a_name_on_one_line_and_commands_no_terminal() -> None:
    result = extract("a\nb\x1b[31m.html", "c.html")
    assert "tamis: no file matches a\\nb\\x1b[31m.html: " in result.stderr
    assert "\x1b" not in result.stderr
    assert len(result.stderr.splitlines()) == 3


def test_names_that_lead_out_of_the_folder_stay_in_it(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site / "sub")
    out = tmp_path / "deep" / "out"
    result = extract("-f", "text", "-o", out, "../a.html", "../../site/b.htm", site / "sub/c.html")
    assert result.exit_code == 0
    assert len([path for path in out.rglob("*.txt") if path.is_file()]) == 3
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]
    assert not list(site.rglob("*.txt")) or list(site.rglob("*.txt")) == [site / "notes.txt"]
