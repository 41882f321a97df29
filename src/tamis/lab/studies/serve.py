"""The service: pages/s against a plain pool, what overload does, and memory over many requests.

Everything runs on this machine over loopback, in turns, and only ratios of one run are compared:
the client, the service and its worker share the cores with each other.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import urlsplit

from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.samples import sample_pages
from tamis.lab.study import Log, Study
from tamis.serve import ExtractTask, PageInput, build_runner
from tamis.workers import Pool

_ROUNDS: Final = 5
_CONNECTIONS: Final = 3  # that keep one worker busy, and fill its queue
_OVERLOAD: Final = 2.0  # times the pages/s that the service can do
_OVERLOAD_SECONDS: Final = 15.0
_OVERLOAD_THREADS: Final = 24
_MEMORY_STEPS: Final = 10
_MEGABYTE: Final = 1 << 20
_COMMAND: Final = "from tamis.cli import main; main()"


@dataclass(frozen=True)
class ServeStudy(Study):
    """Measures a service with one worker."""

    name: ClassVar[str] = "serve"

    dataset: str = "wcxb-dev"
    limit: int = 200  # pages
    requests: int = 50_000  # over which memory is watched

    def run(self, log: Log) -> Report:
        """Measure the rate, overload and memory."""
        pages = sample_pages(self.dataset, self.limit)
        with _start_service() as service:
            log.say(f"posting {len(pages)} pages, {_ROUNDS} rounds")
            rates = _measure_rates(service, pages)
            log.say(f"overload for {_OVERLOAD_SECONDS:g} s")
            overload = _measure_overload(service, pages, rates)
            log.say(f"watching memory over {self.requests:,} requests")
            memory = _measure_memory(service, pages, self.requests)
        size = sum(map(len, pages)) / len(pages) / 1024
        lead = (
            f"One worker, {os.cpu_count()} cores, {len(pages)} pages of {self.dataset} of "
            f"{size:.0f} KB on average, over loopback; client and service share the cores."
        )
        return Report("tamis: the service", [rates, overload, memory], lead=lead)


@dataclass(frozen=True)
class _Service:
    """A service that runs."""

    port: int
    token: str
    process: int

    def request(self, body: bytes, content_type: str) -> bytes:
        """Return a request for the text of a page, as it goes over the wire."""
        head = (
            f"POST /v1/extract?formats=text HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


@contextmanager
def _start_service() -> Iterator[_Service]:
    """Start `tamis serve` with one worker, and give where it is."""
    token = secrets.token_urlsafe(24)
    options = ("--port", "0", "--workers", "1", "--no-render", "--no-fetch", "--quiet")
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, "serve", *options],
        env=os.environ | {"TAMIS_TOKEN": token},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        address = next(line for line in process.stderr if "http://" in line)
        match = re.search(r"http://\S+", address)
        assert match is not None
        service = _Service(urlsplit(match[0]).port or 80, token, process.pid)
        connection = _Connection(service)
        while connection.send(service.request(b"<p>ready?", "text/html"))[0] != 200:
            time.sleep(0.05)
        yield service
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


class _Connection:
    """A connection that is kept, without what an HTTP client would cost."""

    def __init__(self, service: _Service) -> None:
        self._socket = socket.create_connection(("127.0.0.1", service.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request: bytes) -> tuple[int, bytes]:
        """Send a request, and return the status and the body of the answer."""
        self._socket.sendall(request)
        received = bytearray()
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._receive()
        head = bytes(received[:end]).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while len(received) < end + 4 + length:
            received += self._receive()
        return int(head[9:12]), bytes(received[end + 4 :])

    def _receive(self) -> bytes:
        received = self._socket.recv(1 << 18)
        if not received:
            raise ConnectionError("the service hung up")
        return received

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _send_all(service: _Service, requests: Sequence[bytes]) -> list[tuple[int, float]]:
    """Send requests over some connections, each with the next when it has an answer."""
    answers: list[tuple[int, float]] = []
    lock, left = threading.Lock(), iter(requests)

    def work() -> None:
        connection = _Connection(service)
        while True:
            with lock:
                request = next(left, None)
            if request is None:
                break
            start = time.perf_counter()
            status, _ = connection.send(request)
            answers.append((status, time.perf_counter() - start))
        connection.close()

    _run_threads(work, _CONNECTIONS)
    return answers


def _run_threads(work: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Measures ---------------------------------------------------------------------------------------


def _measure_rates(service: _Service, pages: Sequence[bytes]) -> ReportTable:
    """Compare raw and JSON posts with a plain pool of one worker that does the same."""
    raw = [service.request(page, "text/html") for page in pages]
    texts = [page.decode("utf-8", "replace") for page in pages]
    bodies = [json.dumps({"html": text, "formats": ["text"]}).encode() for text in texts]
    posts = {
        "raw `text/html` posts": raw,
        "JSON posts": [service.request(body, "application/json") for body in bodies],
    }
    tasks = [ExtractTask(PageInput(page), ("text",)) for page in pages]
    rates: dict[str, list[float]] = {name: [] for name in ("plain pool of one worker", *posts)}
    with Pool(partial(build_runner, {"deadline": 30.0}), workers=1) as pool:
        pool.start()
        for _ in range(_ROUNDS):
            start = time.perf_counter()
            for outcome in pool.map(tasks):
                outcome.unwrap()
            rates["plain pool of one worker"].append(len(pages) / (time.perf_counter() - start))
            for name, requests in posts.items():
                start = time.perf_counter()
                answers = _send_all(service, requests)
                rates[name].append(len(pages) / (time.perf_counter() - start))
                assert all(status == 200 for status, _ in answers)
    plain = rates["plain pool of one worker"]
    rows = [
        [
            name,
            f"{statistics.median(rate / base for rate, base in zip(of, plain, strict=True)):.2f}",
            f"{max(of):.0f}",
        ]
        for name, of in rates.items()
    ]
    return ReportTable("Rate", ["", "of the plain pool (median of rounds)", "pages/s"], rows)


def _measure_overload(service: _Service, pages: Sequence[bytes], rates: ReportTable) -> ReportTable:
    """Send twice what the service can do, whether it answers or not."""
    requests = [service.request(page, "text/html") for page in pages]
    connection = _Connection(service)
    quiet = []
    for request in requests:
        start = time.perf_counter()
        connection.send(request)
        quiet.append(time.perf_counter() - start)
    connection.close()
    rate = _OVERLOAD * float(rates.rows[1][2])
    answers = _send_at_rate(service, requests, rate)
    accepted = [elapsed for status, elapsed in answers if status == 200]
    refused = sum(status == 503 for status, _ in answers)
    others = len(answers) - len(accepted) - refused
    base, loaded = _percentile(quiet), _percentile(accepted)
    rows = [
        ["quiet: one request after the other", f"{len(quiet)}", "0", "0", f"{1000 * base:.0f}", ""],
        [
            f"{_OVERLOAD:g} × the rate of raw posts: {len(answers) / _OVERLOAD_SECONDS:.0f} sent/s",
            f"{len(accepted)}",
            f"{refused}",
            f"{others}",
            f"{1000 * loaded:.0f}",
            f"{loaded / base:.2f}",
        ],
    ]
    head = ["load", "200", "503", "others", "95th percentile of 200, ms", "of quiet"]
    return ReportTable("Overload", head, rows)


def _send_at_rate(
    service: _Service, requests: Sequence[bytes], rate: float
) -> list[tuple[int, float]]:
    """Send requests at times that do not depend on answers, and return what came of each.

    The time of an answer is from when its request was sent.
    """
    answers: list[tuple[int, float]] = []
    lock = threading.Lock()
    begin = time.perf_counter() + 0.2
    total, count = int(rate * _OVERLOAD_SECONDS), 0

    def work() -> None:
        nonlocal count
        connection = _Connection(service)
        while True:
            with lock:
                number, count = count, count + 1
            if number >= total or time.perf_counter() > begin + _OVERLOAD_SECONDS:
                break
            time.sleep(max(0.0, begin + number / rate - time.perf_counter()))
            start = time.perf_counter()
            status, _ = connection.send(requests[number % len(requests)])
            answers.append((status, time.perf_counter() - start))
        connection.close()

    _run_threads(work, _OVERLOAD_THREADS)
    return answers


def _measure_memory(service: _Service, pages: Sequence[bytes], count: int) -> ReportTable:
    """Watch the memory of the service over many requests."""
    requests = [service.request(page, "text/html") for page in pages]
    rows, step = [], max(1, count // _MEMORY_STEPS)
    _send_all(service, requests)
    first = _resident(service.process)
    rows.append(["at first", f"{first / _MEGABYTE:.1f}", "1.00"])
    for done in range(step, count + 1, step):
        batch = [requests[number % len(requests)] for number in range(done - step, done)]
        _send_all(service, batch)
        now = _resident(service.process)
        rows.append([f"{done:,}", f"{now / _MEGABYTE:.1f}", f"{now / first:.2f}"])
    return ReportTable("Memory", ["requests", "resident memory, MB", "of the first"], rows)


def _resident(process: int) -> int:
    """Return the resident memory of a process; 0 where the system does not tell."""
    path = Path(f"/proc/{process}/statm")
    pages = int(path.read_text().split()[1]) if path.exists() else 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _percentile(values: Sequence[float], share: float = 0.95) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
