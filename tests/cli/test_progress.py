"""Progress on terminals: a bar where it helps, never in a pipe, never between pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from helpers.terminals import Terminal

from .conftest import PATIENCE, SAMPLES, START, Gate, Run, until

AT_ONCE = f"import tamis.terminal as t; t.BAR_DELAY = 0.0; {START}"


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    screen = Terminal()
    yield screen
    with suppress(OSError):  # closed by the test
        screen.close()


def test_a_bar_on_a_terminal_tells_pages_rate_and_failures(
    gate: Gate, tmp_path: Path, terminal: Terminal
) -> None:
    gate.held = {"3"}
    inputs = [*gate.urls(4), str(tmp_path / "missing.html")]
    options: dict[str, Any] = {"stderr": terminal.writer, "env": {**os.environ, "TERM": "xterm"}}
    with Run("-o", tmp_path / "out.jsonl", *inputs, code=AT_ONCE, **options) as run:
        until(lambda: b"3/5" in terminal.shown)  # while the fourth page is still held back
        assert b"extracting" in terminal.shown
        assert b"pages/s" in terminal.shown
        assert b"0 failed" in terminal.shown
        gate.opened.set()
        assert run.process.wait(PATIENCE) == 1
    shown = terminal.close()
    assert "missing.html does not exist" in shown
    assert "1 failed" in shown
    assert "tamis: 5 pages, 1 failed" in shown


def test_a_short_run_shows_no_bar_on_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    patient = f"import tamis.terminal as t; t.BAR_DELAY = 1e6; {START}"
    out = tmp_path / "out.jsonl"
    with Run("-o", out, SAMPLES, code=patient, stderr=terminal.writer) as run:
        assert run.process.wait(PATIENCE) == 0
    shown = terminal.close()
    assert "extracting" not in shown
    assert "\x1b" not in shown
    pages = len(list(SAMPLES.rglob("*.html")))
    assert shown.splitlines()[-1].startswith(f"tamis: {pages} pages, 0 failed")


def test_no_bar_is_ever_written_to_a_pipe(gate: Gate, tmp_path: Path) -> None:
    gate.held = {"1"}
    with Run("-o", tmp_path / "out.jsonl", *gate.urls(2), code=AT_ONCE) as run:
        until(lambda: "1" in gate.asked)
        gate.opened.set()
        code, said = run.end()
    assert code == 0
    assert "extracting" not in said
    assert "\x1b" not in said


def test_pages_that_run_over_the_same_terminal_are_not_mixed_with_a_bar(
    gate: Gate, terminal: Terminal
) -> None:
    gate.held = {"1"}
    options: dict[str, Any] = {"stderr": terminal.writer, "stdout": terminal.writer}
    with Run(*gate.urls(2), code=AT_ONCE, **options) as run:
        until(lambda: b"Page0" in terminal.shown)
        gate.opened.set()
        assert run.process.wait(PATIENCE) == 0
    assert "extracting" not in terminal.close()
