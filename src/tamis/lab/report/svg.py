"""Parts of charts as SVG: axes, marks, bars, lines, and labels that do not cover each other.

Colours are classes of the report's style sheet, so that a chart is light or dark as its page is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = 8  # classes c0 to c7
WIDTH: Final = 940.0  # of a chart as wide as the page
_FONT_SIZE: Final = 12.0
_CHARACTER_WIDTH: Final = 7.2  # on average
_LABEL_GAP: Final = 9.0  # between a point and its label
_GAP_FACTORS: Final = (1.0, 2.2, 3.6, 5.0, 6.5, 8.0)  # labels go further out where space is taken
_LEADER_FACTOR: Final = 2.5  # gaps from which on a line leads to the label

Point = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """Maps values between `low` and `high` to coordinates between `start` and `stop`."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value; values beyond an end get that of the end."""
        low, high, value = (self._linear(number) for number in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.stop - self.start)

    def _linear(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.is_log else value

    @property
    def ticks(self) -> list[float]:
        """Round values along the scale."""
        if self.is_log:
            low, high = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            steps = (step * 10.0**power for power in range(low, high + 1) for step in (1, 2, 5))
            return [step for step in steps if self.low <= step <= self.high]
        span = self.high - self.low
        step = 10.0 ** math.floor(math.log10(span / 2)) if span > 0 else 1.0
        step *= next((m for m in (1, 2, 5) if span / (step * m) <= 6), 10)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def canvas(width: float, height: float, parts: Iterable[str], name: str) -> str:
    """Return a drawing; `name` is what screen readers read out."""
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" '
        f'aria-label="{escape(name)}">{"".join(parts)}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, style: str = "grid") -> str:
    """Return a straight line."""
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def path(points: Sequence[Point], style: str = "curve") -> str:
    """Return a line through points."""
    steps = " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<path class="{style}" d="M{steps}"/>' if points else ""


def bar(x: float, y: float, width: float, height: float, style: str, tooltip: str = "") -> str:
    """Return a filled rectangle; `tooltip` is shown when the mouse is on it."""
    size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" {size}>{_title(tooltip)}</rect>'


def text(x: float, y: float, content: str, style: str = "", anchor: str = "start") -> str:
    """Return text."""
    return (
        f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(content)}</text>"
    )


def _upward_text(x: float, y: float, content: str) -> str:
    """Return text that reads upwards."""
    return (
        f'<text class="axis" text-anchor="middle" '
        f'transform="translate({x:.1f} {y:.1f}) rotate(-90)">{escape(content)}</text>'
    )


def _title(tooltip: str) -> str:
    return f"<title>{escape(tooltip)}</title>" if tooltip else ""


def mark(x: float, y: float, number: int, *, hollow: bool, tooltip: str = "") -> str:
    """Return the mark of a system: a disc, or a hollow square or diamond in its colour."""
    style = f"c{number % COLOURS} {'hollow' if hollow else 'solid'}"
    if not hollow:
        return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="5">{_title(tooltip)}</circle>'
    angle = 45 if number // COLOURS % 2 else 0
    return (
        f'<rect class="{style}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" '
        f'transform="rotate({angle} {x:.1f} {y:.1f})">{_title(tooltip)}</rect>'
    )


def x_axis(scale: Scale, top: float, bottom: float, label: str) -> str:
    """Return a horizontal axis with its grid."""
    parts = []
    for tick in scale.ticks:
        x = scale(tick)
        parts += [line(x, top, x, bottom), text(x, bottom + 16, f"{tick:g}", "tick", "middle")]
    middle = (scale.start + scale.stop) / 2
    return "".join([*parts, text(middle, bottom + 36, label, "axis", "middle")])


def y_axis(scale: Scale, left: float, right: float, label: str) -> str:
    """Return a vertical axis with its grid."""
    parts = []
    for tick in scale.ticks:
        y = scale(tick)
        parts += [line(left, y, right, y), text(left - 8, y + 4, f"{tick:g}", "tick", "end")]
    middle = (scale.start + scale.stop) / 2
    return "".join([*parts, _upward_text(left - 42, middle, label)])


def text_width(content: str) -> float:
    """Return about how wide text is."""
    return _CHARACTER_WIDTH * len(content)


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Say whether two rectangles have an area in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Say whether this rectangle lies in another."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def point_labels(
    points: Sequence[Point], labels: Sequence[str], frame: Box, others: Sequence[Point] = ()
) -> list[str]:
    """Return a label beside each point, further away and with a line where space is taken.

    `others` are further points that labels keep off.
    """
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for x, y in (*points, *others)]
    parts: list[str] = []
    for (x, y), label in zip(points, labels, strict=True):
        box = _find_free_box(x, y, text_width(label), taken, frame)
        taken.append(box)
        middle = (box.top + box.bottom) / 2
        nearest = min(max(x, box.left), box.right)
        if abs(nearest - x) + abs(middle - y) > _LEADER_FACTOR * _LABEL_GAP:
            parts.append(line(x, y, nearest, middle, "leader"))
        # Widths are estimates: text is anchored at the side that is next to its point.
        anchor = "end" if box.right < x else "start" if box.left > x else "middle"
        anchors = {"end": box.right, "start": box.left, "middle": (box.left + box.right) / 2}
        parts.append(text(anchors[anchor], middle + _FONT_SIZE / 3, label, "label", anchor))
    return parts


def _find_free_box(x: float, y: float, width: float, taken: Sequence[Box], frame: Box) -> Box:
    """Return the nearest box for the label of a point that overlaps no other."""
    boxes = [
        box
        for factor in _GAP_FACTORS
        for box in _boxes_around(x, y, width, factor * _LABEL_GAP)
        if box.within(frame)
    ]
    free = (box for box in boxes if not any(box.overlaps(other) for other in taken))
    return next(free, boxes[0] if boxes else _boxes_around(x, y, width, _LABEL_GAP)[0])


def _boxes_around(x: float, y: float, width: float, gap: float) -> list[Box]:
    """Return boxes around a point: right, left, above, below, and between these."""
    half = _FONT_SIZE / 2 + 1
    corners = (
        (x + gap, y),
        (x - gap - width, y),
        (x - width / 2, y - gap - half),
        (x - width / 2, y + gap + half),
        (x + gap, y - gap),
        (x + gap, y + gap),
        (x - gap - width, y - gap),
        (x - gap - width, y + gap),
    )
    return [Box(left, middle - half, left + width, middle + half) for left, middle in corners]
