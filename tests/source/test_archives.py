"""Archives: all pages are read, and damage costs no more than what is damaged."""

from __future__ import annotations

import gzip
import os
import re
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from helpers.archives import HTML, arc, gzipped, http, page, record, zstd
from helpers.bench import needs_bench
from tamis.errors import SourceError, TooLarge, Unavailable
from tamis.source import (
    Failure,
    Input,
    Source,
    expand_inputs,
    read_archive_file,
    read_input,
    read_pages,
)

pytest.importorskip("warcio")
pytest.importorskip("zstandard")

MAX = 2**20


def read_bytes(path: Path, data: bytes, max_bytes: int = MAX) -> tuple[list[Source], list[Failure]]:
    path.write_bytes(data)
    got = list(read_pages(expand_inputs([str(path)]), max_bytes=max_bytes))
    sources = [page for page in got if isinstance(page, Source)]
    return sources, [page for page in got if isinstance(page, Failure)]


def numbers(sources: list[Source]) -> list[int]:
    return [int((source.url or "").rpartition("/")[2]) for source in sources]


TEN = [page(number) for number in range(10)]
PACKINGS = {
    "a.warc": b"".join(TEN),
    "a.warc.gz": gzipped(TEN),
    "one-member.warc.gz": gzip.compress(b"".join(TEN)),
    "a.warc.zst": zstd(TEN),
    "one-frame.warc.zst": zstd([b"".join(TEN)]),
    "a.arc": b"".join(arc(10)),
    "a.arc.gz": gzipped(arc(10)),
    "a.arc.zst": zstd(arc(10)),
    "wrong-name.arc": gzipped(TEN),
}


@pytest.mark.parametrize("name", PACKINGS)
def test_all_pages_of_every_kind_of_archive_are_found(tmp_path: Path, name: str) -> None:
    sources, failures = read_bytes(tmp_path / name, PACKINGS[name])
    assert not failures
    assert numbers(sources) == list(range(10))
    assert [source.data.decode("latin-1")[:35] for source in sources] == [
        HTML.format(number)[:35] for number in range(10)
    ]
    assert len({source.name for source in sources}) == 10
    assert all(source.name.startswith(f"{tmp_path / name}#") for source in sources)


@pytest.mark.parametrize("name", PACKINGS)
def test_offset_and_length_lead_to_the_record_alone(tmp_path: Path, name: str) -> None:
    data = PACKINGS[name]
    sources, _ = read_bytes(tmp_path / name, data)
    if name.startswith("one-"):
        assert {(source.offset, source.length) for source in sources} == {(None, None)}
        return
    for source in sources:
        assert source.offset is not None
        assert source.length is not None
        part = BytesIO(data[source.offset : source.offset + source.length])
        (again,) = read_archive_file(part, "part", MAX)
        assert isinstance(again, Source)
        assert (again.url, again.data, again.length) == (source.url, source.data, source.length)
        assert source.content_type in ("text/html; charset=utf-8", "text/html; charset=iso-8859-1")


