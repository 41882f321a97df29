"""Learning takes time in proportion to pages, and memory in proportion to different blocks."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Iterator

import tamis
from helpers.sites import site_pages
from tamis import Site
from tamis.blocks import TagSet
from tamis.page import Page
from tamis.verdict import Ibdf

TIMES_TEN = 12.0  # ten times the pages may take so many times as long


def parsed(count: int) -> list[Page]:
    return [tamis.parse(html) for _, html in site_pages(count, index_every=10)]


def seconds(pages: list[Page]) -> float:
    gc.collect()
    start = time.thread_time()
    Site.learn(pages)
    return time.thread_time() - start


def test_ten_times_the_pages_take_at_most_twelve_times_as_long() -> None:
    few, many = parsed(100), parsed(1000)
    ratios = []
    for _ in range(8):  # noise only ever adds to a time
        ratios.append(seconds(many) / min(seconds(few) for _ in range(3)))
        if min(ratios) < TIMES_TEN:
            break
    assert min(ratios) < TIMES_TEN


def again_and_again(pages: list[Page], count: int) -> Iterator[Page]:
    """So many pages, and now and then what Python sets aside for objects to come given back.

    Its free lists fill up with the first hundred pages, whatever is learned from them.
    """
    for number in range(count):
        if number % 5 == 0:
            gc.collect()
        yield pages[number % len(pages)]


def memory(count: int) -> int:
    """The most bytes that learning from the same pages again and again takes."""
    pages = parsed(20)
    Site.learn(pages)
    gc.collect()
    tracemalloc.start()
    try:
        Site.learn(again_and_again(pages, count))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_pages_that_say_nothing_new() -> None:
    assert memory(160) < 1.3 * memory(40)


def test_ibdf_learns_in_proportion_to_pages() -> None:
    few, many = ([TagSet().segment(page) for page in parsed(count)] for count in (60, 600))

    def took(pages: list[tamis.blocks.Blocks]) -> float:
        start = time.thread_time()
        Ibdf().fit(pages)
        return time.thread_time() - start

    ratios = []
    for _ in range(8):
        ratios.append(took(many) / min(took(few) for _ in range(3)))
        if min(ratios) < TIMES_TEN * 1.5:
            break
    assert min(ratios) < TIMES_TEN * 1.5
