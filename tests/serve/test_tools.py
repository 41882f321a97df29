"""Every tool for agents, with the SDK's own client, over both transports."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import tamis
from helpers.sites import article_page, index_page
from serve.servers import SAMPLES, SOURCES, ServerProcess, article, problem
from tamis.store import Store

ROBOTS = b"User-agent: *\nDisallow: /private\n"
NAMES = {"read_page", "find_in_page", "list_records", "search_store", "crawl_status"}
Steps = Callable[[Client], Awaitable[None]]


class Web(BaseHTTPRequestHandler):
    """A site with a robots.txt."""

    def log_message(self, format: str, *args: object) -> None:
        """Keep the output of the tests clean."""

    def do_GET(self) -> None:
        body, kind = article(), "text/html"
        if self.path == "/robots.txt":
            body, kind = ROBOTS, "text/plain"
        status = 302 if self.path == "/hop" else 200
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/private/page")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("tools")
    with Store.open(path / "pages.db") as store:
        for number in range(3):
            store.put(f"https://pane.example/{number}", article_page(number))
        store.put("https://pane.example/list", index_page(7))
        store.put("https://a.example/", "<main><p>The lighthouse keeper trims the lamp.</p></main>")
    return path


@pytest.fixture(scope="module")
def remote(folder: Path) -> Iterator[ServerProcess]:
    options = ("--workers", "1", "--allow-private", "--store", "pages.db", "--no-render")
    with ServerProcess(*options, folder=folder) as running:
        yield running


@asynccontextmanager
async def connect_http(running: ServerProcess) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {running.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
        transport = streamable_http_client(f"{running.url}mcp", http_client=http)
        async with Client(transport) as client:
            yield client


@asynccontextmanager
async def connect_stdio(folder: Path) -> AsyncIterator[Client]:
    code = "from tamis.cli import main; main()"
    options = ("--workers", "1", "--allow-private", "--store", "pages.db", "--no-render")
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", code, "mcp", *options],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        cwd=folder,
    )
    async with Client(server) as client:
        yield client


@pytest.fixture(params=["http", "stdio"])
def run(request: pytest.FixtureRequest, folder: Path) -> Callable[[Steps], None]:
    """Run steps with a client of one of the transports."""

    def run_steps(steps: Steps) -> None:
        async def run_all() -> None:
            if request.param == "http":
                async with connect_http(request.getfixturevalue("remote")) as client:
                    await steps(client)
            else:
                async with connect_stdio(folder) as client:
                    await steps(client)

        asyncio.run(asyncio.wait_for(run_all(), 120))

    return run_steps


async def call(client: Client, name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Return the text and the data of an answer."""
    outcome = await client.call_tool(name, arguments)
    text = "".join(getattr(part, "text", "") for part in outcome.content)
    assert not outcome.is_error, text
    assert outcome.structured_content is not None
    return text, outcome.structured_content


async def fail(client: Client, name: str, **arguments: Any) -> str:
    outcome = await client.call_tool(name, arguments)
    assert outcome.is_error
    return "".join(getattr(part, "text", "") for part in outcome.content)


def test_all_tools(run: Callable[[Steps], None], web: str) -> None:
    """One connection per transport: starting one takes a second or two."""

    async def steps(client: Client) -> None:
        await check_descriptions(client)
        await check_reading(client, web)
        await check_finding(client)
        await check_records(client)
        await check_store(client)
        await check_robots(client, web)

    run(steps)


