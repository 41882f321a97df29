"""Runs the command as users do, in processes of its own, on pages that can be held back.

A server holds pages back until it is told to let them go, so that a run can be stopped at a known
place and no test depends on how fast the machine is.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpers.processes import is_running
from helpers.signals import INTERRUPTIBLE

from .called import list_page, page

WORDS = "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. "
MAIN = "from tamis.cli import main; main()"
START = f"{INTERRUPTIBLE}{MAIN}"
SAMPLES = Path(__file__).parents[2] / "samples"
PATIENCE = 60.0  # seconds until a test gives up; no test needs them


def command(*arguments: str | Path, code: str = START, task: str = "extract") -> list[str]:
    return [sys.executable, "-c", code, *task.split(), *map(str, arguments)]


def extract(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )


def until(condition: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, each of them whole."""
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


class Gate(ThreadingHTTPServer):
    """Serves pages by number; pages in `held` wait until they are let go."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.held: set[str] = set()
        self.opened = threading.Event()
        self.asked: list[str] = []

    def urls(self, count: int) -> list[str]:
        return [f"http://127.0.0.1:{self.server_port}/{number}" for number in range(count)]


class Handler(BaseHTTPRequestHandler):
    server: Gate

    def do_GET(self) -> None:
        name = self.path.strip("/")
        self.server.asked.append(name)
        if name in self.server.held:
            self.server.opened.wait(PATIENCE)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<p>Page{name} {WORDS * 5}</p>".encode())

    def handle(self) -> None:
        with suppress(OSError):  # the process that asked may be dead
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Gate() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.opened.set()
        running.shutdown()
        thread.join()


_MARK = "TAMIS_TEST_RUN"


class Run:
    """A run in a session of its own, which is ended with the test.

    All its processes have a variable in their environment: workers have sessions of their own, and
    those whose parent has died have no parent any more.
    """

    def __init__(self, *arguments: str | Path, code: str = START, **options: Any) -> None:
        mark = str(uuid.uuid4())
        self._mark = f"{_MARK}={mark}".encode()
        self.process = subprocess.Popen(
            command(
                "--allow-private",
                "--timeout",
                "100",
                *arguments,
                code=code,
                task=options.pop("task", "extract"),
            ),
            start_new_session=True,
            env=options.pop("env", os.environ) | {_MARK: mark},
            stderr=options.pop("stderr", subprocess.PIPE),
            **options,
        )

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def processes(self) -> list[int]:
        """All processes of the run that are not dead."""
        pids = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # of another user, or gone
                if self._mark in path.read_bytes().split(b"\0"):
                    pids.append(int(path.parent.name))
        return [pid for pid in pids if is_running(pid)]

    def workers(self) -> list[int]:
        """The processes that the run has started."""
        return [pid for pid in self.processes() if pid != self.process.pid]

    def end(self) -> tuple[int, str]:
        """Wait for the end and return exit code and messages."""
        _, error = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, (error or b"").decode()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with pages in it and in a folder below it."""
    root = tmp_path / "site"
    (root / "sub").mkdir(parents=True)
    for name in ("a.html", "b.htm", "sub/c.html"):
        (root / name).write_text(page(name), encoding="utf-8")
    (root / "notes.txt").write_text("no page", encoding="utf-8")
    return root


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """A folder with three pages of a list, each of which leads to the next."""
    folder = tmp_path / "lists"
    folder.mkdir()
    for number, next_page in ((1, "p2.html"), (2, "p3.html"), (3, "p1.html")):
        (folder / f"p{number}.html").write_text(list_page(number, next_page), encoding="utf-8")
    return folder
