"""What columns of a store hold: checks of the values that are read, and times as numbers.

A file that others wrote or damaged may hold anything: a column of SQLite takes values of any type,
whatever its declaration says. Each query therefore names a check for each column that it reads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from types import NoneType
from typing import Any, Final

from tamis.errors import InputError, StoreError, check_argument

DIGEST_SIZE: Final = 16  # bytes of a hash: no two pieces have the same one
MINHASH_VALUES: Final = 64  # of a signature: similarity is estimated to ± 0.05
MINHASH_VALUE_SIZE: Final = 4  # bytes of each
MAX_PIECES: Final = 2**20  # of a page: two and a half times the nodes that a page may have
MAX_STATED_SIZE: Final = 2**31  # bytes that a page may be recorded to have
_MAX_NUMBER: Final = 2**62  # so that the sum of two numbers fits into a column as well

Check = Callable[[Any], None]  # raises StoreError for a value that no store has written


def damaged(what: str) -> StoreError:
    """Return the error for something that is not as it was stored."""
    return StoreError(f"the store is damaged ({what} cannot be read): put back a copy of it")


def _check_number(low: int = 0, high: int = _MAX_NUMBER, *, optional: bool = False) -> Check:
    def check(value: Any) -> None:
        if not ((isinstance(value, int) and low <= value <= high) or (optional and value is None)):
            raise damaged(f"{_describe(value)}, which should be a number up to {high},")

    return check


def _check_text(*, optional: bool = False) -> Check:
    def check(value: Any) -> None:
        if not (isinstance(value, str) or (optional and value is None)):
            raise damaged(f"{_describe(value)}, which should be a text,")

    return check


def _check_bytes(size: int | None = None, step: int = 1, *, optional: bool = False) -> Check:
    """Return a check for bytes, of one size if it is given, or of a multiple of `step`."""

    def check(value: Any) -> None:
        if optional and value is None:
            return
        if (
            not isinstance(value, bytes)
            or len(value) % step
            or (size is not None and len(value) != size)
        ):
            expected = "bytes" if size is None else f"{size} bytes"
            raise damaged(f"{_describe(value)}, which should be {expected},")

    return check


def _check_real(value: Any) -> None:
    if isinstance(value, bool) or not (isinstance(value, int | float) and math.isfinite(value)):
        raise damaged(f"{_describe(value)}, which should be a number,")


def _describe(value: object) -> str:
    """Return a value as a message names it."""
    return repr(value) if isinstance(value, int | float) else f"a value of {type(value).__name__}"


_DAY: Final = 86_400_000_000  # microseconds
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)
_FIRST_TIME: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _TICK
_LAST_TIME: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _TICK

NUMBER: Final = _check_number()
NUMBER_OR_NULL: Final = _check_number(optional=True)
REAL: Final = _check_real
FLAG: Final = _check_number(0, 1)
SIZE: Final = _check_number(0, MAX_STATED_SIZE)
PIECE_COUNT: Final = _check_number(0, MAX_PIECES)
TIME: Final = _check_number(_FIRST_TIME, _LAST_TIME)  # microseconds since 1970, UTC
DAY_OR_NULL: Final = _check_number(1, date.max.toordinal(), optional=True)  # date.toordinal()
TEXT: Final = _check_text()
TEXT_OR_NULL: Final = _check_text(optional=True)
BYTES: Final = _check_bytes()
DIGEST: Final = _check_bytes(DIGEST_SIZE)
DIGEST_OR_NULL: Final = _check_bytes(DIGEST_SIZE, optional=True)
DIGESTS: Final = _check_bytes(step=DIGEST_SIZE)  # any number of them, end to end
MINHASH_OR_NULL: Final = _check_bytes(MINHASH_VALUES * MINHASH_VALUE_SIZE, optional=True)

# The day of a page: the one that it states or, if it states none, the one it was fetched on. The
# sum makes times positive first, because databases round quotients below 0 towards 0.
PAGE_DAY_SQL: Final = (
    f"coalesce(v.published, (v.fetched_at + {_DAY * _EPOCH.toordinal()}) / {_DAY})"
)


def page_day(published: int | None, fetched_at: int) -> int:
    """Return the day of a page as PAGE_DAY_SQL computes it."""
    return published or fetched_at // _DAY + _EPOCH.toordinal()


def encode_time(time: datetime | None) -> int:
    """Return a time as microseconds since 1970; None is now, a time without zone is UTC."""
    if time is None:
        time = datetime.now(UTC)
    elif not isinstance(time, datetime):
        raise InputError(f"fetched_at is {time!r}: give a datetime, or leave it out for now")
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    ticks = (time - _EPOCH) // _TICK
    if not _FIRST_TIME <= ticks <= _LAST_TIME:  # its zone puts it outside of the calendar
        raise InputError(f"fetched_at is {time!r}: give a time of the years 1 to 9999 in UTC")
    return ticks


def decode_time(ticks: int) -> datetime:
    """Return the time that a number stands for."""
    return _EPOCH + timedelta(microseconds=ticks)


def encode_day(day: date | str | None) -> int | None:
    """Return a day as the number that a store has for it; a text is YYYY-MM-DD."""
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day)
        except ValueError as error:
            raise InputError(f"{day!r} is no day: write it as 2026-11-16") from error
    check_argument("a day", day, (date, NoneType), "a date, or text such as 2026-11-16")
    return day.toordinal() if day else None


def decode_day(number: int | None) -> date | None:
    """Return the day that a number stands for."""
    return date.fromordinal(number) if number else None
