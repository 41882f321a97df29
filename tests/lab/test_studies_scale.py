"""The studies of scale: archives that are what they should be, and a simulation that adds up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

from tamis.lab.studies.scale import (
    Cluster,
    ProcessorClock,
    draw_tasks,
    read_shuffles,
    simulate_job,
    write_archives,
)
from tamis.source import Source, expand_inputs, read_pages


def test_archives_hold_all_pages(tmp_path: Path) -> None:
    pages = [f"<p>Page {number}".encode() for number in range(11)]
    paths = write_archives(tmp_path / "archives", pages)
    sources = list(read_pages(expand_inputs(map(str, paths)), max_bytes=1000))
    assert all(isinstance(source, Source) for source in sources)
    assert sorted(source.data for source in sources if isinstance(source, Source)) == sorted(pages)


def test_one_worker_takes_the_sum_and_many_share_it() -> None:
    tasks = np.arange(1.0, 101.0)
    alone = simulate_job(tasks, Cluster(workers=1, failure_rate=0.0))
    assert alone.makespan == tasks.sum()
    assert (alone.tail, alone.lost, alone.retries) == (0.0, 0.0, 0)
    shared = simulate_job(tasks, Cluster(workers=10, failure_rate=0.0))
    assert tasks.sum() / 10 <= shared.makespan <= tasks.sum() / 10 + tasks.max()
    assert shared.tail <= tasks.max()


def test_failures_and_slow_workers_cost_time() -> None:
    tasks = np.full(2_000, 10.0)
    plain = simulate_job(tasks, Cluster(workers=50, failure_rate=0.0))
    failing = simulate_job(tasks, Cluster(workers=50, failure_rate=0.1))
    slow = simulate_job(tasks, Cluster(workers=50, failure_rate=0.0, slow_share=0.2))
    assert failing.makespan > plain.makespan
    assert slow.makespan > plain.makespan
    assert 0.02 < failing.lost < 0.1
    assert 100 < failing.retries < 400
    assert failing == simulate_job(tasks, Cluster(workers=50, failure_rate=0.1))


def test_tasks_are_sums_of_page_times() -> None:
    tasks = draw_tasks([0.01, 0.03], archives=3_000, pages=1_000)
    assert len(tasks) == 3_000
    assert tasks.mean() == pytest.approx(20.0, rel=0.01)


SPIN = "import time\nwhile time.process_time() < 1.5: pass"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.heavy
def test_the_time_of_processes_that_nobody_waits_for_is_counted() -> None:
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SPIN!r}])"
    code = f"{orphan}\n{SPIN}\ntime.sleep(1)"
    before = time.process_time()
    with ProcessorClock() as clock:
        process = subprocess.Popen([sys.executable, "-c", code])
        while process.poll() is None:
            time.sleep(0.05)
    assert 2.0 < clock.seconds < 4.5
    assert time.process_time() - before < clock.seconds


def test_what_a_log_of_events_says_of_shuffles(tmp_path: Path) -> None:
    def task(stage: int, size: int) -> dict[str, object]:
        metrics = {"Shuffle Write Metrics": {"Shuffle Bytes Written": size}}
        return {"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task Metrics": metrics}

    def job(group: str, *stages: int) -> dict[str, object]:
        properties = {"spark.jobGroup.id": group}
        return {"Event": "SparkListenerJobStart", "Stage IDs": stages, "Properties": properties}

    events = [job("a", 0, 1), task(0, 5), task(1, 7), job("b", 2), task(2, 11), {"Event": "other"}]
    path = tmp_path / "log"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert read_shuffles(path) == {"a": 12, "b": 11}
