"""The time of records: ratios to `extract` on the same pages, in one run.

    TAMIS_BENCH=… python bench/records.py

Of several rounds each page's best time counts, as the processor's time of this thread.
"""

from __future__ import annotations

import time

import tamis
from tamis.evaluate.datasets import load
from tamis.page import Page

PAGES = 95
ROUNDS = 5


def main() -> None:
    """Print the table."""
    pages = [item.html for item in load("records-dev").spread(PAGES).items]
    totals = dict.fromkeys(("extract", "extract, .records", "extract, .records, all rows"), 0.0)
    for html in pages:
        best = [float("inf")] * 3
        for _ in range(ROUNDS):
            started = time.thread_time()
            document = tamis.extract(html)
            best[0] = min(best[0], time.thread_time() - started)
            found = document.records
            best[1] = min(best[1], time.thread_time() - started)
            list(found)
            best[2] = min(best[2], time.thread_time() - started)
        for name, seconds in zip(totals, best, strict=True):
            totals[name] += seconds
    print(f"{len(pages)} pages of records-dev, best of {ROUNDS} rounds a page, one thread\n")
    print("| task | time, extract = 1 |\n|---|---:|")
    for name, seconds in totals.items():
        print(f"| {name} | {seconds / totals['extract']:.2f} |")
    small, large = (seconds_of(long_list(count)) for count in (500, 5_000))
    print(f"\nA list of 5 000 rows takes {large / small:.1f} times as long as one of 500: ", end="")
    print(f"{1000 * large:.0f} ms from the page to all rows.")


def long_list(count: int) -> Page:
    """Return a page with a list of so many records."""
    items = "".join(
        f"<li class='item {('even', 'odd')[i % 2]}'><img src=/i{i}.jpg><h3><a href=/p/{i}>Product "
        f"number {i} of many</a></h3><p class=d>It is the number {i}, good to have.</p>"
        + f"<span class=price>${i}.50</span>" * (i % 7 != 0)
        + "</li>"
        for i in range(count)
    )
    return tamis.parse(f"<body><main><ul>{items}</ul></main>", max_nodes=10**7)


def seconds_of(page: Page) -> float:
    """Return the best time of reading the records of a page that is parsed and judged."""
    best = float("inf")
    for _ in range(ROUNDS):
        document = tamis.extract(page)
        started = time.thread_time()
        list(document.records)
        best = min(best, time.thread_time() - started)
    return best


if __name__ == "__main__":
    main()
