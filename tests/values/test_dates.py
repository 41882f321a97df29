"""Dates: every way to write a day, in texts, timestamps and URLs, and relative to today."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.html_strategies import patient
from tamis.values import find_days, parse_relative_date, parse_timestamp, url_date


@pytest.mark.parametrize(
    "text",
    [
        "2012-03-05",
        "2012/3/5",
        "2012.03.05",
        "March 5, 2012",
        "Mar. 5th 2012",
        "5 March 2012",
        "5th of March, 2012",
        "05-Mar-2012",
        "2012 Mar 5",
        "5. März 2012",
        "5 mars 2012",
        "5 de marzo de 2012",
        "5 de março de 2012",
        "5 marzo 2012",
        "5 maart 2012",
        "5 marca 2012",
        "5 марта 2012",
        "2012年3月5日",
        "2012 年 3 月 5 日",
        "2012년 3월 5일",
        "05.03.2012",
        "3/5/2012",
        "3/5/12",
    ],
)
def test_ways_to_write_a_day(text: str) -> None:
    assert list(find_days(f"On {text} it rained.")) == [date(2012, 3, 5)]


@pytest.mark.parametrize(
    "text",
    (
        "2012-13-05|2012-02-30|31/31/2012|1.2.3.2012|5 apples 2012|192.168.10.12|version 10.2.15|"
        "1985-03-05|call 555-12-2012-3|$3/5/2012|12012-03-05"
    ).split("|"),
)
def test_texts_without_a_date(text: str) -> None:
    assert list(find_days(text)) == []


def test_dates_come_in_the_order_of_the_text() -> None:
    text = "From May 1, 2010 to 2 June 2011 and 2012-03-05"
    assert list(find_days(text)) == [date(2010, 5, 1), date(2011, 6, 2), date(2012, 3, 5)]


@pytest.mark.parametrize(
    "text",
    ["2012-03-05T10:00:00Z", "20120305", "20120305T100000", " 2012-03-05 10:00", "2012-03-05"],
)
def test_timestamps(text: str) -> None:
    assert parse_timestamp(text) == date(2012, 3, 5)


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://example.org/2012/03/05/bridge", date(2012, 3, 5)),
        ("https://example.org/news/2012-3-5-bridge", date(2012, 3, 5)),
        ("https://example.org/lu/2012-03/05/c_1.html", date(2012, 3, 5)),
        ("https://example.org/20120305/bridge", date(2012, 3, 5)),
        ("https://example.org/2012/12/bridge", None),
        ("https://example.org/a?d=/2012/03/05/", None),
        ("https://example.org/id/2012030512", None),
    ],
)
def test_dates_in_urls(url: str, day: date | None) -> None:
    assert url_date(url) == day


@given(st.dates(date(1990, 1, 1), date(2099, 12, 31)))
def test_every_day_is_read_back(day: date) -> None:
    assert parse_timestamp(day.isoformat()) == day
    assert list(find_days(f"{day:%B} {day.day}, {day.year}")) == [day]
    assert list(find_days(f"{day.year}年{day.month}月{day.day}日")) == [day]


@given(st.text(alphabet="0123456789-/. 年月日,MarchJul", max_size=80))
def test_any_text_has_only_dates_of_the_web(text: str) -> None:
    assert all(day.year >= 1990 for day in find_days(text))


def test_the_order_of_day_and_month_follows_the_caller() -> None:
    assert list(find_days("5/3/2012", month_first=False)) == [date(2012, 3, 5)]
    assert list(find_days("25/3/2012")) == [date(2012, 3, 25)]


TODAY = date(2024, 3, 31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 days ago", "2024-03-28"),
        ("yesterday", "2024-03-30"),
        ("Yesterday, 14:02", "2024-03-30"),
        ("submitted 2 hours ago", "2024-03-31"),
        ("30 hours ago", "2024-03-30"),
        ("about a year ago", "2023-03-31"),
        ("1 month ago", "2024-02-29"),
        ("2 years 1 month ago", "2022-03-31"),
        ("2 weeks ago", "2024-03-17"),
        ("vor 2 Wochen", "2024-03-17"),
        ("il y a 3 jours", "2024-03-28"),
        ("hace 2 meses", "2024-01-31"),
        ("just now", "2024-03-31"),
        ("3 bottles ago", None),
        ("Today's specials", "2024-03-31"),
        ("30+ days ago", "2024-03-01"),
        ("Just posted", "2024-03-31"),
        ("long ago", None),
        ("9999 years ago", None),
        ("days ago", None),
    ],
)
def test_relative_dates(text: str, expected: str | None) -> None:
    match = parse_relative_date(text, TODAY)
    assert (match[0].isoformat() if match else None) == expected


@patient
@given(st.text(max_size=60), st.dates())
def test_relative_dates_are_never_in_the_future(text: str, today: date) -> None:
    match = parse_relative_date(f"{text} ago", today)
    assert match is None or match[0] <= today
