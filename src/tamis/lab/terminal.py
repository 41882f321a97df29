"""The bar of cli/progress.py and cli/training.py, until these use tamis.terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.progress


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
