"""What flows through this package: places, and what reading them gives.

Compressed bytes, unpacked no further than a limit.

Files that are plainly no pages: documents, pictures, archives, noise.

The bytes of files and of standard input, within a limit and unpacked.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final, Literal

from tamis.errors import InputError, SourceError, TooLarge

Kind = Literal["file", "url", "stdin", "archive"]
Reason = Literal["no page", "hidden", "linked"]


@dataclass(frozen=True, slots=True)
class Input:
    """Where one page is, or an archive of many; `problem` says why it can never be read."""

    name: str
    kind: Kind
    location: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one page, its address where known, and the charset that HTTP declared.

    Of a page in an archive `fetched_at` is when it was fetched.
    """

    name: str
    url: str | None
    data: bytes
    charset: str | None
    fetched_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that could not be read: one bad page never stops a run."""

    name: str
    error: InputError
    of_archive: bool = False  # whether no page of it is meant, but the archive as such


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is in a folder that was given as input and is not read, and why.

    Its name is not that of a page, it is hidden, or it is a link to a folder.
    """

    folder: str  # as it was given
    path: str
    reason: Reason


def printable_name(path: str) -> str:
    """`path` in a form that can be printed and stored, whatever bytes the file name has."""
    # Python keeps undecodable bytes of file names as surrogates, which no encoder accepts.
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # other surrogates, which stand for no byte
        return path.encode("utf-8", "backslashreplace").decode("utf-8")


GZIP_MAGIC = b"\x1f\x8b"
# Compressing can make data larger (headers, stored blocks): so much more than the limit may be
# read before it is known that the unpacked data exceeds it.
SLACK = 2**16

_GZIP, _ZLIB, _RAW = 31, 15, -15
# Each further member copies what is left, so their number is bounded; a page has one.
_MAX_MEMBERS = 1000


def gunzip(data: bytes, limit: int) -> bytes:
    """Unpack all members of a gzip file; at most `limit + 1` bytes, ValueError for damaged data."""
    if not data.startswith(GZIP_MAGIC):
        raise ValueError("not gzip data")
    out = bytearray()
    for _ in range(_MAX_MEMBERS):
        member, data = _member(data, _GZIP, limit - len(out))
        out += member
        # What follows the last member is padding or garbage, which gzip itself ignores as well.
        if len(out) > limit or not data.startswith(GZIP_MAGIC):
            return bytes(out)
    raise ValueError("too many gzip members")


def inflate(data: bytes, limit: int) -> bytes:
    """Unpack HTTP's "deflate"; at most `limit + 1` bytes, ValueError for damaged data."""
    # The standard says zlib format, many servers send the raw one: the zlib header tells.
    zlib_header = len(data) > 1 and data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return _member(data, _ZLIB if zlib_header else _RAW, limit)[0]


def _member(data: bytes, wbits: int, limit: int) -> tuple[bytes, bytes]:
    """The first compressed stream in `data`, cut after `limit + 1` bytes, and what follows it."""
    stream = zlib.decompressobj(wbits)
    try:
        out = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError("damaged compressed data") from error
    if not stream.eof and len(out) <= limit:
        raise ValueError("compressed data that ends too early")
    return out, stream.unused_data


# First bytes that no page has.
_MAGIC: Final = {
    b"%PDF-": "a PDF file",
    b"\x89PNG\r\n": "a PNG picture",
    b"GIF87a": "a GIF picture",
    b"GIF89a": "a GIF picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"PK\x03\x04": "a ZIP file (or a document or book that is one)",
    b"\x1f\x8b": "a gzip file inside another",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Office document",
    b"SQLite format 3\0": "a SQLite database",
    b"\x7fELF": "a program",
}
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")  # of UTF-16 and UTF-32
_SAMPLE: Final = 2**16  # bytes that are looked at
_LEAST: Final = 256  # of them; of fewer nobody can tell
_CONTROL: Final = bytes({*range(32)} - set(b"\t\n\v\f\r\x1b"))  # in no text, whatever its charset
_SHARE: Final = 0.05  # of such bytes; of bytes at random it is twice that
_WIDE: Final = 0.9  # share of NULs at every other place in UTF-16, or every fourth in UTF-32
_MOST: Final = 0.8  # share of NULs in UTF-32, which has three of four in Latin text
_MARKUP: Final = re.compile(
    rb"<(!doctype|!--|\?xml|/?(html|head|body|title|meta|script|style|div|span|table|t[rdh]|p|a|br"
    rb"|h[1-6]|ul|ol|li|img|font|center|article|section|main|nav|pre|frameset))[\s>/]",
    re.IGNORECASE,
)


def binary_kind(data: bytes) -> str | None:
    """Return what data is that is plainly no page, in words; None for all else.

    What has a tag is a page, however odd, and so is any text of any charset.
    """
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return kind
    sample = data[:_SAMPLE]
    if len(sample) < _LEAST or sample.startswith(_BOMS):
        return None
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    if controls <= _SHARE * len(sample) or _is_wide(sample):
        return None
    # Without NULs a tag is seen in UTF-16 and UTF-32 as well.
    return None if _MARKUP.search(sample.translate(None, b"\0")) else "binary data"


def _is_wide(sample: bytes) -> bool:
    """Whether NULs stand where they do in UTF-16 of Latin text, and in UTF-32 of any."""
    if sample.count(0) > _MOST * len(sample):
        return False
    places = (sample[::2], sample[1::2], sample[::4], sample[3::4])
    return any(part.count(0) >= _WIDE * len(part) for part in places)


def read_file(path: str, max_bytes: int) -> bytes:
    """Read a regular file, gunzipped where it is gzip data."""
    name = printable_name(path)
    try:
        with open_limited(path) as file:
            data = _limited(file, name, max_bytes)
    except (OSError, ValueError) as error:
        raise SourceError(_explained(error, path)) from error
    if path.lower().endswith(".gz") and not data.startswith(GZIP_MAGIC):
        raise SourceError(
            f"{name} is not a gzip file: remove .gz from its name to read it as it is"
        )
    return _unpacked(data, name, max_bytes)


def read_stdin(max_bytes: int) -> bytes:
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


def open_limited(path: str) -> BinaryIO:
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
                f"{printable_name(path)} is a pipe or a device, not a file: "
                "redirect it to standard input and use - to read it"
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
    name = printable_name(path)
    return f"{name} is a folder, not a file: give the folder itself as input to read its pages"


def _explained(error: OSError | ValueError, path: str) -> str:
    """The message for a file that cannot be opened or read."""
    name = printable_name(path)
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
