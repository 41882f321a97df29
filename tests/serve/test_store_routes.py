"""Search, pages and history of a store, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from helpers.sites import article_page
from serve.servers import ServerProcess, check_answer, problem
from tamis.store import Store

URL = "https://pane.example/a?b=1"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("stored")
    with Store.open(folder / "pages.db") as store:
        for number in range(6):
            store.put(f"https://pane.example/{number}", article_page(number))
        for day in (1, 2):
            html = f"<main><h1>Lighthouse</h1><p>The keeper has {day} lamps to trim.</p></main>"
            store.put(URL, html, datetime(2026, 3, day, tzinfo=UTC))
    options = ("--workers", "1", "--store", "pages.db", "--no-render")
    with ServerProcess(*options, folder=folder) as running:
        yield running


def test_search(stored: ServerProcess) -> None:
    hits = stored.get("/v1/search", params={"q": "lighthouse keeper"}).json()["hits"]
    assert [hit["url"] for hit in hits] == [URL]
    assert "**keeper**" in hits[0]["snippet"]
    assert stored.get("/v1/search", params={"q": "zeppelin"}).json() == {"hits": []}
    problem(stored.get("/v1/search"), 422, "bad-request")
    problem(stored.get("/v1/search?q=x&limit=0"), 422, "bad-request")
    problem(stored.get("/v1/search?q=x&since=yesterday"), 422, "bad-request")


def test_pages(stored: ServerProcess) -> None:
    pages = stored.get("/v1/pages", params={"site": "pane.example"}).json()["pages"]
    assert len(pages) == 7
    assert len(stored.get("/v1/pages?limit=2&offset=1").json()["pages"]) == 2
    answer = stored.get(f"/v1/pages/{quote(URL, safe='')}?version=1&formats=text").json()
    assert answer["text"].endswith("The keeper has 1 lamps to trim.")
    answer = stored.post("/v1/extract", {"stored": URL, "formats": ["text"]}).json()
    assert answer["text"].endswith("The keeper has 2 lamps to trim.")
    for query in ("formats=text,markdown", "formats=text&formats=markdown"):
        answer = stored.get(f"/v1/pages/{quote(URL, safe='')}?{query}").json()
        assert {"text", "markdown"} <= answer.keys()
    problem(stored.get("/v1/pages/https%3A%2F%2Fnowhere.example"), 404, "not-in-store")
    problem(stored.get(f"/v1/pages/{quote(URL, safe='')}?version=9"), 422, "unusable-input")


def test_history(stored: ServerProcess) -> None:
    path = f"/v1/history/{quote(URL, safe='')}"
    assert len(stored.get(path).json()["versions"]) == 2
    changes = stored.get(f"{path}?before=1&after=2").json()["changes"]
    assert "keeper has 2 lamps" in changes["added"][0]["text"]
    assert "keeper has 1 lamps" in changes["removed"][0]["text"]
    problem(stored.get("/v1/history/https%3A%2F%2Fnowhere.example"), 404, "not-in-store")


def test_answers_are_as_they_are_described(stored: ServerProcess) -> None:
    name = quote(URL, safe="")
    for path, operation in (
        ("/v1/search?q=keeper", "get /v1/search"),
        ("/v1/pages", "get /v1/pages"),
        (f"/v1/pages/{name}", "get /v1/pages/{url}"),
        (f"/v1/history/{name}?before=1&after=2", "get /v1/history/{url}"),
    ):
        check_answer(stored, stored.get(path), operation)


def test_a_site_is_learned_from_the_store(stored: ServerProcess) -> None:
    learned = stored.post("/v1/sites", {"host": "pane.example", "from_store": 6})
    assert learned.status_code == 201
    assert learned.json()["pages"] == 6
    problem(stored.post("/v1/sites", {"host": "x.example", "from_store": 6}), 404, "not-in-store")
