"""Runs as real processes: several at work, full disks, closed pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PATIENCE, SAMPLES, START, WORDS, command, extract

# Several processes ----------------------------------------------------------------------------


def test_two_jobs_give_the_rows_of_one_in_the_same_order(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for number in range(40):
        (site / f"{number:02}.html").write_text(
            f"<p>Page{number} {WORDS * 3}</p>", encoding="utf-8"
        )
    (site / "07.html").write_bytes(b"\x1f\x8bbroken")
    inputs: list[str | Path] = [site, tmp_path / "missing.html", "-", SAMPLES]
    one = extract(*inputs, input="<p>From standard input.</p>")
    two = extract("--jobs", "2", *inputs, input="<p>From standard input.</p>")
    assert one.returncode == two.returncode == 1
    assert len(one.stdout.splitlines()) == 42 + len(list(SAMPLES.rglob("*.html")))
    assert two.stdout == one.stdout


def test_a_standard_input_that_is_too_large_keeps_its_place_among_two_jobs(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>a</p>", encoding="utf-8")
    found = extract(
        "-j", "2", "--max-bytes", "100", tmp_path / "a.html", "-", tmp_path, input="x" * 100_000
    )
    names = [json.loads(line)["name"] for line in found.stdout.splitlines()]
    assert names == [str(tmp_path / "a.html"), "-", str(tmp_path / "a.html")]
    assert found.returncode == 1


# Output that does not go through --------------------------------------------------------------

NOT_PAGES = sum(path.is_file() and path.suffix != ".html" for path in SAMPLES.rglob("*"))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_is_a_message(jobs: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("-j", jobs, SAMPLES), stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    skipped, message = done.stderr.splitlines()
    assert skipped.startswith(f"tamis: {SAMPLES}: skipped {NOT_PAGES} files")
    assert message == "tamis: cannot write standard output: the disk is full; make room"


def test_a_full_disk_under_a_file_says_how_to_go_on() -> None:
    done = extract("-o", "/dev/full", SAMPLES)
    assert done.returncode == 2
    said = "the disk is full; make room, then go on with --resume"
    skipped, message = done.stderr.splitlines()
    assert skipped.startswith(f"tamis: {SAMPLES}: skipped {NOT_PAGES} files")
    assert message == f"tamis: cannot write /dev/full: {said}"


@pytest.mark.parametrize("arguments", [["extract"], ["blocks", "-f", "json"]])
def test_a_pipe_that_closes_is_no_error(arguments: list[str], tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(f"<p>{WORDS * 5_000}</p>", encoding="utf-8")  # more than a pipe holds
    arguments = [*arguments, str(page)]
    with subprocess.Popen(
        [sys.executable, "-c", START, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(PATIENCE) == 0
    assert "Traceback" not in said
    assert "Exception" not in said
    assert "Broken" not in said


def test_data_is_utf_8_whatever_the_terminal_speaks(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>中文 – “é”</p>", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for arguments in (["extract"], ["extract", "-f", "json"], ["blocks", "-f", "json"], ["blocks"]):
        done = subprocess.run(
            [sys.executable, "-c", START, *arguments, str(path)],
            capture_output=True, env=environment, timeout=PATIENCE, check=True,
        )  # fmt: skip
        assert "中文 – “é”" in done.stdout.decode("utf-8")
