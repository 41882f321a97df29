"""Pages for the integrations: the samples, a broken one, an archive, and a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.archives import gzipped, http, record

SAMPLES = Path(__file__).parents[2] / "samples"
URL = "https://example.org/recipes.html"


@pytest.fixture
def docs_html() -> str:
    return (SAMPLES / "docs.html").read_text()


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A folder with two pages and one that is no page."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("article", "docs"):
        (folder / f"{name}.html").write_bytes((SAMPLES / f"{name}.html").read_bytes())
    (folder / "broken.html").write_bytes(b"%PDF-1.7 no page")
    return folder


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A web archive with two pages."""
    path = tmp_path / "crawl.warc.gz"
    names = ("article", "docs")
    bodies = [(SAMPLES / f"{name}.html").read_bytes() for name in names]
    records = [record(number, http(body)) for number, body in enumerate(bodies)]
    path.write_bytes(gzipped(records))
    return path


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:
        """Keep the output of the tests clean."""


@pytest.fixture
def site() -> Iterator[str]:
    """The address of a server with the samples."""
    handler = partial(QuietHandler, directory=SAMPLES)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
