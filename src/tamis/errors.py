"""The error tree: everything tamis raises on purpose descends from TamisError.

A message says what happened and what the user can do about it.
"""

from __future__ import annotations


class TamisError(Exception):
    """Base of all errors that tamis raises on purpose."""


class InputError(TamisError):
    """The input cannot be used as given."""


class TooLarge(InputError):
    """The page exceeds a limit on bytes or nodes; the limit can be raised by an argument."""


class SourceError(InputError):
    """A file, folder, list or URL cannot be read."""


class FetchError(SourceError):
    """A URL was not fetched: refused address, HTTP error, too many redirects, time-out."""


class FetchTooLarge(FetchError, TooLarge):
    """A URL was not fetched, as its page exceeds the limit on bytes."""


class RenderError(InputError):
    """A browser could not lay the page out: it crashed, ate too much memory or went elsewhere."""


class NeedsLayout(InputError):
    """A segmenter or identifier that looks at the page got one without layout."""


class DeadlineExceeded(TamisError):
    """The work was given up because its deadline passed."""


class WrongType(TamisError, TypeError):
    """An argument is of a type that cannot be used; the message says what to give."""


class UnknownName(TamisError, ValueError):
    """A method, segmenter, identifier or format of that name does not exist."""


class Uncompiled(UserWarning):
    """A warning: without its compiled kernel tamis is slow; the message says how to get one."""


class PoorMatch(UserWarning):
    """A warning: the template of a site does not fit a page, which is read without it."""


class Misaligned(UserWarning):
    """A warning: the browser understood a page differently, and part of it has no layout."""


class Unavailable(TamisError):
    """An optional part is not installed; the message names the extra to install."""


class StoreError(TamisError):
    """A block store cannot be opened, read or written; the message says what to do."""


def unavailable(what: str, *extras: str) -> Unavailable:
    """Return the error for an optional part, with what to type for any of the extras that have it.

    Of a release the extra is that of the package, in a clone it is that of the folder.
    """
    released, cloned = (
        " or ".join(f"'{name}[{extra}]'" for extra in extras) for name in ("tamis", ".")
    )
    return Unavailable(f"{what}: pip install {released}, or in a clone pip install {cloned}")


def check_argument(name: str, value: object, kinds: type | tuple[type, ...], give: str) -> None:
    """Raise WrongType for an argument that is of none of some types; `give` says what to give."""
    if not isinstance(value, kinds):
        raise WrongType(f"{name} is of type {type(value).__name__}: give {give}")
