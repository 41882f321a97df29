"""`tamis extract`: every kind of source, format and method."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import tamis
from helpers.instances import PLAIN_METHODS
from tamis.cli import FORMATS
from tamis.cli import tamis as command

from .called import assert_usage_error, extract, page, rows

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
    expected = json.loads(
        json.dumps(document.json), parse_float=lambda number: round(float(number), 4)
    )
    assert whole == {"name": str(site / "a.html"), **expected, "error": None}
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
    mistake = extract("-m", "none", "x.html")
    assert_usage_error(mistake, f"no method 'none': take one of {', '.join(tamis.METHODS)}")


def test_the_names_of_formats_are_those_of_the_interface() -> None:
    assert FORMATS == ("text", "markdown", "html", "json", "jsonl", "csv", "parquet")


@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_every_method_can_be_chosen(method: str, site: Path) -> None:
    row = json.loads(extract("-f", "jsonl", "--method", method, site / "a.html").stdout)
    assert row["method"] == method
    assert row["text"] == tamis.extract((site / "a.html").read_bytes(), method=method).text


def test_the_charset_of_the_user_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(page("Été à Évian").encode("cp1252"))
    assert "Été à Évian" in extract("--charset", "windows-1252", "-f", "json", path).stdout
    assert "Été à Évian" not in extract("--charset", "utf-8", "-f", "json", path).stdout


@pytest.mark.parametrize("task", ["extract", "store add", "site learn -o site.tamis"])
def test_a_list_is_an_input(task: str, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(site)
    monkeypatch.setenv("TAMIS_STORE", str(site / "tamis.db"))
    Path("urls.txt").write_text("# pages\na.html\n\nb.htm\n", encoding="utf-8")
    result = CliRunner().invoke(command, [*task.split(), "urls.txt"])
    assert result.exit_code == 0, result.output
    assert "2 pages" in result.stderr
    shown = CliRunner().invoke(command, [*task.split()[:2], "--help"]).stdout
    assert "LIST" in shown


def test_a_page_by_the_name_of_a_list_is_a_page(site: Path) -> None:
    (site / "page.txt").write_text(page("Odd"), encoding="utf-8")
    assert "Odd The quick" in extract(site / "page.txt").stdout
