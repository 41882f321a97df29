"""Charts that several studies draw: lines against a number, bars of one measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from tamis.lab.report import svg
from tamis.lab.report.report import Chart
from tamis.lab.report.svg import WIDTH, Box, Scale, point_labels

_LEFT: Final = 70.0  # of the frame, beside the vertical axis
_TOP: Final = 16.0
_LABEL_ROOM: Final = 10.0  # above and below the axes, for names of lines that end there
_BELOW: Final = 46.0  # height of the horizontal axis
_BAR_STEP: Final = 26.0

_Lines = Mapping[str, Sequence[tuple[float, float]]]


def line_chart(
    title: str,
    caption: str,
    lines: _Lines,
    axes: tuple[str, str],
    y_range: tuple[float, float],
    *,
    is_log: tuple[bool, bool],
    margin: float = 1.0,
    unit: str = "pages",
    dashed: Mapping[str, str] = MappingProxyType({}),
) -> Chart:
    """Return lines with marks, each named at its end.

    The horizontal axis ends at `margin` times the greatest number, so that names have space.
    `unit` is what its numbers count. `dashed` names lines with dashes, and the lines that they go
    with: they have the same colour and no name at their end.
    """
    numbers = [number for points in lines.values() for number, _ in points]
    right, bottom = WIDTH - 20, 400.0
    x = Scale(min(numbers), max(numbers) * margin, _LEFT, right, is_log=is_log[0])
    y = Scale(*y_range, bottom, _TOP, is_log=is_log[1])
    parts = [svg.x_axis(x, _TOP, bottom, axes[0]), svg.y_axis(y, _LEFT, right, axes[1])]
    ends = {}
    drawn: list[svg.Point] = []
    order = [name for name in lines if name not in dashed]
    for name, points in lines.items():
        index = order.index(dashed.get(name, name))
        coordinates = [(x(number), y(value)) for number, value in points]
        style = f"curve c{index % svg.COLOURS} own{' dashed' if name in dashed else ''}"
        parts.append(svg.path(coordinates, style))
        drawn += _points_between(coordinates)
        for point, (number, value) in zip(coordinates, points, strict=True):
            tooltip = f"{name}, {number:g} {unit}: {value:.3g}"
            parts.append(svg.mark(*point, index, hollow=False, tooltip=tooltip))
        if name not in dashed:
            ends[name] = coordinates[-1]
    frame = Box(_LEFT, _TOP - _LABEL_ROOM, right, bottom + _LABEL_ROOM)
    parts += point_labels(list(ends.values()), list(ends), frame, drawn)
    return Chart(title, caption, svg.canvas(WIDTH, bottom + _BELOW, parts, title))


def _points_between(coordinates: Sequence[svg.Point]) -> list[svg.Point]:
    """Return points of a line at small distances, for what keeps off the line."""
    points: list[svg.Point] = []
    for (x, y), (next_x, next_y) in pairwise(coordinates):
        count = 1 + int(math.hypot(next_x - x, next_y - y) / _LABEL_ROOM)
        parts = (number / count for number in range(count))
        points += [(x + part * (next_x - x), y + part * (next_y - y)) for part in parts]
    return points


def bar_chart(
    title: str, caption: str, values: Mapping[str, float], unit: tuple[str, str]
) -> Chart:
    """Return one horizontal bar per value; `unit` is its name in full and in short."""
    left = max(map(svg.text_width, values)) + 16
    x = Scale(0, max(values.values()), left, WIDTH - 90)
    bottom = _BAR_STEP * len(values) + 12
    parts = [svg.x_axis(x, 8, bottom, unit[0])]
    for index, (name, value) in enumerate(values.items()):
        y = 12 + _BAR_STEP * index
        label = f"{value:.2f} {unit[1]}"
        end = x(value)
        style = f"c{index % svg.COLOURS} solid"
        parts += [
            svg.text(left - 8, y + 15, name, "label", "end"),
            svg.bar(left, y, end - left, _BAR_STEP - 8, style, label),
            svg.text(end + 6, y + 15, label, "tick"),
        ]
    return Chart(title, caption, svg.canvas(WIDTH, bottom + 44, parts, title))


def quality_range(values: Sequence[float]) -> tuple[float, float]:
    """Return round ends around values between 0 and 1."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return max(math.floor(low * 20 - 0.5) / 20, 0.0), min(math.ceil(high * 20 + 0.5) / 20, 1.0)
