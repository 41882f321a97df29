"""Archives: the HTML pages of WARC and ARC files, one by one, whatever their size."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final

from tamis.errors import InputError, SourceError, TooLarge, unavailable
from tamis.source.files import GZIP_MAGIC, Failure, Input, Source, exceeds, gunzip, open_limited
from tamis.source.members import CHUNK, DICTIONARY_MAGIC, GZIP_START, ZSTD_MAGIC, Damaged, members

ENDINGS: Final = tuple(
    kind + packing for kind in (".warc", ".arc") for packing in ("", ".gz", ".zst")
)
# The first line of a record: of WARC its version, of ARC the address, a number and a date.
_START: Final = re.compile(rb"WARC/\d+\.\d+\r?\n|[a-z]+:\S* \S+ \d{12,17} \S.* ?\d+\r?\n")
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
UNPACKED: Final = ("", "identity", "none", "utf-8", "gzip", "x-gzip", "deflate", "br")
LITTLE: Final = 2**10  # bytes: unpacked, at most some megabytes
_LINE: Final = 2**13  # bytes of a line at most
_DIGITS: Final = re.compile(r"\d{8,}", re.ASCII)
_COARSE: Final = re.compile(r"\d{4}(-\d\d)?", re.ASCII)  # as WARC 1.1 allows: a year, a month


def is_archive(path: str) -> bool:
    """Say whether the name of a file is that of an archive."""
    return path.lower().endswith(ENDINGS)


def begins_archive(data: bytes) -> bool:
    """Say whether these are the first bytes of an archive; no page is packed with zstd."""
    if data.startswith(GZIP_START):
        try:
            data = zlib.decompressobj(31).decompress(data, LITTLE)
        except zlib.error:
            return False
    return data.startswith((b"WARC/", b"filedesc:", ZSTD_MAGIC, DICTIONARY_MAGIC))


def stdin_is_archive() -> bool:
    """Say whether an archive comes on standard input; nothing is taken from it."""
    if sys.stdin is None:
        return False
    try:
        file: Any = sys.stdin.buffer
        if hasattr(file, "peek"):
            return begins_archive(file.peek(LITTLE))
        start = file.tell()
        data = file.read(LITTLE)
        file.seek(start)
        return begins_archive(data)
    except (AttributeError, OSError, ValueError):  # closed, or nothing that can be looked into
        return False


def open_archive(place: Input) -> AbstractContextManager[BinaryIO]:
    """Open an archive; standard input stays open."""
    return nullcontext(sys.stdin.buffer) if place.location == "-" else open_limited(place.location)


def read_archive(place: Input, max_bytes: int) -> Iterator[Source | Failure]:
    """Yield the pages of an archive: response and resource records of HTML types.

    Answers other than 2xx are no pages. A page is named by its archive and the number of its
    record. Damaged records are skipped, and counted in a failure at the end.
    """
    reader = Records(place.name)
    pages = 0
    try:
        with open_archive(place) as file:
            for number, record in enumerate(reader.records(file), 1):
                if is_page(record):
                    with suppress(Damaged):  # counted by the reader
                        page = record_page(record, f"{place.name}#{number}", max_bytes)
                        pages += 1
                        yield page
    except OSError as error:
        problem = f"{place.name} cannot be read ({error.strerror})"
        yield Failure(place.name, SourceError(problem), of_archive=True)
        return
    except InputError as error:
        yield Failure(place.name, error, of_archive=True)
        return
    said = reader.problem(pages)
    if said:
        yield Failure(place.name, SourceError(said), of_archive=True)


class Records:
    """Reads records and counts those that are damaged."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.damaged = 0

    def records(self, file: BinaryIO) -> Iterator[Any]:
        """Yield the records of an archive."""
        reported = False
        for member in members(file):
            before = self.count
            try:
                yield from self._in_member(member)
                member.drain()
                reported = False
            except Damaged:
                # What looks like a member inside a damaged one is no further record.
                self.damaged += not (reported and self.count == before)
                reported = True

    def _in_member(self, member: Any) -> Iterator[Any]:
        """Yield the records of a member; after what is none, from the next first line on."""
        loader, stream = loader_of(member)
        lost = False
        while line := stream.readline(_LINE):
            if not line.strip():
                continue
            if not _START.fullmatch(line):
                self.damaged += not lost
                lost = True
                continue
            lost = False
            record = parsed(loader, stream, line)
            if record is None:
                self.damaged += 1
                lost = True
                continue
            self.count += 1
            yield record
            if not is_whole(record):
                self.damaged += 1
                return

    def problem(self, pages: int) -> str | None:
        """Say what is wrong with the archive, if something is."""
        if not self.count:
            return f"{self.name} is no WARC or ARC archive: check the file"
        if self.damaged:
            what = "record was" if self.damaged == 1 else "records were"
            return f"{self.name}: {self.damaged:,} damaged {what} skipped; get the file again"
        if not pages:
            return f"{self.name} holds no HTML pages among its {self.count:,} records"
        return None


