"""The kernel gives the same answers as plain Python, with and without the cython package."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import tamis
from helpers.samples import SAMPLES, sample_bytes
from page.oracle import parsed
from page.soup import patient, repeated_soups, soups
from tamis.errors import Uncompiled
from tamis.page import character_classes, kernel, to_utf8


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package without anything compiled."""
    folder = tmp_path_factory.mktemp("uncompiled")
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(Path(tamis.__file__).parent, folder / "tamis", ignore=compiled)
    return folder


@pytest.fixture(scope="session")
def plain(sources: Path) -> Any:
    """Return the kernel as plain Python, imported beside the other one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cython", None)  # not installed, for all it knows
        for name in [name for name in sys.modules if name.split(".")[0] == "tamis"]:
            patch.delitem(sys.modules, name)
        patch.syspath_prepend(str(sources))
        module = importlib.import_module("tamis.page.kernel")
        for name in [name for name in sys.modules if name.split(".")[0] == "tamis"]:
            del sys.modules[name]
    assert not module.COMPILED
    return module


def check_same(plain: Any, html: bytes, *limits: int) -> None:
    """Compare all that both kernels say about a page."""
    guarded = kernel.Guard(html, *limits).run()
    assert tuple(plain.Guard(html, *limits).run()) == tuple(guarded)
    source = (parsed(guarded.html).html or "").encode()
    columns, text = kernel.Scanner(source, character_classes()).run()
    plain_columns, plain_text = plain.Scanner(source, character_classes()).run()
    assert plain_text == text
    assert {name: column.tolist() for name, column in plain_columns.items()} == {
        name: column.tolist() for name, column in columns.items()
    }
    assert all(plain_columns[name].dtype == column.dtype for name, column in columns.items())


def test_the_other_kernel_is_compiled() -> None:
    assert kernel.COMPILED


@given(html=soups())
@patient
def test_same_on_soup(plain: Any, html: str) -> None:
    check_same(plain, html.encode())


@given(html=repeated_soups())
@patient
def test_same_within_narrow_limits(plain: Any, html: str) -> None:
    check_same(plain, html.encode(), 8, 4, 4, 16)


@given(html=soups())
@patient
def test_same_on_broken_bytes(plain: Any, html: str) -> None:
    check_same(plain, html.encode("utf-16"))


@pytest.mark.parametrize("name", SAMPLES)
def test_same_on_samples(plain: Any, name: str) -> None:
    check_same(plain, to_utf8(sample_bytes(name))[0])


@pytest.mark.parametrize("cython", ["", "sys.modules['cython'] = None; "])
def test_runs_uncompiled_with_a_warning(sources: Path, cython: str) -> None:
    code = f"import sys; {cython}import tamis; print(tamis.parse('<p>Hello <b>w</b>orld').text)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=sources,
        env={"PYTHONPATH": str(sources)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Hello world\n"
    assert "uncompiled and slow" in done.stderr


@pytest.mark.parametrize(
    "call", [tamis.parse, tamis.extract, tamis.segment], ids=lambda call: str(call.__name__)
)
def test_the_warning_names_the_line_of_the_caller(
    call: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "COMPILED", False)
    with pytest.warns(Uncompiled, match="^tamis runs uncompiled and slow: ") as caught:
        call("<p>Hello")
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("arguments", [["extract"], ["extract", "-j", "2"], ["blocks"]])
def test_the_command_says_so_once(sources: Path, arguments: list[str], tmp_path: Path) -> None:
    inputs = [tmp_path / f"{number}.html" for number in range(1 if arguments == ["blocks"] else 4)]
    for path in inputs:
        path.write_text("<p>Hello <b>w</b>orld", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from tamis.cli import main; main()", *arguments, *inputs],
        env={"PYTHONPATH": str(sources)},
        capture_output=True,
        text=True,
        check=True,
    )
    message = "tamis: runs uncompiled and slow: install a C compiler and reinstall it\n"
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == (1 if arguments == ["blocks"] else 2)  # and the summary
