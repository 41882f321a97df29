"""`tamis crawl` as a user sees it: progress, summary, status, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.terminals import Terminal

from .web import Handler, Reply, Route, add_tree, article, serve

pytestmark = pytest.mark.slow
CRAWL = [sys.executable, "-c", "from tamis.cli import main; main()", "crawl"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CRAWL, *arguments], capture_output=True, text=True, check=False)


def slowly(reply: Route) -> Route:
    """Answer after some time, so that a crawl takes long enough to show its progress."""

    def answer(_: Handler) -> Reply:
        assert isinstance(reply, Reply)
        time.sleep(0.3)
        return reply

    return answer


def test_a_crawl_and_its_status(tmp_path: Path) -> None:
    store = str(tmp_path / "cache.db")
    with serve() as (server,):
        add_tree(server, 4)
        server.routes["/2"] = Reply("", 410)
        done = run(f"{server.url}/", "--store", store, "--delay", "0", "--allow-private", "-j", "1")
    assert done.returncode == 1, done.stderr
    assert "HTTP 410" in done.stdout
    assert "3 pages, 1 failed" in done.stderr
    assert "waiting" not in done.stderr
    (shown,) = json.loads(run("status", "--store", store, "--json").stdout)
    assert shown["total"]["pages"] == 3
    assert shown["crawlers"] == 0
    assert run("status", "--store", store, "--failed").stdout == f"HTTP 410  {server.url}/2\n"


def test_progress_and_summary_on_a_terminal(tmp_path: Path) -> None:
    store, terminal = str(tmp_path / "cache.db"), Terminal()
    with serve(2) as (main, other):
        add_tree(main, 24)
        add_tree(other, 6)
        main.routes["/"] = Reply(article(0, [f"/{n}" for n in range(1, 6)] + [f"{other.url}/"]))
        main.routes["/3"] = Reply("", 404)
        other.routes["/5"] = other.routes["/4"]  # a duplicate
        for server in (main, other):
            for path in [path for path in server.routes if path not in ("/robots.txt", "/3")]:
                server.routes[path] = slowly(server.routes[path])
        done = subprocess.run(
            [
                *(*CRAWL, f"{main.url}/", "--store", store, "--scope", "domain", "--delay", "0"),
                *("--allow-private", "-j", "1"),
            ],
            stdin=terminal.writer,
            stdout=subprocess.PIPE,
            stderr=terminal.writer,
            text=True,
            check=False,
        )
        shown = terminal.close()
    assert done.returncode == 1, shown
    progress = re.search(
        r"(\d+) pages.*?([\d.]+) pages/s, ([\d,]+) waiting, (\d+) failed, (\d+) hosts", shown
    )
    assert progress, shown
    hosts = re.findall(r"(\d+) hosts", shown)
    assert "2" in hosts
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[1:] if line}
    names = done.stdout.splitlines()[0].split()[1:]
    by_host = {host: dict(zip(names, cells, strict=False)) for host, cells in rows.items()}
    # /3 is gone, and with it the five pages that it alone leads to.
    assert by_host[main.url]["pages"] == "18"
    assert by_host[main.url]["failed"] == "1"
    assert by_host[other.url]["pages"] == "6"
    assert by_host[other.url]["duplicates"] == "1"
    assert "all hosts" in done.stdout
    assert "1 × HTTP 404" in done.stdout


def test_why_a_crawl_ends_early(tmp_path: Path) -> None:
    """At its limit, or because a host wants to be left alone: what to do is said."""
    with serve() as (server,):
        add_tree(server, 4)
        common = ("--store", str(tmp_path / "a.db"), "--delay", "0", "--allow-private", "-j", "1")
        limited = run(f"{server.url}/", *common, "--max-pages", "1")
        assert limited.returncode == 0, limited.stderr
        assert "1 page, 0 failed, 3 waiting" in limited.stderr
        assert "--max-pages 1 is reached" in limited.stderr
        for number in range(1, 4):
            server.routes[f"/{number}"] = Reply("", 503, {"Retry-After": "3600"})
        resting = run(f"{server.url}/", *common)
    assert resting.returncode == 1
    assert "hosts want to be left alone" in resting.stderr


def test_ctrl_c_on_a_terminal(tmp_path: Path) -> None:
    """It says what happens; the table has its colours, and the terminal its cursor at the end."""
    shown: list[str] = []
    for interrupts in (1, 2):
        terminal, hits = Terminal(), 0
        with serve() as (server,):
            add_tree(server, 60)
            for path in [path for path in server.routes if path != "/robots.txt"]:
                server.routes[path] = slowly(server.routes[path])
            store = str(tmp_path / f"{interrupts}.db")
            process = subprocess.Popen(
                [
                    *(*CRAWL, f"{server.url}/", "--store", store),
                    *("--delay", "0", "--allow-private", "-j", "1"),
                ],
                stdin=terminal.writer,
                stdout=terminal.writer,
                stderr=terminal.writer,
                env={**os.environ, "TERM": "xterm"},
            )
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and (hits < 8 or b"pages/s" not in terminal.shown):
                time.sleep(0.05)
                hits = len(server.hits)
            for _ in range(interrupts):
                process.send_signal(signal.SIGINT)
                time.sleep(0.1)
            assert process.wait(60) == 130
        shown.append(terminal.close())
    once, twice = shown
    assert "Ctrl-C again stops at once" in once
    assert "interrupted: the same command goes on" in once
    assert "\x1b[1mhost" in once
    assert "\\u001b" not in once
    assert "stopped: the same command goes on" in twice
    for text in shown:
        assert text.count("\x1b[?25l") == text.count("\x1b[?25h") > 0
