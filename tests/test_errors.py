"""Errors say what to type, for a release and in a clone alike."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import tamis
from tamis.errors import Unavailable, unavailable
from tamis.records import arrow_table

PACKAGE = Path(tamis.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_what_to_install_is_told_for_a_release_and_for_a_clone() -> None:
    error = unavailable("frying needs a pan", "kitchen")
    assert isinstance(error, Unavailable)
    assert str(error) == (
        "frying needs a pan: pip install 'tamis[kitchen]', or in a clone pip install '.[kitchen]'"
    )
    both = str(unavailable("frying needs a pan", "kitchen", "camp"))
    assert "pip install 'tamis[kitchen]' or 'tamis[camp]'" in both
    assert both.endswith("pip install '.[kitchen]' or '.[camp]'")


def test_the_error_of_a_part_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    records = tamis.extract("<p>Some words.</p>").records
    with pytest.raises(Unavailable, match=r"pip install 'tamis\[records\]', .*'\.\[records\]'"):
        arrow_table(records)


def test_only_one_function_says_what_to_install() -> None:
    says = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"pip install .*tamis", path.read_text(encoding="utf-8"))
        or "pip install {" in path.read_text(encoding="utf-8")
    }
    assert says == {"errors.py"}


def test_every_extra_that_an_error_names_exists() -> None:
    extras = set(tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"])
    named = {extra for path in PACKAGE.rglob("*.py") for extra in named_extras(path)}
    assert named <= extras
    assert {"evaluate", "train", "warc", "records", "render", "store", "postgres"} <= named


def named_extras(path: Path) -> Iterator[str]:
    """Yield the extras that errors in a file name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "unavailable":
            yield from (ast.literal_eval(extra) for extra in node.args[1:])
