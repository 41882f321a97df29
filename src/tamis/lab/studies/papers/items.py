"""Items: the tables, figures and claims of the papers, with our figures beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tamis.lab.metrics.statistics import Difference, bootstrap_means
from tamis.lab.report.report import Chart, ReportTable, Section

_LEVELS: Final = (0.025, 0.975)
_SAID: Final = "the paper"
_DETAIL: Final = "Rows of single sites and pages"
_MAX_THREE_DIGITS: Final = 10  # greater numbers are shown with one digit behind the point
_MAX_UNIT_LETTERS: Final = 6  # of a cell that is a number
HOLDS: Final = "holds"
FAILS: Final = "does not hold here"
UNKNOWN: Final = "cannot be told"

Outcomes = Mapping[str, Any]  # what parts measured, by name; without those that failed
Charts = Callable[[], Sequence[Chart]]


@dataclass(frozen=True)
class Estimate:
    """A measured value, and where the true one lies 19 times in 20."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def text(self) -> str:
        """The value with its interval, as tables show it."""
        if self.low is None or self.high is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f})"


Cell = Estimate | float | str | None


@dataclass(frozen=True)
class PaperRow:
    """A row: what the paper has, what we have, and on how many pages.

    Rows of detail are folded away in the report.
    """

    label: str
    paper: Mapping[str, Cell] = field(default_factory=dict)
    ours: Mapping[str, Cell] = field(default_factory=dict)
    n: str = ""
    is_detail: bool = False


def _no_charts() -> Sequence[Chart]:
    return ()


@dataclass(frozen=True)
class PaperItem:
    """A table, a figure or the claims of a paper."""

    key: str  # what `--only` takes
    paper: str
    item: str
    title: str
    measures: Sequence[str]  # columns
    rows: Sequence[PaperRow]
    data: str  # what ours was measured on
    why_not: str  # why ours differs
    charts: Charts = _no_charts
    needs: Sequence[str] = ()  # what is missing

    @property
    def command(self) -> str:
        """The command that makes the item alone."""
        return f"tamis evaluate papers --only {self.key} --report {self.key}.html"

    def as_dict(self) -> dict[str, Any]:
        """Return the item as plain data."""
        return {
            "paper": self.paper,
            "item": self.item,
            "key": self.key,
            "title": self.title,
            "data": self.data,
            "rows": [_row_dict(row) for row in self.rows],
            "why_not": self.why_not,
            "needs": list(self.needs),
            "command": self.command,
        }

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{capitalise(self.paper)}, {self.item}: {self.title}"

    @property
    def table(self) -> ReportTable:
        """The rows, without those of detail, for terminals and documents."""
        rows = [row for row in self.rows if not row.is_detail]
        return self._build_table(self.heading, rows, " ".join(self._sentences()))

    @property
    def section(self) -> Section:
        """The item as a part of the report."""
        rows = [row for row in self.rows if not row.is_detail]
        detail = [row for row in self.rows if row.is_detail]
        return Section(
            self.heading,
            self.key,
            self._sentences(),
            [self._build_table("", rows, "")] if rows else [],
            [self._build_table(f"{_DETAIL} ({len(detail)})", detail, "")] if detail else [],
            self.charts,
            self.command,
        )

    @property
    def _common_n(self) -> str:
        """How many pages all rows have, if it is the same number."""
        counts = {row.n for row in self.rows if not row.is_detail and row.n}
        return counts.pop() if len(counts) == 1 else ""

    def _sentences(self) -> list[str]:
        needs = [f"Not measured: {reason}" for reason in self.needs]
        count = f" All rows: {self._common_n}." if self._common_n else ""
        return [part for part in (f"Data: {self.data}{count}", *needs, self.why_not) if part]

    def _build_table(self, title: str, rows: Sequence[PaperRow], caption: str) -> ReportTable:
        """Return rows as a table; columns without a value are left out."""
        columns = [
            (side, measure)
            for measure in self.measures
            for side in ("paper", "ours")
            if any(getattr(row, side).get(measure) is not None for row in rows)
        ]
        both = {measure for side, measure in columns if side == "paper"}
        heads = [
            _SAID if measure == "paper" else f"{measure}, {side}" if measure in both else measure
            for side, measure in columns
        ]
        tail = ["n"] if any(row.n for row in rows) and not self._common_n else []
        cells = [
            [
                row.label,
                *(_show(getattr(row, side).get(measure)) for side, measure in columns),
                *([row.n] if tail else []),
            ]
            for row in rows
        ]
        words = [
            head
            for (side, measure), head in zip(columns, heads, strict=True)
            if any(_is_words(getattr(row, side).get(measure)) for row in rows)
        ]
        return ReportTable(title, ["", *heads, *tail], cells, caption, text_heads=words)


def capitalise(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _is_words(cell: Cell) -> bool:
    """Say whether a cell is text and no number, also one with a unit."""
    if not isinstance(cell, str):
        return False
    return not any(map(str.isdigit, cell)) or sum(map(str.isalpha, cell)) > _MAX_UNIT_LETTERS


def _row_dict(row: PaperRow) -> dict[str, Any]:
    """Return a row as plain data."""
    return {
        "label": row.label,
        "paper": {name: _plain(cell) for name, cell in row.paper.items()} or None,
        "ours": {name: _plain(cell) for name, cell in row.ours.items()} or None,
        **({"n": row.n} if row.n else {}),
    }


def _plain(cell: Cell) -> Any:
    if isinstance(cell, Estimate):
        return {"value": cell.value, "low": cell.low, "high": cell.high}
    return cell


def _show(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Estimate):
        return cell.text
    if isinstance(cell, str):
        return cell
    return f"{cell:.3f}" if abs(cell) < _MAX_THREE_DIGITS else f"{cell:.1f}"


def estimate(values: Sequence[float], groups: Sequence[str] | None = None) -> Estimate:
    """Return the mean of pages with its interval, by bootstrap over pages.

    With `groups`, the sites of the pages, each site counts the same.
    """
    column = np.asarray(values, dtype=np.float64)
    if not len(column):
        return Estimate(float("nan"))
    weights = np.ones(len(column))
    if groups is not None:
        _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
        weights = 1 / counts[inverse]
    mean = float((column * weights).sum() / weights.sum())
    if len(column) == 1:
        return Estimate(mean)
    low, high = np.quantile(bootstrap_means(column * weights, weights), _LEVELS)
    return Estimate(mean, float(low), float(high))


def judge_difference(difference: Difference, *, better: bool = True) -> str:
    """Return the verdict on a claim that the first of two systems is better, or is not worse."""
    if difference.is_clear:
        return HOLDS if (difference.value > 0) == better else FAILS
    return UNKNOWN


def show_difference(difference: Difference) -> str:
    """Return a difference with its interval."""
    return f"{difference.value:+.3f} ({difference.low:+.3f} … {difference.high:+.3f})"
