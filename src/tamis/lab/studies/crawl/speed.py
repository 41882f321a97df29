"""How fast a crawl is against plain Scrapy, and whether its memory stays flat.

Both crawlers fetch the same web from a server on loopback, in turn: all links are followed, with
sixteen requests at once and no delay. Plain Scrapy writes the bodies to files; `tamis crawl` also
extracts the pages and stores them.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar, Final

from tamis.errors import TamisError
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.study import Log, Study

_BRANCHES: Final = 10  # links of a page to others
_SHARES: Final = tuple(tenths / 10 for tenths in range(1, 11))  # of the pages, when memory is read
_EARLY: Final = 0.2  # share of the pages after which memory should grow no more
_POLL: Final = 0.01  # seconds

_PLAIN_CODE: Final = """
import sys, hashlib
from pathlib import Path
from scrapy import Spider
from scrapy.crawler import CrawlerProcess

class Plain(Spider):
    name = "plain"
    start_urls = [sys.argv[1]]

    def parse(self, response):
        name = hashlib.md5(response.url.encode()).hexdigest()
        Path(sys.argv[2], name).write_bytes(response.body)
        yield from response.follow_all(css="a")

process = CrawlerProcess({
    "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": True, "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
})
process.crawl(Plain)
process.start()
"""
_TAMIS_CODE: Final = """
import sys
from tamis.crawl import CrawlSettings, run_crawl
if __name__ == "__main__":
    run_crawl(CrawlSettings(
        (sys.argv[1],), sys.argv[2] + "/cache.db", delay=0, per_host=16, concurrency=16,
        allow_private=True,
    ))
"""
_CRAWLERS: Final = {"plain Scrapy": _PLAIN_CODE, "tamis crawl": _TAMIS_CODE}


@dataclass(frozen=True)
class Memory:
    """The memory of a crawler in MB: of its own process, and of those that it has started."""

    own: float
    workers: float


@dataclass(frozen=True)
class CrawlRun:
    """One run of a crawler. `memory` is by the share of the pages that were sent."""

    pages_per_second: float
    memory: dict[float, Memory]


@dataclass(frozen=True)
class CrawlSpeedStudy(Study):
    """Measures pages per second and memory of a crawl, against plain Scrapy."""

    name: ClassVar[str] = "crawl-speed"

    limit: int = 5_000  # pages of the web
    rounds: int = 3

    def run(self, log: Log) -> Report:
        """Run both crawlers in turn."""
        runs: dict[str, list[CrawlRun]] = {name: [] for name in _CRAWLERS}
        with _serve_pages(self.limit) as server:
            for round_ in range(self.rounds):
                for name, code in _CRAWLERS.items():
                    runs[name].append(_run_crawler(code, server))
                    rate = runs[name][-1].pages_per_second
                    log.say(f"round {round_ + 1}, {name}: {rate:.0f} pages/s")
        return Report(
            "tamis: speed of crawls",
            [_speed_table(runs, self.limit)],
            data=_as_data(runs),
            remarks=[
                "Memory is the proportional set size, which counts a page of memory that several "
                "processes share once.",
                "Speed changes with the machine and its load: only the ratio is to be compared.",
            ],
        )


def build_pages(count: int) -> list[bytes]:
    """Return pages with different words, as many bytes as a short article, linked as a tree."""
    words = ["".join(random.Random(n).choices("abcdefghij", k=6)) for n in range(2_000)]
    menu = "".join(f'<li><a href="/">{word}</a></li>' for word in words[:20])
    pages = []
    for number in range(count):
        chance = random.Random(number)
        children = range(number * _BRANCHES + 1, min((number + 1) * _BRANCHES + 1, count))
        links = "".join(f'<li><a href="/{n}">{chance.choice(words)}</a></li>' for n in children)
        text = "".join(f"<p>{' '.join(chance.choices(words, k=60))}</p>" for _ in range(8))
        pages.append(
            f"<html><title>{number}</title><body><nav><ul>{menu}</ul></nav><main><h1>{number}</h1>"
            f"{text}<ul>{links}</ul></main><footer>All rights</footer></body></html>".encode()
        )
    return pages


# The server ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Server:
    url: str
    count: int  # pages
    sent: Any  # a shared number: how many pages were sent since the server started


@contextmanager
def _serve_pages(count: int) -> Iterator[_Server]:
    """Run a server in a process of its own until the end of the block."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    sent = context.Value("q", 0)
    process = context.Process(target=_serve, args=(count, theirs, sent), daemon=True)
    process.start()
    try:
        yield _Server(f"http://127.0.0.1:{ours.recv()}/", count, sent)
    finally:
        process.terminate()
        process.join()


