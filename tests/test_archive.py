"""The archive of the source is complete, and the package that is installed has its data."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "samples", "src", "tests", "tools")
FILES = (
    "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile",
    "README.md", "pyproject.toml", "setup.py",
)  # fmt: skip
MADE = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.c", "*.egg-info", ".*")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source, with an archive in dist/ and the package as it is installed in lib/."""
    copy = tmp_path_factory.mktemp("source")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=MADE)
    for file in FILES:
        shutil.copy(ROOT / file, copy / file)
    # Not setup.py: compiling takes long and adds no file of the source.
    code = "from setuptools import setup; setup()"
    commands = ["-q", "sdist", "-d", "dist", "build_py", "-d", "lib"]
    subprocess.run([sys.executable, "-c", code, *commands], cwd=copy, timeout=120, check=True)
    return copy


def files_in(folder: Path) -> set[str]:
    """The files of the source in a folder."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if ".egg-info" not in str(path)}


def test_the_archive_has_all_files_of_the_source(source: Path) -> None:
    with tarfile.open(next((source / "dist").glob("*.tar.gz"))) as archive:
        packed = {member.name.partition("/")[2] for member in archive if member.isfile()}
    for folder in FOLDERS:
        assert {f"{folder}/{name}" for name in files_in(source / folder)} <= packed
    assert set(FILES) <= packed


def test_the_installed_package_has_all_files_of_the_package(source: Path) -> None:
    assert files_in(source / "src") == files_in(source / "lib")
