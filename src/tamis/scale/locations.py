"""Paths and URLs: files on this machine, on object stores and behind HTTP, through fsspec.

Settings such as endpoints and keys come from the environment, as each library reads it: for S3
AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and so on, and FSSPEC_S3_ANON=true for public data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, Final, cast

import fsspec

from tamis.errors import SourceError
from tamis.source import printable_name

# At least two letters, as one letter before a colon is a drive.
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_BLOCK_BYTES: Final = 8 << 20  # of one request
# A write to these appears when it is complete, and not before.
_OBJECT_STORES: Final = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az"}


def url_scheme(location: str) -> str | None:
    """Return the scheme of a URL in lower case, None for a path."""
    match = _SCHEME.match(location)
    scheme = match[1].lower() if match else None
    return None if scheme in ("file", "local") else scheme


def normalise_location(location: str) -> str:
    """Return a path as an absolute one, and a URL as it is."""
    if url_scheme(location) is None:
        return os.path.abspath(re.sub(r"(?i)^(file|local)://", "", location))
    return location


def find_filesystem(location: str) -> tuple[Any, str]:
    """Return the filesystem that a location is on, and its path there."""
    try:
        filesystem, path = fsspec.core.url_to_fs(location)
    except (ImportError, ValueError) as error:
        raise SourceError(f"{printable_name(location)} cannot be opened ({error})") from error
    return filesystem, path


def is_object_store(location: str) -> bool:
    """Say whether what is written there appears at once and whole."""
    return url_scheme(location) in _OBJECT_STORES


@contextmanager
def open_location(location: str) -> Iterator[BinaryIO]:
    """Open a file to read; whatever its filesystem raises is a SourceError."""
    name = printable_name(location)
    with explain_read_errors(location):
        filesystem, path = find_filesystem(location)
        if url_scheme(location) is None:
            if os.path.exists(path) and not os.path.isfile(path):
                raise SourceError(f"{name} is no regular file")
            file: IO[bytes] = open(path, "rb")  # noqa: SIM115 - closed below
        else:
            file = filesystem.open(path, "rb", block_size=_BLOCK_BYTES, cache_type="readahead")
    with file:
        yield cast(BinaryIO, _ExplainingFile(file, location))


@contextmanager
def explain_read_errors(location: str) -> Iterator[None]:
    """Turn what filesystems raise into a SourceError: each library has errors of its own."""
    name = printable_name(location)
    try:
        yield
    except SourceError:
        raise
    except FileNotFoundError as error:
        raise SourceError(f"{name} does not exist: check the path") from error
    except PermissionError as error:
        raise SourceError(f"{name} may not be read: check its permissions, or the keys") from error
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise SourceError(f"{name} cannot be read ({reason})") from error


class _ExplainingFile:
    """A file that is read, whose errors are SourceErrors."""

    def __init__(self, file: IO[bytes], location: str) -> None:
        self._file = file
        self._location = location

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, fewer at the end."""
        with explain_read_errors(self._location):
            return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
