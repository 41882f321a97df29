"""What several studies share: a fixed sample of pages, best times, changed constants of modules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module

from tamis.lab.datasets import load, read_unpacked


def sample_pages(dataset: str, count: int) -> list[bytes]:
    """Return pages from all over a data set as bytes, always the same ones."""
    paths = sorted((item.path for item in load(dataset).items), key=lambda path: path.name)
    return [read_unpacked(path) for path in paths[:: max(1, len(paths) // count)][:count]]


def best_times(
    tasks: Mapping[str, Callable[[int], object]], pages: int, rounds: int
) -> dict[str, float]:
    """Return the sum over pages of each task's best computing time; tasks take turns on each page.

    Computing time does not count what other processes do meanwhile.
    """
    best = {name: [float("inf")] * pages for name in tasks}
    for _ in range(rounds):
        for index in range(pages):
            for name, task in tasks.items():
                started = time.thread_time()
                task(index)
                best[name][index] = min(best[name][index], time.thread_time() - started)
    return {name: sum(times) for name, times in best.items()}


@contextmanager
def changed_attribute(modules: Sequence[str], name: str, value: object) -> Iterator[None]:
    """Give an attribute of modules another value, for studies of what a rule contributes."""
    loaded = [import_module(module) for module in modules]
    before = getattr(loaded[0], name)
    try:
        for module in loaded:
            setattr(module, name, value)
        yield
    finally:
        for module in loaded:
            setattr(module, name, before)
