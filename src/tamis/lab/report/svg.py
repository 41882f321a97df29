"""Small parts of plots, as SVG. Colours are classes, so that a page can be light or dark.

Labels of points that do not cover each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = 8  # classes c0 to c7
FONT: Final = 12.0
CHARACTER: Final = 7.2  # width of a character, on average


@dataclass(frozen=True)
class Figure:
    """A plot with what it shows, ready for a page."""

    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Scale:
    """Values between `low` and `high` → places between `start` and `stop`."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value; values beyond the ends are put there."""
        low, high, value = (self._bent(number) for number in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.stop - self.start)

    def _bent(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.is_log else value

    @property
    def ticks(self) -> list[float]:
        """Round values all along the scale."""
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
    """Return a drawing; `name` is read out in the place of it."""
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" '
        f'aria-label="{escape(name)}">{"".join(parts)}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, style: str = "grid") -> str:
    """Return a straight line."""
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def path(points: Sequence[tuple[float, float]], style: str = "curve") -> str:
    """Return a line through points."""
    steps = " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<path class="{style}" d="M{steps}"/>' if points else ""


def bar(x: float, y: float, width: float, height: float, style: str, said: str = "") -> str:
    """Return a filled rectangle; `said` is shown when somebody points at it."""
    size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" {size}>{title(said)}</rect>'


def words(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    """Return text."""
    return (
        f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def turned(x: float, y: float, text: str) -> str:
    """Return text that reads upwards."""
    return (
        f'<text class="axis" text-anchor="middle" '
        f'transform="translate({x:.1f} {y:.1f}) rotate(-90)">{escape(text)}</text>'
    )


def title(said: str) -> str:
    """Return what is shown when somebody points at a part."""
    return f"<title>{escape(said)}</title>" if said else ""


def mark(x: float, y: float, number: int, *, hollow: bool, said: str = "") -> str:
    """Return the mark of a system: a disc, or a hollow square or diamond in its colour."""
    style = f"c{number % COLOURS} {'hollow' if hollow else 'solid'}"
    if not hollow:
        return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="5">{title(said)}</circle>'
    angle = 45 if number // COLOURS % 2 else 0
    return (
        f'<rect class="{style}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" '
        f'transform="rotate({angle} {x:.1f} {y:.1f})">{title(said)}</rect>'
    )


def x_axis(scale: Scale, top: float, bottom: float, label: str) -> str:
    """Return a horizontal axis with its grid."""
    parts = []
    for tick in scale.ticks:
        x = scale(tick)
        parts += [line(x, top, x, bottom), words(x, bottom + 16, f"{tick:g}", "tick", "middle")]
    middle = (scale.start + scale.stop) / 2
    return "".join([*parts, words(middle, bottom + 36, label, "axis", "middle")])


def y_axis(scale: Scale, left: float, right: float, label: str) -> str:
    """Return a vertical axis with its grid."""
    parts = []
    for tick in scale.ticks:
        y = scale(tick)
        parts += [line(left, y, right, y), words(left - 8, y + 4, f"{tick:g}", "tick", "end")]
    middle = (scale.start + scale.stop) / 2
    return "".join([*parts, turned(left - 42, middle, label)])


def text_width(text: str) -> float:
    """Return about how wide text is."""
    return CHARACTER * len(text)


GAP: Final = 9.0  # between a point and its label
FAR: Final = (1.0, 2.2, 3.6, 5.0, 6.5, 8.0)  # times further out where there is no room


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Say whether two rectangles have something in common."""
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
    points: Sequence[tuple[float, float]], texts: Sequence[str], frame: Box
) -> list[str]:
    """Return a label beside each point, further away and with a line where there is no room."""
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for x, y in points]
    parts: list[str] = []
    for (x, y), text in zip(points, texts, strict=True):
        box = free_box(x, y, text_width(text), taken, frame)
        taken.append(box)
        middle = (box.top + box.bottom) / 2
        near = min(max(x, box.left), box.right)
        if abs(near - x) + abs(middle - y) > 2.5 * GAP:
            parts.append(line(x, y, near, middle, "leader"))
        # Widths are guessed: text hangs on the side that is next to its point.
        side = "end" if box.right < x else "start" if box.left > x else "middle"
        at = {"end": box.right, "start": box.left, "middle": (box.left + box.right) / 2}[side]
        parts.append(words(at, middle + FONT / 3, text, "label", side))
    return parts


def free_box(x: float, y: float, width: float, taken: Sequence[Box], frame: Box) -> Box:
    """Return room for a label of a point, as near as it is to be had."""
    tried = [
        box for far in FAR for box in boxes_around(x, y, width, far * GAP) if box.within(frame)
    ]
    free = (box for box in tried if not any(box.meets(other) for other in taken))
    return next(free, tried[0] if tried else next(iter(boxes_around(x, y, width, GAP))))


def boxes_around(x: float, y: float, width: float, gap: float) -> list[Box]:
    """Return boxes around a point: right, left, above, below, and between these."""
    half = FONT / 2 + 1
    places = (
        (x + gap, y),
        (x - gap - width, y),
        (x - width / 2, y - gap - half),
        (x - width / 2, y + gap + half),
        (x + gap, y - gap),
        (x + gap, y + gap),
        (x - gap - width, y - gap),
        (x - gap - width, y + gap),
    )
    return [Box(left, middle - half, left + width, middle + half) for left, middle in places]
