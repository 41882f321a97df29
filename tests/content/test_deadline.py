"""A document's deadline: computing time that is left, for all that is computed when asked for."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import tamis
from helpers.growth import LINEAR, growth
from tamis.content import Document
from tamis.errors import DeadlineExceeded
from tamis.page import STRIDE, UNLIMITED, Budget

ENOUGH = 1e9  # seconds

READINGS: dict[str, Callable[[Document], object]] = {
    "text": lambda doc: doc.text,
    "markdown": lambda doc: doc.markdown,
    "html": lambda doc: doc.html,
    "json": lambda doc: doc.json,
    "blocks": lambda doc: doc.blocks,
    "text of blocks": lambda doc: [block.text for block in doc.blocks],
    "XPaths of blocks": lambda doc: [block.xpath for block in doc.blocks],
    "records": lambda doc: doc.records.rows,
    "XPaths of records": lambda doc: doc.records.record_xpaths,
    "records as data": lambda doc: doc.records.as_dict(),
    "regions": lambda doc: [region.rows for region in doc.regions],
    "next_page": lambda doc: doc.next_page,
}


class Clock:
    """Time that goes on by a second whenever somebody looks at it, all of it computing time but
    what was waited.
    """

    def __init__(self) -> None:
        self.looks = 0
        self.now = 0.0
        self.waited = 0.0  # seconds of the clock on the wall in which nothing was computed

    def thread_time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        self.looks += 1
        self.now += 1.0
        return time.monotonic() + self.now + self.waited


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    stand_in = SimpleNamespace(thread_time=clock.thread_time, monotonic=clock.monotonic)
    monkeypatch.setattr("tamis.limits.time", stand_in)
    return clock


def listing(count: int) -> str:
    items = "".join(
        f'<li><h3><a href="/item/{n}">Article number {n} of the list</a></h3><p>What it says, in '
        f"words of its own: {n * n}.</p><span class=price>${n}.50</span></li>"
        for n in range(count)
    )
    return f"<title>A list</title><h1>A list</h1><ul>{items}</ul><p><a href='?page=2'>2</a></p>"


def document(count: int, seconds: float | None = ENOUGH) -> Document:
    lifted = tamis.extract(listing(count), method="kfeature", deadline=None)
    return replace(lifted, budget=Budget(seconds))


def looks(clock: Clock, reading: Callable[[Document], object], count: int) -> int:
    doc = document(count)
    before = clock.looks
    reading(doc)
    return clock.looks - before


@pytest.mark.parametrize("name", READINGS)
def test_the_time_is_looked_at_in_the_loops_and_not_only_around_them(
    clock: Clock, name: str
) -> None:
    small, large = (looks(clock, READINGS[name], count) for count in (100, 800))
    assert large >= 4 * small or large - small >= 700 / STRIDE
    assert large > 800 / (2 * STRIDE)


def metadata(doc: Document) -> object:
    return doc.metadata


def test_metadata_looks_at_the_time_while_it_searches(clock: Clock) -> None:
    doc = document(50)
    clock.looks = 0
    assert doc.metadata.title == "A list"
    assert clock.looks > 5


@pytest.mark.parametrize("name", [*READINGS, "metadata"])
def test_past_the_deadline_there_is_an_error_that_says_what_to_do(clock: Clock, name: str) -> None:
    read = {**READINGS, "metadata": metadata}[name]
    needed = looks(clock, read, 800)
    doc = document(800, needed / 2)
    clock.looks = 0
    with pytest.raises(DeadlineExceeded, match=r"deadline of .* s passed while \w+.*deadline="):
        read(doc)
    assert clock.looks < needed  # given up on the way
    clock.looks = 0
    with pytest.raises(DeadlineExceeded):
        read(doc)
    assert clock.looks < 5  # nothing is tried once more


def test_what_was_computed_stays(clock: Clock) -> None:
    doc = document(400, 60)
    text = doc.text
    with pytest.raises(DeadlineExceeded):
        doc.json  # noqa: B018
    assert doc.text is text
    with pytest.raises(DeadlineExceeded):
        doc.next_page  # noqa: B018
    assert repr(doc).startswith(f"<Document of {len(text)} characters")
    assert "unknown length" in repr(replace(doc, method="other"))


def test_the_time_until_somebody_asks_does_not_count(clock: Clock) -> None:
    doc = tamis.extract(listing(20), method="kfeature", deadline=1000.0)
    left = doc.budget.left
    clock.waited += 100_000.0
    assert "its own: 9." in doc.markdown
    assert left is not None
    assert doc.budget.left is not None
    assert left - 200 < doc.budget.left < left <= 1000.0


def test_what_the_extraction_took_is_not_left(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(tamis.METHODS["kfeature"].segmenter)
    segment = kind.segment

    def slow(self: Any, page: Any) -> Any:
        clock.waited += 400.0
        return segment(self, page)

    monkeypatch.setattr(kind, "segment", slow)
    left = tamis.extract(listing(3), method="kfeature", deadline=1000.0).budget.left
    assert left is not None
    assert 0 < left <= 600


def test_what_is_left_survives_pickling_and_copying(clock: Clock) -> None:
    doc = document(100, 200)
    doc.text  # noqa: B018
    left = doc.budget.left
    assert left is not None
    assert 0 < left < 200
    for copy in (pickle.loads(pickle.dumps(doc)), deepcopy(doc)):
        assert copy.budget.left == doc.budget.left
        assert copy.text == doc.text
        with pytest.raises(DeadlineExceeded):
            [block.text for block in copy.blocks]
        assert doc.budget.left == left  # each copy has its own


def test_without_a_deadline_nothing_is_counted(clock: Clock) -> None:
    lifted = tamis.extract(listing(30), method="kfeature", deadline=None)
    by_hand = Document(lifted.page, lifted.segments, lifted.verdict, "mine")
    clock.looks = 0
    for doc in (lifted, by_hand):
        assert doc.budget.left is None
        for read in READINGS.values():
            read(doc)
    assert clock.looks == 0
    assert by_hand.budget is UNLIMITED


def test_other_names_of_a_document_share_what_is_left() -> None:
    doc = document(10)
    assert replace(doc, method="site").budget is doc.budget


def test_threads_that_read_at_once_share_what_is_left() -> None:
    doc, alone = document(1500), document(1500)
    names = ["markdown", "html", "json", "text"]
    expected = {name: getattr(alone, name) for name in names}
    forms: dict[str, object] = {}
    used: list[float] = []

    def read(name: str) -> None:
        start = time.thread_time()
        forms[name] = getattr(doc, name)
        used.append(time.thread_time() - start)

    threads = [threading.Thread(target=read, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert forms == expected
    assert doc.budget.left is not None
    assert 0.5 * sum(used) < ENOUGH - doc.budget.left < 1.5 * sum(used)


def test_an_error_inside_does_not_leave_the_clock_running(clock: Clock) -> None:
    budget = Budget(100.0)
    with pytest.raises(ZeroDivisionError), budget.spending("dividing"):
        raise ZeroDivisionError
    left = budget.left
    clock.now += 50
    budget.check()  # of nothing that is under way
    assert budget.left == left


def test_a_part_of_what_counts_is_not_counted_twice(clock: Clock) -> None:
    budget = Budget(100.0)
    with budget.spending("the whole"), budget.spending("a part"):
        clock.now += 60
    assert budget.left is not None
    assert 30 < budget.left < 40


def deep(depth: int, count: int) -> str:
    return "<div>" * depth + "".join(f"<p>Some words of a text, {n}.</p>" for n in range(count))


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows for which a step of an XPath was written."""
    from tamis.page import xpath

    written: list[int] = []
    test = xpath.step_test

    def counting(page: tamis.Page, row: int) -> str:
        written.append(row)
        return test(page, row)

    monkeypatch.setattr(xpath, "step_test", counting)
    return written


