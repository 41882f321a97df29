"""Measure what a pool with one worker costs against a bare loop.

    python tests/workers/overhead.py [pages [rounds]]

Prints the pages per second of both, in turns, and their ratio.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tamis
from tamis.workers import Pool

SAMPLES = Path(__file__).parents[2] / "samples"


def extract_text(html: bytes) -> str:
    return tamis.extract(html).text


def build_task() -> Callable[[bytes], str]:
    extract_text(b"<p>loads the model")
    return extract_text


def measure_ratio(count: int, rounds: int) -> float:
    """Return pages/s of a pool with one worker over that of a loop: the median of all rounds."""
    samples = [path.read_bytes() for path in sorted(SAMPLES.glob("*.html"))]
    pages = [samples[index % len(samples)] for index in range(count)]
    task = build_task()
    ratios = []
    with Pool(build_task, workers=1) as pool:
        pool.start()
        for _ in range(rounds):
            start = time.perf_counter()
            alone = [task(page) for page in pages]
            between = time.perf_counter()
            pooled = [outcome.value for outcome in pool.map(pages)]
            end = time.perf_counter()
            assert alone == pooled
            ratios.append((between - start) / (end - between))
            print(
                f"loop {count / (between - start):6.1f} pages/s"
                f"   pool {count / (end - between):6.1f} pages/s   ratio {ratios[-1]:.3f}"
            )
    return statistics.median(ratios)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    print(f"median ratio {measure_ratio(*(arguments + [400, 7][len(arguments) :])):.3f}")
