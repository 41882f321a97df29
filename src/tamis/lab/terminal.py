"""The bar on standard error that shows how far a run is.

A summary for the terminal, and a bar while it is made.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tamis.lab.metrics.statistics import Mean
from tamis.lab.results import PageResult
from tamis.lab.summary import REFERENCE, Row, Summary
from tamis.lab.systems.methods import System
from tamis.printing import printable

if TYPE_CHECKING:
    import rich.progress
    from rich.console import Console
    from rich.table import Table


def started_bar(
    what: str, total: int | None, *columns: str | rich.progress.ProgressColumn, **fields: str
) -> rich.progress.Progress:
    """Return a running bar with further columns, of which some may show fields by their names."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress

    bar = Progress(
        "{task.description}",
        BarColumn(),
        *columns,
        console=Console(stderr=True),
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task(what, total=total, **fields)  # type: ignore[arg-type]
    bar.start()
    return bar


PATIENCE: Final = 2.0  # seconds without a bar
WIDE: Final = 200  # columns where there is no terminal to ask
NAMED_FAILURES: Final = 5  # of one system
HEADS: Final = {
    "precision": "P",
    "recall": "R",
    "with": "with",
    "without": "without",
    "b_precision": "b-P",
    "b_recall": "b-R",
    "b_f1": "b-F",
    "wide_f1": "wide F1",
    "wide_precision": "wide P",
    "wide_recall": "wide R",
    "all_right": "all right",
    "chosen": "chosen",
    "field_f1": "field F1",
    "field_precision": "field P",
    "field_recall": "field R",
    "aligned": "aligned",
    "price_precision": "price P",
    "price_recall": "price R",
}

# What a narrow terminal does not show, in this order.
LEFT_OUT: Final = (
    "aligned",
    "field_precision",
    "field_recall",
    "price_precision",
    "price_recall",
    "all_right",
    "b_precision",
    "b_recall",
    "wide_precision",
    "wide_recall",
    "without",
    "with",
    "b_f1",
    "wide_f1",
    "recall",
    "precision",
)


def tables(found: Summary) -> str:
    """Return the summary as tables, with what there is to say about them."""
    from rich.console import Console

    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if asked else WIDE, highlight=False)
    with console.capture() as capture:
        console.print(fitting_table(found, console))
        if len(found.kinds) > 1:
            console.print(kind_table(found))
        if found.differences:
            console.print(difference_table(found))
        for line in remarks(found):
            console.print(printable(line), markup=False, soft_wrap=True)
    return capture.get()


def fitting_table(found: Summary, console: Console) -> Table:
    """Return the table of quality with as many columns as there is room for."""
    has = [name for name in HEADS if any(name in row.means for row in found.rows)]
    endless = console.options.update(max_width=10 * WIDE)  # else no table is wider than that
    made = quality_table(found, has)
    for name in LEFT_OUT:
        if console.measure(made, options=endless).maximum <= console.width:
            break
        has = [kept for kept in has if kept != name]
        made = quality_table(found, has)
    return made


def quality_table(found: Summary, has: Sequence[str]) -> Table:
    """Return quality and time of each system, and some measures besides F1."""
    rows = [
        [
            row.label,
            with_error(row.f1),
            *(number(row.means.get(name)) for name in has),
            str(len(row.failures)),
            f"{row.milliseconds:.2f}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
        ]
        for row in found.rows
    ]
    heads = ["system", "F1 ± se", *map(HEADS.__getitem__, has), "failed", "ms/page"]
    title = f"{found.dataset}, {found.pages:,} page{'s' * (found.pages != 1)}"
    return table(title, [*heads, f"× {REFERENCE}"], rows, found.rows)


def kind_table(found: Summary) -> Table:
    """Return the F1 of each system by kind of page."""
    rows = [[row.label, *(number(row.by_kind[kind]) for kind in found.kinds)] for row in found.rows]
    heads = [f"{kind} ({found.rows[0].by_kind[kind].count})" for kind in found.kinds]
    return table("F1 by kind of page", ["system", *heads], rows, found.rows)


def difference_table(found: Summary) -> Table:
    """Return how the best method of tamis compares with each other system."""
    rows = [row for row in found.rows if row.name in found.differences]
    cells = []
    for row in rows:
        apart = found.differences[row.name]
        clear = "yes" if apart.is_clear else "no"
        cells.append([row.label, f"{apart.value:+.3f}", apart.interval, clear])
    title = f"{found.best} against the others: F1, paired by page"
    return table(title, ["system", "difference", "95 % interval", "clear"], cells, rows)


def table(
    title: str, heads: Sequence[str], cells: Sequence[Sequence[str]], rows: Sequence[Row]
) -> Table:
    """Return a table in which the methods of tamis stand out."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=Text(printable(title)), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
    )
    for place, head in enumerate(heads):
        made.add_column(
            Text(printable(head)),
            justify="right" if place else "left",
            no_wrap=not place,
            overflow="fold",
        )
    for row, line in zip(rows, cells, strict=True):
        made.add_row(
            *(Text(printable(cell)) for cell in line), style=None if row.is_peer else "bold"
        )
    return made


def with_error(mean: Mean) -> str:
    """Return a mean and its error in words."""
    return number(mean) if mean.error is None else f"{number(mean)} ± {mean.error:.3f}"


def number(mean: Mean | None) -> str:
    """Return a mean in words."""
    return "" if mean is None or math.isnan(mean.value) else f"{mean.value:.3f}"


def remarks(found: Summary) -> list[str]:
    """Return what else there is to say: failures, and times that do not compare."""
    said = []
    for row in found.rows:
        named = [f"{page} ({error[:60]})" for page, error in row.failures.items()]
        more = f" and {len(named) - NAMED_FAILURES} more" if len(named) > NAMED_FAILURES else ""
        if named:
            shown = ", ".join(named[:NAMED_FAILURES])
            said.append(f"{row.label} failed on {shown}{more}: each counts as 0")
    if found.timed_apart:
        said.append(
            f"Timed in other runs than {REFERENCE}, so without a ratio: "
            f"{', '.join(found.timed_apart)}. Run with --no-cache to time all side by side."
        )
    return said


def summary_json(found: Summary) -> str:
    """Return the summary as JSON; a mean of nothing is null."""
    return json.dumps(without_nan(found.as_dict()), ensure_ascii=False, indent=2) + "\n"


def without_nan(value: Any) -> Any:
    """Return plain data with null in the place of NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value


class Progress:
    """A bar on standard error, where that is a terminal and the work takes its time."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.failed = 0
        self.started = time.monotonic()
        self.bar: rich.progress.Progress | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def count(self, result: PageResult, system: System) -> None:
        """Take note of a result."""
        self.failed += result.error is not None
        self.advance()

    def advance(self) -> None:
        """Take note that another part of the work is done."""
        self.done += 1
        if self.bar is None and sys.stderr.isatty():
            if time.monotonic() - self.started < PATIENCE:
                return
            from rich.progress import MofNCompleteColumn, TimeRemainingColumn

            columns = (MofNCompleteColumn(), "{task.fields[failures]}", TimeRemainingColumn())
            self.bar = started_bar("measuring", self.total, *columns, failures="")
        if self.bar:
            said = {"failures": f"{self.failed:,} failed"}
            self.bar.update(self.bar.task_ids[0], completed=self.done, **said)  # type: ignore[arg-type]
