"""Inputs of all kinds, local and remote, become rows of pages; damage costs what is damaged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")
pytest.importorskip("warcio")

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from helpers.archives import http, record  # noqa: E402
from scale.archives import PAGES, cdxj, sample_archive, sample_index, sample_record  # noqa: E402
from scale.servers import serve_http  # noqa: E402
from tamis.errors import InputError, SourceError  # noqa: E402
from tamis.scale import InputReader, Options, find_inputs  # noqa: E402

ARCHIVE = sample_archive(0, 9)
INDEX = sample_index(ARCHIVE, "crawl/a.warc.gz")


def read_rows(location: object, **options: Any) -> tuple[list[dict[str, Any]], str | None]:
    (source,) = find_inputs([str(location)])
    reader = InputReader(source, Options(**options))
    rows = [row for batch in reader.batches() for row in batch.to_pylist()]
    return rows, reader.problem


def check_sample_rows(rows: list[dict[str, Any]]) -> None:
    assert [row["url"] for row in rows] == [f"https://site.example/{n}" for n in range(len(rows))]
    assert [row["html"] for row in rows] == [PAGES[n % len(PAGES)] for n in range(len(rows))]
    assert {row["content_type"] for row in rows} == {"text/html"}
    assert all(row["record_id"].startswith("<urn:uuid:") for row in rows)
    assert {str(row["fetched_at"]) for row in rows} == {"2020-05-06 07:08:09+00:00"}


def test_archives_are_the_same_from_a_disk_http_and_s3(tmp_path: Path, s3_endpoint: str) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(ARCHIVE)
    fsspec.filesystem("s3").pipe("bucket/in/a.warc.gz", ARCHIVE)
    with serve_http({"a.warc.gz": ARCHIVE}) as url:
        locations = [str(path), f"file://{path}", f"{url}/a.warc.gz", "s3://bucket/in/a.warc.gz"]
        for location in locations:
            rows, problem = read_rows(location)
            assert problem is None
            check_sample_rows(rows)
            assert len(rows) == 9
            for row, entry in zip(rows, INDEX, strict=True):
                assert (row["offset"], row["length"]) == (
                    int(str(entry["offset"])),
                    int(str(entry["length"])),
                )
    assert find_inputs(["s3://bucket/in"])[0].location == "s3://bucket/in/a.warc.gz"


def test_byte_ranges_of_an_index(tmp_path: Path, s3_endpoint: str) -> None:
    entries: list[dict[str, object]] = [*INDEX, {**INDEX[0], "filename": "gone.warc.gz"}]
    (tmp_path / "i.cdxj").write_bytes(cdxj(entries) + b"broken {\n")
    (tmp_path / "i.cdx.gz").write_bytes(
        gzip.compress(
            b" CDX N b a m s k r M S V g\n"
            + b"".join(
                f"k 2020 {e['url']} text/html 200 D - - {e['length']} {e['offset']} "
                f"{e['filename']}\n".encode()
                for e in INDEX
            )
        )
    )
    columns: dict[str, list[object]] = {
        "url": [entry["url"] for entry in INDEX],
        "warc_filename": [entry["filename"] for entry in INDEX],
        "warc_record_offset": [int(str(entry["offset"])) for entry in INDEX],
        "warc_record_length": [int(str(entry["length"])) for entry in INDEX],
        "content_languages": ["eng"] * len(INDEX),
    }
    pq.write_table(pa.table(columns), tmp_path / "i.parquet")
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl/a.warc.gz").write_bytes(ARCHIVE)
    fsspec.filesystem("s3").pipe("bucket/in/crawl/a.warc.gz", ARCHIVE)
    with serve_http({"crawl/a.warc.gz": ARCHIVE}) as url:
        for base in (str(tmp_path), url, "s3://bucket/in"):
            rows, problem = read_rows(tmp_path / "i.cdxj", base=base)
            assert problem is None
            check_sample_rows(rows[:9])
            assert {row["warc_file"] for row in rows[:9]} == {"crawl/a.warc.gz"}
            assert [row["error_kind"] for row in rows[9:]] == ["SourceError", "SourceError"]
            assert rows[9]["url"] == "https://site.example/0"
    rows, _ = read_rows(tmp_path / "i.parquet", base=str(tmp_path))
    check_sample_rows(rows)
    assert {row["content_languages"] for row in rows} == {"eng"}
    rows, _ = read_rows(tmp_path / "i.cdx.gz", base=str(tmp_path))
    check_sample_rows(rows)


def test_entries_of_an_index_that_are_no_byte_ranges_are_rows_with_their_error(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(ARCHIVE)
    length = int(str(INDEX[0]["length"]))
    ranges = [
        ("a.warc.gz", 0.0, length),
        ("a.warc.gz", float("nan"), length),
        ("a.warc.gz", -1.0, length),
        ("a.warc.gz", 1e15, length),
        ("a.warc.gz", 0.0, -5),
        ("a.warc.gz", 0.0, 1 << 39),
        ("unheard://of", 0.0, length),
        ("gone.warc.gz", 0.0, length),
        (None, 0.0, length),
    ]
    names, offsets, lengths = zip(*ranges, strict=True)
    columns = {
        "warc_filename": names,
        "warc_record_offset": offsets,
        "warc_record_length": lengths,
        "url": range(len(ranges)),
    }
    pq.write_table(pa.table({name: list(v) for name, v in columns.items()}), tmp_path / "i.parquet")
    rows, problem = read_rows(tmp_path / "i.parquet", base=str(tmp_path))
    assert problem is None
    check_sample_rows(rows[:1])
    assert [row["error_kind"] for row in rows] == [
        None,
        *["SourceError"] * 4,
        "TooLarge",
        *["SourceError"] * 3,
    ]
    assert "no file, offset or length" in rows[1]["error"]
    assert "gone.warc.gz:0 is not there" in rows[7]["error"]
    pq.write_table(pa.table({**columns, "warc_filename": range(len(ranges))}), tmp_path / "i.pq")
    rows, _ = read_rows(tmp_path / "i.pq", base=str(tmp_path))
    assert {row["error_kind"] for row in rows} == {"SourceError"}


def test_ranges_that_could_not_be_fetched_for_now_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "i.cdxj").write_bytes(cdxj(INDEX))
    rows, problem = read_rows(tmp_path / "i.cdxj", base="http://127.0.0.1:9/")  # nobody listens
    assert [row["error_kind"] for row in rows] == ["SourceError"] * len(INDEX)
    assert f"{len(INDEX)} byte ranges could not be fetched" in str(problem)


def test_a_range_that_is_no_page_is_a_row_with_its_error(tmp_path: Path) -> None:
    missing = gzip.compress(record(0, http(b"gone", status="404 Not Found")))
    (tmp_path / "a.warc.gz").write_bytes(missing)
    entry = {"filename": "a.warc.gz", "offset": 0, "length": len(missing)}
    (tmp_path / "i.cdxj").write_bytes(
        cdxj([entry, {**entry, "length": 20}, {**entry, "offset": 9}])
    )
    rows, _ = read_rows(tmp_path / "i.cdxj", base=str(tmp_path))
    assert [row["error_kind"] for row in rows] == ["SourceError"] * 3
    assert [row["html"] for row in rows] == [None] * 3


def test_tables_of_pages(tmp_path: Path) -> None:
    pages = pa.table({"html": PAGES, "url": ["u"] * len(PAGES), "mark": range(len(PAGES))})
    pq.write_table(pages, tmp_path / "p.parquet")
    rows, _ = read_rows(tmp_path / "p.parquet")
    assert [(row["html"], row["mark"]) for row in rows] == list(
        zip(PAGES, range(len(PAGES)), strict=True)
    )
    lines = [
        json.dumps({"html": "<p>Ä", "url": "https://a.example/", "n": 1, "charset": 5}),
        "{broken",
        "",
        "[1]",
        json.dumps({"html": None, "url": "\ud800"}),
    ]
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    rows, problem = read_rows(tmp_path / "p.jsonl.gz")
    assert problem is None
    assert (rows[0]["html"], rows[0]["url"]) == ("<p>Ä", "https://a.example/")
    assert json.loads(rows[0]["extra"]) == {"n": 1, "charset": 5}
    assert [row["error_kind"] for row in rows] == [None, "SourceError", "SourceError", None]
    assert rows[1]["error"].startswith("line 2 is no JSON object")
    assert (rows[3]["html"], rows[3]["url"]) == (None, "?")


def test_folders_of_pages(tmp_path: Path) -> None:
    (tmp_path / "1.html").write_bytes(PAGES[0])
    (tmp_path / "2.html.gz").write_bytes(gzip.compress(PAGES[1]))
    (tmp_path / "3.html").write_bytes(b"%PDF-1.4")
    (tmp_path / "4.html.gz").write_bytes(gzip.compress(PAGES[1])[:50])
    rows, problem = read_rows(tmp_path)
    assert problem is None
    assert [row["name"] for row in rows] == ["1.html", "2.html.gz", "3.html", "4.html.gz"]
    assert [row["html"] for row in rows] == [*PAGES[:2], None, None]
    assert "a PDF file" in rows[2]["error"]


def test_what_is_cut_gives_what_is_whole_and_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(ARCHIVE[: len(ARCHIVE) // 2])
    rows, problem = read_rows(tmp_path / "a.warc.gz")
    assert 0 < len(rows) < 9
    check_sample_rows(rows)
    assert "damaged" in str(problem)
    lines = b"".join(json.dumps({"html": f"<p>{n}" * 999}).encode() + b"\n" for n in range(500))
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(lines)[:-60])
    rows, problem = read_rows(tmp_path / "p.jsonl.gz")
    assert rows
    assert "cannot be read" in str(problem)


@pytest.mark.parametrize("name", ["a.warc.gz", "p.parquet", "p.jsonl.gz", "gone.warc", "gone.html"])
def test_what_cannot_be_read_at_all_raises(tmp_path: Path, name: str) -> None:
    if not name.startswith("gone"):
        (tmp_path / name).write_bytes(b"nothing of the kind" * 100)
    (source,) = find_inputs([str(tmp_path / name)])
    reader = InputReader(source, Options())
    if name == "a.warc.gz":
        assert list(reader.batches()) == []
        assert "no WARC or ARC archive" in str(reader.problem)
    else:
        with pytest.raises(SourceError):
            list(reader.batches())


def test_columns_are_checked_before_pages_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"markup": ["<p>"]}), tmp_path / "p.parquet")
    (tmp_path / "p.jsonl").write_text('{"markup": "<p>"}\n')
    for name in ("p.parquet", "p.jsonl"):
        (source,) = find_inputs([str(tmp_path / name)])
        with pytest.raises(InputError, match="no column 'html', but markup"):
            InputReader(source, Options()).check()
        InputReader(source, Options(html_column="markup")).check()
    (source,) = find_inputs([str(tmp_path / "gone.parquet")])
    InputReader(source, Options()).check()  # what is missing is told later


def test_a_limit_is_of_each_input_and_pages_may_be_too_large(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(map(sample_record, range(9))))
    rows, _ = read_rows(tmp_path / "a.warc", limit=4)
    check_sample_rows(rows)
    assert len(rows) == 4
    rows, _ = read_rows(tmp_path / "a.warc", max_bytes=min(map(len, PAGES)) + 1)
    kinds = {row["error_kind"] for row in rows}
    assert kinds == {None, "TooLarge"}
    assert all(row["url"] and row["length"] for row in rows)
