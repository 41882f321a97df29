"""The speed table: ratios to resiliparse on the same pages, interleaved in one run.

    TAMIS_BENCH=… python bench/speed.py [--write docs/performance.md]

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
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pages

import tamis

Task = Callable[[int], object]  # on the page of a number

PAGES = 200
ROUNDS = 5


def main() -> None:
    """Measure everything and print it, or write it into the document."""
    html = pages.sample(PAGES)
    lines = [
        *times_table(html),
        "",
        *thread_lines(html),
        *memory_lines(html),
        *list_lines(),
        *help_lines(),
    ]
    report = "\n".join([heading(html), "", *lines]) + "\n"
    print(report)
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        path = Path(sys.argv[2])
        kept = path.read_text(encoding="utf-8").split("<!-- bench -->")[0]
        path.write_text(f"{kept}<!-- bench -->\n{report}", encoding="utf-8")


def heading(html: list[bytes]) -> str:
    """Say when, where and on what was measured."""
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    return (
        f"{datetime.date.today()}, {os.cpu_count()} cores of {model[1] if model else '?'}, "
        f"Python {platform.python_version()}; {len(html)} pages of wcxb-dev, "
        f"{sum(map(len, html)) / len(html) / 1024:.0f} KB on average; best of {ROUNDS} rounds a "
        "page, one thread, interleaved."
    )


def times_table(html: list[bytes]) -> list[str]:
    """Time each task on each page, interleaved, and return the table of ratios."""
    import trafilatura
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    text = [page.decode("utf-8", "replace") for page in html]
    tasks: dict[str, Task] = {
        "resiliparse `extract_plain_text(main_content=True)` from str": lambda i: (
            extract_plain_text(text[i], main_content=True)
        ),
        "resiliparse, bytes to text (`detect_encoding`, `bytes_to_str`)": lambda i: (
            extract_plain_text(bytes_to_str(html[i], detect_encoding(html[i])), main_content=True)
        ),
        "tamis: bytes → Page": lambda i: tamis.parse(html[i]),
    }
    tasks["tamis: `extract(html).text`, bytes to text"] = lambda i: tamis.extract(html[i]).text
    for name in (name for name, method in tamis.METHODS.items() if not method.needs_layout):
        title = f"tamis: `extract(html, method={name!r}).text` from str"
        tasks[title] = method_task(text, name)
    tasks["tamis: `extract(html).markdown` from str"] = lambda i: tamis.extract(text[i]).markdown
    best = best_times(tasks, html)
    slow: dict[str, Task] = {"trafilatura `extract`": lambda i: trafilatura.extract(text[i])}
    best |= best_times(slow, html, rounds=2)
    base = next(iter(best.values()))
    rows = [
        f"| {name} | {seconds / base:.2f} | {1000 * seconds / len(html):.2f} |"
        for name, seconds in best.items()
    ]
    return ["| task | time, resiliparse = 1 | ms a page |", "|---|---:|---:|", *rows]


def method_task(text: list[str], name: str) -> Task:
    """Return the task of extracting page `i` with a method."""
    return lambda i: tamis.extract(text[i], method=name).text


def best_times(tasks: dict[str, Task], html: list[bytes], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the sum over pages of each task's best time."""
    best = {name: [float("inf")] * len(html) for name in tasks}
    for _ in range(rounds):
        for i in range(len(html)):
            for name, task in tasks.items():
                started = time.perf_counter()
                task(i)
                best[name][i] = min(best[name][i], time.perf_counter() - started)
    return {name: sum(times) for name, times in best.items()}


def thread_lines(html: list[bytes]) -> list[str]:
    """Compare one thread with two, parsing and extracting."""
    lines = []
    for name, task in (
        ("parse", tamis.parse),
        ("extract(…).text", lambda h: tamis.extract(h).text),
    ):
        seconds = {1: float("inf"), 2: float("inf")}
        for _ in range(ROUNDS):
            for count in seconds:
                with ThreadPoolExecutor(count) as pool:
                    started = time.perf_counter()
                    list(pool.map(task, html))
                    seconds[count] = min(seconds[count], time.perf_counter() - started)
        lines.append(f"- Two threads do {seconds[1] / seconds[2]:.2f}× what one does: `{name}`.")
    return lines


MEMORY = """
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


def memory_lines(html: list[bytes]) -> list[str]:
    """Measure the peak memory of extracting a page of average size, in a process of its own."""
    average = sum(map(len, html)) / len(html)
    near = sorted(html, key=lambda page: abs(len(page) - average))[:9]
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"tamis-bench-{os.getpid()}.html"
    factors = []
    for page in near:
        path.write_bytes(page)
        command = [sys.executable, "-c", MEMORY, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        factors.append(float(done.stdout))
    path.unlink()
    factors.sort()
    return [
        f"- Peak memory of `extract(html).text` on pages of average size: {factors[4]:.1f}× the "
        f"HTML (median of 9; {factors[0]:.1f} to {factors[-1]:.1f})."
    ]


def list_lines() -> list[str]:
    """Time key patterns of a list of 10 000 rows."""
    rows = "".join(f"<h2>{i}</h2><p>a</p>" + "<p>b</p>" * (i % 3) for i in range(4000))
    page = tamis.parse(f"<body>{rows}")
    started = time.perf_counter()
    tamis.segment(page, "keypattern")
    took = 1000 * (time.perf_counter() - started)
    return [f"- `keypattern` on {(page.depth == 2).sum():,} siblings: {took:.0f} ms."]


def help_lines() -> list[str]:
    """Time `tamis --help`."""
    command = [sys.executable, "-c", "from tamis.cli import main; main()", "--help"]
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        best = min(best, time.perf_counter() - started)
    return [f"- `tamis --help`: {best:.2f} s."]


if __name__ == "__main__":
    main()
