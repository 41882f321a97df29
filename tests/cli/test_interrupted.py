"""Runs that end early, by Ctrl-C or kill -9, and processes that die: nothing is lost or doubled."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from helpers.signals import UNINTERRUPTIBLE

from .conftest import MAIN, PATIENCE, WORDS, Gate, Run, extract, rows, until

# Ctrl-C ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_whole_lines_and_no_processes(jobs: str, gate: Gate, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    gate.held = {str(number) for number in range(7, 40)}
    with Run("-j", jobs, "-o", out, *gate.urls(40)) as run:
        until(lambda: out.exists() and out.read_bytes().count(b"\n") == 7)
        until(lambda: "7" in gate.asked)
        os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does: to the whole group
        code, said = run.end()
        assert code == 130
        assert said == (
            "tamis: 7 pages, 0 failed, " + said.split("failed, ")[1].split(",")[0] +
            ", interrupted, 33 left: go on with --resume\n"
        )  # fmt: skip
        until(lambda: not run.processes())
    assert len(rows(out)) == 7
    gate.opened.set()
    assert extract("--allow-private", "--resume", "-o", out, *gate.urls(40)).returncode == 0
    assert [row["name"] for row in rows(out)] == gate.urls(40)


def test_ctrl_c_in_the_middle_of_a_line_waits_for_its_end(tmp_path: Path) -> None:
    pages = [tmp_path / f"{number}.html" for number in range(3)]
    for path in pages:
        path.write_text(f"<p>{WORDS * 20_000}</p>", encoding="utf-8")
    with Run("-f", "jsonl", *pages, stdout=subprocess.PIPE) as run:
        assert run.process.stdout is not None
        reader = run.process.stdout
        until(lambda: unread(reader.fileno()) >= 65_536)  # the pipe is full, the writer waits
        os.kill(run.process.pid, signal.SIGINT)
        until(lambda: not pending(run.process.pid, signal.SIGINT))
        text = reader.read().decode()
        assert run.process.wait(PATIENCE) == 130
    assert text.endswith("\n")
    assert [json.loads(line)["name"] for line in text.splitlines()] == [str(pages[0])]


@pytest.mark.parametrize("task", ["records", "records show", "records learn"])
def test_ctrl_c_leaves_no_file_of_records(task: str, gate: Gate, tmp_path: Path) -> None:
    gate.held = {"0"}
    with Run("-o", tmp_path / "out.json", *gate.urls(1), task=task) as run:
        until(lambda: "0" in gate.asked)
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.end() == (130, "tamis: interrupted\n")
        until(lambda: not run.processes())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_was_told_to_ignore_ctrl_c_goes_on(
    jobs: str, gate: Gate, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    gate.held = {"3", "4"}
    # As a shell starts what is to run in the background.
    with Run("-j", jobs, "-o", out, *gate.urls(5), code=f"{UNINTERRUPTIBLE}{MAIN}") as run:
        until(lambda: out.exists() and out.read_bytes().count(b"\n") == 3)
        os.killpg(run.process.pid, signal.SIGINT)
        gate.opened.set()
        code, said = run.end()
    assert (code, "interrupted" in said) == (0, False)
    assert [row["name"] for row in rows(out)] == gate.urls(5)


def unread(descriptor: int) -> int:
    """The bytes that wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)


def pending(pid: int, number: int) -> bool:
    """Whether a signal has not been taken yet."""
    status = Path(f"/proc/{pid}/status").read_text()
    masks = re.findall(r"(?:Sig|Shd)Pnd:\s*(\w+)", status)
    return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)


# kill -9 --------------------------------------------------------------------------------------


def test_a_worker_that_is_killed_costs_no_other_page(gate: Gate, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    gate.held = {"5", "6", "7", "8"}
    with Run("-j", "2", "-o", out, *gate.urls(30)) as run:
        until(lambda: len(gate.held & set(gate.asked)) == 2)  # both workers hold a page
        os.kill(run.workers()[0], signal.SIGKILL)
        gate.opened.set()
        code, said = run.end()
        assert code in (0, 1)
        assert "Traceback" not in said
    found = rows(out)
    assert [row["name"] for row in found] == gate.urls(30)
    assert sum(row["error"] is not None for row in found) <= 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_is_killed_is_resumed_without_loss_or_doubles(
    jobs: str, gate: Gate, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    gate.held = {str(number) for number in range(7, 20)}
    with Run("-j", jobs, "-o", out, *gate.urls(20)) as run:
        until(lambda: out.exists() and out.read_bytes().count(b"\n") == 7)
        run.process.kill()
        run.process.wait()
        gate.opened.set()
        until(lambda: not run.processes())  # workers do not outlive the run
    with out.open("ab") as file:
        file.write(b'{"name": "http://127.0.0.1/7", "te')  # what a kill in mid-write leaves
    done = extract("--allow-private", "--resume", "-j", jobs, "-o", out, *gate.urls(20))
    assert done.returncode == 0
    assert "7 were done before" in done.stderr
    assert [row["name"] for row in rows(out)] == gate.urls(20)