async def check_descriptions(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools.keys() == NAMES
    for tool in tools.values():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.destructive_hint is False
        assert tool.output_schema
        assert tool.output_schema["properties"]
        assert tool.description


async def check_reading(client: Client, web: str) -> None:
    markdown = tamis.extract(article()).markdown
    text, answer = await call(client, "read_page", html=article().decode())
    assert answer["content"] == markdown
    assert answer["untrusted"] is True
    assert markdown in text
    mark = text.partition("[untrusted page content ")[2][:8]
    assert f"[end of untrusted page content {mark}]" in text
    _, answer = await call(client, "read_page", url=f"{web}/story")
    assert answer["url"] == f"{web}/story"
    parts, start = [], 0
    while start is not None:
        _, answer = await call(
            client, "read_page", html=article().decode(), start_index=start, max_length=1500
        )
        assert len(answer["content"]) <= 1500
        parts.append(answer["content"])
        start = answer["next_index"]
    assert "".join(parts) == markdown
    _, answer = await call(
        client, "read_page", html=article().decode(), query="pensioners baker", max_length=600
    )
    assert "pensioners" in answer["content"]
    assert 0 < len(answer["content"]) < len(markdown) / 2
    text, _ = await call(client, "read_page", html=article().decode(), query="zeppelin")
    assert "leave the query out" in text
    text, _ = await call(client, "read_page", html=article().decode(), start_index=10**6)
    assert f"has {len(markdown)} characters" in text
    text, _ = await call(client, "read_page", html="<script>show()</script>")
    assert "No content (status: " in text
    assert "give url" in await fail(client, "read_page")
    assert "max_length" in await fail(client, "read_page", html="x", max_length=0)


async def check_finding(client: Client) -> None:
    _, answer = await call(client, "find_in_page", html=article().decode(), text="PENSIONERS")
    assert answer["total"] >= 1
    assert "pensioners" in answer["matches"][0]["context"]
    assert answer["matches"][0]["xpath"].startswith("/html/body")
    assert answer["matches"][0]["is_content"]
    _, answer = await call(client, "find_in_page", html=article().decode(), text="zeppelin")
    assert answer["matches"] == []


async def check_records(client: Client) -> None:
    html = (SAMPLES / "shop.html").read_text()
    records = tamis.extract(html).records
    text, answer = await call(client, "list_records", html=html, limit=2, offset=1)
    assert "Go on with offset=3." in text
    assert f"Next page: {answer['next_page']}" in text
    assert answer["rows"] == [dict(row) for row in records[1:3]]
    assert answer["total"] == len(records)
    assert [field["name"] for field in answer["fields"]] == [field.name for field in records.fields]
    _, answer = await call(client, "list_records", html="<p>No list here.</p>")
    assert answer["rows"] == []


async def check_store(client: Client) -> None:
    text, answer = await call(client, "search_store", query="lighthouse keeper")
    assert [hit["url"] for hit in answer["hits"]] == ["https://a.example/"]
    assert "lighthouse" in text
    assert "no crawl" in await fail(client, "crawl_status")


async def check_robots(client: Client, web: str) -> None:
    assert "robots" in await fail(client, "read_page", url=f"{web}/private/page")
    assert "robots" in await fail(client, "read_page", url=f"{web}/hop")
    assert "robots" in await fail(client, "list_records", url=f"{web}/private/list")


def test_crawl_status_of_a_crawl(tmp_path: Path, web: str) -> None:
    from tamis.crawl import crawl

    location = str(tmp_path / "pages.db")
    crawl(f"{web}/story", location, delay=0.0, allow_private=True, max_pages=1)

    async def steps() -> None:
        async with connect_stdio(tmp_path) as client:
            text, answer = await call(client, "crawl_status")
            assert answer["crawls"][0]["addresses"] == [f"{web}/story"]
            assert answer["crawls"][0]["pages"] == 1
            assert "1 pages" in text

    asyncio.run(asyncio.wait_for(steps(), 120))


def test_the_tools_hold_no_stream_open(remote: ServerProcess) -> None:
    """A stream would keep a place of its token and the end of the service waiting."""
    for method in ("GET", "DELETE"):
        refused = remote.client.request(method, "/mcp", timeout=20)
        assert problem(refused, 405, "wrong-method")
        assert refused.headers["allow"] == "POST"


def test_private_addresses_are_refused_to_agents() -> None:
    with ServerProcess("--workers", "1", "--no-render") as guarded:

        async def steps() -> None:
            async with connect_http(guarded) as client:
                message = await fail(client, "read_page", url="http://127.0.0.1:1/")
                assert "not a public address" in message

        asyncio.run(asyncio.wait_for(steps(), 120))