@pytest.mark.parametrize(
    "xpaths",
    [
        lambda doc: [block["xpath"] for block in doc.json["blocks"]],
        lambda doc: [block.xpath for block in doc.blocks],
    ],
)
def test_blocks_in_depth_share_the_steps_of_their_xpaths(
    steps: list[int], xpaths: Callable[[Document], list[str]]
) -> None:
    doc = tamis.extract(deep(300, 400), method="kfeature")
    paths = xpaths(doc)
    assert len(paths) >= 400
    assert max(path.count("/") for path in paths) > 300
    assert len(steps) <= len(doc.page)


def test_records_in_depth_share_the_steps_of_their_xpaths(steps: list[int]) -> None:
    doc = tamis.extract("<div>" * 300 + listing(200), method="kfeature")
    assert len(doc.records) == 200
    data = doc.records.as_dict()
    paths = [path for field in data["fields"] for path in field["xpaths"] if path]
    assert len(paths) >= 600
    assert len(steps) <= len(doc.page) * (1 + len(data["fields"]))


def test_many_columns_of_one_name_are_numbered_in_linear_time() -> None:
    from tamis.records import Field, make_names_unique

    def fields(count: int) -> list[Field]:
        return [Field("price", "money", (1.0,), ("1",), (n,)) for n in range(count)]

    small, large = fields(500), fields(4000)
    assert [field.name for field in make_names_unique(small)][-2:] == ["price_499", "price_500"]
    assert growth(lambda: make_names_unique(small), lambda: make_names_unique(large)) < LINEAR
