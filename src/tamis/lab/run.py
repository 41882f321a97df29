"""Patience with what may hang: a limit on time, and silence.

The run: all systems over all pages, page by page, each page by one system after the other.
"""

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
from tamis.lab.cache import Cache, lab_version
from tamis.lab.datasets import Dataset, Item
from tamis.lab.results import (
    MEASURES,
    Measured,
    PageResult,
    Results,
    SystemResult,
    answered,
    failed,
)
from tamis.lab.systems.methods import Answer, Extractor, System

AGAIN: Final = 1.0  # seconds after which an alarm that was not heard rings again


class _Alarm(BaseException):
    """Not an Exception, so that no library takes it for one of its own and goes on."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise DeadlineExceeded if what is inside takes longer.

    This needs signals: in other threads than the main one, and on Windows, there is no limit.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
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
def silence() -> Iterator[None]:
    """Keep what libraries log and warn about away from the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


PATIENCE: Final = 30.0  # seconds for one page
SAVED_EVERY: Final = 60.0  # seconds, so that little is lost if the run is killed

Found = dict[str, dict[str, PageResult]]  # by system and page
Told = Callable[[PageResult, System], None]


def evaluate(
    dataset: Dataset,
    systems: Sequence[System],
    *,
    cache: Cache | None = None,
    fresh: bool = False,
    told: Told = lambda result, system: None,
) -> Results:
    """Measure systems on a data set.

    Results that the cache has are taken from it, unless all are wanted `fresh`. What was measured
    goes there, also when the run is interrupted. `told` hears of each result.
    """
    check_measurable(dataset)
    found: Found = {system.name: known(dataset, system, cache) for system in systems}
    if fresh:
        for item in dataset.items:
            for results in found.values():
                results.pop(item.id, None)
    tell_known(dataset, systems, found, told)
    due = [system for system in systems if missing(dataset, found[system.name])]
    try:
        measure(dataset, due, found, told, lambda: save(dataset, due, found, cache))
    finally:
        save(dataset, due, found, cache)
    return Results(
        dataset,
        tuple(
            SystemResult(system, tuple(found[system.name][item.id] for item in dataset.items))
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


def known(dataset: Dataset, system: System, cache: Cache | None) -> dict[str, PageResult]:
    """Return what the cache knows about pages that have not changed since."""
    if cache is None:
        return {}
    items, lab = {item.id: item for item in dataset.items}, lab_version()
    found, changed = {}, False
    for result in cache.read(system, dataset).values():
        item = items.get(result.id)
        if item is None:
            found[result.id] = result
        elif item.stamp == result.stamp:
            by = Measured(result.run, lab, dataset.truth)
            found[result.id] = result if result.lab == lab else measured_anew(item, result, by)
            changed |= result.lab != lab
    if changed:
        cache.write(system, dataset, found.values())
    return found


def measured_anew(item: Item, result: PageResult, by: Measured) -> PageResult:
    """Return a known answer with measures of today."""
    if result.error is not None:
        return failed(item, by, result.seconds, result.error)
    return answered(item, by, result.seconds, Answer(result.text))


def tell_known(dataset: Dataset, systems: Sequence[System], found: Found, told: Told) -> None:
    """Tell of the results that need no measuring."""
    for system in systems:
        results = found[system.name]
        for item in dataset.items:
            if item.id in results:
                told(results[item.id], system)


def missing(dataset: Dataset, found: dict[str, PageResult]) -> list[Item]:
    """Return the pages that have no result."""
    return [item for item in dataset.items if item.id not in found]


def measure(
    dataset: Dataset,
    systems: Sequence[System],
    found: Found,
    told: Told,
    saved: Callable[[], None],
) -> None:
    """Measure systems on the pages that they have no result for."""
    by = Measured(uuid.uuid4().hex, lab_version(), dataset.truth)
    last = time.monotonic()
    with ExitStack() as stack:
        stack.enter_context(silence())
        extractors = [(system, stack.enter_context(system.started())) for system in systems]
        for number, item in enumerate(dataset.items):
            # Who comes first finds the page's text cold in the processor's cache: all take turns.
            turn = number % max(len(extractors), 1)
            due = [
                (system, extractor)
                for system, extractor in extractors[turn:] + extractors[:turn]
                if item.id not in found[system.name]
            ]
            html = item.html if due else ""
            for system, extractor in due:
                result = result_of(item, html, extractor, by)
                found[system.name][item.id] = result
                told(result, system)
            if time.monotonic() - last > SAVED_EVERY:
                saved()
                last = time.monotonic()


def result_of(item: Item, html: str, extractor: Extractor, by: Measured) -> PageResult:
    """Let a system extract a page, take the time and measure what it gave."""
    start = time.perf_counter()
    try:
        with limited(PATIENCE):
            answer = extractor(html, item)
    except Exception as error:  # whatever a system raises, the page counts as failed
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        return failed(item, by, time.perf_counter() - start, said)
    seconds = time.perf_counter() - start
    return answered(item, by, answer.seconds or seconds, answer)


def save(dataset: Dataset, systems: Sequence[System], found: Found, cache: Cache | None) -> None:
    """Put all results into the cache."""
    if cache is None:
        return
    for system in systems:
        cache.write(system, dataset, found[system.name].values())
