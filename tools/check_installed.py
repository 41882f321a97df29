"""Checks the tamis that is installed: python check_installed.py PAGE, with the Python to check.

Every Cython module must be compiled, every file of data must be there, and the command must
extract the page as the library does.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from pathlib import Path

import tamis

ROOMS = ("page", "blocks", "values", "metadata", "records", "verdict", "content", "site", "source")
MIN_TEXT = 500  # characters of a sample; fewer are no article


def main(page: Path) -> None:
    """Check everything, and end with a message at the first thing that is wrong."""
    package = Path(tamis.__file__).parent
    for room in ROOMS:
        import_module(f"tamis.{room}")
    missing = find_uncompiled(package)
    check(not missing, f"not compiled: {', '.join(missing)}")
    for method in tamis.METHODS.values():  # some of them read model files
        if not method.needs_layout:
            tamis.extract(page.read_bytes(), method=method)
    installed = version("tamis")
    check(tamis.__version__ == installed, f"tamis.__version__ is not {installed}")
    check(run("--version") == f"tamis {installed}\n", "tamis --version is another version")
    text = run("extract", str(page))
    check(len(text) >= MIN_TEXT, f"the text of {page} has {len(text)} characters only")
    document = tamis.extract(page.read_bytes())
    check(text.strip() == document.text.strip(), "the command and the library disagree")


def find_uncompiled(package: Path) -> list[str]:
    """Return the Cython modules that are not compiled."""
    modules = sorted(package.rglob("_*.pyx"))
    check(bool(modules), f"no compiled modules in {package}")
    return [
        str(path.relative_to(package).with_suffix(""))
        for path in modules
        if not any(path.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)
    ]


def run(*arguments: str) -> str:
    """Return what the command prints; it must succeed and print no warning."""
    command = shutil.which("tamis", path=str(Path(sys.executable).parent)) or "tamis"
    done = subprocess.run([command, *arguments], capture_output=True, text=True, encoding="utf-8")
    check(not done.returncode and not done.stderr, f"tamis {arguments[0]}: {done.stderr}")
    return done.stdout


def check(holds: bool, message: str) -> None:
    """End with a message if something does not hold."""
    if not holds:
        sys.exit(f"check_installed: {message}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
