"""`pytest --quick` runs the tests that take little time: see CONTRIBUTING.md."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

TESTS: Final = Path(__file__).parent
# Not quick by their kind. Rooms that start processes, browsers or servers, or learn from pages …
HEAVY_ROOMS: Final = {
    *"cli crawl evaluate integrations lab render scale serve site store workers".split(),
}
# … and files on enormous, broken or many pages, on builds and on documents.
HEAVY_NAMES: Final = (
    "*archive*",
    "*bounds*",
    "*contract*",
    "*deadline*",
    "*docs*",
    "*fuzz*",
    "*growth*",
    "*hostile*",
    "*limits*",
    "*quality*",
    "*release*",
    "*roundtrip*",
    "*uncompiled*",
)
QUICK_EXAMPLES: Final = 10  # of each property that is tested with generated inputs


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option to leave out what takes time."""
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out slow and heavy tests and data sets, and generate fewer examples",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepare a run before test files are imported: no test asserts how long an example takes.

    A run that a shell has put into the background ignores Ctrl-C, and so would all processes that
    tests start and interrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.register_profile("usual", deadline=None)
    settings.load_profile("usual")
    if config.getoption("--quick"):
        os.environ.pop("TAMIS_BENCH", None)
        os.environ["TAMIS_QUICK"] = "1"  # helpers/chromium.py starts no browser then
        settings.register_profile("quick", max_examples=QUICK_EXAMPLES, deadline=None)
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files that are heavy by their kind, without importing them."""
    return True if config.getoption("--quick") and is_heavy(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are marked."""
    if config.getoption("--quick"):
        quick = [item for item in items if not {"slow", "heavy"} & markers(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(quick)])
        items[:] = quick


def is_heavy(path: Path) -> bool:
    """Return whether all tests of a file or folder are heavy by their kind."""
    room = path.relative_to(TESTS).parts[:1]
    return bool(HEAVY_ROOMS.intersection(room)) or (
        path.suffix == ".py" and any(path.match(f"test_{name}.py") for name in HEAVY_NAMES)
    )


def markers(item: pytest.Item) -> set[str]:
    """Return the names of the markers of a test."""
    return {marker.name for marker in item.iter_markers()}
