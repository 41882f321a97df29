"""The run of an evaluation: all systems over all pages, page by page, within a time limit."""

from __future__ import annotations

import logging
import signal
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Final

from tamis.errors import DeadlineExceeded, InputError
from tamis.lab.cache import Cache
from tamis.lab.datasets import Dataset, Item
from tamis.lab.results import (
    MEASURES,
    PageResult,
    Results,
    RunStamp,
    SystemResult,
    measure_answer,
    measure_failure,
)
from tamis.lab.systems.methods import Answer, Extractor, System
from tamis.lab.versions import lab_version

_ALARM_INTERVAL: Final = 1.0  # seconds after which an alarm that was not heard rings again


class _Alarm(BaseException):
    """Not an Exception, so that no library catches it."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise DeadlineExceeded if what is inside takes longer.

    This needs signals: in other threads than the main one, and on Windows, there is no limit.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _ALARM_INTERVAL)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Alarm:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise DeadlineExceeded(f"took more than {seconds:g} seconds") from None
    finally:
        signal.signal(signal.SIGALRM, before)


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise _Alarm


@contextmanager
def silence_libraries() -> Iterator[None]:
    """Keep what libraries log and warn about away from the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


_TIMEOUT: Final = 30.0  # seconds for one page
_SAVE_INTERVAL: Final = 60.0  # seconds, so that little is lost if the run is killed

_ResultsBySystem = dict[str, dict[str, PageResult]]  # by system and page
_OnResult = Callable[[PageResult, System], None]


def evaluate(
    dataset: Dataset,
    systems: Sequence[System],
    *,
    cache: Cache | None = None,
    fresh: bool = False,
    on_result: _OnResult = lambda result, system: None,
) -> Results:
    """Measure systems on a data set.

    Results that the cache has are taken from it, unless all are wanted `fresh`. What was measured
    goes there, also when the run is interrupted. `on_result` is called with each result.
    """
    check_measurable(dataset)
    results: _ResultsBySystem = {
        system.name: _read_cached(dataset, system, cache) for system in systems
    }
    if fresh:
        for item in dataset.items:
            for of_system in results.values():
                of_system.pop(item.id, None)
    _report_cached(dataset, systems, results, on_result)
    due = [system for system in systems if _is_incomplete(dataset, results[system.name])]
    try:
        _measure(dataset, due, results, on_result, lambda: _save(dataset, due, results, cache))
    finally:
        _save(dataset, due, results, cache)
    return Results(
        dataset,
        tuple(
            SystemResult(system, tuple(results[system.name][item.id] for item in dataset.items))
            for system in systems
        ),
    )


def check_measurable(dataset: Dataset) -> None:
    """Raise an error for a set whose truth no method can be held against yet."""
    if dataset.truth not in MEASURES:
        raise InputError(
            f"{dataset.name} is about {dataset.truth}, which no method gives yet: "
            "take a set with main_content or labelled segments"
        )


def _read_cached(dataset: Dataset, system: System, cache: Cache | None) -> dict[str, PageResult]:
    """Return what the cache knows about pages that have not changed since."""
    if cache is None:
        return {}
    items, lab = {item.id: item for item in dataset.items}, lab_version()
    cached, changed = {}, False
    for result in cache.read(system, dataset).values():
        item = items.get(result.id)
        if item is None:
            cached[result.id] = result
        elif item.stamp == result.stamp:
            by = RunStamp(result.run, lab, dataset.truth)
            cached[result.id] = result if result.lab == lab else _measure_again(item, result, by)
            changed |= result.lab != lab
    if changed:
        cache.write(system, dataset, cached.values())
    return cached


def _measure_again(item: Item, result: PageResult, by: RunStamp) -> PageResult:
    """Return a cached answer with measures of today."""
    if result.error is not None:
        return measure_failure(item, by, result.seconds, result.error)
    return measure_answer(item, by, result.seconds, Answer(result.text))


def _report_cached(
    dataset: Dataset, systems: Sequence[System], results: _ResultsBySystem, on_result: _OnResult
) -> None:
    """Report the results that need no measuring."""
    for system in systems:
        of_system = results[system.name]
        for item in dataset.items:
            if item.id in of_system:
                on_result(of_system[item.id], system)


def _is_incomplete(dataset: Dataset, results: dict[str, PageResult]) -> list[Item]:
    """Return the pages that have no result."""
    return [item for item in dataset.items if item.id not in results]


def _measure(
    dataset: Dataset,
    systems: Sequence[System],
    results: _ResultsBySystem,
    on_result: _OnResult,
    saved: Callable[[], None],
) -> None:
    """Measure systems on the pages that they have no result for."""
    by = RunStamp(uuid.uuid4().hex, lab_version(), dataset.truth)
    last = time.monotonic()
    with ExitStack() as stack:
        stack.enter_context(silence_libraries())
        extractors = [(system, stack.enter_context(system.started())) for system in systems]
        for number, item in enumerate(dataset.items):
            # Who comes first finds the page's text cold in the processor's cache: all take turns.
            turn = number % max(len(extractors), 1)
            due = [
                (system, extractor)
                for system, extractor in extractors[turn:] + extractors[:turn]
                if item.id not in results[system.name]
            ]
            html = item.html if due else ""
            for system, extractor in due:
                result = _run_system(item, html, extractor, by)
                results[system.name][item.id] = result
                on_result(result, system)
            if time.monotonic() - last > _SAVE_INTERVAL:
                saved()
                last = time.monotonic()


def _run_system(item: Item, html: str, extractor: Extractor, by: RunStamp) -> PageResult:
    """Let a system extract a page, take the time and measure what it gave."""
    start = time.perf_counter()
    try:
        with limit_time(_TIMEOUT):
            answer = extractor(html, item)
    except Exception as error:  # whatever a system raises, the page counts as failed
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        return measure_failure(item, by, time.perf_counter() - start, message)
    seconds = time.perf_counter() - start
    return measure_answer(item, by, answer.seconds or seconds, answer)


def _save(
    dataset: Dataset, systems: Sequence[System], results: _ResultsBySystem, cache: Cache | None
) -> None:
    """Put all results into the cache."""
    if cache is None:
        return
    for system in systems:
        cache.write(system, dataset, results[system.name].values())
