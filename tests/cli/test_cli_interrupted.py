"""Runs that end early: Ctrl-C, kill -9, a process that dies, a pipe that closes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import COMMAND, Tamis, page

PAGES = 600


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder of many pages, so that a run can be interrupted in the middle."""
    pages = tmp_path / "many"
    pages.mkdir()
    for number in range(PAGES):
        (pages / f"{number:04}.html").write_text(page(number) * 30)
    return pages


def started(*arguments: object, cwd: Path) -> subprocess.Popen[bytes]:
    """A run in the background, in a process group of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_rows(path: Path, count: int) -> None:
    """Wait until a run has written so many rows."""
    for _ in range(1200):
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.05)
    raise AssertionError("the run does not write")


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def wait_for_the_end_of_group(group: int) -> None:
    """Wait until no process of a group is left; helpers of multiprocessing go a moment later."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("something is left running")


def whole_rows(path: Path) -> list[dict[str, object]]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_whole_lines_and_no_process(
    jobs: int, many: Path, tmp_path: Path, tamis: Tamis
) -> None:
    rows = tmp_path / "rows.jsonl"
    run = started("extract", many, "-o", rows, "-j", jobs, cwd=tmp_path)
    wait_for_rows(rows, 20)
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert b"Traceback" not in err
    assert b"--resume" in err
    assert 20 <= len(whole_rows(rows)) < PAGES
    wait_for_the_end_of_group(run.pid)
    done = tamis("extract", many, "-o", rows, "--resume")
    assert done.returncode == 0
    names = [str(row["name"]) for row in whole_rows(rows)]
    assert sorted(names) == [f"{number:04}.html" for number in range(PAGES)]


def test_after_kill_9_a_run_is_resumed_without_loss_or_doubles(
    many: Path, tmp_path: Path, tamis: Tamis
) -> None:
    rows = tmp_path / "rows.jsonl"
    run = started("extract", many, "-o", rows, cwd=tmp_path)
    wait_for_rows(rows, 20)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate(timeout=60)
    with rows.open("ab") as file:
        file.write(b'{"name": "0999.html", "te')  # what a write that was cut off leaves
    assert tamis("extract", many, "-o", rows, "--resume").returncode == 0
    names = [str(row["name"]) for row in whole_rows(rows)]
    assert sorted(names) == [f"{number:04}.html" for number in range(PAGES)]


def test_a_process_that_dies_costs_at_most_its_page(many: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    run = started("extract", many, "-o", rows, "-j", 2, cwd=tmp_path)
    wait_for_rows(rows, 20)
    workers = children(run.pid)
    assert workers
    os.kill(workers[-1], signal.SIGKILL)
    _, err = run.communicate(timeout=120)
    found = whole_rows(rows)
    assert b"Traceback" not in err
    assert sorted(str(row["name"]) for row in found) == [f"{n:04}.html" for n in range(PAGES)]
    assert sum(row["error"] is not None for row in found) <= 1


def test_failed_pages_are_tried_again_and_finished_ones_are_not(
    folder: Path, tmp_path: Path, tamis: Tamis
) -> None:
    late = folder / "part0" / "page0.html"
    content = late.read_text()
    late.write_text(content * 1000)
    first = tamis("extract", folder, "-o", "rows.jsonl", "--max-bytes", 5000)
    assert first.returncode == 1
    late.write_text(content)
    second = tamis("extract", folder, "-o", "rows.jsonl", "--max-bytes", 5000, "--resume")
    assert second.returncode == 0
    assert "1 page, 0 failed" in second.stderr
    assert "9 were done before" in second.stderr
    good = [row["name"] for row in whole_rows(tmp_path / "rows.jsonl") if row["error"] is None]
    assert len(good) == len(set(good)) == 10


def test_resume_refuses_a_file_of_something_else(
    folder: Path, tmp_path: Path, tamis: Tamis
) -> None:
    (tmp_path / "rows.jsonl").write_text("precious\n")
    done = tamis("extract", folder, "-o", "rows.jsonl", "--resume")
    assert done.returncode == 2
    assert (tmp_path / "rows.jsonl").read_text() == "precious\n"


def test_a_folder_of_outputs_is_resumed_as_well(folder: Path, tmp_path: Path, tamis: Tamis) -> None:
    tamis("extract", folder, "-f", "text", "-o", "out")
    (tmp_path / "out" / "part1" / "page1.txt").unlink()
    done = tamis("extract", folder, "-f", "text", "-o", "out", "--resume")
    assert "1 page, 0 failed" in done.stderr
    assert (tmp_path / "out" / "part1" / "page1.txt").exists()


def test_a_pipe_that_closes_is_no_error(many: Path, tmp_path: Path) -> None:
    command = " ".join(f"'{word}'" for word in COMMAND)
    done = subprocess.run(
        ["bash", "-c", f"{command} extract many | head -1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert json.loads(done.stdout)["name"] == "0000.html"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
