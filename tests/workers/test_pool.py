"""Pages in, outcomes out: order, backpressure, slow inputs, large values, futures."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from helpers import worker_tasks as tasks
from helpers.processes import PATIENCE, until
from tamis.errors import (
    DeadlineExceeded,
    OutOfMemory,
    TamisError,
    TooLarge,
    WorkerStartFailed,
    WrongType,
)
from tamis.workers import Outcome, Pool


def test_outcomes_come_in_the_order_of_the_inputs() -> None:
    with Pool(tasks.build_square, workers=3) as pool:
        outcomes = list(pool.map(range(3000)))
        assert pool.under_way == 0
    assert [outcome.input for outcome in outcomes] == list(range(3000))
    assert [outcome.value for outcome in outcomes] == [number**2 for number in range(3000)]
    assert not any(outcome.is_error for outcome in outcomes)


def test_outcomes_come_as_they_are_done(tmp_path: Path) -> None:
    with Pool(tasks.Logged(tmp_path), workers=2) as pool:
        outcomes = pool.map(["last", *range(40)], ordered=False)
        quick = [next(outcomes).input for _ in range(40)]
        (tmp_path / "last").touch()
        assert next(outcomes).input == "last"
        assert next(outcomes, None) is None
    assert sorted(map(str, quick)) == sorted(map(str, range(40)))


def test_a_slow_page_holds_up_no_page_behind_it(tmp_path: Path) -> None:
    with Pool(tasks.Logged(tmp_path), workers=2) as pool:
        slow = pool.submit("slow")
        quick = [pool.submit(number) for number in range(50)]
        assert [future.result(PATIENCE).value for future in quick] == list(range(50))
        assert not slow.done()
        (tmp_path / "slow").touch()
        assert slow.result(PATIENCE).value == "slow"


def test_no_inputs_no_worker() -> None:
    with Pool(tasks.fail_to_build) as pool:
        assert list(pool.map([])) == []


def test_a_pool_is_used_again() -> None:
    with Pool(tasks.build_square, workers=2) as pool:
        for _ in range(3):
            assert [outcome.value for outcome in pool.map([1, 2, 3])] == [1, 4, 9]


def test_few_pages_start_few_workers(tmp_path: Path) -> None:
    factory = tasks.Logged(tmp_path)
    with Pool(factory, workers=8) as pool:
        for number in range(5):
            pool.submit(number).result(PATIENCE)
    assert len(factory.lines("factories")) == 1


def test_the_factory_is_called_once_per_worker(tmp_path: Path) -> None:
    factory = tasks.Logged(tmp_path)
    with Pool(factory, workers=2) as pool:
        pool.start()
        assert len(list(pool.map(range(100)))) == 100
    assert len(set(factory.lines("factories"))) == len(factory.lines("factories")) == 2


# Inputs that come slowly, outcomes that are taken slowly --------------------------------------


def test_outcomes_come_out_while_the_next_input_is_waited_for() -> None:
    more = threading.Event()

    def slow_inputs() -> Iterator[int]:
        yield from range(3)
        assert more.wait(PATIENCE)
        yield 3

    for ordered in (True, False):
        more.clear()
        with Pool(tasks.build_square, workers=2) as pool:
            outcomes = pool.map(slow_inputs(), ordered=ordered)
            assert sorted(next(outcomes).input for _ in range(3)) == [0, 1, 2]
            more.set()
            assert [outcome.input for outcome in outcomes] == [3]


@pytest.mark.parametrize("ordered", [True, False])
def test_inputs_are_read_no_further_ahead_than_allowed(ordered: bool) -> None:
    count = 0

    def counted_inputs() -> Iterator[int]:
        nonlocal count
        for number in range(100):
            count += 1
            yield number

    with Pool(tasks.build_square, workers=2) as pool:
        taken = 0
        for _ in pool.map(counted_inputs(), ordered=ordered, ahead=5):
            taken += 1
            assert count <= taken + 5
            if taken in (1, 50):  # a slow consumer: the pool has all the time to read ahead
                until(lambda: count == taken + 5 and pool.under_way == 0)  # noqa: B023
    assert taken == count == 100


def test_inputs_that_fail_fail_after_what_came_before() -> None:
    def failing_inputs() -> Iterator[int]:
        yield from range(10)
        raise OSError("the archive ends here")

    for ordered in (True, False):
        with Pool(tasks.build_square, workers=2) as pool:
            outcomes = pool.map(failing_inputs(), ordered=ordered)
            taken = [next(outcomes).input for _ in range(10)]
            with pytest.raises(OSError, match="the archive ends here"):
                next(outcomes)
            assert sorted(taken) == list(range(10))
            assert pool.submit(3).result(PATIENCE).value == 9


def test_a_loop_that_is_left_reads_no_more_inputs(tmp_path: Path) -> None:
    factory = tasks.Logged(tmp_path)
    inputs = iter(range(1_000_000))
    with Pool(factory, workers=2) as pool:
        outcomes = pool.map(inputs, ahead=10, ordered=False)
        next(outcomes)
        outcomes.close()
        until(lambda: pool.under_way == 0)
        assert pool.submit(-1).result(PATIENCE).value == -1
    assert len(factory.lines()) <= 12


def test_inputs_that_block_do_not_keep_a_pool_open() -> None:
    never = threading.Event()

    def blocked_inputs() -> Iterator[int]:
        yield 1
        never.wait()

    with Pool(tasks.build_square, workers=1) as pool:
        assert next(pool.map(blocked_inputs())).value == 1
    never.set()


# Values -----------------------------------------------------------------------------------------


def test_large_inputs_and_values_go_through() -> None:
    size = 50 << 20
    with Pool(tasks.build_bytes, workers=2) as pool:
        assert [len(outcome.unwrap()) for outcome in pool.map([size, 10, size])] == [size, 10, size]
    with Pool(tasks.build_length, workers=2) as pool:
        pages = [bytes(size), b"", bytes(3 << 20), bytes(size)]
        assert [outcome.value for outcome in pool.map(pages)] == [len(page) for page in pages]


@pytest.mark.parametrize(
    ("page", "kind", "message"),
    [
        ("unpicklable", "AttributeError|PicklingError", "lambda"),
        ("unreadable", "TypeError", "the value cannot be read"),
        ("unpicklable error", "ValueError", "odd"),
        ("unprintable error", "Unprintable", "Unprintable"),
        ("recursion", "RecursionError", "recursion"),
        ("sys.exit", "SystemExit", "0"),
        (threading.Lock(), "TypeError", "the input cannot be sent"),
    ],
)
def test_what_a_task_raises_is_an_outcome(page: object, kind: str, message: str) -> None:
    with Pool(tasks.build_bad, workers=1) as pool:
        outcome, after = pool.map([page, "after"])
    assert outcome.is_error
    assert outcome.kind in kind.split("|")
    assert message in str(outcome.error)
    assert outcome.input is page
    assert outcome.value is None
    assert after.value == "after"


def test_an_exception_does_not_cost_the_worker() -> None:
    with Pool(tasks.build_pid, workers=1) as pool:
        pids = {outcome.value for outcome in pool.map([threading.Lock(), 1, 2])}
    assert len(pids) == 2  # None and the worker's


def test_outcomes_have_time_and_peak_memory() -> None:
    with Pool(tasks.build_filled, workers=1) as pool:
        small, large, again = pool.map([10, 200 << 20, 10])
    assert large.peak_memory is not None
    assert large.peak_memory > 190 << 20
    assert small.peak_memory is not None
    assert again.peak_memory is not None
    assert max(small.peak_memory, again.peak_memory) < 50 << 20
    with Pool(tasks.build_sleep, workers=1) as pool:
        assert pool.submit(0.3).result(PATIENCE).elapsed >= 0.3


def test_unwrap_gives_the_value_or_raises_the_error() -> None:
    assert Outcome("page", 7).unwrap() == 7
    for error in (TooLarge, DeadlineExceeded, OutOfMemory):
        with pytest.raises(error, match="words"):
            Outcome("page", None, "words", error.__name__).unwrap()
    for kind in ("KeyError", "check_argument", "annotations"):
        with pytest.raises(TamisError, match=f"{kind}: words"):
            Outcome("page", None, "words", kind).unwrap()


# Futures ----------------------------------------------------------------------------------------


def test_futures_can_be_awaited() -> None:
    async def read_all(pool: Pool[int, int]) -> list[int]:
        futures = [asyncio.wrap_future(pool.submit(number)) for number in range(200)]
        return [(await future).unwrap() for future in futures]

    with Pool(tasks.build_square, workers=2) as pool:
        assert asyncio.run(read_all(pool)) == [number**2 for number in range(200)]


def test_a_cancelled_page_is_not_read(tmp_path: Path) -> None:
    factory = tasks.Logged(tmp_path)
    with Pool(factory, workers=1) as pool:
        first = pool.submit("first")
        others = [pool.submit(number) for number in range(50)]
        until(lambda: factory.lines() == ["first"])
        assert all(future.cancel() for future in others[10:])
        (tmp_path / "first").touch()
        assert first.result(PATIENCE).value == "first"
        assert [future.result(PATIENCE).value for future in others[:10]] == list(range(10))
        until(lambda: pool.under_way == 0)
    assert factory.lines() == ["first", *map(str, range(10))]


def test_closing_cancels_what_has_no_outcome(tmp_path: Path) -> None:
    pool = Pool(tasks.Logged(tmp_path), workers=1)
    futures = [pool.submit("never") for _ in range(30)]
    until(lambda: tasks.Logged(tmp_path).lines())
    pool.close()
    pool.close()
    for future in futures:
        with pytest.raises(CancelledError):
            future.result(PATIENCE)
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit("more")


def test_a_pool_may_be_used_from_many_threads() -> None:
    sums = []
    with Pool(tasks.build_square, workers=2) as pool:

        def add_up() -> None:
            sums.append(sum(outcome.unwrap() for outcome in pool.map(range(200))))

        threads = [threading.Thread(target=add_up) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert sums == [sum(number**2 for number in range(200))] * 6


# Workers that are replaced in time --------------------------------------------------------------


def test_a_worker_is_replaced_after_its_pages() -> None:
    with Pool(tasks.build_pid, workers=1, max_pages=4) as pool:
        pids = [outcome.unwrap() for outcome in pool.map(range(10))]
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [4, 4, 2]


def test_a_worker_is_replaced_when_it_has_grown() -> None:
    with Pool(tasks.Leaky, workers=1, max_growth=20 << 20) as pool:
        pids = [outcome.unwrap() for outcome in pool.map(range(150))]
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [100, 50]


# Mistakes ---------------------------------------------------------------------------------------


def test_mistakes_are_told_at_once() -> None:
    with pytest.raises(WrongType, match="factory cannot be sent"):
        Pool(lambda: len)
    with pytest.raises(WrongType, match="factory is of type int"):
        Pool(3)  # type: ignore[arg-type]
    for name in ("workers", "deadline", "memory", "max_pages", "max_growth"):
        with pytest.raises(WrongType, match=f"{name} is 0"):
            Pool(tasks.build_square, **{name: 0})
    with Pool(tasks.build_square) as pool, pytest.raises(WrongType, match="ahead is 0"):
        pool.map([1], ahead=0)


def test_a_factory_that_fails_is_an_error_of_the_pool() -> None:
    with Pool(tasks.fail_to_build, workers=2) as pool:
        with pytest.raises(WorkerStartFailed, match="ValueError: no model here"):
            list(pool.map(range(100)))
        with pytest.raises(WorkerStartFailed, match="no model here"):
            pool.submit(1).result(PATIENCE)
        with pytest.raises(WorkerStartFailed, match="no model here"):
            pool.start()
        assert pool.under_way == 0


def test_workers_that_die_at_once_are_an_error_of_the_pool() -> None:
    message = "exited with status 9 before its first page"
    with (
        Pool(tasks.die_at_start, workers=2) as pool,
        pytest.raises(WorkerStartFailed, match=message),
    ):
        list(pool.map(range(100)))


def test_a_pool_is_closed_while_its_workers_start() -> None:
    with Pool(tasks.hold_at_start, workers=2) as pool:
        future = pool.submit(1)
        time.sleep(0.05)
    assert future.cancelled()


def test_inputs_of_all_sizes_arrive_whole() -> None:
    """Also after one that cannot be read by its worker, whose rest is skipped."""
    sizes = [0, 1, 65_535, 65_536, 65_537, 1_000_000, 3_000_000, 10]
    inputs: list[object] = [bytes([size % 251]) * size for size in sizes]
    inputs.insert(4, (tasks.Unreadable(), b"y" * 2_000_000))
    with Pool(tasks.build_bad, workers=1) as pool:
        outcomes = list(pool.map(inputs))
    assert [outcome.kind for outcome in outcomes].count("TypeError") == 1
    assert outcomes[4].kind == "TypeError"
    del outcomes[4], inputs[4]
    assert [outcome.value for outcome in outcomes] == inputs
