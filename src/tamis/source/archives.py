"""Archives: the HTML pages of WARC and ARC files, one by one, however large the file is."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final

from tamis.errors import InputError, SourceError, TooLarge, unavailable
from tamis.source.compression import (
    CHUNK_BYTES,
    DICTIONARY_MAGIC,
    GZIP_MAGIC,
    GZIP_START,
    ZSTD_MAGIC,
    Damaged,
    gunzip,
    iterate_members,
)
from tamis.source.files import open_regular_file, too_large_message
from tamis.source.sources import Failure, Input, Source

ARCHIVE_ENDINGS: Final = tuple(
    kind + packing for kind in (".warc", ".arc") for packing in ("", ".gz", ".zst")
)
# The first line of a record: in WARC the version, in ARC the URL, an IP address, a date and more.
_RECORD_START: Final = re.compile(rb"WARC/\d+\.\d+\r?\n|[a-z]+:\S* \S+ \d{12,17} \S.* ?\d+\r?\n")
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_KNOWN_CODINGS: Final = ("", "identity", "none", "utf-8", "gzip", "x-gzip", "deflate", "br")
_PEEK_BYTES: Final = 2**10  # unpacked, they are some megabytes at most
_MAX_LINE_BYTES: Final = 2**13
_ARC_DATE: Final = re.compile(r"\d{8,}", re.ASCII)
_STATUS: Final = re.compile(r"\d{3}", re.ASCII)
_YEAR_OR_MONTH: Final = re.compile(r"\d{4}(-\d\d)?", re.ASCII)  # dates that WARC 1.1 allows


def is_archive(path: str) -> bool:
    """Say whether the name of a file is that of an archive."""
    return path.lower().endswith(ARCHIVE_ENDINGS)


def stdin_is_archive() -> bool:
    """Say whether standard input is an archive; nothing of it is consumed."""
    if sys.stdin is None:
        return False
    try:
        file: Any = sys.stdin.buffer
        if hasattr(file, "peek"):
            return _starts_archive(file.peek(_PEEK_BYTES))
        start = file.tell()
        data = file.read(_PEEK_BYTES)
        file.seek(start)
        return _starts_archive(data)
    except (AttributeError, OSError, ValueError):  # closed, or a stream that cannot be peeked into
        return False


def _starts_archive(data: bytes) -> bool:
    """Say whether these are the first bytes of an archive; no page is packed with zstd."""
    if data.startswith(GZIP_START):
        try:
            data = zlib.decompressobj(31).decompress(data, _PEEK_BYTES)
        except zlib.error:
            return False
    return data.startswith((b"WARC/", b"filedesc:", ZSTD_MAGIC, DICTIONARY_MAGIC))


def read_archive(archive: Input, max_bytes: int) -> Iterator[Source | Failure]:
    """Yield the pages of an archive: response and resource records of HTML types.

    Responses with a status other than 2xx are no pages. A page is named by its archive and the
    number of its record. Damaged records are skipped, and a failure at the end counts them.
    """
    try:
        with _open_archive(archive) as file:
            yield from read_archive_file(file, archive.name, max_bytes)
    except OSError as error:
        message = f"{archive.name} cannot be read ({error.strerror or error})"
        yield Failure(archive.name, SourceError(message), of_archive=True)
    except InputError as error:
        yield Failure(archive.name, error, of_archive=True)


def read_archive_file(file: BinaryIO, name: str, max_bytes: int) -> Iterator[Source | Failure]:
    """Yield the pages of an archive that is open; an OSError of the file is raised."""
    reader = _RecordReader(name)
    pages = 0
    page: Source | Failure | None = None
    for number, record in enumerate(reader.records(file), 1):
        if page is not None:  # only now is it certain where its record ends
            yield reader.locate(page)
            page = None
        if _is_page(record):
            with suppress(Damaged):  # the reader counts it
                page = _read_page(record, f"{name}#{number}", max_bytes, reader.start)
                pages += 1
    if page is not None:
        yield reader.locate(page)
    problem = reader.problem(pages)
    if problem:
        is_whole = bool(reader.count) and not reader.damaged
        yield Failure(name, SourceError(problem), of_archive=True, no_pages=is_whole)


def _open_archive(archive: Input) -> AbstractContextManager[BinaryIO]:
    """Open an archive; standard input stays open after use."""
    if archive.location == "-":
        return nullcontext(sys.stdin.buffer)
    return open_regular_file(archive.location)


class _RecordReader:
    """Reads the records of an archive and counts those that are damaged."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.damaged = 0
        self.start = 0  # the offset of the last record
        self.end = 0  # where the last record ended, once the next was asked for

    def records(self, file: BinaryIO) -> Iterator[Any]:
        """Yield the records of an archive."""
        reported = False
        for member in iterate_members(file):
            before = self.count
            start = member.raw.position
            try:
                yield from self._member_records(member, start)
                member.drain()
                reported = False
            except Damaged:
                # Bytes inside a damaged member that look like another member are no further record.
                self.damaged += not (reported and self.count == before)
                reported = True
            if self.count > before:
                is_alone = self.count == before + 1 or not member.is_compressed
                self.end = member.raw.position if is_alone else 0

    def _member_records(self, member: Any, start: int) -> Iterator[Any]:
        """Yield the records of a member; after a damaged one, go on at the next first line."""
        loader, stream = _record_loader(member)
        lost = False
        while line := stream.readline(_MAX_LINE_BYTES):
            if not line.strip():
                continue
            offset = start
            if not member.is_compressed:
                self.end = offset = member.raw.position - stream.rem_length() - len(line)
            if not _RECORD_START.fullmatch(line):
                self.damaged += not lost
                lost = True
                continue
            lost = False
            record = _parse_record(loader, stream, line)
            if record is None:
                self.damaged += 1
                lost = True
                continue
            self.count += 1
            self.start = offset
            yield record
            if not _is_complete(record):
                self.damaged += 1
                return

    def locate(self, page: Source | Failure) -> Source | Failure:
        """Return the page of the last record with its length, once the next was asked for.

        A record that shares a compressed member with others cannot be read by itself, and has
        neither offset nor length.
        """
        length = self.end - (page.offset or 0)
        return replace(page, length=length) if length > 0 else replace(page, offset=None)

    def problem(self, pages: int) -> str | None:
        """Return a message on what is wrong with the archive, None if nothing is."""
        if not self.count:
            return f"{self.name} is no WARC or ARC archive: check the file"
        if self.damaged:
            what = "record was" if self.damaged == 1 else "records were"
            return f"{self.name}: {self.damaged:,} damaged {what} skipped; get the file again"
        if not pages:
            return f"{self.name} holds no HTML pages among its {self.count:,} records"
        return None


