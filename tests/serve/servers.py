"""Servers as users start them: processes of their own, called over real connections."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

TOKEN = "a token for the tests"[:16].replace(" ", "-") + "-0123456789"
ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
SOURCES = ROOT / "src"
PATIENCE = 120.0
_COMMAND = "from tamis.cli import main; main()"
_POISONED = "from serve.poisoned import main; main()"


class ServerProcess:
    """`tamis serve`, started with options; ends with the `with` statement."""

    def __init__(
        self,
        *options: str,
        token: str | None = TOKEN,
        poisoned: bool = False,
        command: str = "serve",
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.folder = folder or Path(tempfile.mkdtemp(prefix="tamis-serve-"))
        path = os.pathsep.join((str(SOURCES), str(ROOT / "tests")))
        environment = os.environ | {"PYTHONPATH": path, "PYTHONWARNINGS": "error"} | dict(env or {})
        arguments: list[str] = [command, *(("--port", "0") if command == "serve" else ())]
        if token is not None and command == "serve":
            arguments += ["--token", token]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _POISONED if poisoned else _COMMAND, *arguments, *options],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._has_address = threading.Event()
        self.url = self.token = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._has_address.wait(PATIENCE), self.lines
        self.token = self.token or token or environment.get("TAMIS_TOKEN", "")
        self.client = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=PATIENCE,
            trust_env=False,
        )
        self.wait_until_ready()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if not self.url and (match := re.search(r"http://[^\s#]+/", line)):
                if given := re.search(r"#token=([\w-]+)", line):
                    self.token = given[1]
                self.url = match[0]
                self._has_address.set()
        self._has_address.set()

    def wait_until_ready(self) -> None:
        for _ in range(int(PATIENCE * 20)):
            with suppress(httpx.TransportError):
                if self.client.get("/readyz").status_code == 200:
                    return
            assert self.process.poll() is None, "\n".join(self.lines)
            threading.Event().wait(0.05)
        raise AssertionError("\n".join(self.lines))

    @property
    def port(self) -> int:
        return httpx.URL(self.url).port or 80

    def workers(self) -> list[int]:
        """Return the processes that read pages."""
        from helpers.processes import child_processes

        return child_processes(self.process.pid, zombies=False)

    def post(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        if isinstance(body, bytes):
            headers = {"Content-Type": "text/html"} | options.pop("headers", {})
            return self.client.post(path, content=body, headers=headers, **options)
        return self.client.post(path, json=body, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, **options)

    def stop(self, sent: int = signal.SIGTERM) -> int:
        """End the server, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._reader.join(PATIENCE)
            assert self.process.stderr is not None
            self.process.stderr.close()
            self.client.close()

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def problem(response: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    """Check that a response is a problem, and return it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    members: dict[str, Any] = response.json()
    assert members["type"] == f"urn:tamis:problem:{kind}"
    assert members["status"] == status
    assert members["request_id"] == response.headers["x-request-id"]
    assert members["detail"]
    return members


def article() -> bytes:
    return (SAMPLES / "article.html").read_bytes()


def ndjson(lines: Sequence[Any]) -> bytes:
    import json

    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def check_answer(running: ServerProcess, response: httpx.Response, operation: str) -> None:
    """Check that an answer is what the service's description says of an operation."""
    import jsonschema_rs

    method, _, path = operation.partition(" ")
    description = running.get("/openapi.json").json()
    answers = description["paths"][path][method]["responses"]
    schema = answers[str(response.status_code)]["content"]["application/json"]["schema"]
    assert schema, operation
    whole = {**schema, "components": description["components"]}
    jsonschema_rs.validate(whole, response.json())
