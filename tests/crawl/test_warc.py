"""WARC files: what is written can be read, whatever happens to the writer."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tamis.crawl import Exchange, WarcWriter
from tamis.errors import InputError
from tamis.source import Source, expand_inputs, read_pages

MOMENT = datetime(2026, 11, 18, 5, 30, tzinfo=UTC)


def exchange(number: int, body: bytes = b"<p>Text", **headers: str) -> Exchange:
    return Exchange(
        url=f"http://canal.example/{number}?a=1",
        fetched_at=MOMENT,
        request_headers=[("User-Agent", "tamis/1")],
        status=200,
        reason="OK",
        headers=[("Content-Type", "text/html"), *headers.items()],
        body=body,
        ip="192.0.2.1",
    )


def read(folder: Path) -> list[tuple[str, str, bytes]]:
    records = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                records.append((record.rec_type, url, record.content_stream().read()))
    return records


def test_request_and_response(tmp_path: Path) -> None:
    packed = gzip.compress(b"<p>Packed")
    with WarcWriter(tmp_path, software="tamis/1") as writer:
        writer.write(exchange(1))
        writer.write(exchange(2, packed, **{"Content-Encoding": "gzip", "Connection": "close"}))
    records = read(tmp_path)
    assert [record[0] for record in records] == ["warcinfo", *["response", "request"] * 2]
    assert records[1][1:] == ("http://canal.example/1?a=1", b"<p>Text")
    assert records[3][2] == b"<p>Packed"  # warcio unpacks what the headers say
    (path,) = tmp_path.iterdir()
    text = gzip.decompress(path.read_bytes())
    assert b"GET /1?a=1 HTTP/1.1\r\nHost: canal.example\r\nUser-Agent: tamis/1\r\n" in text
    assert b"WARC-IP-Address: 192.0.2.1" in text
    assert b"X-Crawler-Connection: close" in text
    assert b"WARC-Concurrent-To" in text
    assert b"WARC-Date: 2026-11-18T05:30:00Z" in text


def test_tamis_reads_what_it_writes(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, software="tamis/1") as writer:
        writer.write(exchange(1))
    (path,) = tmp_path.iterdir()
    (source,) = read_pages(expand_inputs([str(path)]), max_bytes=10_000)
    assert isinstance(source, Source)
    assert (source.url, source.data) == ("http://canal.example/1?a=1", b"<p>Text")


def test_the_next_file_begins_when_one_is_full(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, software="tamis/1", max_bytes=30_000) as writer:
        for number in range(8):
            writer.write(exchange(number, os.urandom(10_000)))
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) == 4
    assert max(sizes) <= 30_000
    assert sum(kind == "response" for kind, _, _ in read(tmp_path)) == 8


def test_a_writer_that_is_killed_leaves_a_readable_file(tmp_path: Path) -> None:
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[2])\n"
        "from test_warc import WarcWriter, exchange\n"
        "writer = WarcWriter(sys.argv[1], software='tamis/1')\n"
        "for number in range(100_000):\n"
        "    writer.write(exchange(number, os.urandom(20_000)))\n"
        "    print(number, flush=True)\n"
    )
    folder = tmp_path / "warc"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 25:
            process.send_signal(signal.SIGKILL)
            break
    rest = process.stdout.read().split()
    process.wait()
    process.stdout.close()
    last = int(rest[-1]) if rest else 25
    (path,) = folder.iterdir()
    records: list[tuple[str, int]] = []
    with path.open("rb") as file:
        try:
            records.extend(
                (record.rec_type, len(record.content_stream().read()))
                for record in ArchiveIterator(file)
            )
        except Exception:  # the record that was being written
            assert len(records) >= 2 * last
    assert sum(kind == "response" and size == 20_000 for kind, size in records) >= last + 1


def test_a_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    code = (
        "import os, resource, signal, sys; sys.path.insert(0, sys.argv[2])\n"
        "from test_warc import InputError, WarcWriter, exchange\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "writer = WarcWriter(sys.argv[1], software='tamis/1')\n"
        "try:\n"
        "    for number in range(100):\n"
        "        writer.write(exchange(number, os.urandom(20_000)))\n"
        "except InputError as error: print(number, error)\n"
    )
    folder = tmp_path / "warc"
    arguments = [sys.executable, "-c", code, str(folder), str(Path(__file__).parent)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    number, _, message = done.stdout.partition(" ")
    assert "make room" in message
    assert sum(kind == "response" for kind, _, _ in read(folder)) == int(number) > 0
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 100_000


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        WarcWriter(tmp_path / "file" / "warc", software="tamis/1")
