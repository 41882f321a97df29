"""Pages that hang, crash or eat memory, and workers that are killed: each costs one page."""

from __future__ import annotations

import os
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from helpers import worker_tasks as tasks
from helpers.processes import PATIENCE, NewChildren, child_processes, is_running, until
from tamis.workers import Outcome, Pool

DEADLINE = 2.0  # for pages that never end; all others take no time


def check_cost(
    page: str, kind: str, *, around: int = 20, **limits: float
) -> Outcome[object, object]:
    """Check that a bad page among good ones costs itself alone; return its outcome."""
    children = NewChildren()
    pages: list[object] = [*range(around), page, *range(around, 2 * around)]
    with Pool(tasks.build_bad, workers=2, **limits) as pool:  # type: ignore[arg-type]
        outcomes = list(pool.map(pages))
        pids = children()
    assert [outcome.input for outcome in outcomes] == pages
    bad = outcomes.pop(around)
    assert [outcome.value for outcome in outcomes] == list(range(2 * around))
    assert (bad.kind, bad.value) == (kind, None)
    assert bad.error
    assert not any(map(is_running, pids))
    assert not children()
    return bad


@pytest.mark.parametrize("page", ["sleep", "hold", "spin", "stop"])
def test_a_page_that_hangs(page: str) -> None:
    outcome = check_cost(page, "DeadlineExceeded", deadline=DEADLINE)
    assert "more than 2 s" in str(outcome.error)
    assert outcome.elapsed >= DEADLINE


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("crash", "SIGSEGV"),
        ("abort", "SIGABRT"),
        ("exit", "status 7"),
        ("leave", "status 0"),
        ("kill", r"SIGKILL (out of memory?)"),
        ("child", "SIGKILL"),
        ("close", "SIGKILL"),
    ],
)
def test_a_page_that_kills_its_worker(page: str, message: str) -> None:
    assert message in str(check_cost(page, "WorkerDied").error)


@pytest.mark.parametrize("page", ["lists", "block", "shared"])
def test_a_page_that_eats_memory(page: str) -> None:
    outcome = check_cost(page, "OutOfMemory", memory=200 << 20)
    assert "200 MB" in str(outcome.error)
    assert outcome.peak_memory is not None
    assert outcome.peak_memory < 500 << 20


def test_the_memory_limit_is_on_what_a_page_adds() -> None:
    with Pool(tasks.Hoard, workers=1, memory=100 << 20) as pool:  # has 300 MB of its own
        outcomes = list(pool.map([50 << 20, 200 << 20, 50 << 20]))
    assert [outcome.kind for outcome in outcomes] == [None, "OutOfMemory", None]


def test_the_kernel_ends_workers_first() -> None:
    with Pool(tasks.build_pid, workers=1) as pool:
        pid = pool.submit(0).result(PATIENCE).unwrap()
        score = int(Path(f"/proc/{pid}/oom_score_adj").read_text())
        assert score > int(Path("/proc/self/oom_score_adj").read_text())


def test_nothing_but_bad_pages() -> None:
    pages = ["crash", "exit", "kill", "block", "sleep"] * 3
    kinds = ["WorkerDied", "WorkerDied", "WorkerDied", "OutOfMemory", "DeadlineExceeded"] * 3
    with Pool(tasks.build_bad, workers=3, deadline=DEADLINE) as pool:
        assert [outcome.kind for outcome in pool.map(pages)] == kinds
        assert pool.submit("good").result(PATIENCE).value == "good"


def test_what_a_page_has_started_ends_with_its_worker() -> None:
    children = NewChildren()
    with Pool(tasks.build_bad, workers=1, deadline=DEADLINE) as pool:
        future = pool.submit("program")
        until(lambda: programs(children()))
        (program,) = programs(children())
        assert future.result(PATIENCE).kind == "DeadlineExceeded"
        until(lambda: not is_running(program))


def programs(workers: list[int]) -> list[int]:
    """Return the processes that workers have started."""
    return [child for worker in workers for child in child_processes(worker, zombies=False)]


def test_ctrl_c_is_not_for_workers() -> None:
    stop, children = threading.Event(), NewChildren()

    def interrupt() -> None:
        while not stop.is_set():
            for pid in children(zombies=False):
                if is_worker(pid):
                    os.kill(pid, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with Pool(tasks.build_bad, workers=2, max_pages=50) as pool:
            values = [outcome.value for outcome in pool.map([*range(200), "interrupt"])]
    finally:
        stop.set()
        thread.join()
    assert values == [*range(200), "ignored"]


def is_worker(pid: int) -> bool:
    """Say whether a child has become a worker's interpreter: before that it is still this one."""
    try:
        return b"tamis.workers" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_workers_that_are_killed_from_outside(seed: int, tmp_path: Path) -> None:
    """No page is lost or read twice, whenever workers are killed: also while they start."""
    chance, children = random.Random(seed), NewChildren()
    count, kills = 600, 0
    factory = tasks.Logged(tmp_path, seconds=0.002)
    with Pool(factory, workers=3, max_pages=chance.choice([None, 70])) as pool:
        outcomes = []
        for outcome in pool.map(range(count), ordered=bool(seed % 2)):
            outcomes.append(outcome)
            if chance.random() < 0.04 and (pids := children(zombies=False)):
                with suppress(ProcessLookupError):  # it has just been replaced
                    os.kill(chance.choice(pids), signal.SIGKILL)
                kills += 1
        assert pool.under_way == 0
    inputs = [outcome.input for outcome in outcomes]
    assert (inputs if seed % 2 else sorted(inputs)) == list(range(count))  # type: ignore[type-var]
    lost = [outcome for outcome in outcomes if outcome.is_error]
    assert {outcome.kind for outcome in lost} <= {"WorkerDied"}
    assert 0 < len(lost) <= kills
    assert all(outcome.value == outcome.input for outcome in outcomes if not outcome.is_error)
    started = factory.lines()
    assert len(set(started)) == len(started)
    assert {str(outcome.input) for outcome in outcomes if not outcome.is_error} <= set(started)
    assert not children()


@pytest.mark.slow
def test_pages_that_end_at_their_deadline() -> None:
    """They are read or late, and cost no other page."""
    with Pool(tasks.build_sleep, workers=2, deadline=0.5) as pool:
        outcomes = list(pool.map([0.49, 0.495, 0.5, 0.505, 0, 0.5, 0.499, 0, 0.501, 0.502]))
    assert {outcome.kind for outcome in outcomes} <= {None, "DeadlineExceeded"}
    assert [outcome.kind for outcome in outcomes if outcome.input == 0] == [None, None]
