"""What people see while work goes on and when it is done: one `Progress`, one `Table`.

Both know whether they write to a terminal. Elsewhere a progress shows no bar, and a table is plain
text without control characters. rich is imported when something is shown.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from tamis.printing import escape_for_terminal, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

BAR_DELAY: Final = 2.0  # seconds without a bar: short work needs none
DEFAULT_WIDTH: Final = 160  # columns of a table where there is no terminal
MIN_COLUMN_WIDTH: Final = 6  # even on a terminal that is too narrow
_GAP: Final = "  "  # between two columns


class Progress:
    """How far work is, as a bar on standard error.

    The bar appears after a delay, and only if standard error is a terminal. `quiet` keeps it away
    there too. With a total of None it shows that work goes on, not how much is left. `status` is
    text that stands beside the count: a rate, a number of failures.
    """

    def __init__(
        self,
        description: str,
        total: int | None = None,
        *,
        unit: str = "",
        delay: float | None = None,
        clock: Literal["remaining", "elapsed"] = "remaining",
        quiet: bool = False,
    ) -> None:
        self.description = description
        self.total = total
        self.unit = unit
        self.completed = 0
        self.status = ""
        self._clock = clock
        self._lock = threading.RLock()
        self._bar: Bar | None = None
        is_shown = sys.stderr.isatty() and not quiet
        seconds = BAR_DELAY if delay is None else delay
        self._timer = threading.Timer(seconds, self._start_bar) if is_shown else None

    def __enter__(self) -> Self:
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the bar away, and give the terminal its cursor back."""
        with self._lock:
            if self._timer:
                self._timer.cancel()
            if self._bar:
                self._bar.stop()
            self._timer = self._bar = None

    def advance(self, count: int = 1) -> None:
        """Count completed work."""
        self.update(completed=self.completed + count)

    def update(self, **changes: Any) -> None:
        """Change what is shown: `completed`, `total`, `description`, `unit`, `status`."""
        with self._lock:
            for name, value in changes.items():
                setattr(self, name, value)
            if self._bar:
                self._bar.update(self._bar.task_ids[0], **self._bar_fields())

    def print(self, message: str) -> None:
        """Print a line to standard error, above the bar if there is one."""
        message = escape_for_terminal(message)
        with self._lock:
            if self._bar:
                self._bar.console.print(message, markup=False, highlight=False, soft_wrap=True)
            else:
                print(message, file=sys.stderr, flush=True)

    @property
    def is_bar_possible(self) -> bool:
        """Whether a bar is shown or will be: without one, lines may say how far the work is."""
        return bool(self._timer or self._bar)

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        def text(field: str) -> TextColumn:
            return TextColumn(f"{{task.{field}}}", markup=False)

        with self._lock:
            if not self._timer:  # the work ended meanwhile
                return
            self._bar = Bar(
                text("description"),
                BarColumn(),
                text("fields[count]"),
                text("fields[status]"),
                TimeRemainingColumn() if self._clock == "remaining" else TimeElapsedColumn(),
                console=Console(stderr=True),
                redirect_stdout=False,
                redirect_stderr=False,
            )
            fields = self._bar_fields()
            self._bar.add_task(**fields)
            self._bar.start()

    def _bar_fields(self) -> dict[str, Any]:
        total = "?" if self.total is None else f"{self.total:,}"
        return {
            "description": printable(self.description),
            "completed": self.completed,
            "total": self.total,
            "count": f"{self.completed:,}/{total} {self.unit}".rstrip(),
            "status": printable(self.status),
        }


@dataclass(frozen=True)
class Column:
    """A column of a table; cells that are too long are cut or, with `wrap`, take more lines.

    Where a table does not fit, its widest columns shrink, but none below its `min_width`. A column
    with a `min_width` of None does not shrink.
    """

    header: str
    align: Literal["left", "right"] = "left"
    style: str = ""  # of its cells on a terminal, as rich writes it: "bold cyan"
    min_width: int | None = MIN_COLUMN_WIDTH
    max_width: int | None = None
    wrap: bool = False