def test_address_charset_and_date_are_those_of_the_record(tmp_path: Path) -> None:
    (source,), _ = read_bytes(tmp_path / "a.warc", TEN[3])
    assert source.url == "https://site.example/3"
    assert source.charset == "iso-8859-1"
    assert source.fetched_at == datetime(2020, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert "naïvely" in source.data.decode("iso-8859-1")
    (old, *_), _ = read_bytes(tmp_path / "a.arc", b"".join(arc(2)))
    assert (old.url, old.charset) == ("http://old.example/0", "utf-8")
    assert old.fetched_at == datetime(2005, 6, 7, 8, 9, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.1Z", datetime(2026, 1, 2, 3, 4, 5, 100_000, tzinfo=UTC)),
        ("2026-01-02T03:04:05.123456789Z", datetime(2026, 1, 2, 3, 4, 5, 123_456, tzinfo=UTC)),
        ("2026-01-02T03:04:05+02:00", datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04Z", datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)),
        ("2026-02", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("20260102030405", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("20260102030405123", datetime(2026, 1, 2, 3, 4, 5, 123_000, tzinfo=UTC)),
        ("202601020304", datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
        ("2026-13-02T03:04:05Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_are_read_as_exactly_as_they_are_written(
    tmp_path: Path, written: str, meant: datetime | None
) -> None:
    (source,), _ = read_bytes(tmp_path / "a.warc", page(1, WARC_Date=written))
    assert source.fetched_at == meant


def test_what_is_no_html_page_is_left_out(tmp_path: Path) -> None:
    body = b"<p>x</p>"
    others = [
        record(1, http(body, status="404 Not Found")),
        record(2, http(body, status="302 Found")),
        record(3, http(body, kind="image/png")),
        record(4, b"GET / HTTP/1.1\r\n\r\n", WARC_Type="request"),
        record(5, http(body), WARC_Type="revisit"),
        record(6, b"a: b\r\n", WARC_Type="metadata", Content_Type="application/warc-fields"),
    ]
    kept = [
        record(7, body, WARC_Type="resource", Content_Type="text/html; charset=koi8-r"),
        record(8, http(body, kind="application/xhtml+xml")),
        record(9, http(body, kind="TEXT/HTML")),
    ]
    sources, failures = read_bytes(tmp_path / "a.warc", b"".join([*others, *kept]))
    assert numbers(sources) == [7, 8, 9]
    assert sources[0].charset == "koi8-r"
    assert not failures
    sources, failures = read_bytes(tmp_path / "b.warc", b"".join(others))
    assert not sources
    assert "holds no HTML pages among its 6 records" in str(failures[0].error)


def chunked(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(b), b) for b in (body[:9], body[9:])) + b"0\r\n\r\n"


def test_bodies_are_unpacked_as_http_says(tmp_path: Path) -> None:
    import brotli

    body = HTML.format(1).encode()
    packed = [
        http(gzip.compress(body), "Content-Encoding: gzip"),
        http(gzip.compress(body), "Content-Encoding: x-gzip"),
        http(zlib.compress(body), "Content-Encoding: deflate"),
        http(brotli.compress(body), "Content-Encoding: br"),
        http(chunked(body), "Transfer-Encoding: chunked"),
        http(chunked(gzip.compress(body)), "Transfer-Encoding: chunked", "Content-Encoding: gzip"),
        http(chunked(gzip.compress(body)), "Transfer-encoding: Chunked", "Content-Encoding: GZip"),
        http(chunked(brotli.compress(body)), "Transfer-Encoding: CHUNKED", "Content-Encoding: BR"),
        http(chunked(gzip.compress(body)), "Transfer-Encoding: gzip, Chunked"),
    ]
    sources, failures = read_bytes(
        tmp_path / "a.warc.gz", gzipped(record(n, http) for n, http in enumerate(packed))
    )
    assert not failures
    assert [source.data for source in sources] == [body] * len(packed)


def test_a_body_in_an_unknown_packing_is_a_failure(tmp_path: Path) -> None:
    odd = record(1, http(b"???", "Content-Encoding: snappy"))
    sources, failures = read_bytes(tmp_path / "a.warc", odd + TEN[2])
    assert numbers(sources) == [2]
    assert "packed as 'snappy'" in str(failures[0].error)


def test_a_body_that_is_too_large_is_a_failure_and_the_others_are_read(tmp_path: Path) -> None:
    bomb = record(5, http(gzip.compress(b"x" * 3 * MAX), "Content-Encoding: gzip"))
    sources, failures = read_bytes(tmp_path / "a.warc.gz", gzipped([TEN[1], bomb, TEN[2]]))
    assert numbers(sources) == [1, 2]
    assert isinstance(failures[0].error, TooLarge)
    assert failures[0].name.endswith("#2")


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst", "a.arc", "a.arc.gz"])
def test_an_archive_that_is_cut_gives_what_is_whole(tmp_path: Path, name: str) -> None:
    whole = PACKINGS[name]
    for share in (0.36, 0.55, 0.75, 0.97):
        sources, failures = read_bytes(tmp_path / name, whole[: int(len(whole) * share)])
        assert numbers(sources) == list(range(len(sources)))
        assert 10 * share - 2 < len(sources) < 10 * share
        assert "1 damaged record was skipped" in str(failures[-1].error)


@pytest.mark.parametrize("name", ["a.warc.gz", "a.warc.zst", "a.arc.gz"])
def test_a_damaged_member_costs_that_member_alone(tmp_path: Path, name: str) -> None:
    records = arc(10) if ".arc" in name else TEN
    packed = [zstd([one]) if name.endswith("zst") else gzip.compress(one) for one in records]
    for offset in (20, len(packed[5]) // 2):
        bad = bytearray(packed[5])
        bad[offset : offset + 8] = b"\xff" * 8
        data = b"".join([*packed[:5], bytes(bad), *packed[6:]])
        sources, failures = read_bytes(tmp_path / name, data)
        assert len(sources) == 9
        assert "1 damaged record was skipped" in str(failures[0].error)


def test_a_damaged_header_costs_that_record_alone(tmp_path: Path) -> None:
    bad = TEN[5].replace(b"WARC/1.0", b"WORC/1.0")
    for data in (
        b"".join([*TEN[:5], bad, *TEN[6:]]),
        gzip.compress(b"".join([*TEN[:5], bad, *TEN[6:]])),
        gzipped([*TEN[:5], bad, *TEN[6:]]),
    ):
        sources, failures = read_bytes(tmp_path / "a.warc", data)
        assert numbers(sources) == [0, 1, 2, 3, 4, 6, 7, 8, 9]
        assert "1 damaged record was skipped; get the file again" in str(failures[0].error)


@pytest.mark.parametrize("length", ["10", "-3", "much", "999999999999"])
def test_a_wrong_length_is_survived(tmp_path: Path, length: str) -> None:
    bad = page(5, Content_Length=length)
    sources, failures = read_bytes(tmp_path / "a.warc.gz", gzipped([*TEN[:5], bad, *TEN[6:]]))
    assert set(numbers(sources)) >= {0, 1, 2, 3, 4, 6, 7, 8, 9}
    assert failures


@pytest.mark.parametrize("pack", [b"".join, gzipped, zstd])
def test_a_record_without_length_costs_that_record_alone(
    tmp_path: Path, pack: Callable[[list[bytes]], bytes]
) -> None:
    bad = re.sub(rb"Content-Length: .*\r\n", b"", TEN[5])
    sources, failures = read_bytes(tmp_path / "a.warc", pack([*TEN[:5], bad, *TEN[6:]]))
    assert numbers(sources) == [0, 1, 2, 3, 4, 6, 7, 8, 9]
    assert "1 damaged record was skipped" in str(failures[0].error)


@pytest.mark.parametrize(
    "data", [b"", b"no archive", b"\x1f\x8b", b"\x1f\x8b\x08garbage", b"\0" * 99]
)
def test_what_is_no_archive_is_a_failure(tmp_path: Path, data: bytes) -> None:
    sources, failures = read_bytes(tmp_path / "a.warc.gz", data)
    assert not sources
    assert "is no WARC or ARC archive" in str(failures[0].error)


def test_garbage_of_all_kinds_never_raises(tmp_path: Path) -> None:
    import random

    chance = random.Random(7)
    for name in ("a.warc", "a.warc.gz", "a.warc.zst", "a.arc"):
        for _ in range(40):
            data = bytearray(PACKINGS[name])
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            sources, failures = read_bytes(tmp_path / name, bytes(data))
            assert len(sources) + len(failures) >= 1


def test_a_dictionary_at_the_start_is_used(tmp_path: Path) -> None:
    import zstandard

    records = [page(number) for number in range(300)]
    words = zstandard.train_dictionary(4096, [*records])
    for kept in (words.as_bytes(), zstandard.ZstdCompressor().compress(words.as_bytes())):
        head = b"\x5d\x2a\x4d\x18" + len(kept).to_bytes(4, "little") + kept
        sources, failures = read_bytes(tmp_path / "a.warc.zst", head + zstd(records, words))
        assert numbers(sources) == list(range(300))
        assert not failures


@pytest.mark.parametrize("start", [b"\x28\xb5\x2f\xfd", b"\x37\xa4\x30\xec"])
def test_a_damaged_dictionary_is_a_failure_of_that_file_alone(tmp_path: Path, start: bytes) -> None:
    kept = start + b"junk" * 4
    head = b"\x5d\x2a\x4d\x18" + len(kept).to_bytes(4, "little") + kept
    (tmp_path / "b.warc").write_bytes(TEN[2])
    (tmp_path / "a.warc.zst").write_bytes(head + zstd(TEN))
    failure, source = read_pages(expand_inputs([str(tmp_path)]), max_bytes=MAX)
    assert isinstance(failure, Failure)
    assert failure.of_archive
    assert "its dictionary is damaged" in str(failure.error)
    assert isinstance(source, Source)


def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    def most(count: int) -> int:
        path = tmp_path / f"{count}.warc.gz"
        path.write_bytes(gzipped(page(number % 10) for number in range(count)))
        tracemalloc.start()
        try:
            assert (
                sum(
                    isinstance(p, Source)
                    for p in read_pages(expand_inputs([str(path)]), max_bytes=MAX)
                )
                == count
            )
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    most(10)
    assert most(2000) < 1.5 * most(200)


def test_archives_are_found_in_folders_and_by_patterns(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(PACKINGS["a.warc.gz"])
    (tmp_path / "b.html").write_text("<p>page</p>")
    inputs = list(expand_inputs([str(tmp_path)]))
    assert [(entry.name, entry.kind) for entry in inputs] == [
        ("a.warc.gz", "archive"),
        ("b.html", "file"),
    ]
    assert len(list(read_pages(inputs, max_bytes=MAX))) == 11
    assert [entry.kind for entry in expand_inputs([str(tmp_path / "*.gz")])] == ["archive"]
    with pytest.raises(SourceError, match="archive of many pages"):
        read_input(inputs[0], max_bytes=MAX)


def test_a_file_that_goes_away_is_a_failure(tmp_path: Path) -> None:
    gone = Input("gone.warc", "archive", str(tmp_path / "gone.warc"))
    (failure,) = read_pages([gone], max_bytes=MAX)
    assert isinstance(failure, Failure)
    (folder,) = read_pages([Input("x.warc", "archive", str(tmp_path))], max_bytes=MAX)
    assert isinstance(folder, Failure)


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warcio.bufferedreaders", None)
    with pytest.raises(Unavailable, match=r"pip install 'tamis\[warc\]'"):
        read_bytes(tmp_path / "a.warc", PACKINGS["a.warc"])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(Unavailable, match="zstandard"):
        read_bytes(tmp_path / "a.warc.zst", PACKINGS["a.warc.zst"])


COUNTS = {
    "aut-example.warc.gz": 94,
    "dolma-sample-0000.warc.gz": 22,
    "dolma-sample-0001.warc.gz": 15,
    "ia-IAH-urls-wget.warc": 2,
    "pywb-iana.warc.gz": 16,
    "resiliparse-warcfile.warc.gz": 16,
}


@needs_bench
@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_real_archives_hold_the_pages_that_warcio_counts(name: str, count: int) -> None:
    path = Path(os.environ["TAMIS_BENCH"]) / "warc" / name
    got = list(read_pages(expand_inputs([str(path)]), max_bytes=24 * MAX))
    assert [type(page) for page in got] == [Source] * count


@needs_bench
@pytest.mark.parametrize("name", ["pywb-iana.warc.gz", "ia-IAH-urls-wget.warc"])
def test_a_real_archive_cut_in_the_middle_gives_its_first_half(tmp_path: Path, name: str) -> None:
    whole = (Path(os.environ["TAMIS_BENCH"]) / "warc" / name).read_bytes()
    sources, failures = read_bytes(tmp_path / name, whole[: len(whole) // 2], 24 * MAX)
    assert 0 < len(sources) <= COUNTS[name]
    assert "damaged" in str(failures[-1].error)
