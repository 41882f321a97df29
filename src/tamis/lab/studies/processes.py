"""What is measured in processes of their own: memory, the start, and work in several of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ROUNDS: Final = 7
_MEMORY_PAGES: Final = 9
_MEMORY_CODE: Final = """
import sys
import tamis
page = open(sys.argv[1], "rb").read()
def status(key):
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(key)) * 1024
tamis.extract("<p>warm").text
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
text = tamis.extract(page).text
print((status("VmHWM") - before) / len(page))
"""
_FIRST_PAGE_CODE: Final = """
import sys
import tamis
tamis.extract(open(sys.argv[1], "rb").read()).text
"""
_NO_BYTECODE: Final = "PYTHONDONTWRITEBYTECODE"
_COMMAND_LINE: Final = "from tamis.cli import main; main()"


def measure_memory(pages: Sequence[bytes]) -> list[float]:
    """Measure the peak memory of extracting pages of average size, in sizes of their HTML.

    The list is sorted; it is empty where the system does not tell (it is Linux that does).
    """
    if not Path("/proc/self/clear_refs").exists():
        return []
    factors = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        for page in _pages_of_average_size(pages, _MEMORY_PAGES):
            path.write_bytes(page)
            command = [sys.executable, "-c", _MEMORY_CODE, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            factors.append(float(done.stdout))
    return sorted(factors)


def time_starts(pages: Sequence[bytes]) -> Mapping[str, float]:
    """Return the computing time of processes: bare Python, `import tamis`, a first page, `--help`.

    They take turns, and the best time of each counts.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_bytes(_pages_of_average_size(pages, 1)[0])
        commands = {
            "python": [sys.executable, "-c", "pass"],
            "import": [sys.executable, "-c", "import tamis"],
            "first page": [sys.executable, "-c", _FIRST_PAGE_CODE, str(path)],
            "help": [sys.executable, "-c", _COMMAND_LINE, "--help"],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(_ROUNDS):
            for name, command in commands.items():
                before = _children_time()
                subprocess.run(command, capture_output=True, check=True, env=_environment())
                best[name] = min(best[name], _children_time() - before)
    return best


def _children_time() -> float:
    """Return the computing time of all processes that were started here and have ended."""
    import resource  # not on Windows

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class JobTimes:
    """Seconds of `tamis extract FOLDER`, the best of several rounds."""

    by_jobs: Mapping[int, float]
    halves: float  # of two runs at once, each with one job and half of the pages


def time_jobs(pages: Sequence[bytes], jobs: Sequence[int], rounds: int) -> JobTimes:
    """Time `tamis extract FOLDER --jobs N` for each number of jobs.

    Two runs at once that share nothing show what the machine has for two processes: the ratio of
    both is that of tamis alone, also on a machine whose cores share caches or have other work.
    """
    best = dict.fromkeys(jobs, float("inf"))
    halves = float("inf")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, page in enumerate(pages):
            for source in (folder / "all", folder / f"half {number % 2}"):
                source.mkdir(exist_ok=True)
                (source / f"{number}.html").write_bytes(page)
        for _ in range(rounds):
            for count in jobs:
                seconds = _time_commands([_extract_command(folder / "all", count)])
                best[count] = min(best[count], seconds)
            commands = [_extract_command(folder / f"half {number}", 1) for number in range(2)]
            halves = min(halves, _time_commands(commands))
    return JobTimes(best, halves)


def _extract_command(source: Path, jobs: int) -> list[str]:
    """Return the command that extracts a folder into a file beside it."""
    options = ["-o", f"{source}.jsonl", "--overwrite", "--jobs", str(jobs)]
    return [sys.executable, "-c", _COMMAND_LINE, "extract", str(source), *options]


def _time_commands(commands: Sequence[Sequence[str]]) -> float:
    """Return the seconds that commands take, all at the same time."""
    started = time.perf_counter()
    processes = [
        subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_environment()
        )
        for command in commands
    ]
    for process in processes:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return time.perf_counter() - started


def _environment() -> dict[str, str]:
    """Return the environment of commands: Python keeps the bytecode of modules, as it does for
    users, whatever this process was told.
    """
    return {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}


def _pages_of_average_size(pages: Sequence[bytes], count: int) -> list[bytes]:
    """Return so many pages whose size is closest to the average."""
    average = sum(map(len, pages)) / len(pages)
    return sorted(pages, key=lambda page: abs(len(page) - average))[:count]
