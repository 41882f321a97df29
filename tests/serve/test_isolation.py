"""Pages that hang, crash or take all memory cost themselves; others are answered."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.poison import poison_page
from helpers.processes import until
from serve.servers import ServerProcess, article, problem


@pytest.fixture(scope="module")
def poisoned() -> Iterator[ServerProcess]:
    options = ("--workers", "2", "--queue", "32", "--deadline", "1", "--memory", "300")
    with ServerProcess(*options, "--no-render", poisoned=True) as running:
        yield running


def test_each_poison_has_its_answer(poisoned: ServerProcess) -> None:
    expected = {
        "memory": (507, "out-of-memory"),
        "crash": (507, "worker-died"),
        "kill": (507, "worker-died"),
        "hang": (504, "deadline-exceeded"),
        "bug": (500, "bug"),
    }
    for name, (status, kind) in expected.items():
        problem(poisoned.post("/v1/extract", poison_page(name)), status, kind)
        assert poisoned.post("/v1/extract", article()).status_code == 200
    metrics = poisoned.get("/metrics").text
    assert 'tamis_page_errors_total{kind="OutOfMemory"}' in metrics


def test_others_are_answered_under_a_load_of_poison(poisoned: ServerProcess) -> None:
    names = ["memory", "crash", "kill", "bug"]
    answers: Counter[int] = Counter()
    lock = threading.Lock()

    def send(number: int) -> None:
        is_poison = number % 4 == 0
        page = poison_page(names[number // 4 % 4]) if is_poison else article()
        status = poisoned.post("/v1/extract", page).status_code
        with lock:
            answers[status] += 1
        assert status in ((500, 507) if is_poison else (200,)), number

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(send, range(48)))
    assert answers[200] == 36


def test_a_worker_that_is_killed_costs_one_page_at_most(poisoned: ServerProcess) -> None:
    until(lambda: len(poisoned.workers()) == 2)
    for pid in poisoned.workers():
        os.kill(pid, signal.SIGKILL)
    statuses = [poisoned.post("/v1/extract", article()).status_code for _ in range(5)]
    assert statuses == [200] * 5


def test_a_worker_killed_at_its_page_answers_507(poisoned: ServerProcess) -> None:
    with ThreadPoolExecutor(1) as threads:
        hanging = threads.submit(poisoned.post, "/v1/extract", poison_page("hang"))
        until(lambda: "tamis_pages_under_way 1.0" in poisoned.get("/metrics").text)
        assert poisoned.post("/v1/extract", article()).status_code == 200
        for pid in poisoned.workers():
            os.kill(pid, signal.SIGKILL)
        problem(hanging.result(), 507, "worker-died")


def test_a_batch_goes_on_past_poison(poisoned: ServerProcess) -> None:
    import json

    from serve.servers import ndjson

    pages = [article().decode(), poison_page("crash").decode(), article().decode()]
    lines = ndjson([{"id": n, "html": page} for n, page in enumerate(pages * 3)])
    headers = {"Content-Type": "application/x-ndjson"}
    text = poisoned.client.post("/v1/batch", content=lines, headers=headers).text
    rows = {row["id"]: row for row in map(json.loads, text.splitlines())}
    assert len(rows) == 9
    for number, row in rows.items():
        if number % 3 == 1:
            assert row["problem"]["status"] == 507
        else:
            assert row["answer"]["page_type"] == "article"


def test_a_full_queue_is_503_with_a_time_to_come_back() -> None:
    options = ("--workers", "1", "--queue", "2", "--deadline", "1", "--no-render")
    with ServerProcess(*options, poisoned=True) as small, ThreadPoolExecutor(8) as threads:
        hanging = [threads.submit(small.post, "/v1/extract", poison_page("hang")) for _ in range(2)]
        until(lambda: "tamis_pages_under_way 2.0" in small.get("/metrics").text)
        refused = small.post("/v1/extract", article())
        assert problem(refused, 503, "queue-full")
        assert int(refused.headers["retry-after"]) >= 1
        assert small.get("/healthz").status_code == 200
        assert {future.result().status_code for future in hanging} == {504}
        assert small.post("/v1/extract", article()).status_code == 200
