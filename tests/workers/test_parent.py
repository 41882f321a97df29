"""The process that has a pool: how it may end, and what it has left behind when it goes on."""

from __future__ import annotations

import gc
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from helpers import worker_tasks as tasks
from helpers.processes import PATIENCE, NewChildren, child_processes, is_running, until
from tamis.workers import Pool

TESTS = Path(__file__).parents[1]
SCRIPT = """
import sys
from helpers import worker_tasks as tasks
from tamis.workers import Pool

if __name__ == "__main__":
    with Pool(tasks.build_bad, workers=2) as pool:
        pool.start()
        print("ready", flush=True)
        for outcome in pool.map({inputs}):
            print(outcome.value, flush=True)
"""
HANGING = '["hold", "sleep"]'
READING = 'open(0, "rb", closefd=False)'


class Script:
    """A script in a process of its own, with a terminal to type at."""

    def __init__(self, text: str, folder: Path, *, ignores_interrupts: bool = False) -> None:
        path = folder / "script.py"
        path.write_text(text)
        self.terminal, there = pty.openpty()
        with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", BOOT, str(int(ignores_interrupts)), sys.executable, path],
                stdin=there,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])},
            )
        os.close(there)
        self.folder = folder

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    @property
    def stdout(self) -> str:
        return (self.folder / "stdout").read_text()

    @property
    def stderr(self) -> str:
        return (self.folder / "stderr").read_text()

    def workers(self) -> list[int]:
        """Wait until its workers are ready, and return them."""
        until(lambda: "ready" in self.stdout or self.process.poll() is not None)
        workers = child_processes(self.process.pid, zombies=False)
        assert len(workers) == 2, self.stderr
        return workers

    def type(self, key: bytes) -> None:
        os.write(self.terminal, key)


# Makes the terminal on standard input the one of this session, then becomes the script.
BOOT = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_IGN if sys.argv[1] == "1" else signal.SIG_DFL)
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.parametrize("inputs", [HANGING, READING])
def test_kill_9_of_the_parent_ends_the_workers(inputs: str, tmp_path: Path) -> None:
    with Script(SCRIPT.format(inputs=inputs), tmp_path) as script:
        workers = script.workers()
        script.process.kill()
        until(lambda: not any(map(is_running, workers)))
    assert "Traceback" not in script.stderr


def test_kill_9_of_a_parent_whose_workers_start(tmp_path: Path) -> None:
    text = SCRIPT.replace("build_bad", "hold_at_start").format(inputs=HANGING)
    with Script(text, tmp_path) as script:
        until(lambda: len(child_processes(script.process.pid, zombies=False)) == 2)
        workers = child_processes(script.process.pid)
        script.process.kill()
        until(lambda: not any(map(is_running, workers)))


@pytest.mark.parametrize("inputs", [HANGING, READING])
def test_ctrl_c_is_for_the_parent(inputs: str, tmp_path: Path) -> None:
    with Script(SCRIPT.format(inputs=inputs), tmp_path) as script:
        workers = script.workers()
        script.type(b"\x03")
        assert script.process.wait(PATIENCE) == -signal.SIGINT, script.stderr
        assert not any(map(is_running, workers))
    assert script.stderr.count("KeyboardInterrupt") == 1
    assert "Fatal" not in script.stderr


def test_a_parent_that_ignores_ctrl_c_goes_on(tmp_path: Path) -> None:
    with Script(SCRIPT.format(inputs=READING), tmp_path, ignores_interrupts=True) as script:
        workers = script.workers()
        script.type(b"\x03")
        script.type(b"a line\n")
        until(lambda: "a line" in script.stdout)
        assert all(map(is_running, workers))
        script.type(b"\x04")
        assert script.process.wait(PATIENCE) == 0
        assert not any(map(is_running, workers))
    assert script.stderr == ""


