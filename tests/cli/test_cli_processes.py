"""Runs as real processes: several at work, Ctrl-C, kill -9, full disks, closed pipes, terminals.

A server of the test holds pages back until it is told to let them go, so that a run can be stopped
at a known place and no test depends on how fast the machine is.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

WORDS = "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. "
START = "from tamis.cli import main; main()"
AT_ONCE = f"import tamis.cli.progress as p; p.PATIENCE = 0.0; {START}"
SAMPLES = Path(__file__).parents[2] / "samples"
PATIENCE = 60.0  # seconds until a test gives up; no test needs them


def command(*arguments: str | Path, code: str = START) -> list[str]:
    return [sys.executable, "-c", code, "extract", *map(str, arguments)]


def extract(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )


def until(condition: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, each of them whole."""
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def processes_of(session: int) -> list[int]:
    """The processes that belong to a session and are not dead."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, _, of = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(of) == session and state not in "ZX":
            found.append(int(entry.name))
    return found


def workers_of(main: int) -> list[int]:
    """The processes that work for a run, without the one that tracks resources."""
    found = []
    for pid in processes_of(main):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"spawn_main" in line:
            found.append(pid)
    return found


class Gate(ThreadingHTTPServer):
    """Serves pages by number; pages in `held` wait until they are let go."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.held: set[str] = set()
        self.opened = threading.Event()
        self.asked: list[str] = []
        self.deadly: Callable[[], None] | None = None

    def urls(self, count: int) -> list[str]:
        return [f"http://127.0.0.1:{self.server_port}/{number}" for number in range(count)]


class Handler(BaseHTTPRequestHandler):
    server: Gate

    def do_GET(self) -> None:
        name = self.path.strip("/")
        self.server.asked.append(name)
        if name == "deadly" and self.server.deadly:
            self.server.deadly()
        if name in self.server.held:
            self.server.opened.wait(PATIENCE)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<p>Page{name} {WORDS * 5}</p>".encode())

    def handle(self) -> None:
        with suppress(OSError):  # the process that asked may be dead
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Gate() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.opened.set()
        running.shutdown()
        thread.join()


class Run:
    """A run in a session of its own, which is ended with the test."""

    def __init__(self, *arguments: str | Path, code: str = START, **options: Any) -> None:
        self.process = subprocess.Popen(
            command("--allow-private", "--timeout", "100", *arguments, code=code),
            start_new_session=True,
            stderr=options.pop("stderr", subprocess.PIPE),
            **options,
        )

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        for pid in processes_of(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def end(self) -> tuple[int, str]:
        """Wait for the end and return exit code and messages."""
        _, error = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, (error or b"").decode()


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
    assert len(one.stdout.splitlines()) == 42 + len(list(SAMPLES.glob("*.html")))
    assert two.stdout == one.stdout


def test_a_standard_input_that_is_too_large_keeps_its_place_among_two_jobs(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>a</p>", encoding="utf-8")
    found = extract(
        "-j", "2", "--max-bytes", "100", tmp_path / "a.html", "-", tmp_path, input="x" * 100_000
    )
    names = [json.loads(line)["name"] for line in found.stdout.splitlines()]
    assert names == [str(tmp_path / "a.html"), "-", str(tmp_path / "a.html")]
    assert found.returncode == 1


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
        until(lambda: not processes_of(run.process.pid))
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
        os.kill(workers_of(run.process.pid)[0], signal.SIGKILL)
        gate.opened.set()
        code, said = run.end()
        assert code in (0, 1)
        assert "Traceback" not in said
    found = rows(out)
    assert [row["name"] for row in found] == gate.urls(30)
    assert sum(row["error"] is not None for row in found) <= 1


def test_a_page_that_kills_its_worker_is_an_error_row(gate: Gate, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    urls = gate.urls(30)
    urls[4] = urls[4].replace("/4", "/deadly")
    with Run("-j", "2", "-o", out, *urls) as run:

        def kill_the_workers() -> None:
            for pid in workers_of(run.process.pid):
                os.kill(pid, signal.SIGKILL)

        gate.deadly = kill_the_workers
        code, said = run.end()
    assert code == 1
    assert "30 pages, 1 failed" in said
    found = rows(out)
    assert [row["name"] for row in found] == urls
    assert [row["name"] for row in found if row["error"]] == [urls[4]]
    assert found[4]["kind"] == "ProcessDied"


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
        until(lambda: not processes_of(run.process.pid))  # workers do not outlive the run
    with out.open("ab") as file:
        file.write(b'{"name": "http://127.0.0.1/7", "te')  # what a kill in mid-write leaves
    done = extract("--allow-private", "--resume", "-j", jobs, "-o", out, *gate.urls(20))
    assert done.returncode == 0
    assert "7 were done before" in done.stderr
    assert [row["name"] for row in rows(out)] == gate.urls(20)


# Output that does not go through --------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_is_a_message(jobs: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("-j", jobs, SAMPLES), stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "tamis: cannot write standard output: the disk is full; make room\n"


def test_a_full_disk_under_a_file_says_how_to_go_on() -> None:
    done = extract("-o", "/dev/full", SAMPLES)
    assert done.returncode == 2
    said = "the disk is full; make room, then go on with --resume"
    assert done.stderr == f"tamis: cannot write /dev/full: {said}\n"


@pytest.mark.parametrize("arguments", [["extract", str(SAMPLES)], ["blocks", "-f", "json"]])
def test_a_pipe_that_closes_is_no_error(arguments: list[str]) -> None:
    if arguments[0] == "blocks":
        arguments = [*arguments, str(SAMPLES / "article.html")]
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


# Terminals ------------------------------------------------------------------------------------


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
    assert "missing.html: " in shown
    assert "1 failed" in shown
    assert "tamis: 5 pages, 1 failed" in shown


def test_a_short_run_shows_no_bar_on_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    patient = f"import tamis.cli.progress as p; p.PATIENCE = 1e6; {START}"
    out = tmp_path / "out.jsonl"
    with Run("-o", out, SAMPLES, code=patient, stderr=terminal.writer) as run:
        assert run.process.wait(PATIENCE) == 0
    shown = terminal.close()
    assert "extracting" not in shown
    assert shown.startswith("tamis: 7 pages, 0 failed")


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
