"""Moments and days ↔ the numbers that a store has for them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from types import NoneType
from typing import Final

from tamis.errors import InputError, check_argument

DAY: Final = 86_400_000_000  # microseconds
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_DAY: Final = EPOCH.toordinal()
LAST_DAY: Final = date.max.toordinal()
_TICK: Final = timedelta(microseconds=1)
FIRST_MOMENT: Final = (datetime.min.replace(tzinfo=UTC) - EPOCH) // _TICK
LAST_MOMENT: Final = (datetime.max.replace(tzinfo=UTC) - EPOCH) // _TICK


def microseconds(moment: datetime | None) -> int:
    """Return a moment as microseconds since 1970; None is now, a time without zone is UTC."""
    if moment is None:
        moment = datetime.now(UTC)
    elif not isinstance(moment, datetime):
        raise InputError(f"fetched_at is {moment!r}: give a datetime, or leave it out for now")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    counted = (moment - EPOCH) // _TICK
    if not FIRST_MOMENT <= counted <= LAST_MOMENT:  # the zone took it out of the calendar
        raise InputError(f"fetched_at is {moment!r}: give a time of the years 1 to 9999 in UTC")
    return counted


def moment_of(stored: int) -> datetime:
    """Return the moment that a number stands for."""
    return EPOCH + timedelta(microseconds=stored)


def day_number(day: date | str | None) -> int | None:
    """Return a day as the number that a store has for it; text is YYYY-MM-DD."""
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day)
        except ValueError as error:
            raise InputError(f"{day!r} is no day: write it as 2026-11-16") from error
    check_argument("a day", day, (date, NoneType), "a date, or text such as 2026-11-16")
    return day.toordinal() if day else None


def day_of(stored: int | None) -> date | None:
    """Return the day that a number stands for."""
    return date.fromordinal(stored) if stored else None
