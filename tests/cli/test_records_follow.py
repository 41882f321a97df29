"""`tamis records --follow`: which next pages are read, and what is said of the others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tamis.content import Document
from tamis.errors import DeadlineExceeded

from .called import csv_rows, list_page, records


class ListServer(ThreadingHTTPServer):
    """Serves pages of lists by path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, str] = {}
        self.requests: list[str] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: ListServer

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        page = self.server.pages.get(self.path, "")
        is_moved = page.startswith("/")
        self.send_response(302 if is_moved else 200 if page else 404)
        if is_moved:
            self.send_header("Location", page)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ListServer]:
    with ListServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def titles(text: str) -> list[str]:
    """The first title of each page of CSV."""
    return [row["title"][:7] for row in csv_rows(text)[::8]]


def test_next_pages_are_followed_once_and_up_to_a_limit(lists: Path) -> None:
    done = records(lists / "p1.html", "--follow", "-f", "csv")
    assert done.exit_code == 0, done.stderr
    assert [row["title"][:7] for row in csv_rows(done.stdout)[::8]] == [
        "Entry 1",
        "Entry 2",
        "Entry 3",
    ]
    some = records(lists / "p1.html", "--follow", "--max-pages", "2", "-f", "csv")
    assert len(csv_rows(some.stdout)) == 16
    assert "stopped at --max-pages; the next page is p3.html" in some.stderr


def test_following_leads_to_no_file_outside_of_the_folder(lists: Path) -> None:
    (lists.parent / "secret.html").write_text(list_page(9), encoding="utf-8")
    for target in ("../secret.html", str(lists.parent / "secret.html"), "file:///etc/passwd"):
        (lists / "p1.html").write_text(list_page(1, target), encoding="utf-8")
        table = csv_rows(records(lists / "p1.html", "--follow", "-f", "csv").stdout)
        assert {row["title"][:7] for row in table} == {"Entry 1"}


def test_the_url_of_the_first_page_is_not_that_of_the_next_ones(
    server: ListServer, tmp_path: Path
) -> None:
    (tmp_path / "p1.html").write_text(list_page(1, "/b/p2"), encoding="utf-8")
    server.pages = {"/b/p2": list_page(2, "p3"), "/b/p3": list_page(3)}
    url = server.url("/a/p1")
    done = records(tmp_path / "p1.html", "--url", url, "--follow", "--allow-private", "-f", "csv")
    assert done.exit_code == 0, done.stderr
    assert titles(done.stdout) == ["Entry 1", "Entry 2", "Entry 3"]
    assert server.requests == ["/b/p2", "/b/p3"]


def test_pages_that_are_inputs_are_read_once(lists: Path) -> None:
    (lists / "p3.html").write_text(list_page(3, "p4.html"), encoding="utf-8")
    (lists / "p4.html").write_text(list_page(4, "p1.html"), encoding="utf-8")
    inputs = [lists / "p1.html", lists / ".." / "lists" / "p2.html"]
    done = records(*inputs, "--follow", "-f", "csv")
    assert done.exit_code == 0, done.stderr
    assert titles(done.stdout) == ["Entry 1", "Entry 2", "Entry 3", "Entry 4"]
    done = records(lists, "--follow", "--max-pages", "2", "-f", "csv")
    assert titles(done.stdout) == ["Entry 1", "Entry 2", "Entry 3", "Entry 4"]
    assert "--max-pages" not in done.stderr


def test_pages_that_two_inputs_lead_to_are_read_once(server: ListServer) -> None:
    server.pages = {
        "/a": list_page(1, "/c"),
        "/b": list_page(2, "/moved"),
        "/c": list_page(3, "/d"),
        "/d": list_page(4, "/c"),
        "/moved": "/c",
        "/again": "/d",
    }
    urls = map(server.url, ("/a", "/b", "/again"))
    done = records(*urls, "--follow", "--allow-private", "-f", "csv")
    assert done.exit_code == 0, done.stderr
    assert titles(done.stdout) == ["Entry 1", "Entry 3", "Entry 4", "Entry 2"]


@pytest.mark.parametrize("next_page", ["/pots?page=2", "gone.html", "../p2.html", "p%002.html"])
def test_a_next_page_that_needs_a_url_is_reported(lists: Path, next_page: str) -> None:
    (lists / "p1.html").write_text(list_page(1, next_page), encoding="utf-8")
    done = records(lists / "p1.html", "--follow", "-f", "csv")
    assert done.exit_code == 0, done.stderr
    assert titles(done.stdout) == ["Entry 1"]
    assert f"tamis: the next page is {next_page}: give --url to follow it\n" in done.stderr
    several = records(lists / "p1.html", lists / "p2.html", "--follow", "-f", "csv")
    message = f"p1.html: the next page is {next_page}: read this page alone and give --url"
    assert message in several.stderr


def test_a_next_page_on_standard_input_needs_a_url() -> None:
    done = records("-", "--follow", "-f", "csv", data=list_page(1, "p2.html"))
    assert "tamis: the next page is p2.html: give --url to follow it" in done.stderr
    last = records("-", "--follow", "-f", "csv", data=list_page(1))
    assert "next page" not in last.stderr


def test_only_some_next_pages_that_were_not_read_are_named(tmp_path: Path) -> None:
    for number in range(5):
        page = list_page(number, f"/list?page={number}")
        (tmp_path / f"p{number}.html").write_text(page, encoding="utf-8")
    done = records(tmp_path, "--follow", "-f", "csv")
    assert done.stderr.count("the next page is") == 3
    assert "tamis: the next pages of 2 more pages were not read\n" in done.stderr


def test_a_deadline_while_looking_for_the_next_page_loses_no_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def passed(_: Document) -> str:
        raise DeadlineExceeded("finding the next page took too long")

    monkeypatch.setattr(Document, "next_page", property(passed))
    grid = Path(__file__).parents[2] / "samples" / "lists" / "grid.html"
    done = records(grid, "--follow", "-f", "csv")
    assert done.exit_code == 0
    assert len(csv_rows(done.stdout)) > 5
    assert "not followed further" in done.stderr