class Table:
    """Rows of text in columns, for people to read.

    `rule` draws a line below the headers and leaves an empty line after the table.
    """

    def __init__(
        self,
        columns: Iterable[Column],
        rows: Iterable[Sequence[str]] = (),
        *,
        title: str = "",
        caption: str = "",
        rule: bool = False,
    ) -> None:
        self.columns = list(columns)
        self.title = title
        self.caption = caption
        self.rule = rule
        self._rows: list[tuple[list[str], str]] = []
        for row in rows:
            self.add_row(*row)

    def add_row(self, *cells: str, style: str = "") -> None:
        """Add a row; its style on a terminal replaces those of the columns."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self._rows.append((list(map(printable, cells)), style))

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self._rows)

    @property
    def full_width(self) -> int:
        """The width at which no cell is cut or wrapped."""
        return sum(self._full_widths()) + len(_GAP) * (len(self.columns) - 1)

    def render(self, width: int | None = None) -> str:
        """Return the table as lines of text, as wide as the terminal or as `width`.

        On a terminal it has colours. Elsewhere it is plain text.
        """
        console = find_console(width)
        widths = self._shared_widths(console.width)
        headers = [printable(column.header) for column in self.columns]
        lines = _Lines(console)
        if self.title:
            lines.add([(printable(self.title), "bold")])
            lines.add([])
        for cells in self._wrap(headers, widths, console):
            lines.add(self._line(cells, widths, ["bold"] * len(widths)))
        if self.rule:
            lines.add([("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)), "")])
        for row, style in self._rows:
            styles = [style or column.style for column in self.columns]
            for cells in self._wrap(row, widths, console):
                lines.add(self._line(cells, widths, styles))
        if self.rule:
            lines.add([])
        if self.caption:
            from rich.text import Text

            for line in Text(printable(self.caption)).wrap(console, console.width):
                lines.add([(line.plain, "dim")])
            lines.add([])
        return lines.text()

    def _full_widths(self) -> list[int]:
        from rich.cells import cell_len

        widths = [cell_len(printable(column.header)) for column in self.columns]
        for row, _ in self._rows:
            widths = [max(width, cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
        return widths

    def _shared_widths(self, total: int) -> list[int]:
        """Return the widths of the columns: all that they need, or less for the widest ones."""
        widths = [
            width if column.max_width is None else min(width, column.max_width)
            for width, column in zip(self._full_widths(), self.columns, strict=True)
        ]
        excess = sum(widths) + len(_GAP) * (len(widths) - 1) - total
        while excess > 0:
            shrinkable = [
                index
                for index, column in enumerate(self.columns)
                if column.min_width is not None and widths[index] > column.min_width
            ]
            if not shrinkable:
                break
            widths[max(shrinkable, key=widths.__getitem__)] -= 1
            excess -= 1
        return widths

    def _wrap(
        self, row: Sequence[str], widths: Sequence[int], console: Console
    ) -> Iterable[Sequence[str]]:
        """Yield the lines of a row: one, unless columns wrap."""
        from rich.cells import cell_len
        from rich.text import Text

        if not any(
            column.wrap and cell_len(cell) > width
            for column, cell, width in zip(self.columns, row, widths, strict=True)
        ):
            return [row]
        wrapped = [
            [line.plain for line in Text(cell).wrap(console, width, overflow="fold")]
            if column.wrap
            else [cell]
            for column, cell, width in zip(self.columns, row, widths, strict=True)
        ]
        height = max(map(len, wrapped))
        return zip(*(lines + [""] * (height - len(lines)) for lines in wrapped), strict=True)

    def _line(
        self, cells: Sequence[str], widths: Sequence[int], styles: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Return a line as parts of text with their styles."""
        parts: list[tuple[str, str]] = []
        for column, cell, width, style in zip(self.columns, cells, widths, styles, strict=True):
            text = fit_cell(cell, width)
            if column.align == "right":
                text = " " * (len(text) - len(text.rstrip())) + text.rstrip()
            parts += [(text, style), (_GAP, "")]
        return parts[:-1]


class _Lines:
    """Collects lines; coloured if the console is a terminal, else plain without spaces at ends."""

    def __init__(self, console: Console) -> None:
        self._console = console if console.is_terminal else None
        self._lines: list[list[tuple[str, str]]] = []

    def add(self, parts: list[tuple[str, str]]) -> None:
        """Add a line of parts, each with its style."""
        self._lines.append(parts)

    def text(self) -> str:
        """Return all lines."""
        if self._console is None:
            texts = ("".join(text for text, _ in parts).rstrip() for parts in self._lines)
            return "".join(f"{text}\n" for text in texts)
        from rich.text import Text

        with self._console.capture() as capture:
            for parts in self._lines:
                line = Text.assemble(*parts)
                line.rstrip()
                self._console.print(line, soft_wrap=True)
        return capture.get()


def find_console(width: int | None = None) -> Console:
    """Return a console on standard output: as wide as its terminal, or of a default width."""
    from rich.console import Console

    if width is None and not (sys.stdout.isatty() or "COLUMNS" in os.environ):
        width = DEFAULT_WIDTH
    return Console(width=width, highlight=False)


def fit_cell(text: str, width: int) -> str:
    """Return text in exactly so many columns, of which a Chinese character takes two."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…"
