"""The API, with a real client against a real server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from threading import Thread
from typing import get_args

import pytest

import tamis
from helpers.fetch_server import Server as FetchServer
from serve.servers import SAMPLES, ServerProcess, article, check_answer, ndjson, problem
from tamis.serve import FORMATS, FormatName, MethodName


@pytest.fixture(scope="module")
def web() -> Iterator[FetchServer]:
    with FetchServer() as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def test_json_and_raw_html_give_what_the_library_gives(server: ServerProcess) -> None:
    document = tamis.extract(article(), "https://example.org/a")
    html = article().decode()
    as_json = server.post("/v1/extract", {"html": html, "url": "https://example.org/a"})
    options = {"formats": "text,markdown,metadata", "url": "https://example.org/a"}
    raw = server.post("/v1/extract", article(), params=options)
    assert as_json.status_code == raw.status_code == 200
    assert as_json.json()["markdown"] == raw.json()["markdown"] == document.to_markdown()
    assert raw.json()["text"] == document.text
    assert raw.json()["metadata"]["title"] == document.metadata.title
    assert raw.json()["url"] == "https://example.org/a"
    assert raw.json()["page_type"] == "article"


def test_every_format_that_documents_have(server: ServerProcess) -> None:
    names = [name for name in FORMATS if hasattr(tamis.Document, name) or name == "chunks"]
    answer = server.post("/v1/extract", article(), params={"formats": ",".join(names)}).json()
    document = tamis.extract(article())
    assert set(names) <= answer.keys()
    assert answer["html"] == document.html
    assert answer["json"] == json.loads(json.dumps(document.json))
    assert "".join(chunk["text"] for chunk in answer["chunks"]) == document.markdown
    assert answer["records"]["reason"] == document.records.reason


def test_the_names_of_the_api_are_those_of_the_library() -> None:
    without_layout = {name for name, method in tamis.METHODS.items() if not method.needs_layout}
    assert set(get_args(MethodName)) == without_layout
    assert set(get_args(FormatName)) == set(FORMATS)


@pytest.mark.parametrize("method", get_args(MethodName))
def test_methods(server: ServerProcess, method: str) -> None:
    params = {"method": method, "formats": "text"}
    answer = server.post("/v1/extract", article(), params=params).json()
    assert answer["text"] == tamis.extract(article(), method=method).text
    assert answer["method"] == method


def test_options_change_what_comes_out(server: ServerProcess) -> None:
    html = (SAMPLES / "docs.html").read_text()
    request = {"html": html, "url": "https://example.org/", "formats": ["markdown", "text"]}
    plain = server.post("/v1/extract", request | {"links": False, "tables": False}).json()
    document = tamis.extract(html, "https://example.org/")
    assert plain["markdown"] == document.to_markdown(links=False, tables=False)
    assert plain["text"] == document.to_text(tables=False)
    whole = {"title": False, "front_matter": True, "comments": True}
    answer = server.post("/v1/extract", request | whole).json()
    assert answer["markdown"] == document.to_markdown(**whole)
    favored = server.post("/v1/extract", request | {"favor": "recall"}).json()
    assert favored["text"] == tamis.extract(html, favor="recall").text


def test_formats_may_be_named_in_several_ways(server: ServerProcess) -> None:
    for query in ("formats=text,markdown", "formats=text&formats=markdown"):
        answer = server.post(f"/v1/extract?{query}", article())
        assert {"text", "markdown"} <= answer.json().keys(), query


def test_an_encoded_body_is_refused(server: ServerProcess) -> None:
    """Compressed bytes are not taken for a page."""
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    refused = server.post("/v1/extract", gzip.compress(article()), headers=headers)
    assert problem(refused, 415, "wrong-encoding")
    assert refused.headers["accept-encoding"] == "identity"
    plain = {"Content-Type": "text/html", "Content-Encoding": "identity"}
    assert server.post("/v1/extract", article(), headers=plain).status_code == 200


def test_head_is_answered_like_get(server: ServerProcess) -> None:
    for path in ("/healthz", "/", "/version", "/nothing"):
        head, got = server.client.head(path), server.get(path)
        assert head.status_code == got.status_code, path
        assert head.content == b""
        assert head.headers["content-length"] == got.headers["content-length"]


def test_charsets_of_raw_pages(server: ServerProcess) -> None:
    page = "<p>Der Bär läuft über die Brücke und ißt einen Apfel.</p>".encode("latin-1")
    headers = {"Content-Type": "text/html; charset=iso-8859-1"}
    answer = server.post("/v1/extract?formats=text", page, headers=headers)
    assert "Bär läuft über" in answer.json()["text"]
    headers = {"Content-Type": "text/html; charset=klingon"}
    problem(server.post("/v1/extract", page, headers=headers), 400, "unknown-charset")


def test_blocks(server: ServerProcess) -> None:
    blocks = server.post("/v1/blocks", article()).json()["blocks"]
    expected = tamis.extract(article()).json["blocks"]
    assert blocks == json.loads(json.dumps(expected))
    few = server.post("/v1/blocks", article(), params={"only_informative": "true"}).json()["blocks"]
    assert few == [block for block in blocks if block["informative"]]


def test_answers_are_as_they_are_described(server: ServerProcess) -> None:
    formats = {"formats": ",".join(FORMATS)}
    shop = (SAMPLES / "shop.html").read_bytes()
    check_answer(server, server.post("/v1/extract", shop, params=formats), "post /v1/extract")
    check_answer(server, server.post("/v1/blocks", shop), "post /v1/blocks")
    check_answer(server, server.post("/v1/records?regions=all", shop), "post /v1/records")
    pages = {"host": "shop.example", "pages": [{"html": shop.decode()}] * 2}
    check_answer(server, server.post("/v1/sites", pages), "post /v1/sites")
    for path in ("/v1/sites", "/healthz", "/readyz", "/version"):
        check_answer(server, server.get(path), f"get {path}")


def test_bodies_have_examples_that_work(server: ServerProcess) -> None:
    """What the description shows as an example is answered."""
    paths = server.get("/openapi.json").json()["paths"]
    for path in ("/v1/extract", "/v1/blocks", "/v1/records", "/v1/sites", "/v1/batch"):
        bodies = paths[path]["post"]["requestBody"]["content"]
        assert all("example" in body for body in bodies.values()), path
        for kind, body in bodies.items():
            example = body["example"]
            content = example if isinstance(example, str) else json.dumps(example)
            headers = {"Content-Type": kind}
            response = server.client.post(path, content=content.encode(), headers=headers)
            assert response.status_code in (200, 201), response.text


def test_records(server: ServerProcess) -> None:
    page = (SAMPLES / "shop.html").read_bytes()
    main = server.post("/v1/records", page).json()
    document = tamis.extract(page)
    assert len(main["regions"]) == 1
    assert main["regions"][0]["rows"] == [dict(row) for row in document.records]
    every = server.post("/v1/records", page, params={"regions": "all"}).json()
    assert len(every["regions"]) == len(document.regions)


def test_a_page_is_fetched_and_read(server: ServerProcess, web: FetchServer) -> None:
    markdown = server.get(f"/v1/read/{web.url}/page")
    assert markdown.text == "A page"
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    answer = server.post(
        "/v1/extract", {"url": f"{web.url}/to/%2Fpage", "formats": ["text"]}
    ).json()
    assert answer["text"] == "A page"
    assert answer["url"] == f"{web.url}/page"
    problem(server.get(f"/v1/read/{web.url}/status/404"), 502, "fetch-failed")
    problem(server.get(f"/v1/read/{web.url}/size/9000000"), 413, "too-large")
    problem(server.get("/v1/read/ftp://example.org/"), 422, "no-address")


def test_the_query_of_a_read_belongs_to_its_address(
    server: ServerProcess, web: FetchServer
) -> None:
    server.get(f"/v1/read/{web.url}/page?a=1&formats=html&b=%2F")
    assert web.seen[-1] == "/page?a=1&formats=html&b=%2F"


def test_a_batch_answers_every_line(server: ServerProcess) -> None:
    lines = [{"id": f"page {n}", "html": f"<p>This is page {n}.</p>"} for n in range(40)]
    body = ndjson([*lines, {"id": "bad", "html": 5}]) + b"no json\n\n" + ndjson([{"html": "<p>x"}])
    headers = {"Content-Type": "application/x-ndjson"}
    answers = server.client.post("/v1/batch", content=body, headers=headers)
    rows = [json.loads(line) for line in answers.text.splitlines()]
    by_line = {row["line"]: row for row in rows}
    assert len(rows) == len(by_line) == 43
    for number in range(40):
        assert by_line[number + 1]["id"] == f"page {number}"
        assert by_line[number + 1]["answer"]["markdown"] == f"This is page {number}."
    assert by_line[41]["problem"]["status"] == 422
    assert by_line[42]["problem"]["type"] == "urn:tamis:problem:bad-json"
    assert by_line[43]["answer"]["markdown"] == "x"


def test_a_line_that_is_refused_keeps_its_id(server: ServerProcess) -> None:
    """What came as no page is told from others by its id; no number of a line looks like one."""
    lines = [{"id": 3, "html": "<p>x"}, {"id": "wrong", "html": 5}, {"html": "<p>x"}, {"id": True}]
    headers = {"Content-Type": "application/x-ndjson"}
    body = ndjson(lines) + b'{"id": 6, "html"\n'
    text = server.client.post("/v1/batch?ordered=true", content=body, headers=headers).text
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["id"] for row in rows] == [3, "wrong", None, None, None]
    assert ["problem" in row for row in rows] == [False, True, False, True, True]


def test_a_batch_that_breaks_off_answers_what_came_before(server: ServerProcess) -> None:
    """A line that is too long ends a batch, but pages before it are answered."""
    page = article().decode() * 20
    lines = ndjson([{"id": n, "html": page, "formats": ["text"]} for n in range(2)])

    def body() -> Iterator[bytes]:
        yield lines
        for _ in range(200):
            yield b"x" * 100_000

    headers = {"Content-Type": "application/x-ndjson"}
    text = server.client.post("/v1/batch", content=body(), headers=headers).text
    rows = [json.loads(line) for line in text.splitlines()]
    answered = sorted(row["id"] for row in rows if "answer" in row)
    assert answered == [0, 1]
    assert [(row["line"], row["problem"]["status"]) for row in rows if "problem" in row] == [
        (3, 413)
    ]


def test_a_batch_can_keep_its_order(server: ServerProcess) -> None:
    sizes = [400 if n % 3 == 0 else 1 for n in range(30)]
    lines = [{"id": n, "html": "<p>Some words.</p>" * size} for n, size in enumerate(sizes)]
    headers = {"Content-Type": "application/x-ndjson"}
    answers = server.client.post("/v1/batch?ordered=true", content=ndjson(lines), headers=headers)
    assert [json.loads(line)["id"] for line in answers.text.splitlines()] == list(range(30))


def test_a_batch_answers_while_it_is_being_sent(server: ServerProcess) -> None:
    """The first answer comes before the last line is sent."""
    import socket

    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.settimeout(60)
        head = (
            "POST /v1/batch HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {server.token}\r\n"
            "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        line = ndjson([{"id": 1, "html": "<p>The first of two pages.</p>"}])
        connection.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(line), line))
        received = b""
        while b"The first of two pages" not in received:
            received += connection.recv(65536)
        line = ndjson([{"id": 2, "html": "<p>The second of two pages.</p>"}])
        connection.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(line), line))
        while b"The second of two pages" not in received:
            received += connection.recv(65536)


def test_a_batch_has_a_limit(server: ServerProcess) -> None:
    with ServerProcess("--workers", "1", "--max-batch", "3", "--no-render") as small:
        body = ndjson([{"html": "<p>x"}] * 5)
        headers = {"Content-Type": "application/x-ndjson"}
        rows = [
            json.loads(line)
            for line in small.client.post(
                "/v1/batch", content=body, headers=headers
            ).text.splitlines()
        ]
        assert sum("answer" in row for row in rows) == 3
        assert [row["problem"]["status"] for row in rows if "problem" in row] == [413]


def test_a_site_is_learned_and_applied(server: ServerProcess) -> None:
    from helpers.sites import article_page, site_pages

    pages = [{"html": html, "url": url} for url, html in site_pages(6)]
    learned = server.post("/v1/sites", {"host": "pane.example", "pages": pages})
    assert learned.status_code == 201
    assert learned.json() == {"host": "pane.example", "pages": 6, "templates": 1}
    html = article_page(99)
    raw = html.encode()
    answer = server.post("/v1/sites/pane.example/extract?formats=text", raw).json()
    site = tamis.Site.load(server.folder / "tamis-sites" / "pane.example.tamis")
    assert answer["text"] == site.extract(html).text
    assert answer["match"] > 0.9
    assert "pane.example" in server.get("/v1/sites").json()["hosts"]
    problem(server.post("/v1/sites/nowhere.example/extract", raw), 404, "no-site")
    for name in ("%2e%2e", "a/b", "%2e%2e%2fx", "x" * 300):
        assert server.post(f"/v1/sites/{name}/extract", raw).status_code in (404, 422)
        assert server.post("/v1/sites", {"host": name, "pages": pages}).status_code == 422


def test_state(server: ServerProcess) -> None:
    assert server.get("/healthz").json() == {"status": "ok"}
    assert server.get("/readyz").json()["status"] == "ready"
    assert server.get("/version").json() == {"version": tamis.__version__}
    server.post("/v1/extract", article())
    metrics = server.get("/metrics").text
    assert 'tamis_requests_total{method="POST",route="/v1/extract",status="200"}' in metrics
    assert "tamis_pages_under_way" in metrics


def test_wrong_requests_are_explained(server: ServerProcess) -> None:
    problem(server.post("/v1/extract", {}), 422, "bad-request")
    members = problem(server.post("/v1/extract", {"html": "", "methud": "x"}), 422, "bad-request")
    assert members["errors"][0]["at"] == "methud"
    problem(server.post("/v1/extract", {"html": "", "method": "magic"}), 422, "bad-request")
    problem(server.post("/v1/extract", {"html": "", "formats": []}), 422, "bad-request")
    bad = server.client.post(
        "/v1/extract", content=b'{"html": "<p', headers={"Content-Type": "application/json"}
    )
    problem(bad, 400, "bad-json")
    odd = server.client.post("/v1/extract", content=b"x", headers={"Content-Type": "image/png"})
    problem(odd, 415, "wrong-media-type")
    members = problem(server.get("/v1/nothing"), 404, "no-such-route")
    assert "/openapi.json" in members["detail"]
    members = problem(server.get("/v1/extract"), 405, "wrong-method")
    assert "POST" in members["detail"]
    problem(server.get("/v1/search?q=x"), 409, "no-store")


def test_the_description_has_examples_and_problems(server: ServerProcess) -> None:
    paths = server.get("/openapi.json").json()["paths"]
    assert {"/v1/extract", "/v1/blocks", "/v1/records", "/v1/batch", "/v1/search"} <= paths.keys()
    extract = paths["/v1/extract"]["post"]
    body = extract["requestBody"]["content"]
    assert body["application/json"]["schema"]["examples"]
    assert "text/html" in body
    assert {"200", "401", "413", "422", "503", "504", "507"} <= extract["responses"].keys()


def test_half_characters_do_not_break_an_answer(server: ServerProcess) -> None:
    body = json.dumps({"html": "<p>half \ud800 a character</p>", "formats": ["text", "json"]})
    answer = server.client.post(
        "/v1/extract", content=body.encode(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (200, 400, 422)
