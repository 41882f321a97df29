"""Labels of points that do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tamis.evaluate.report.svg import FONT, line, text_width, words

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
