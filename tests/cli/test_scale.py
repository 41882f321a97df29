"""`tamis scale`: summaries, problems and mistakes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helpers.terminals import Terminal
from tamis.cli import follow_job
from tamis.cli import tamis as command
from tamis.terminal import Progress

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

from tamis.scale import InputReport, Options, Summary, run_local

SAMPLES = Path(__file__).parents[2] / "samples"


def test_a_job_is_summed_up_and_goes_on(tmp_path: Path) -> None:
    arguments = ["scale", "local", str(SAMPLES / "docs.html"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(command, [*arguments, "--formats", "markdown, ", "--jobs", "1"])
    assert done.exit_code == 0
    assert "docs.html" in done.stdout
    assert "1 page, 0 failed, 1 input, 0 with problems" in done.stderr
    again = CliRunner().invoke(
        command, [*arguments, str(tmp_path / "gone.warc"), "--formats", "markdown", "--json"]
    )
    assert again.exit_code == 1
    assert "gone.warc does not exist" in again.stderr
    assert "1 input done before" in again.stderr
    summary = json.loads(again.stdout)
    assert (summary["inputs"], summary["pages"], summary["inputs_with_problems"]) == (2, 1, 1)


def summary_of(*reports: InputReport) -> Summary:
    return Summary(reports, done_before=0, seconds=2.0, new_rows=0)


def run_with_summary(monkeypatch: pytest.MonkeyPatch, summary: Summary, output: str) -> Result:
    monkeypatch.setattr("tamis.scale.local.run_local", lambda *_, **__: summary)
    return CliRunner().invoke(command, ["scale", "local", "a.warc", "-o", output])


def test_slow_inputs_and_failures_are_shown_but_not_what_was_never_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures = {"DeadlineExceeded": 1200, "WorkerDied": 2}
    summary = summary_of(
        InputReport("slow.warc", rows=3000, failures=failures, seconds=61.25),
        InputReport("gone.warc", problem="gone.warc does not exist", seconds=0.01),
    )
    done = run_with_summary(monkeypatch, summary, "out")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "slowest inputs  pages     s",
        "slow.warc       3,000  61.2",
        "",
        "failed pages by kind  pages",
        "DeadlineExceeded      1,200",
        "WorkerDied                2",
    ]
    assert run_with_summary(monkeypatch, summary_of(), "out").stdout == ""


def test_each_problem_names_its_input_and_the_rest_are_in_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problems = [f"/a/{number}.warc" for number in range(12)]
    reports = [InputReport(name, problem="its task died 3 times") for name in problems]
    reports[0] = InputReport(problems[0], problem=f"{problems[0]} does not exist")
    done = run_with_summary(monkeypatch, summary_of(*reports), "s3://bucket/out/")
    lines = done.stderr.splitlines()
    assert lines[0] == "tamis: /a/0.warc does not exist"
    assert lines[1] == "tamis: /a/1.warc: its task died 3 times"
    assert lines[10] == "tamis: 2 inputs more with problems: s3://bucket/out/failed.jsonl"
    assert lines[11].endswith("12 with problems, 0.0 pages/s")


def test_ctrl_c_says_that_the_same_command_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tamis.scale.local.run_local", interrupt)
    done = CliRunner().invoke(command, ["scale", "local", "a.warc", "-o", "out"])
    assert (done.exit_code, done.stderr) == (130, "tamis: interrupted: the same command goes on\n")


def run_in_terminal(*words: str) -> str:
    """Return what a command writes to a terminal, on both streams."""
    terminal = Terminal()
    program = [sys.executable, "-c", "from tamis.cli import main; main()", "scale", "local"]
    subprocess.run(
        [*program, *words],
        check=False,
        env=os.environ | {"TERM": "xterm"},
        stdout=terminal.writer,
        stderr=terminal.writer,
    )
    return terminal.close()


def test_a_terminal_gets_colours_and_no_codes(tmp_path: Path) -> None:
    shown = run_in_terminal(str(SAMPLES / "docs.html"), "-o", str(tmp_path / "out"), "-j", "1")
    assert "\x1b[1mslowest inputs" in shown
    assert "u001b" not in shown


def test_the_bar_counts_inputs_and_the_pages_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = [str(SAMPLES / f"{name}.html") for name in ("docs", "forum")]
    output = str(tmp_path / "out")
    run_local(inputs[:1], output, jobs=1)
    ended = threading.Event()
    with Progress("extracting") as progress:
        follow = (progress, tuple(inputs), output, Options(), ended)
        follower = threading.Thread(target=follow_job, args=follow)
        follower.start()
        while not progress.completed:
            time.sleep(0.01)
        assert (progress.completed, progress.total) == (1, 2)
        assert progress.status == "1 page, 0 failed, 0.0/s"
        run_local(inputs, output, jobs=1)
        while progress.completed < 2:
            time.sleep(0.01)
        assert progress.status.startswith("2 pages, 0 failed, ")
        ended.set()
        follower.join()
    missing = (progress, ("gone.txt",), output, Options(), ended)
    follow_job(*missing)  # the job says what is wrong


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.warc", "-o", "out", "--formats", "html5"], "no format 'html5'"),
        (["a.warc", "-o", "https://site.example/out"], "cannot be written"),
        (["list.txt", "-o", "out"], "list.txt does not exist"),
        (["a.warc"], "--output"),
        (["a.warc", "-o", "out", "--method", "eifce"], "needs layout"),
    ],
)
def test_mistakes_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, ["scale", "local", *words])
    assert done.exit_code in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
