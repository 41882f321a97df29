"""Measure what a pool with one worker costs against a bare loop.

    python tests/workers/overhead.py [pages [rounds]]

Prints the pages per second of both, in turns, and their ratio; then the same by processor time,
which does not depend on what else the machine does: the pool's own work is added to its worker's.
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


def extract_text(html: bytes) -> tuple[str, float]:
    return tamis.extract(html).text, time.process_time()


def build_task() -> Callable[[bytes], tuple[str, float]]:
    extract_text(b"<p>loads the model")
    return extract_text


def measure_ratios(count: int, rounds: int) -> tuple[float, float]:
    """Return pages/s of a pool over that of a loop, by the clock and by processor time: medians."""
    samples = [path.read_bytes() for path in sorted(SAMPLES.glob("*.html"))]
    pages = [samples[index % len(samples)] for index in range(count)]
    task = build_task()
    ratios, processor_ratios = [], []
    with Pool(build_task, workers=1) as pool:
        pool.start()
        for _ in range(rounds):
            start, own_start = time.perf_counter(), time.process_time()
            alone = [task(page) for page in pages]
            between, own_between = time.perf_counter(), time.process_time()
            pooled = [outcome.unwrap() for outcome in pool.map([pages[0], *pages])]
            end, own_end = time.perf_counter(), time.process_time()
            assert [text for text, _ in alone] == [text for text, _ in pooled[1:]]
            loop, in_pool = between - start, (end - between) * count / (count + 1)
            worker = pooled[-1][1] - pooled[0][1]
            ratios.append(loop / in_pool)
            processor_ratios.append((own_between - own_start) / (own_end - own_between + worker))
            print(
                f"loop {count / loop:6.1f} pages/s   pool {count / in_pool:6.1f} pages/s"
                f"   ratio {ratios[-1]:.3f}   by processor time {processor_ratios[-1]:.3f}"
            )
    return statistics.median(ratios), statistics.median(processor_ratios)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    by_clock, by_processor = measure_ratios(*(arguments + [400, 7][len(arguments) :]))
    print(f"median ratio {by_clock:.3f}, by processor time {by_processor:.3f}")
