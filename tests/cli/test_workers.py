"""Work spread over processes: whatever dies and whenever, no page is lost or done twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

import pytest

from tamis.cli import Outcome, PageTask, run_tasks
from tamis.source import Fetch, Input

PLACES = [Input(f"{number}.html", "file", f"/nowhere/{number}.html") for number in range(50)]
TASK = PageTask("jsonl", {}, Fetch(), many=True)


class Pool:
    """Works in this process; from a certain submission on it is dead, openly or secretly."""

    def __init__(self, last: int | None, *, openly: bool) -> None:
        self.left = last
        self.openly = openly

    def submit(self, work: Any, place: Input) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        if self.left == 0 or place.name == "deadly":
            if self.openly:
                raise BrokenProcessPool
            self.left = 0
            future.set_exception(BrokenProcessPool())
            return future
        if self.left is not None:
            self.left -= 1
        future.set_result(work(place))
        return future


def names_of(
    places: list[Input], monkeypatch: pytest.MonkeyPatch, *pools: Pool
) -> tuple[list[str], list[str]]:
    """All names in the order of their outcomes, and those of pages whose process died."""
    waiting = iter(pools)

    @contextmanager
    def open_pool(jobs: int) -> Iterator[Pool]:
        yield next(waiting, Pool(None, openly=False))

    monkeypatch.setattr("tamis.cli.workers.open_pool", open_pool)
    found = list(run_tasks(places, TASK, 2))
    return [o.name for o in found], [o.name for o in found if o.error_type == "ProcessDied"]


@pytest.mark.parametrize("openly", [False, True])
@pytest.mark.parametrize("last", [0, 1, 5, 15, 16, 17, 40, 49])
def test_a_pool_that_dies_loses_nothing(
    last: int, openly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, died = names_of(PLACES, monkeypatch, Pool(last, openly=openly))
    assert names == [place.name for place in PLACES]
    assert died == []


def test_pools_that_die_one_after_the_other_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    healthy = Pool(None, openly=False)
    pools = [Pool(3, openly=True), healthy, Pool(2, openly=False), healthy, Pool(0, openly=True)]
    names, died = names_of(PLACES, monkeypatch, *pools)
    assert names == [place.name for place in PLACES]
    assert died == []


@pytest.mark.parametrize("openly", [False, True])
@pytest.mark.parametrize("place", [0, 7, 20, 49])
def test_only_the_deadly_page_is_an_error(
    place: int, openly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [*PLACES[:place], Input("deadly", "file", "/nowhere"), *PLACES[place + 1 :]]
    pools = [Pool(None, openly=openly) for _ in range(9)]
    names, died = names_of(places, monkeypatch, *pools)
    assert names == [found.name for found in places]
    assert died == ["deadly"]


def test_a_page_of_standard_input_that_cannot_be_read_keeps_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    places = [*PLACES[:3], Input("-", "stdin", "-"), *PLACES[3:]]
    names, _ = names_of(places, monkeypatch)
    assert names == [place.name for place in places]
