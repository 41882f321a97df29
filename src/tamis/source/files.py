"""The bytes of files and of standard input: within a limit, unpacked, and no binary data."""

from __future__ import annotations

import os
import re
import stat
import sys
from typing import BinaryIO, Final

from tamis.errors import SourceError, TooLarge
from tamis.source.compression import GZIP_MAGIC, SLACK, gunzip
from tamis.source.sources import printable_name

# First bytes that no page has, and what they say.
_BINARY_KINDS: Final = {
    b"%PDF-": "a PDF file",
    b"\x89PNG\r\n": "a PNG image",
    b"GIF87a": "a GIF image",
    b"GIF89a": "a GIF image",
    b"\xff\xd8\xff": "a JPEG image",
    b"PK\x03\x04": "a ZIP file (or a document or book that is one)",
    b"\x1f\x8b": "a gzip file inside another",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Office document",
    b"SQLite format 3\0": "a SQLite database",
    b"\x7fELF": "a program",
}
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")  # of UTF-16 and UTF-32
_SAMPLE_BYTES: Final = 2**16
_MIN_SAMPLE_BYTES: Final = 256  # fewer do not show whether data is binary
_CONTROL: Final = bytes({*range(32)} - set(b"\t\n\v\f\r\x1b"))  # in no text, whatever its charset
_MAX_CONTROL_SHARE: Final = 0.05  # of a text; random bytes have twice that
_MIN_NUL_SHARE: Final = 0.9  # of every second byte in UTF-16, of every fourth in UTF-32
_MAX_NUL_SHARE: Final = 0.8  # of all bytes; Latin text in UTF-32 has three of four
_MARKUP: Final = re.compile(
    rb"<(!doctype|!--|\?xml|/?(html|head|body|title|meta|script|style|div|span|table|t[rdh]|p|a|br"
    rb"|h[1-6]|ul|ol|li|img|font|center|article|section|main|nav|pre|frameset))[\s>/]",
    re.IGNORECASE,
)


def read_file(path: str, max_bytes: int) -> bytes:
    """Read a regular file, unpacked if it is gzip data."""
    name = printable_name(path)
    try:
        with open_regular_file(path) as file:
            data = _read_limited(file, name, max_bytes)
    except (OSError, ValueError) as error:
        raise SourceError(_read_error_message(error, path)) from error
    if path.lower().endswith(".gz") and not data.startswith(GZIP_MAGIC):
        raise SourceError(
            f"{name} is not a gzip file: remove .gz from its name to read it as it is"
        )
    return unpack_page(data, name, max_bytes)


def read_stdin(max_bytes: int) -> bytes:
    """Read standard input to its end, unpacked if it is gzip data."""
    if sys.stdin is None:
        raise SourceError("there is no standard input to read: name a file instead of -")
    try:
        data = _read_limited(sys.stdin.buffer, "standard input", max_bytes)
    except (OSError, ValueError) as error:
        raise SourceError(f"standard input cannot be read ({error}): name a file") from error
    return unpack_page(data, "standard input", max_bytes)


def open_regular_file(path: str) -> BinaryIO:
    """Open a regular file; SourceError for a folder, a pipe or a device."""
    # Non-blocking, as opening a pipe would otherwise wait for its writer. The kind is that of the
    # opened file, not of the path, so that nothing can take the file's name in between.
    flags = ("O_BINARY", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC")
    descriptor = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise SourceError(_folder_message(path))
        if not stat.S_ISREG(mode):
            raise SourceError(
                f"{printable_name(path)} is a pipe or a device, not a file: "
                "redirect it to standard input and use - to read it"
            )
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _read_limited(file: BinaryIO, name: str, max_bytes: int) -> bytes:
    """Return all bytes of a file, packed or not; TooLarge past the limit."""
    limit = max_bytes + SLACK
    data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLarge(too_large_message(name, max_bytes))
    return data


def unpack_page(data: bytes, name: str, max_bytes: int) -> bytes:
    """Unpack gzip data, check the rest; TooLarge past the limit, SourceError for binary data."""
    # No page starts with these two bytes, so the name does not have to end in .gz.
    if data.startswith(GZIP_MAGIC):
        try:
            data = gunzip(data, max_bytes)
        except ValueError as error:
            raise SourceError(f"{name} cannot be unpacked ({error}): get the file again") from error
    if len(data) > max_bytes:
        raise TooLarge(too_large_message(name, max_bytes))
    if kind := binary_kind(data):
        raise SourceError(f"{name} is {kind}, not HTML: give a web page")
    return data


def binary_kind(data: bytes) -> str | None:
    """Return what kind of binary data this is, in words; None if it may be a page.

    Data with a tag in it is a page, however odd, and so is any text in any charset.
    """
    for magic, kind in _BINARY_KINDS.items():
        if data.startswith(magic):
            return kind
    sample = data[:_SAMPLE_BYTES]
    if len(sample) < _MIN_SAMPLE_BYTES or sample.startswith(_BOMS):
        return None
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    if controls <= _MAX_CONTROL_SHARE * len(sample) or _is_wide(sample):
        return None
    # With the NULs removed, tags are visible in UTF-16 and UTF-32 as well.
    return None if _MARKUP.search(sample.translate(None, b"\0")) else "binary data"


def _is_wide(sample: bytes) -> bool:
    """Say whether NULs are where UTF-16 has them in Latin text, or UTF-32 in any text."""
    if sample.count(0) > _MAX_NUL_SHARE * len(sample):
        return False
    strides = (sample[::2], sample[1::2], sample[::4], sample[3::4])
    return any(stride.count(0) >= _MIN_NUL_SHARE * len(stride) for stride in strides)


def too_large_message(name: str, max_bytes: int) -> str:
    """Return the message for a page of more than `max_bytes` bytes."""
    advice = "raise the limit with max_bytes= (--max-bytes)"
    return f"{name} has more than {max_bytes:,} bytes; {advice}"


def _folder_message(path: str) -> str:
    """Return the message for a folder where a file is expected."""
    name = printable_name(path)
    return f"{name} is a folder, not a file: give the folder itself as input to read its pages"


def _read_error_message(error: OSError | ValueError, path: str) -> str:
    """Return the message for a file that cannot be opened or read."""
    name = printable_name(path)
    if isinstance(error, FileNotFoundError) and os.path.islink(path):
        return f"{name} is a link to a file that does not exist: repair or remove the link"
    if isinstance(error, FileNotFoundError):
        return f"{name} does not exist: check the path"
    if isinstance(error, PermissionError) and os.path.isdir(path):
        return _folder_message(path)
    if isinstance(error, PermissionError):
        return f"{name} may not be read by this user: change its permissions"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{name} cannot be read ({reason}): check the path"