def _record_loader(member: Any) -> tuple[Any, Any]:
    """Return warcio's parser of records, and a member as the stream that it reads."""
    try:
        from warcio.bufferedreaders import BufferedReader
        from warcio.recordloader import ArcWarcRecordLoader
    except ImportError as error:
        raise unavailable("reading archives needs warcio", "warc") from error
    return ArcWarcRecordLoader(verify_http=False, arc2warc=False), BufferedReader(member)


def _parse_record(loader: Any, stream: Any, line: bytes) -> Any:
    """Return the record that begins with a line, or None if it cannot be parsed.

    A record without a length is damaged: nothing says where it ends, so it would include all
    records that follow.
    """
    kind = "warc" if line.startswith(b"WARC/") else "arc"
    try:
        record = loader.parse_record_stream(stream, line, kind)
    except Damaged:
        raise
    except Exception:  # damaged headers make warcio raise errors of many types
        return None
    return record if record.length is not None else None


def _is_page(record: Any) -> bool:
    """Say whether a record is an HTML page, fetched with success."""
    if record.rec_type not in ("response", "resource"):
        return False
    if record.http_headers is not None:
        status = record.http_headers.get_statuscode() or "200"
        if not status.startswith("2"):
            return False
    return "html" in _content_type(record).lower()


def _read_page(record: Any, name: str, max_bytes: int, offset: int) -> Source | Failure:
    """Return the page of a record; a failure if it is too large or cannot be unpacked."""
    headers = record.rec_headers
    url = headers.get_header("WARC-Target-URI") or headers.get_header("uri")
    try:
        data = _read_body(record, name, max_bytes)
    except InputError as error:
        return Failure(name, error, url=url, offset=offset)
    content_type = _content_type(record)
    charset = _CHARSET.search(content_type)
    return Source(
        name,
        url,
        data,
        charset[1] if charset else None,
        _capture_date(record),
        _http_status(record),
        headers.get_header("WARC-Record-ID"),
        content_type or None,
        offset,
    )


