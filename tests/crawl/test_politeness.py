"""When hosts are asked, by a clock that the tests turn."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import formatdate

import pytest

from tamis.crawl import MAX_BACKOFF, MIN_BACKOFF, SLOW, Pacer, parse_retry_after


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def ask(
    pacer: Pacer, clock: Clock, status: int | None = 200, latency: float = 0.1, **more: float
) -> float:
    number = pacer.start("a")
    clock.now += latency
    return pacer.end(number, status, **more)


def test_one_request_at_a_time(clock: Clock) -> None:
    pacer = Pacer(delay=2, clock=clock)
    assert pacer.is_ready("a")
    number = pacer.start("a")
    clock.now += 100
    assert not pacer.is_ready("a")
    assert pacer.ready_at("a") is None
    assert pacer.is_ready("b")
    pacer.end(number, 200)
    assert not pacer.is_ready("a")


def test_the_delay_counts_from_the_end_of_a_request(clock: Clock) -> None:
    pacer = Pacer(delay=2, clock=clock)
    ask(pacer, clock)
    assert pacer.ready_at("a") == clock.now + 2
    clock.now += 1.9
    assert not pacer.is_ready("a")
    clock.now += 0.2
    assert pacer.is_ready("a")


def test_several_requests_at_once_keep_their_distance(clock: Clock) -> None:
    pacer = Pacer(delay=2, per_host=2, clock=clock)
    pacer.start("a")
    assert not pacer.is_ready("a")
    clock.now += 2
    pacer.start("a")
    clock.now += 10
    assert not pacer.is_ready("a")


def test_a_slow_host_is_asked_less_often(clock: Clock) -> None:
    pacer = Pacer(delay=1, clock=clock)
    pauses = [ask(pacer, clock, latency=8) for _ in range(20)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == pytest.approx(8, rel=0.01)
    for _ in range(20):
        ask(pacer, clock)
    assert ask(pacer, clock) == pytest.approx(1, rel=0.01)


def test_quick_errors_make_nothing_quicker(clock: Clock) -> None:
    pacer = Pacer(delay=1, clock=clock)
    slow = [ask(pacer, clock, latency=8) for _ in range(20)][-1]
    assert all(ask(pacer, clock, status, 0.001) == slow for status in (500, None, 502))


def test_what_robots_txt_asks_for(clock: Clock) -> None:
    pacer = Pacer(delay=0, clock=clock)
    pacer.set_asked_delay("a", 30)
    assert ask(pacer, clock) == 30


@pytest.mark.parametrize("status", [429, 503])
def test_back_off(clock: Clock, status: int) -> None:
    pacer = Pacer(delay=0, clock=clock)
    pauses = [ask(pacer, clock, status) for _ in range(12)]
    assert pauses[:3] == [MIN_BACKOFF, 2 * MIN_BACKOFF, 4 * MIN_BACKOFF]
    assert pauses[-1] == MAX_BACKOFF
    clock.now += MAX_BACKOFF
    ask(pacer, clock)
    clock.now += 60
    assert ask(pacer, clock, status) == MIN_BACKOFF


def test_retry_after_is_kept_to(clock: Clock) -> None:
    pacer = Pacer(delay=0, clock=clock)
    assert ask(pacer, clock, 503, retry_after=90.0) == 90
    assert ask(pacer, clock, 503, retry_after=1.0) == 2 * MIN_BACKOFF
    assert ask(pacer, clock, 429, retry_after=1e9) == 24 * 3600


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 0 ", 0),
        (formatdate(1_000_060, usegmt=True), 60),
        (formatdate(999_000, usegmt=True), 0),
        ("9" * 40, 24 * 3600),
        ("soon", None),
        ("-5", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, 1_000_000) == seconds


def test_slow_hosts_hold_no_slot_of_others(clock: Clock) -> None:
    pacer = Pacer(delay=0, total=4, clock=clock)
    slow = [pacer.start(f"slow{number}") for number in range(4)]
    assert not pacer.has_capacity()
    clock.now += SLOW
    assert pacer.has_capacity()
    quick = [pacer.start(f"quick{number}") for number in range(4)]
    assert not pacer.has_capacity()
    pacer.end(quick[2], 200)
    assert pacer.has_capacity()
    for number in slow:
        pacer.end(number, None)
    assert pacer.has_capacity()


def test_open_requests_are_bounded_all_the_same(clock: Clock) -> None:
    pacer = Pacer(delay=0, total=2, clock=clock)
    count = 0
    while pacer.has_capacity() and count < 1_000:
        pacer.start(f"host{count}")
        count += 1
        clock.now += SLOW
    assert count == 32


def test_hosts_that_are_slow(clock: Clock) -> None:
    pacer = Pacer(delay=1, clock=clock)
    number = pacer.start("a")
    assert not pacer.is_slow("a")
    clock.now += SLOW + 1
    assert pacer.is_slow("a")  # it does not answer
    pacer.end(number, 200)
    assert not pacer.is_slow("a")
    pacer.end(pacer.start("b"), 503, retry_after=100)
    assert pacer.is_slow("b")
