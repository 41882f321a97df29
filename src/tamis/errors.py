"""The error tree: every error that tamis raises on purpose is a TamisError.

    TamisError
    ├── InputError
    │   ├── TooLarge
    │   ├── SourceError
    │   │   └── FetchError
    │   │       ├── FetchTooLarge (also a TooLarge)
    │   │       └── PrivateAddress
    │   ├── RenderError
    │   └── NeedsLayout
    ├── DeadlineExceeded
    ├── OutOfMemory
    ├── WorkerDied
    ├── WorkerStartFailed
    ├── WrongType (also a TypeError)
    ├── UnknownName (also a ValueError)
    ├── Unavailable
    └── StoreError

A message says what happened and what the user can do about it. `PoorMatch` and `Misaligned`
are warnings.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Final

_MAX_NUMBER: Final = 1e12  # of parameters: greater ones could overflow


class TamisError(Exception):
    """Base of all errors that tamis raises on purpose."""


class InputError(TamisError):
    """The input cannot be used as given."""


class TooLarge(InputError):
    """The page exceeds a limit on bytes or nodes; the limit can be raised by an argument."""


class SourceError(InputError):
    """A file, folder, list or URL cannot be read."""


class FetchError(SourceError):
    """A URL was not fetched: private IP address, HTTP error, too many redirects, time-out."""


class FetchTooLarge(FetchError, TooLarge):
    """A URL was not fetched because its page exceeds the limit on bytes."""


class PrivateAddress(FetchError):
    """A URL was not fetched because it leads to an IP address that is not public."""


class RenderError(InputError):
    """A browser could not lay out the page: it crashed, ran out of memory or left the page."""


class NeedsLayout(InputError):
    """A segmenter or identifier that needs layout got a page without it."""


class DeadlineExceeded(TamisError):
    """The work was given up because its deadline passed."""


class OutOfMemory(TamisError):
    """A page needs more memory than its worker may use."""


class WorkerDied(TamisError):
    """The worker that read a page crashed or was killed."""


class WorkerStartFailed(TamisError):
    """No worker can be started, so that no page can be read; the message says why."""


class WrongType(TamisError, TypeError):
    """An argument is of a type that cannot be used; the message says what to give."""


class UnknownName(TamisError, ValueError):
    """A method, segmenter, identifier or format of that name does not exist."""


class PoorMatch(UserWarning):
    """A warning: the template of a site does not fit a page, which is extracted without it."""


class Misaligned(UserWarning):
    """A warning: the browser parsed a page differently, so part of it has no layout."""


class Unavailable(TamisError):
    """An optional part is not installed; the message names the extra to install."""


class StoreError(TamisError):
    """A block store cannot be opened, read or written; the message says what to do."""


def unavailable(what: str, *extras: str) -> Unavailable:
    """Return the error for an optional part that is missing, with what to type to install it.

    Any one of `extras` installs it: as an extra of the package, or in a clone of the folder.
    """
    released, cloned = (
        " or ".join(f"'{name}[{extra}]'" for extra in extras) for name in ("tamis", ".")
    )
    return Unavailable(f"{what}: pip install {released}, or in a clone pip install {cloned}")


def check_argument(name: str, value: object, types: type | tuple[type, ...], expected: str) -> None:
    """Raise WrongType for an argument of another type; the message tells to give `expected`."""
    if not isinstance(value, types):
        raise WrongType(f"{name} is of type {type(value).__name__}: give {expected}")


def check_number(
    name: str,
    value: object,
    low: float,
    high: float = _MAX_NUMBER,
    *,
    whole: bool = False,
    above: bool = False,
) -> None:
    """Raise InputError for a parameter outside of a range, which is closed unless `above` is set.

    With `above` the lower end is no part of the range. What is not a number at all, such as nan, is
    in no range.
    """
    kind = "whole number" if whole else "number"
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        raise WrongType(f"{name} is of type {type(value).__name__}: give a {kind}")
    number: Any = value
    if low <= number <= high and not (above and number == low):
        return
    ends = f"{'above' if above else 'from'} {low:g}"
    if high < _MAX_NUMBER or number > high:
        ends += f"{' and up' if above else ''} to {high:g}"
    raise InputError(f"{name} is {value}: take a {kind} {ends}")


def check_not_empty(name: str, values: object, expected: str) -> None:
    """Raise an error for a parameter that is no tuple, or one without values."""
    check_argument(name, values, tuple, f"a tuple of {expected}")
    if not values:
        raise InputError(f"{name} is empty: name at least one of {expected}")
