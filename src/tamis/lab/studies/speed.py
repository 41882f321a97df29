"""Speed: ratios to resiliparse on the same pages, interleaved in one run, and what is reached.

Machines are shared and noisy: computing time is measured, of several rounds each page's best time
counts, and only ratios from one run are compared.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Final, Literal

import tamis
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.growth import (
    MAX_GROWTH,
    greatest_growth,
    growth_table,
    measure_growth,
)
from tamis.lab.studies.processes import JobTimes, measure_memory, time_jobs, time_starts
from tamis.lab.studies.samples import best_times, sample_pages
from tamis.lab.study import Log, Study

_ROUNDS: Final = 5
_SLOW_ROUNDS: Final = 2  # of trafilatura
_JOB_ROUNDS: Final = 3

_REFERENCE: Final = "resiliparse `extract_plain_text(main_content=True)` from str"
_PAGE: Final = "tamis: bytes → Page"
_EXTRACT: Final = "tamis: `extract(html)`, nothing of it used"
_TEXT: Final = "tamis: `extract(html).text`"
_MARKDOWN: Final = "tamis: `extract(html).markdown`"
_HTML: Final = "tamis: `extract(html).html`"
_METADATA: Final = "tamis: `extract(html).metadata`"
_RECORDS: Final = "tamis: `extract(html).records`"

_Task = Callable[[int], object]  # on the page of an index


@dataclass(frozen=True)
class Reach:
    """A measured value and the limit that it should keep to."""

    name: str
    value: float
    limit: float
    sign: Literal["≤", "≥"] = "≤"
    unit: str = ""

    @property
    def row(self) -> list[str]:
        """The row of a table: name, value, limit, whether it is kept."""
        is_kept = self.value >= self.limit if self.sign == "≥" else self.value <= self.limit
        value, limit = (f"{number:.2f}{self.unit}" for number in (self.value, self.limit))
        return [self.name, value, f"{self.sign} {limit}", "yes" if is_kept else "no"]


@dataclass(frozen=True)
class SpeedStudy(Study):
    """Measures the time of all that a page is turned into, threads, processes, memory, growth."""

    name: ClassVar[str] = "speed"

    dataset: str = "wcxb-dev"
    limit: int = 200  # pages
    job_pages: int = 1500

    def run(self, log: Log) -> Report:
        """Time all tasks on all pages."""
        pages = sample_pages(self.dataset, self.limit)
        log.say(f"timing {len(pages)} pages, {_ROUNDS} rounds")
        seconds = _time_tasks(pages)
        log.say("comparing threads, memory and start")
        threads = _compare_threads(pages)
        memory, starts = measure_memory(pages), time_starts(pages)
        log.say("measuring growth")
        growth = measure_growth(pages)
        many = sample_pages(self.dataset, self.job_pages)
        log.say(f"extracting {len(many)} pages with one job and with two")
        jobs = time_jobs(many, (1, 2), _JOB_ROUNDS)
        reaches = [
            *_time_reaches(seconds),
            Reach("two threads, in the work of one: `extract(html).text`", threads, 1.5, "≥", "×"),
            *_process_reaches(memory, starts),
            *_job_reaches(jobs, len(many)),
            *(
                Reach(f"growth of time per byte: {name}", greatest_growth(values), MAX_GROWTH)
                for name, values in growth.items()
            ),
        ]
        return Report(
            "tamis: speed",
            [_time_table(seconds, len(pages)), _reach_table(reaches), growth_table(growth)],
            lead=self._describe(pages),
            remarks=[_time_long_list(), f"`tamis --help`: {starts['help']:.2f} s."],
        )

    def _describe(self, pages: Sequence[bytes]) -> str:
        """Say when, where and on what was measured."""
        about = Path("/proc/cpuinfo")
        model = re.search(r"model name\s*:\s*(.*)", about.read_text() if about.exists() else "")
        return (
            f"{datetime.date.today()}, {os.cpu_count()} cores of {model[1] if model else '?'}, "
            f"Python {platform.python_version()}; {len(pages)} pages of {self.dataset}, "
            f"{sum(map(len, pages)) / len(pages) / 1024:.0f} KB on average; best of {_ROUNDS} "
            "rounds per page, computing time of one thread, interleaved."
        )


# Time ---------------------------------------------------------------------------------------------


def _time_tasks(pages: Sequence[bytes]) -> dict[str, float]:
    """Time each task on each page, interleaved; return the seconds for all pages."""
    import trafilatura

    texts = [page.decode("utf-8", "replace") for page in pages]
    tasks = _peer_tasks(pages, texts) | {
        _PAGE: lambda i: tamis.parse(pages[i]),
        _EXTRACT: lambda i: tamis.extract(pages[i]),
        _TEXT: lambda i: tamis.extract(pages[i]).text,
        _MARKDOWN: lambda i: tamis.extract(pages[i]).markdown,
        _HTML: lambda i: tamis.extract(pages[i]).html,
        _METADATA: lambda i: tamis.extract(pages[i]).metadata,
        _RECORDS: lambda i: tamis.extract(pages[i]).records,
    }
    for name in (name for name, method in tamis.METHODS.items() if not method.needs_layout):
        tasks[f"tamis: `extract(html, method={name!r}).text`"] = _method_task(pages, name)
    slow: dict[str, _Task] = {"trafilatura `extract`": lambda i: trafilatura.extract(texts[i])}
    return best_times(tasks, len(pages), _ROUNDS) | best_times(slow, len(pages), _SLOW_ROUNDS)


def _peer_tasks(pages: Sequence[bytes], texts: Sequence[str]) -> dict[str, _Task]:
    """Return the tasks of other tools; the first one is the reference."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    tasks: dict[str, _Task] = {
        _REFERENCE: lambda i: extract_plain_text(texts[i], main_content=True),
        "resiliparse, bytes to text (`detect_encoding`, `bytes_to_str`)": lambda i: (
            extract_plain_text(bytes_to_str(pages[i], detect_encoding(pages[i])), main_content=True)
        ),
    }
    if find_spec("turbohtml"):
        import turbohtml

        tasks["turbohtml `parse(…).main_text()` from str"] = lambda i: turbohtml.parse(
            texts[i]
        ).main_text()
    return tasks


