"""No page hangs, crashes or eats the memory: each gives a result or an error that says why."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

import pytest

from page import hostile
from tamis.errors import DeadlineExceeded, TooLarge
from tamis.page import MAX_DEPTH, Deadline, parse

PATIENCE = 20.0  # seconds, on a machine that does ten other things
SMALL = 60_000  # bytes


def serve(pipe: Connection) -> None:
    """Read pages on demand."""
    while True:
        name, size = pipe.recv()
        pipe.send(hostile.read(name, size))


class Reader:
    """A process that reads pages and may be lost on the way."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def read(self, name: str, size: int) -> dict[str, Any]:
        """Read a page; give the process up when it takes too long or is gone."""
        self.pipe.send((name, size))
        try:
            if self.pipe.poll(PATIENCE):
                outcome: dict[str, Any] = self.pipe.recv()
                return outcome
        except EOFError:
            pytest.fail(f"{name!r} of {size:,} bytes ends the process")
        self.process.kill()
        self.__init__()  # type: ignore[misc]
        pytest.fail(f"{name!r} of {size:,} bytes takes more than {PATIENCE} s")


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.process.kill()


def check(outcome: dict[str, Any]) -> None:
    """Check that a page gave a result within its limits, or an error of the tree."""
    assert outcome["seconds"] < PATIENCE
    if "error" in outcome:
        assert outcome["error"] == "TooLarge"
    else:
        assert outcome["depth"] <= MAX_DEPTH


@pytest.mark.parametrize("name", [*hostile.CASES, *hostile.random_cases()])
def test_time_is_linear(reader: Reader, name: str) -> None:
    """Four times the page takes four times as long; sixteen times would be quadratic."""
    small = large = float("inf")
    for _ in range(4):
        for _ in range(2):
            outcome = reader.read(name, SMALL)
            check(outcome)
            small = min(small, outcome["seconds"])
        outcome = reader.read(name, 4 * SMALL)
        check(outcome)
        large = min(large, outcome["seconds"])
        if large < 0.05 or large < 7 * small:
            return
    assert large < 10 * small


@pytest.mark.parametrize("name", hostile.tag_cases())
def test_any_element_50_000_times(reader: Reader, name: str) -> None:
    check(reader.read(name, 50_000 * len(name)))


def alone(name: str, size: int, **limits: Any) -> dict[str, Any]:
    """Read a page in a process of its own and see what memory it takes."""
    done = subprocess.run(
        [sys.executable, "-m", "page.hostile", name, str(size), json.dumps(limits)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
        check=True,
    )
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def check_memory(outcome: dict[str, Any]) -> None:
    """Check that a page took no more memory than promised."""
    assert outcome["memory"] < 20 * outcome["bytes"] + 100_000_000


UNLIMITED = {"max_bytes": 10**9, "max_nodes": 10**9}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell the peak of memory")
@pytest.mark.parametrize(
    ("name", "size", "refused"),
    [
        # as the first users' wish list names them
        ("binary junk", 1_000_000, False),
        ("NUL bytes", 5_000_000, False),
        ("one word", 50_000_000, True),
        ("<p>", 3_000_000, True),
        ("<div>", 1_000_000, False),
        ("<li>", 800_000, False),
        ("one word", 20_000_000, False),
        ("attributes", 900_000, False),
        ("unclosed everything", 300_000, False),
        ("UTF-16 without a mark", 2_000_000, False),
        ("misnested", 750_000, False),
        # what takes most memory for its size
        ("<p>", 1_190_000, False),
        ("<br>", 1_590_000, False),
        ("lost formatting", 6_000, False),
        ("lost formatting", 200_000, True),
        ("lost formatting, long", 6_000, False),
        ("lost formatting, long", 200_000, True),
        ("attributes of end tags", 1_000_000, False),
        ("classes", 2_000_000, False),
        ("text in tables", 1_500_000, False),
        ("text between cells", 800_000, False),
        ("spaces after the head", 2_000_000, False),
        ("ampersands", 3_900_000, False),
        ("ampersands", 20_000_000, True),
        ("quotes in an attribute", 20_000_000, True),
        ("NUL bytes in SVG", 20_000_000, True),
        ("invalid UTF-8", 10_000_000, False),
        ("references", 10_000_000, False),
        ("a style sheet", 12_000_000, False),
    ],
)
def test_memory_is_bounded(name: str, size: int, refused: bool) -> None:
    outcome = alone(name, size)
    check(outcome)
    check_memory(outcome)
    assert ("error" in outcome) == refused


@pytest.mark.parametrize(("name", "size"), [("one word", 50_000_000), ("<p>", 3_000_000)])
def test_larger_pages_are_read_when_asked_for(name: str, size: int) -> None:
    outcome = alone(name, size, **UNLIMITED)
    check(outcome)
    assert outcome["rows"] == 4 if name == "one word" else 1_000_003


def test_no_input() -> None:
    assert parse("").text == parse(b"").text == parse(b"\xef\xbb\xbf").text == ""


def test_limits_are_told() -> None:
    with pytest.raises(
        TooLarge, match=r"1,003 bytes, the limit is 1,000; raise it with max_bytes="
    ):
        parse(b"<p>" + b"x" * 1000, max_bytes=1000)
    with pytest.raises(TooLarge, match=r"nodes, the limit is 1,000; raise it with max_nodes="):
        parse("<p>" * 1000, max_nodes=1000)
    with pytest.raises(TooLarge, match="bytes"):
        parse("é" * 600, max_bytes=1000)
    assert parse("<p>" * 1000, max_nodes=1100).tag.size == 1003


def test_limits_count_what_the_parser_makes_of_references() -> None:
    with pytest.raises(TooLarge, match="bytes when normalised"):
        parse(b"&" * 5_000_000, max_bytes=6_000_000)
    assert parse(b"&" * 5_000_000, max_bytes=20_000_000).chars.sum() == 5_000_000


def test_the_deadline_is_kept() -> None:
    with pytest.raises(DeadlineExceeded, match=r"deadline of 0 s passed before"):
        parse("<p>x", deadline=0)
    late = Deadline(1.0, start=time.monotonic() - 2)
    with pytest.raises(DeadlineExceeded):
        parse("<p>x", deadline=late)
    assert parse("<p>x", deadline=None).text == parse("<p>x", deadline=Deadline()).text == "x"
