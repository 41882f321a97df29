"""Who may call, from where, how much; and what is never given away."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import httpx
import pytest

from serve.servers import SOURCES, TOKEN, ServerProcess, article, problem


@pytest.fixture(scope="module")
def guarded() -> Iterator[ServerProcess]:
    options = ("--cors", "https://app.example", "--name", "tamis.example", "--no-render")
    limits = ("--workers", "1", "--max-body", "1", "--token", "another-token-of-somebody")
    with ServerProcess(*options, *limits) as running:
        yield running


def run_serve(*options: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `tamis serve` that is expected to end by itself."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), **env}
    code = "from tamis.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "serve", *options],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_everything_but_health_asks_for_the_token(guarded: ServerProcess) -> None:
    paths = guarded.get("/openapi.json").json()["paths"]
    strangers = httpx.Client(base_url=guarded.url, trust_env=False)
    with strangers:
        for path, methods in paths.items():
            for method in methods:
                response = strangers.request(method.upper(), path.replace("{", "").replace("}", ""))
                expected = 200 if path == "/healthz" else 401
                assert response.status_code == expected, path
        problem(strangers.get("/openapi.json"), 401, "no-token")
        problem(strangers.post("/mcp"), 401, "no-token")
        for wrong in (
            "Bearer",
            f"Bearer {TOKEN}x",
            f"Basic {TOKEN}",
            TOKEN,
            f"Bearer {TOKEN[:-1]}",
        ):
            response = strangers.get("/version", headers={"Authorization": wrong})
            assert response.headers["www-authenticate"].startswith("Bearer")
            problem(response, 401, "no-token")
        other = {"Authorization": "Bearer another-token-of-somebody"}
        assert strangers.get("/version", headers=other).status_code == 200


def test_foreign_hosts_and_origins_are_refused(guarded: ServerProcess) -> None:
    for host in ("evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example", "a b"):
        response = guarded.get("/healthz", headers={"Host": host})
        assert response.status_code in (400, 421), host
    for host in ("localhost", f"127.0.0.1:{guarded.port}", "[::1]:80", "tamis.example", "10.0.0.1"):
        assert guarded.get("/healthz", headers={"Host": host}).status_code == 200, host
    for origin in ("https://evil.example", "null", f"http://localhost:{guarded.port + 1}"):
        response = guarded.get("/version", headers={"Origin": origin})
        problem(response, 403, "foreign-origin")
        assert "access-control-allow-origin" not in response.headers
    own = f"http://127.0.0.1:{guarded.port}"
    assert guarded.get("/version", headers={"Origin": own}).status_code == 200


def test_named_origins_may_call(guarded: ServerProcess) -> None:
    headers = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    preflight = httpx.options(f"{guarded.url}v1/extract", headers=headers, trust_env=False)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "https://app.example"
    response = guarded.get("/version", headers={"Origin": "https://app.example"})
    assert response.headers["access-control-allow-origin"] == "https://app.example"
    assert response.headers["vary"] == "Origin"
    refused = httpx.options(
        f"{guarded.url}v1/extract", headers=headers | {"Origin": "https://b.example"}
    )
    assert "access-control-allow-origin" not in refused.headers


def test_answers_have_headers_that_keep_them_safe(guarded: ServerProcess) -> None:
    for response in (guarded.get("/healthz"), guarded.get("/nothing"), guarded.get("/version")):
        headers = response.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert len(headers["x-request-id"]) == 16
        assert "server" not in headers


def test_private_addresses_are_not_fetched(guarded: ServerProcess) -> None:
    for address in (
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.1/",
    ):
        problem(guarded.get(f"/v1/read/{address}"), 403, "private-address")
        problem(guarded.post("/v1/extract", {"url": address}), 403, "private-address")
    problem(guarded.post("/v1/extract", {"url": "file:///etc/passwd"}), 502, "fetch-failed")


def test_redirects_to_private_addresses_are_followed_where_that_is_permitted() -> None:
    """Without --allow-private none is fetched; tests/source has redirects from public ones."""
    from threading import Thread

    from helpers.fetch_server import Server

    with Server() as web:
        Thread(target=web.serve_forever, daemon=True).start()
        with ServerProcess("--workers", "1", "--allow-private", "--no-render") as open_server:
            assert open_server.get(f"/v1/read/{web.url}/to/%2Fpage").text == "A page"
        web.shutdown()


def test_fetching_can_be_switched_off() -> None:
    with ServerProcess("--workers", "1", "--no-fetch", "--no-render") as offline:
        problem(offline.get("/v1/read/https://example.org/"), 403, "no-fetching")
        problem(offline.post("/v1/extract", {"url": "https://example.org/"}), 403, "no-fetching")
        assert offline.post("/v1/extract", article()).status_code == 200


def test_bodies_have_a_limit(guarded: ServerProcess) -> None:
    assert guarded.post("/v1/extract", b"<p>" + b"x " * 400_000).status_code == 200
    problem(guarded.post("/v1/extract", b"<p>" + b"x " * 600_000), 413, "too-large")

    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield b"<p>word " * 10_000

    headers = {"Content-Type": "text/html"}
    try:
        response = guarded.client.post("/v1/extract", content=endless(), headers=headers)
        problem(response, 413, "too-large")
    except httpx.TransportError:  # the server hung up before all was sent
        pass
    assert guarded.get("/healthz").status_code == 200


def test_a_slow_client_is_given_up_and_stops_nobody() -> None:
    with (
        ServerProcess("--workers", "1", "--no-render", "--body-timeout", "1") as running,
        socket.create_connection(("127.0.0.1", running.port)) as connection,
    ):
        connection.sendall(
            b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\n"
            b"Authorization: Bearer " + TOKEN.encode() + b"\r\nContent-Length: 1000\r\n\r\n<p>"
        )
        assert running.post("/v1/extract", article()).status_code == 200
        connection.settimeout(60)
        received = b""
        while part := connection.recv(65536):
            received += part
            if b"too-slow" in received:
                break
        assert received.startswith(b"HTTP/1.1 408")
        assert running.post("/v1/extract", article()).status_code == 200


def test_a_head_that_never_ends_is_given_up() -> None:
    """Half a head is cut off, and so is none; a connection that is kept is not."""
    with ServerProcess("--workers", "1", "--no-render", "--body-timeout", "1") as running:
        heads = (b"", b"GET /version HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        for head in heads:
            with socket.create_connection(("127.0.0.1", running.port)) as connection:
                connection.sendall(head)
                connection.settimeout(60)
                assert connection.recv(65536) == b""
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.settimeout(60)
            for _ in range(2):
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = HTTPResponse(connection)  # its head and its body may come apart
                answer.begin()
                assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')
                time.sleep(1.5)


def test_logs_have_neither_contents_nor_tokens_nor_addresses(guarded: ServerProcess) -> None:
    secret = "The secret recipe of the house needs seven lemons."
    guarded.post(
        "/v1/extract", f"<p>{secret}</p>".encode(), params={"url": "https://a.example/hush"}
    )
    guarded.get("/v1/read/http://127.0.0.1/hush?key=lemons")
    guarded.get("/version", headers={"Authorization": "Bearer wrong-token-that-was-tried"})
    request_id = guarded.get("/version").headers["x-request-id"]
    for _ in range(200):
        if any(request_id in line for line in guarded.lines):
            break
        time.sleep(0.05)
    log = "\n".join(guarded.lines)
    assert request_id in log
    for word in ("lemons", "hush", TOKEN, "wrong-token-that-was-tried"):
        assert word not in log


def test_without_a_token_only_loopback_and_one_is_made(tmp_path: Path) -> None:
    with ServerProcess("--workers", "1", "--no-render", token=None) as running:
        assert len(running.token) >= 32
        assert running.get("/version").status_code == 200
        bare = httpx.get(f"{running.url}version", trust_env=False)
        assert bare.status_code == 401
    refused = run_serve("--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 2
    assert "--token" in refused.stderr
    assert "Traceback" not in refused.stderr
    short = run_serve("--token", "short")
    assert short.returncode == 2
    assert "too short" in short.stderr


def test_mistakes_are_messages() -> None:
    missing = run_serve("--store", "nowhere.db", "--port", "0", "--workers", "1", "--no-render")
    assert missing.returncode == 2, missing.stderr
    assert "nowhere.db" in missing.stderr
    assert "Traceback" not in missing.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = run_serve("--port", str(taken.getsockname()[1]), "--workers", "1")
    assert busy.returncode == 2
    assert "in use" in busy.stderr
    for host in ("name.invalid", "\x85"):  # unknown, and no name at all
        strange = run_serve("--host", host, "--token", "t" * 32, "--port", "0", "--workers", "1")
        assert strange.returncode == 2, strange.stderr
        assert "is no host" in strange.stderr
        assert "Traceback" not in strange.stderr


def test_the_token_may_be_in_the_environment() -> None:
    token = "from-the-environment-0123"
    with ServerProcess(
        "--workers", "1", "--no-render", token=None, env={"TAMIS_TOKEN": token}
    ) as running:
        headers = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{running.url}version", headers=headers).status_code == 200
        assert token not in "\n".join(running.lines)


def test_requests_with_one_token_are_bounded() -> None:
    options = ("--workers", "1", "--no-render", "--per-token", "2", "--deadline", "5")
    with ServerProcess(*options) as running:
        held = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(2)]
        for connection in held:
            connection.sendall(
                b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\n"
                b"Authorization: Bearer " + TOKEN.encode() + b"\r\nContent-Length: 99\r\n\r\n<p>"
            )
        for _ in range(200):
            response = running.get("/version")
            if response.status_code == 429:
                break
            time.sleep(0.05)
        assert problem(response, 429, "too-many")
        assert response.headers["retry-after"] == "1"
        for connection in held:
            connection.close()
        for _ in range(200):
            if running.get("/version").status_code == 200:
                break
            time.sleep(0.05)
        assert running.get("/version").status_code == 200


def test_what_is_under_way_is_finished_when_the_service_is_stopped() -> None:
    page = b"<table>" + b"<tr><td>a cell with words<td>1</tr>" * 20_000
    with ServerProcess("--workers", "1", "--no-render") as running:
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.settimeout(120)
            connection.sendall(
                b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\n"
                b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                % (TOKEN.encode(), len(page), page)
            )
            while "tamis_pages_under_way 1.0" not in running.get("/metrics").text:
                time.sleep(0.005)
            running.process.send_signal(signal.SIGTERM)
            received = connection.recv(65536)
        assert received.startswith(b"HTTP/1.1 200")
        assert running.process.wait(120) in (0, -signal.SIGTERM, 143)
