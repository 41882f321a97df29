"""A pytest plugin: runs the tests of trafilatura with tamis's functions in place of its own.

`pytest -p trafilatura_plugin FOLDER` writes to the file in TAMIS_REPORT how each test ended that
called one of these functions. What a test imports otherwise stays trafilatura's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trafilatura as original

from tamis.integrations import trafilatura as replacement

NAMES = ("bare_extraction", "extract", "extract_metadata", "extract_with_metadata", "html2txt")
outcomes: dict[str, str] = {}
calls = [0]


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that counts its calls."""

    def call(*arguments: Any, **options: Any) -> Any:
        calls[0] += 1
        return function(*arguments, **options)

    return call


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Put tamis's functions into the modules of the tests."""
    for module in {item.module for item in items}:
        for name in NAMES:
            if vars(module).get(name) is getattr(original, name):
                setattr(module, name, counted(getattr(replacement, name)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """Note how a test ends that calls a function of tamis."""
    calls[0] = 0
    name = f"{item.path.stem}::{item.name}"
    try:
        yield
    except BaseException as error:
        if calls[0]:
            outcomes[name] = f"{type(error).__name__}: {error}".splitlines()[0]
        raise
    if calls[0]:
        outcomes[name] = "passed"


def pytest_sessionfinish() -> None:
    """Write the report."""
    Path(os.environ["TAMIS_REPORT"]).write_text(json.dumps(outcomes, indent=1))
