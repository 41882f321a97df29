"""A server whose workers do what a page is named for: crash, hang, take all memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from helpers.poison import POISONS


def run_poisoned(task: Any, runner: Callable[[Any], bytes]) -> bytes:
    page = getattr(task, "page", None)
    if page is not None:
        html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "replace")
        word = html.removeprefix(b"<body><p>").partition(b"!")[0].decode("utf-8", "replace")
        if word in POISONS:
            POISONS[word]()
    return runner(task)


def build_poisoned(limits: Mapping[str, Any]) -> Callable[[Any], bytes]:
    from tamis.serve import tasks

    return partial(run_poisoned, runner=tasks.build_runner(limits))


def main() -> None:
    from serve import poisoned
    from tamis.cli import main as run_command
    from tamis.serve import service

    vars(service)["build_runner"] = poisoned.build_poisoned
    run_command()