def loader_of(member: Any) -> tuple[Any, Any]:
    """Return warcio's parser of records, and a member as it reads it."""
    try:
        from warcio.bufferedreaders import BufferedReader
        from warcio.recordloader import ArcWarcRecordLoader
    except ImportError as error:
        raise unavailable("reading archives needs warcio", "warc") from error
    return ArcWarcRecordLoader(verify_http=False, arc2warc=False), BufferedReader(member)


def parsed(loader: Any, stream: Any, line: bytes) -> Any:
    """Return the record that begins with a line, or None if it cannot be understood.

    Where one ends that does not say its length nobody knows: it would swallow all that follow.
    """
    kind = "warc" if line.startswith(b"WARC/") else "arc"
    try:
        record = loader.parse_record_stream(stream, line, kind)
    except Damaged:
        raise
    except Exception:  # whatever warcio makes of a damaged head
        return None
    return record if record.length is not None else None


def is_page(record: Any) -> bool:
    """Say whether a record is an HTML page that was found."""
    if record.rec_type not in ("response", "resource"):
        return False
    if record.http_headers is not None:
        status = record.http_headers.get_statuscode() or "200"
        if not status.startswith("2"):
            return False
    return "html" in content_type(record).lower()


def content_type(record: Any) -> str:
    """Return the type of a record's body, as HTTP said or else the archive."""
    headers = record.http_headers
    said = headers.get_header("content-type") if headers is not None else None
    return str(said or record.content_type or "")


def record_page(record: Any, name: str, max_bytes: int) -> Source | Failure:
    """Return the page of a record; a failure if it is too large or cannot be unpacked."""
    packing = packing_of(record)
    if packing not in UNPACKED:
        what = f"its body is packed as {packing!r}, which cannot be unpacked"
        return Failure(name, SourceError(f"{name}: {what}"))
    try:
        data = record_body(record, max_bytes)
    except Damaged:
        raise
    except (zlib.error, ValueError, OSError, EOFError) as error:
        return Failure(name, SourceError(f"{name}: its body cannot be unpacked ({error})"))
    if len(data) > max_bytes:
        return Failure(name, TooLarge(exceeds(name, max_bytes)))
    charset = _CHARSET.search(content_type(record))
    about = record.rec_headers
    address = about.get_header("WARC-Target-URI") or about.get_header("uri")
    return Source(name, address, data, charset[1] if charset else None, record_date(record))


def record_body(record: Any, max_bytes: int) -> bytes:
    """Return the body of a record, unpacked, and no more than a little beyond a limit."""
    data = bytearray()
    for more in brotli_parts(record) if packing_of(record) == "br" else parts(record):
        data += more
        if len(data) > max_bytes:
            break
    if len(data) <= max_bytes and not is_whole(record):
        raise Damaged("the record ends too early")
    if data.startswith(GZIP_MAGIC):  # packed twice, or declared by another name
        return gunzip(bytes(data), max_bytes)
    return bytes(data)


def is_whole(record: Any) -> bool:
    """Read a record to its end, and say whether that is where it should be."""
    while record.raw_stream.read(CHUNK):
        pass
    return getattr(record.raw_stream, "limit", 0) <= 0


def packing_of(record: Any) -> str:
    """Return how HTTP says that a body is packed."""
    return header_of(record, "content-encoding")


def is_chunked(record: Any) -> bool:
    """Say whether a body is in chunks, which HTTP says last."""
    return header_of(record, "transfer-encoding").rpartition(",")[2].strip() == "chunked"


def header_of(record: Any, name: str) -> str:
    """Return what HTTP says of a body in lower case, as its names of codings have none."""
    headers = record.http_headers
    return str(headers.get_header(name) or "").strip().lower() if headers else ""


def parts(record: Any) -> Iterator[bytes]:
    """Yield the body of a record, unpacked by warcio."""
    if is_chunked(record):  # warcio knows no other spelling
        record.http_headers.replace_header("transfer-encoding", "chunked")
    body = record.content_stream()
    while more := body.read(CHUNK):
        yield more


def brotli_parts(record: Any) -> Iterator[bytes]:
    """Yield a body packed with brotli: the newest brotli and warcio do not go together."""
    from warcio.bufferedreaders import ChunkedDataReader

    try:
        import brotli
    except ImportError as error:
        raise unavailable("a page packed with brotli needs it", "warc") from error
    body = ChunkedDataReader(record.raw_stream) if is_chunked(record) else record.raw_stream
    unpacker = brotli.Decompressor()
    while more := body.read(LITTLE):
        try:
            yield unpacker.process(more)
        except brotli.error as error:
            raise ValueError("damaged brotli data") from error


def record_date(record: Any) -> datetime | None:
    """Return when a page was fetched, as the archive says; two captures may share a second."""
    headers = record.rec_headers
    said = str(headers.get_header("WARC-Date") or headers.get_header("archive-date") or "").strip()
    if _DIGITS.fullmatch(said):  # of ARC
        said = f"{said[:8]}T{said[8:14]}{said[14:] and '.' + said[14:]}"
    elif _COARSE.fullmatch(said):
        said += "-01-01"[len(said) - 4 :]
    try:
        date = datetime.fromisoformat(said.upper())
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
