"""The version has one source, and the files that build a release name what exists."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tamis
from tamis.cli import tamis as command

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_project(settings: dict[str, Any]) -> None:
    expected = settings["project"]["version"]
    assert version("tamis") == tamis.__version__ == expected
    assert CliRunner().invoke(command, ["--version"]).stdout == f"tamis {expected}\n"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.M) == [expected]


def test_no_source_file_has_a_version_of_its_own() -> None:
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "setup.py", ROOT / "docs" / "conf.py"]
    assigned = re.compile(r"^\s*(__version__|version|release)\s*=\s*[\"']", re.M)
    assert [str(path) for path in files if assigned.search(path.read_text(encoding="utf-8"))] == []


def test_wheels_are_built_for_the_versions_that_are_supported(settings: dict[str, Any]) -> None:
    oldest = settings["project"]["requires-python"].removeprefix(">=").replace(".", "")
    wheels = settings["tool"]["cibuildwheel"]
    assert wheels["build"][0] == f"cp{oldest}-*"
    for path in re.findall(r"\{project\}/(\S+)", wheels["test-command"]):
        assert (ROOT / path).is_file()


def test_the_targets_that_are_named_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.M))
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.M)
    assert set(phony.split()) == targets
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)`", contributing)) <= targets
    continuous = ROOT / ".ci" / "run"
    if continuous.exists():  # it is not in the archive of the source
        (called,) = re.findall(r"^for target in (.*); do$", continuous.read_text("utf-8"), re.M)
        assert set(called.split()) == {"test", "test-slow", "test-wheel"} <= targets


@pytest.mark.parametrize("script", ["tools/setup", "tools/check_wheel", ".ci/run"])
def test_scripts_have_no_mistakes_in_their_syntax(script: str) -> None:
    if not (ROOT / script).exists():
        pytest.skip(f"{script} is not in the archive of the source")
    subprocess.run(["bash", "-n", str(ROOT / script)], check=True)