def _serve(count: int, pipe: Connection, sent: Any) -> None:
    """Answer requests until the process is ended."""
    pages = build_pages(count)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].strip(b"/")
                is_page = not path or path.isdigit()
                body = pages[int(path or 0)] if is_page else b""
                status = b"200 OK" if is_page else b"404 Not Found"
                writer.write(
                    b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
                    % (status, len(body), body)
                )
                await writer.drain()
                sent.value += is_page
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


# Running and measuring ----------------------------------------------------------------------------


def _run_crawler(code: str, server: _Server) -> CrawlRun:
    """Run a crawler to its end, and read its memory at each tenth of the pages."""
    before = server.sent.value
    memory: dict[float, Memory] = {}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "crawler.py")
        script.write_text(code, encoding="utf-8")
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, script, server.url, folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while process.poll() is None:
            share = (server.sent.value - before) / server.count
            passed = [mark for mark in _SHARES if mark <= share and mark not in memory]
            if passed and (reading := _read_memory(process.pid)):
                memory |= dict.fromkeys(passed, reading)
            time.sleep(_POLL)
        seconds = time.monotonic() - started
        _, errors = process.communicate()
    sent = server.sent.value - before  # Scrapy fetches the start page once more, as a link
    if process.returncode or sent < server.count:
        raise TamisError(f"a crawler fetched {sent:,} of {server.count:,} pages: {errors}")
    return CrawlRun(server.count / seconds, memory)


def _read_memory(pid: int) -> Memory | None:
    """Return the memory of a process and of its descendants; None where the system has no such."""
    try:
        own = _proportional_size(pid)
    except OSError:
        return None
    workers = 0.0
    for child in _list_descendants(pid):
        try:
            workers += _proportional_size(child)
        except OSError:
            continue  # it has ended
    return Memory(own, workers)


def _proportional_size(pid: int) -> float:
    """Return the memory of a process in MB, of what it shares its part."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"the system does not tell the memory of process {pid}")


def _list_descendants(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started, and those that these have."""
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = path.read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from _list_descendants(child)


# The report ---------------------------------------------------------------------------------------


def _speed_table(runs: dict[str, list[CrawlRun]], count: int) -> ReportTable:
    plain = runs["plain Scrapy"]
    heads = ["crawler", "pages/s", "ratio", "MB at 20 %", "at 100 %", "workers at 20 %", "at 100 %"]
    rows = []
    for name, crawls in runs.items():
        ratios = [
            crawl.pages_per_second / other.pages_per_second
            for crawl, other in zip(crawls, plain, strict=True)
        ]
        rates = statistics.median(crawl.pages_per_second for crawl in crawls)
        cells = [_memory_cell(crawls, part, mark) for part in _PARTS for mark in (_EARLY, 1.0)]
        rows.append([name, f"{rates:.0f}", f"{statistics.median(ratios):.2f}", *cells])
    rounds = f"medians of {len(plain)} rounds" if len(plain) > 1 else "one round"
    caption = f"{rounds}, interleaved; memory of the crawling process and of its workers"
    return ReportTable(f"Crawling {count:,} pages on loopback", heads, rows, caption)


_PARTS: Final = ("own", "workers")


def _memory_cell(crawls: Sequence[CrawlRun], part: str, mark: float) -> str:
    """Return the median memory at a share of the pages; a dash where none was read."""
    values = [getattr(crawl.memory[mark], part) for crawl in crawls if mark in crawl.memory]
    return f"{statistics.median(values):.0f}" if values else "–"


def _as_data(runs: dict[str, list[CrawlRun]]) -> list[dict[str, Any]]:
    """Return every run as plain data."""
    return [
        {
            "crawler": name,
            "pages_per_second": crawl.pages_per_second,
            "memory": {f"{mark:g}": vars(memory) for mark, memory in crawl.memory.items()},
        }
        for name, crawls in runs.items()
        for crawl in crawls
    ]
