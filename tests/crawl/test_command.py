"""`tamis crawl` as a user sees it: progress, summary, status, exit codes."""

from __future__ import annotations

import json
import re
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