def _http_status(record: Any) -> int | None:
    """Return the status with which the server answered, if the record has it."""
    status = record.http_headers.get_statuscode() if record.http_headers is not None else None
    return int(status) if status and _STATUS.fullmatch(status) else None


def _read_body(record: Any, name: str, max_bytes: int) -> bytes:
    """Return the body of a record, unpacked; an InputError says why that is not possible."""
    coding = _content_coding(record)
    if coding not in _KNOWN_CODINGS:
        what = f"its body is packed as {coding!r}, which cannot be unpacked"
        raise SourceError(f"{name}: {what}")
    try:
        data = _unpack_body(record, max_bytes)
    except Damaged:
        raise
    except (zlib.error, ValueError, OSError, EOFError) as error:
        raise SourceError(f"{name}: its body cannot be unpacked ({error})") from error
    if len(data) > max_bytes:
        raise TooLarge(too_large_message(name, max_bytes))
    return data


def _unpack_body(record: Any, max_bytes: int) -> bytes:
    """Return the body of a record, unpacked, and not much more of it than the limit."""
    data = bytearray()
    is_brotli = _content_coding(record) == "br"
    for chunk in _brotli_chunks(record) if is_brotli else _body_chunks(record):
        data += chunk
        if len(data) > max_bytes:
            break
    if len(data) <= max_bytes and not _is_complete(record):
        raise Damaged("the record ends too early")
    if data.startswith(GZIP_MAGIC):  # packed twice, or declared by another name
        return gunzip(bytes(data), max_bytes)
    return bytes(data)


def _body_chunks(record: Any) -> Iterator[bytes]:
    """Yield the body of a record, unpacked by warcio."""
    if _is_chunked(record):  # warcio knows no other spelling
        record.http_headers.replace_header("transfer-encoding", "chunked")
    body = record.content_stream()
    while chunk := body.read(CHUNK_BYTES):
        yield chunk


def _brotli_chunks(record: Any) -> Iterator[bytes]:
    """Yield a body packed with brotli; warcio cannot use the latest brotli."""
    from warcio.bufferedreaders import ChunkedDataReader

    try:
        import brotli
    except ImportError as error:
        raise unavailable("a page packed with brotli needs it", "warc") from error
    body = ChunkedDataReader(record.raw_stream) if _is_chunked(record) else record.raw_stream
    unpacker = brotli.Decompressor()
    while chunk := body.read(_PEEK_BYTES):
        try:
            yield unpacker.process(chunk)
        except brotli.error as error:
            raise ValueError("damaged brotli data") from error


def _is_complete(record: Any) -> bool:
    """Read a record to its end, and say whether that is where its length says."""
    while record.raw_stream.read(CHUNK_BYTES):
        pass
    return getattr(record.raw_stream, "limit", 0) <= 0


def _content_type(record: Any) -> str:
    """Return the type of a record's body, from HTTP or else from the archive."""
    headers = record.http_headers
    declared = headers.get_header("content-type") if headers is not None else None
    return str(declared or record.content_type or "")


def _content_coding(record: Any) -> str:
    """Return how a body is packed, from its HTTP header."""
    return _http_header(record, "content-encoding")


def _is_chunked(record: Any) -> bool:
    """Say whether a body is sent in chunks, which the HTTP header lists last."""
    return _http_header(record, "transfer-encoding").rpartition(",")[2].strip() == "chunked"


def _http_header(record: Any, name: str) -> str:
    """Return an HTTP header in lower case: names of codings are case-insensitive."""
    headers = record.http_headers
    return str(headers.get_header(name) or "").strip().lower() if headers else ""


def _capture_date(record: Any) -> datetime | None:
    """Return when a page was fetched, from the archive; two captures may share a second."""
    headers = record.rec_headers
    date = str(headers.get_header("WARC-Date") or headers.get_header("archive-date") or "").strip()
    if _ARC_DATE.fullmatch(date):
        date = f"{date[:8]}T{date[8:14]}{date[14:] and '.' + date[14:]}"
    elif _YEAR_OR_MONTH.fullmatch(date):
        date += "-01-01"[len(date) - 4 :]
    try:
        moment = datetime.fromisoformat(date.upper())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