def _method_task(pages: Sequence[bytes], name: str) -> _Task:
    """Return the task of extracting a page with a method."""
    return lambda i: tamis.extract(pages[i], method=name).text


def _time_table(seconds: Mapping[str, float], page_count: int) -> ReportTable:
    """Return the table of ratios."""
    rows = [
        [name, f"{value / seconds[_REFERENCE]:.2f}", f"{1000 * value / page_count:.2f}"]
        for name, value in seconds.items()
    ]
    return ReportTable("Time", ["task", "time, resiliparse = 1", "ms per page"], rows)


# Reach --------------------------------------------------------------------------------------------


def _time_reaches(seconds: Mapping[str, float]) -> list[Reach]:
    """Return what is to be reached in time, in resiliparse's time or that of the text."""
    unit = seconds[_REFERENCE]
    return [
        Reach("bytes → Page", seconds[_PAGE] / unit, 0.45),
        Reach("`extract(html).text`", seconds[_TEXT] / unit, 0.9),
        Reach("`extract(html).markdown`", seconds[_MARKDOWN] / unit, 1.6),
        Reach(
            "metadata, beyond `extract(html)`",
            (seconds[_METADATA] - seconds[_EXTRACT]) / unit,
            0.15,
        ),
        Reach(
            "`extract(html).records`, in `extract(html).text`",
            seconds[_RECORDS] / seconds[_TEXT],
            1.4,
            unit="×",
        ),
    ]


def _process_reaches(memory: Sequence[float], starts: Mapping[str, float]) -> list[Reach]:
    """Return what is to be reached in memory and at the start."""
    start = "`import tamis`, in the start of bare Python"
    reaches = [
        Reach(start, starts["import"] / starts["python"], 2.0, unit="×"),
        Reach(
            "a first page, from the start of Python (computing time)",
            starts["first page"],
            0.35,
            unit=" s",
        ),
    ]
    if memory:
        name = f"peak memory of `extract(html).text`, in its HTML (median of {len(memory)})"
        reaches.insert(0, Reach(name, memory[len(memory) // 2], 8.0, unit="×"))
    return reaches


def _reach_table(reaches: Sequence[Reach]) -> ReportTable:
    """Return what was reached as a table."""
    rows = [reach.row for reach in reaches]
    return ReportTable("Reach", ["what", "measured", "reach", "reached"], rows)


def _job_reaches(jobs: JobTimes, pages: int) -> list[Reach]:
    """Return what two jobs are to reach, beside one job and beside two runs at once."""
    one, two = jobs.by_jobs[1], jobs.by_jobs[2]
    halves = "`--jobs 2` in two runs at once, each of half the pages"
    return [
        Reach(f"`--jobs 2` in `--jobs 1`, {pages:,} pages", one / two, 1.7, "≥", "×"),
        Reach(halves, jobs.halves / two, 0.9, "≥", "×"),
    ]


def _compare_threads(pages: Sequence[bytes]) -> float:
    """Return how much of the work of one thread two threads do in the same time."""
    seconds = {1: float("inf"), 2: float("inf")}
    for _ in range(_ROUNDS):
        for count in seconds:
            with ThreadPoolExecutor(count) as pool:
                started = time.perf_counter()
                list(pool.map(lambda html: tamis.extract(html).text, pages))
                seconds[count] = min(seconds[count], time.perf_counter() - started)
    return seconds[1] / seconds[2]


def _time_long_list() -> str:
    """Time key patterns of a list of 12 000 siblings."""
    rows = "".join(f"<h2>{i}</h2><p>a</p>" + "<p>b</p>" * (i % 3) for i in range(4000))
    page = tamis.parse(f"<body>{rows}")
    started = time.perf_counter()
    tamis.segment(page, "keypattern")
    milliseconds = 1000 * (time.perf_counter() - started)
    return f"`keypattern` on {(page.depth == 2).sum():,} siblings: {milliseconds:.0f} ms."
