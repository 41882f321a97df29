"""Progress on terminals: a bar where it helps, never in a pipe, never between pages."""

from __future__ import annotations

import os
import pty
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from .conftest import PATIENCE, SAMPLES, START, Gate, Run, until

AT_ONCE = f"import tamis.cli.progress as p; p.PATIENCE = 0.0; {START}"


class Terminal:
    """A terminal that keeps what is written to it."""

    def __init__(self) -> None:
        self.reader, self.writer = pty.openpty()
        self.shown = b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.reader, 65_536)
            except OSError:
                return
            if not data:
                return
            self.shown += data

    def close(self) -> str:
        os.close(self.writer)
        self.thread.join(PATIENCE)
        os.close(self.reader)
        return self.shown.decode()


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    with suppress(OSError):  # closed by the test
        made.close()


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
    patient = f"import tamis.cli.progress as p; p.PATIENCE = 1e6; {START}"
    out = tmp_path / "out.jsonl"
    with Run("-o", out, SAMPLES, code=patient, stderr=terminal.writer) as run:
        assert run.process.wait(PATIENCE) == 0
    shown = terminal.close()
    assert "extracting" not in shown
    assert "\x1b" not in shown
    assert shown.splitlines()[-1].startswith("tamis: 12 pages, 0 failed")


def test_the_patience_of_the_bar_is_two_seconds() -> None:
    from tamis.cli import progress

    assert progress.PATIENCE == 2.0


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