@pytest.mark.parametrize("end", ["", "import os; os._exit(3)", "sys.exit(3)", "1 / 0"])
def test_a_pool_that_is_not_closed_ends_with_its_process(end: str, tmp_path: Path) -> None:
    text = f"""
import sys
from helpers import worker_tasks as tasks
from tamis.workers import Pool

if __name__ == "__main__":
    pool = Pool(tasks.build_bad, workers=2)
    pool.start()
    pool.submit("hold")
    print("ready", flush=True)
    sys.stdin.readline()
    {end}
"""
    with Script(text, tmp_path) as script:
        workers = script.workers()
        script.type(b"\n")
        assert script.process.wait(PATIENCE) == {"": 0, "1 / 0": 1}.get(end, 3)
        until(lambda: not any(map(is_running, workers)))
    assert script.stderr.count("Error") == (end == "1 / 0")


@pytest.mark.slow
def test_a_job_that_is_stopped_for_a_while_misses_no_deadline(tmp_path: Path) -> None:
    text = SCRIPT.replace("workers=2", "workers=2, deadline=3").replace("build_bad", "build_sleep")
    with Script(text.format(inputs="[1.5, 0]"), tmp_path) as script:
        everything = [script.process.pid, *script.workers()]
        for pid in everything:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(5)
        for pid in reversed(everything):
            os.kill(pid, signal.SIGCONT)
        assert script.process.wait(PATIENCE) == 0
    assert script.stdout.split() == ["ready", "None", "None"]


# Scripts ----------------------------------------------------------------------------------------

OWN_CLASSES = """
from tamis.workers import Pool

class Page:
    def __init__(self, text):
        self.text = text

def build():
    return work

def work(page):
    print("printed by a task")
    return Page(page.text.upper())

{guard}
    with Pool(build, workers=2) as pool:
        print([outcome.unwrap().text for outcome in pool.map([Page("a"), Page("b")])])
"""


def run_script(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "script.py"
    path.write_text(text)
    return subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=PATIENCE)


def test_functions_and_classes_of_a_script(tmp_path: Path) -> None:
    script = run_script(OWN_CLASSES.format(guard='if __name__ == "__main__":'), tmp_path)
    assert script.stdout == "['A', 'B']\n"  # what tasks print is no data
    assert script.stderr == "printed by a task\n" * 2


def test_a_script_without_a_guard_is_told_what_to_do(tmp_path: Path) -> None:
    script = run_script(OWN_CLASSES.format(guard="if True:"), tmp_path)
    assert script.returncode == 1
    assert 'put what the script does below if __name__ == "__main__"' in script.stderr


# What is left behind ----------------------------------------------------------------------------


def test_nothing_is_left_behind() -> None:
    children = NewChildren()

    def use_pools() -> None:
        with Pool(tasks.build_bad, workers=2, deadline=1, max_pages=5) as pool:
            list(pool.map([*range(20), "crash", "sleep", "block", "unpicklable", *range(20)]))
        Pool(tasks.build_bad, workers=2).submit("hold")  # forgotten, not closed
        gc.collect()
        with Pool(tasks.build_bad, workers=2) as pool:
            pool.submit("spin")
            next(pool.map([1, 2, 3]))

    use_pools()
    descriptors, threads = os.listdir("/proc/self/fd"), threading.active_count()
    use_pools()
    until(lambda: threading.active_count() <= threads)
    assert len(os.listdir("/proc/self/fd")) <= len(descriptors)
    assert not children()


def test_closing_is_quick_whatever_workers_do() -> None:
    """Quick against the deadline of the pages, which nobody waits for."""
    children = NewChildren()
    pool = Pool(tasks.build_bad, workers=2, deadline=10 * PATIENCE)
    futures = [pool.submit(page) for page in ("hold", "spin", "sleep")]
    until(lambda: pool.under_way == 3 and len(children()) == 2)
    start = time.monotonic()
    pool.close()
    assert time.monotonic() - start < PATIENCE
    assert all(future.cancelled() for future in futures)
    assert not children()


def test_closing_from_a_callback() -> None:
    children = NewChildren()
    pool = Pool(tasks.build_square, workers=1)
    future = pool.submit(3)
    future.add_done_callback(lambda _: pool.close())
    assert future.result(PATIENCE).value == 9
    until(lambda: not children())


def test_the_signal_mask_of_the_caller_stays_as_it_is() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with Pool(tasks.build_square, workers=1) as pool:
        pool.submit(3).result(PATIENCE)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
