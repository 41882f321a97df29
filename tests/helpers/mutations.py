"""JSON with one thing changed at a time: what a file may hold that somebody edited or damaged."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 10**12, -(10**400), 10**400),
    *(1.5, 1e308, float("nan"), float("inf"), -float("inf")),
    *("", " ", "x", "12", "/", "\ud800", "\0", "a" * 10_000, "2026-02-31", "９" * 50),
    *([], [[]], [None], [0], ["x"], {}, {"x": 1}, {"": {}}),
)
NESTED = "[" * 50_000 + "]" * 50_000


def mutations(data: Any, most: int = 40) -> Iterator[Any]:
    """Yield copies of plain data, each with one thing changed, left out or doubled.

    Of things at the same place of several like ones some are changed, `most` places in all.
    """
    places = list(spots(data))
    step = max(1, len(places) // most)
    kinds: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for place in places:
        kinds.setdefault(tuple("*" if isinstance(key, int) else key for key in place), place)
    for place in {*places[::step], *kinds.values()}:
        for value in ODD:
            yield changed(
                data, place, lambda holder, key, value=value: holder.__setitem__(key, value)
            )
        yield changed(data, place, lambda holder, key: holder.__delitem__(key))
        yield changed(data, place, doubled)


def spots(data: Any, *above: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in plain data."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield (*above, key)
        yield from spots(data[key], *above, key)


def changed(data: Any, place: tuple[Any, ...], change: Any) -> Any:
    """Return a copy with something changed at a place."""
    data = copy.deepcopy(data)
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    change(holder, place[-1])
    return data


def doubled(holder: Any, key: Any) -> None:
    """Repeat a thing of a list many times, or wrap it."""
    if isinstance(holder, list):
        holder.extend([holder[key]] * 1000)
    else:
        holder[key] = [holder[key]]
