"""The rules of the house: names that say something, rooms with a door, and what is loaded when."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "tamis"
# Names that say nothing of what they hold; docs/glossary.md has better ones.
VAGUE = {"found", "said", "told", "asked", "made", "known", "place", "places"}
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
ROOT = "root modules"  # __init__.py, pipeline.py, errors.py and so on


@cache
def parse_file(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def files_of_room(room: str) -> list[Path]:
    """Return the modules of a room."""
    if room == ROOT:
        return sorted(PACKAGE.glob("*.py"))
    return sorted((PACKAGE / room).rglob("*.py"))


def bound_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names that a module binds, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


@cache
def imported_names(path: Path) -> tuple[tuple[str, str, int], ...]:
    """Return the names that a file imports, with their module and line."""
    return tuple(
        (node.module, alias.name, node.lineno)
        for node in ast.walk(parse_file(path))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    )


def imports_from_room(path: Path, room: str) -> Iterator[tuple[str, str, int]]:
    """Yield the names that a file imports from a room, with their module and line."""
    for module, name, line in imported_names(path):
        if f"{module}.".startswith(f"tamis.{room}."):
            yield module, name, line


def is_offered(module: str, name: str) -> bool:
    """Say whether a module is the door of a room, its `__init__`, and lists a name in `__all__`."""
    loaded = import_module(module)
    return hasattr(loaded, "__path__") and name in loaded.__all__


def is_inside(path: Path, room: str) -> bool:
    return path.is_relative_to(PACKAGE / room)


@pytest.mark.parametrize("room", [*ROOMS, ROOT])
def test_names_say_what_they_hold(room: str) -> None:
    vague = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in files_of_room(room)
        for name, line in bound_names(parse_file(path))
        if name in VAGUE
    ]
    assert not vague


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_lists_what_it_offers(room: str) -> None:
    doors = [path for path in files_of_room(room) if path.name == "__init__.py"]
    for door in doors:
        module = import_module(".".join(("tamis", *door.parent.relative_to(PACKAGE).parts)))
        assert len(set(module.__all__)) == len(module.__all__)
        for name in module.__all__:
            assert not name.startswith("_")
            assert getattr(module, name) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_entered_by_their_doors(room: str) -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} {module}.{name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not is_inside(path, room)
        for module, name, line in imports_from_room(path, room)
        if not is_offered(module, name)
    ]
    assert not wrong


@pytest.mark.parametrize("room", ROOMS)
def test_tests_use_what_rooms_offer(room: str) -> None:
    wrong = [
        f"{path.relative_to(TESTS)}:{line} {module}.{name}"
        for path in sorted(TESTS.rglob("*.py"))
        for module, name, line in imports_from_room(path, room)
        if not is_offered(module, name)
    ]
    assert not wrong


def test_what_is_private_to_a_root_module_stays_there() -> None:
    modules = [path.stem for path in files_of_room(ROOT)]
    wrong = [
        f"{path}:{line} {module}.{name}"
        for path in (*sorted(PACKAGE.rglob("*.py")), *sorted(TESTS.rglob("*.py")))
        for root_module in modules
        for module, name, line in imports_from_room(path, root_module)
        if name.startswith("_")
    ]
    assert not wrong


def test_extraction_loads_nothing_of_the_lab() -> None:
    code = (
        "import sys; from tamis.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('tamis.lab')], file=sys.stderr)"
    )
    sample = TESTS.parent / "samples" / "article.html"
    done = subprocess.run(
        [sys.executable, "-c", code, "extract", sample], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_compiled_modules_are_few_and_have_no_twin() -> None:
    modules = sorted(PACKAGE.rglob("*.pyx"))
    assert 0 < len(modules) <= 10
    assert not [path for path in modules if path.with_suffix(".py").exists()]
    assert not [path for path in modules if not path.with_suffix(".pyi").exists()]
