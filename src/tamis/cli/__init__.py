"""The command line: the only place where strings become objects.

Each command is a file: `extract`, `blocks`, `records`, `site`, `store`, `evaluate`, `train`,
`methods`. `app` puts them together. The commands that work on many pages share the `runner`: it
runs a task (`tasks`) over inputs (`inputs`), in one process or several (`workers`), and hands the
outcomes to a sink (`sinks`, chosen in `output`).
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamis.cli.app import replace_closed_streams as replace_closed_streams
    from tamis.cli.app import tamis as tamis
    from tamis.cli.files import page_file_name as page_file_name
    from tamis.cli.files import short_page_name as short_page_name
    from tamis.cli.messages import describe_problem as describe_problem
    from tamis.cli.options import FORMATS as FORMATS
    from tamis.cli.rendering import open_browser as open_browser
    from tamis.cli.rows import escape_formula as escape_formula
    from tamis.cli.scale import follow_job as follow_job
    from tamis.cli.tasks import Outcome as Outcome
    from tamis.cli.tasks import PageTask as PageTask
    from tamis.cli.tasks import open_store as open_store
    from tamis.cli.train import TrainingProgress as TrainingProgress
    from tamis.cli.train import describe_time_left as describe_time_left
    from tamis.cli.workers import run_tasks as run_tasks

# Name → its module, imported when the name is first used: Ctrl-C is handled from the first moment,
# and a command loads only what it needs.
_MODULES = {
    "FORMATS": "options",
    "Outcome": "tasks",
    "PageTask": "tasks",
    "TrainingProgress": "train",
    "describe_problem": "messages",
    "describe_time_left": "train",
    "escape_formula": "rows",
    "follow_job": "scale",
    "open_browser": "rendering",
    "open_store": "tasks",
    "page_file_name": "files",
    "replace_closed_streams": "app",
    "run_tasks": "workers",
    "short_page_name": "files",
    "tamis": "app",
}

__all__ = [
    "FORMATS",
    "Outcome",
    "PageTask",
    "TrainingProgress",
    "describe_problem",
    "describe_time_left",
    "escape_formula",
    "follow_job",
    "main",
    "open_browser",
    "open_store",
    "page_file_name",
    "replace_closed_streams",
    "run_tasks",
    "short_page_name",
    "tamis",
]


def main() -> None:
    """Run the `tamis` command."""
    try:
        from tamis.cli.app import replace_closed_streams, tamis

        replace_closed_streams()
        tamis(prog_name="tamis")
    except KeyboardInterrupt:  # before or after the time in which the command handles it
        print("tamis: interrupted", file=sys.stderr)
        sys.exit(130)


def __getattr__(name: str) -> object:
    """Return a name of this room, imported when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
