"""Speed: ratios to resiliparse on the same pages, interleaved in one run.

Machines are shared and noisy: of several rounds each page's best time counts, and only ratios from
one run are compared.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import tamis
from tamis.lab.report import Report, ReportTable
from tamis.lab.studies.samples import best_times, sample_pages
from tamis.lab.study import Log, Study

_ROUNDS: Final = 5
_SLOW_ROUNDS: Final = 2  # of trafilatura
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

Task = Callable[[int], object]  # on the page of an index


@dataclass(frozen=True)
class SpeedStudy(Study):
    """Measures the time of parsing and extracting, also with threads, and memory."""

    name: ClassVar[str] = "speed"

    dataset: str = "wcxb-dev"
    limit: int = 200  # pages

    def run(self, log: Log) -> Report:
        """Time all tasks on all pages."""
        pages = sample_pages(self.dataset, self.limit)
        log.say(f"timing {len(pages)} pages, {_ROUNDS} rounds")
        table = _time_table(pages)
        log.say("comparing threads, memory and start")
        remarks = [
            *_compare_threads(pages),
            *_measure_memory(pages),
            _time_long_list(),
            _time_help(),
        ]
        return Report("tamis: speed", [table], lead=self._describe(pages), remarks=remarks)

    def _describe(self, pages: Sequence[bytes]) -> str:
        """Say when, where and on what was measured."""
        about = Path("/proc/cpuinfo")
        model = re.search(r"model name\s*:\s*(.*)", about.read_text() if about.exists() else "")
        return (
            f"{datetime.date.today()}, {os.cpu_count()} cores of {model[1] if model else '?'}, "
            f"Python {platform.python_version()}; {len(pages)} pages of {self.dataset}, "
            f"{sum(map(len, pages)) / len(pages) / 1024:.0f} KB on average; best of {_ROUNDS} "
            "rounds per page, one thread, interleaved."
        )


def _time_table(pages: Sequence[bytes]) -> ReportTable:
    """Time each task on each page, interleaved, and return the table of ratios."""
    import trafilatura
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    texts = [page.decode("utf-8", "replace") for page in pages]
    tasks: dict[str, Task] = {
        "resiliparse `extract_plain_text(main_content=True)` from str": lambda i: (
            extract_plain_text(texts[i], main_content=True)
        ),
        "resiliparse, bytes to text (`detect_encoding`, `bytes_to_str`)": lambda i: (
            extract_plain_text(bytes_to_str(pages[i], detect_encoding(pages[i])), main_content=True)
        ),
        "tamis: bytes → Page": lambda i: tamis.parse(pages[i]),
        "tamis: `extract(html).text`, bytes to text": lambda i: tamis.extract(pages[i]).text,
    }
    for name in (name for name, method in tamis.METHODS.items() if not method.needs_layout):
        title = f"tamis: `extract(html, method={name!r}).text` from str"
        tasks[title] = _method_task(texts, name)
    tasks["tamis: `extract(html).markdown` from str"] = lambda i: tamis.extract(texts[i]).markdown
    slow: dict[str, Task] = {"trafilatura `extract`": lambda i: trafilatura.extract(texts[i])}
    best = best_times(tasks, len(pages), _ROUNDS) | best_times(slow, len(pages), _SLOW_ROUNDS)
    reference = next(iter(best.values()))
    rows = [
        [name, f"{seconds / reference:.2f}", f"{1000 * seconds / len(pages):.2f}"]
        for name, seconds in best.items()
    ]
    return ReportTable("Time", ["task", "time, resiliparse = 1", "ms per page"], rows)


def _method_task(texts: Sequence[str], name: str) -> Task:
    """Return the task of extracting a page with a method."""
    return lambda i: tamis.extract(texts[i], method=name).text


def _compare_threads(pages: Sequence[bytes]) -> list[str]:
    """Compare one thread with two, parsing and extracting."""
    remarks = []
    tasks: tuple[tuple[str, Callable[[bytes], object]], ...] = (
        ("parse", tamis.parse),
        ("extract(…).text", lambda html: tamis.extract(html).text),
    )
    for name, task in tasks:
        seconds = {1: float("inf"), 2: float("inf")}
        for _ in range(_ROUNDS):
            for count in seconds:
                with ThreadPoolExecutor(count) as pool:
                    started = time.perf_counter()
                    list(pool.map(task, pages))
                    seconds[count] = min(seconds[count], time.perf_counter() - started)
        remarks.append(f"Two threads do {seconds[1] / seconds[2]:.2f}× what one does: `{name}`.")
    return remarks


def _measure_memory(pages: Sequence[bytes]) -> list[str]:
    """Measure the peak memory of extracting pages of average size, each in a process (Linux)."""
    if not Path("/proc/self/clear_refs").exists():
        return []
    average = sum(map(len, pages)) / len(pages)
    nearest = sorted(pages, key=lambda page: abs(len(page) - average))[:_MEMORY_PAGES]
    factors = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        for page in nearest:
            path.write_bytes(page)
            command = [sys.executable, "-c", _MEMORY_CODE, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            factors.append(float(done.stdout))
    factors.sort()
    return [
        "Peak memory of `extract(html).text` on pages of average size: "
        f"{factors[len(factors) // 2]:.1f}× the HTML (median of {len(factors)}; "
        f"{factors[0]:.1f} to {factors[-1]:.1f})."
    ]


def _time_long_list() -> str:
    """Time key patterns of a list of 12 000 siblings."""
    rows = "".join(f"<h2>{i}</h2><p>a</p>" + "<p>b</p>" * (i % 3) for i in range(4000))
    page = tamis.parse(f"<body>{rows}")
    started = time.perf_counter()
    tamis.segment(page, "keypattern")
    milliseconds = 1000 * (time.perf_counter() - started)
    return f"`keypattern` on {(page.depth == 2).sum():,} siblings: {milliseconds:.0f} ms."


def _time_help() -> str:
    """Time `tamis --help`."""
    command = [sys.executable, "-c", "from tamis.cli import main; main()", "--help"]
    best = float("inf")
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        best = min(best, time.perf_counter() - started)
    return f"`tamis --help`: {best:.2f} s."
