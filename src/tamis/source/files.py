"""The bytes of files and of standard input, within a limit and unpacked."""

from __future__ import annotations

import os
import stat
import sys
from typing import BinaryIO

from tamis.errors import SourceError, TooLarge
from tamis.source.binary import binary_kind
from tamis.source.items import shown
from tamis.source.unpacked import GZIP_MAGIC, SLACK, gunzip


def file_bytes(path: str, max_bytes: int) -> bytes:
    """Read a regular file, gunzipped where it is gzip data."""
    name = shown(path)
    try:
        with opened(path) as file:
            data = _limited(file, name, max_bytes)
    except (OSError, ValueError) as error:
        raise SourceError(_explained(error, path)) from error
    if path.lower().endswith(".gz") and not data.startswith(GZIP_MAGIC):
        raise SourceError(
            f"{name} is not a gzip file: remove .gz from its name to read it as it is"
        )
    return _unpacked(data, name, max_bytes)


def stdin_bytes(max_bytes: int) -> bytes:
    """Read standard input to its end, gunzipped where it is gzip data."""
    if sys.stdin is None:
        raise SourceError("there is no standard input to read: name a file instead of -")
    try:
        data = _limited(sys.stdin.buffer, "standard input", max_bytes)
    except (OSError, ValueError) as error:
        raise SourceError(f"standard input cannot be read ({error}): name a file") from error
    return _unpacked(data, "standard input", max_bytes)


def exceeds(name: str, max_bytes: int) -> str:
    """The message for a page of more than `max_bytes` bytes."""
    limit = "raise the limit with max_bytes= (--max-bytes)"
    return f"{name} has more than {max_bytes:,} bytes; {limit}"


def opened(path: str) -> BinaryIO:
    """Open a regular file; SourceError for a folder, a pipe or a device."""
    # Non-blocking, as opening a pipe would otherwise wait for its writer; and the opened file is
    # asked for its kind, not the path, so that nothing can be put in its place in between.
    flags = ("O_BINARY", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC")
    descriptor = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise SourceError(_folder(path))
        if not stat.S_ISREG(mode):
            raise SourceError(
                f"{shown(path)} is a pipe or a device, not a file: redirect it to standard input "
                "and use - to read it"
            )
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _limited(file: BinaryIO, name: str, max_bytes: int) -> bytes:
    """All bytes of `file`, packed or not; TooLarge past the limit."""
    limit = max_bytes + SLACK
    data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLarge(exceeds(name, max_bytes))
    return data


def _unpacked(data: bytes, name: str, max_bytes: int) -> bytes:
    """`data` gunzipped if it is gzip data; TooLarge past the limit, SourceError for no page."""
    # No page starts with these two bytes, so the name does not have to say that it is packed.
    if data.startswith(GZIP_MAGIC):
        try:
            data = gunzip(data, max_bytes)
        except ValueError as error:
            raise SourceError(f"{name} cannot be unpacked ({error}): get the file again") from error
    if len(data) > max_bytes:
        raise TooLarge(exceeds(name, max_bytes))
    if kind := binary_kind(data):
        raise SourceError(f"{name} is {kind}, not HTML: give a web page")
    return data


def _folder(path: str) -> str:
    """The message for a folder where a file is expected."""
    return (
        f"{shown(path)} is a folder, not a file: give the folder itself as input to read its pages"
    )


def _explained(error: OSError | ValueError, path: str) -> str:
    """The message for a file that cannot be opened or read."""
    name = shown(path)
    if isinstance(error, FileNotFoundError) and os.path.islink(path):
        return f"{name} is a link to a file that does not exist: repair or remove the link"
    if isinstance(error, FileNotFoundError):
        return f"{name} does not exist: check the path"
    if isinstance(error, PermissionError) and os.path.isdir(path):
        return _folder(path)
    if isinstance(error, PermissionError):
        return f"{name} may not be read by this user: change its permissions"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{name} cannot be read ({reason}): check the path"
