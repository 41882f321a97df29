"""How learning a site grows with its pages: python bench/sites.py [PAGES …].

Prints, for each number of pages of a site that is made up, the time of learning as a multiple of
that for the fewest pages, the different blocks seen, and the memory that is held for a block.
"""

from __future__ import annotations

import sys
import time
import tracemalloc

from tamis.lab.studies.site_times import site_pages
from tamis.page import parse
from tamis.site import METHOD, SiteLearner, build_profile

COUNTS = (100, 1000, 10_000)


def learned(count: int) -> tuple[float, SiteLearner]:
    """Return the seconds that learning takes, without making and parsing pages, and the learner."""
    groups = SiteLearner()
    seconds = 0.0
    for url, html in site_pages(count, index_every=10):
        page = parse(html, url)
        start = time.thread_time()
        groups.learn(build_profile(METHOD.segmenter.segment(page)))
        seconds += time.thread_time() - start
    return seconds, groups


def held(count: int) -> int:
    """Return the bytes that a learner holds after so many pages."""
    tracemalloc.start()
    try:
        _, groups = learned(count)
        size, _ = tracemalloc.get_traced_memory()
        return size if groups.learners else 0
    finally:
        tracemalloc.stop()


def main(counts: list[int]) -> None:
    """Print a line for each number of pages."""
    first = None
    for count in counts:
        seconds, groups = learned(count)
        first = first or seconds
        blocks = sum(len(group.seen_once) + len(group.repeated) for group in groups.learners)
        memory = f", {held(count) / blocks:.0f} bytes a block" if count <= 1000 else ""
        print(f"{count:,} pages: time × {seconds / first:.1f}, {blocks:,} different blocks{memory}")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(COUNTS))
