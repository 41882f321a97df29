"""Reading files and standard input; binary data is refused."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import SourceError, TooLarge
from tamis.source import Input, Source, binary_kind, expand_inputs, read_input

TEXT = "It rained all day, and all night too, they said; nobody slept. " * 20
CHINESE = "老渡口开出书船，一船读物走遍三十六村。" * 40
JAPANESE = "今日は朝から雨が降っていました。" * 40


def file_input(path: Path | str) -> Input:
    return Input(str(path), "file", str(path))


def test_a_file_has_no_url_and_no_charset(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"\xff<p>")
    assert read_input(file_input(path), max_bytes=4) == Source(str(path), None, b"\xff<p>", None)


def test_the_limit_is_the_size_that_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"12345")
    assert read_input(file_input(path), max_bytes=5).data == b"12345"
    with pytest.raises(TooLarge, match=r"more than 4 bytes; .* \(--max-bytes\)"):
        read_input(file_input(path), max_bytes=4)


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    with path.open("wb") as file:
        file.truncate(10**11)
    with pytest.raises(TooLarge):
        read_input(file_input(path), max_bytes=1000)


@pytest.mark.parametrize("name", ["a.html.gz", "a.HTM.GZ", "packed-without-saying-so.html"])
def test_gzip_is_unpacked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"hello ") + gzip.compress(b"world") + b"\0" * 512)
    assert read_input(file_input(path), max_bytes=11).data == b"hello world"
    with pytest.raises(TooLarge):
        read_input(file_input(path), max_bytes=10)


def test_a_bomb_costs_no_more_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.html.gz"
    path.write_bytes(gzip.compress(bytes(100_000_000)))
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            read_input(file_input(path), max_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"hello" * 100)[:-10],
        gzip.compress(b"hello" * 100)[:12] + b"\xff" * 30,
        b"\x1f\x8b",
        gzip.compress(b"") * 2000,
    ],
    # Names of their own, as gzip data holds the time and the names of tests must not change.
    ids=["cut off", "overwritten", "only the start", "too many members"],
)
def test_damaged_gzip(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.html.gz"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=r"cannot be unpacked .*: get the file again"):
        read_input(file_input(path), max_bytes=1000)


@pytest.mark.parametrize("data", [b"", b"<p>plain"])
def test_gz_that_is_no_gzip(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.html.gz"
    path.write_bytes(data)
    with pytest.raises(SourceError, match="not a gzip file"):
        read_input(file_input(path), max_bytes=1000)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a folder"):
        read_input(file_input(tmp_path), max_bytes=10)


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "pipe.html"
    os.mkfifo(path)
    with pytest.raises(SourceError, match="pipe or a device"):
        read_input(file_input(path), max_bytes=10)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_no_file(device: str) -> None:
    with pytest.raises(SourceError, match="pipe or a device"):
        read_input(file_input(device), max_bytes=10)


def test_links(tmp_path: Path) -> None:
    good, dangling, circle = tmp_path / "good", tmp_path / "dangling", tmp_path / "circle"
    (tmp_path / "a.html").write_bytes(b"x")
    good.symlink_to(tmp_path / "a.html")
    dangling.symlink_to(tmp_path / "missing")
    circle.symlink_to(circle)
    assert read_input(file_input(good), max_bytes=10).data == b"x"
    with pytest.raises(SourceError, match="link to a file that does not exist"):
        read_input(file_input(dangling), max_bytes=10)
    with pytest.raises(SourceError, match="cannot be read"):
        read_input(file_input(circle), max_bytes=10)


def test_a_file_that_is_gone_or_has_no_possible_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        read_input(file_input(tmp_path / "gone.html"), max_bytes=10)
    with pytest.raises(SourceError, match="cannot be read"):
        read_input(file_input("a\0b"), max_bytes=10)


def test_a_forbidden_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SourceError, match="may not be read by this user"):
        read_input(file_input(tmp_path / "a.html"), max_bytes=10)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("needs /proc")
    before = len(list(descriptors.iterdir()))
    for _ in range(5):
        with pytest.raises(SourceError):
            read_input(file_input(tmp_path), max_bytes=10)
    assert len(list(descriptors.iterdir())) == before


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = Input("-", "stdin", "-")
    for data in (b"<p>hello", gzip.compress(b"<p>hello")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_input(stdin, max_bytes=8) == Source("-", None, b"<p>hello", None)
    monkeypatch.setattr(sys, "stdin", open("/dev/zero"))  # noqa: SIM115
    with pytest.raises(TooLarge, match="standard input"):
        read_input(stdin, max_bytes=8)
    sys.stdin.close()
    with pytest.raises(SourceError, match="cannot be read"):
        read_input(stdin, max_bytes=8)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceError, match="no standard input"):
        read_input(stdin, max_bytes=8)


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.html", TEXT)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (zipped(), "a ZIP file"),
        (gzip.compress(gzip.compress(TEXT.encode())), "a gzip file inside another"),
        (random.Random(1).randbytes(5000), "binary data"),
        (bytes(5000), "binary data"),
    ],
)
def test_what_is_no_page_is_refused(data: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(data)
    (page,) = expand_inputs([str(path)])
    with pytest.raises(SourceError, match=kind):
        read_input(page, max_bytes=10**6)


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16"])
@pytest.mark.parametrize("text", [TEXT, f"<p>{TEXT}</p>", f"<p>{CHINESE}</p>"])
def test_wide_characters_are_text(text: str, charset: str) -> None:
    assert binary_kind(text.encode(charset)) is None


@pytest.mark.parametrize(
    ("text", "charset"),
    [(CHINESE, "gbk"), (CHINESE, "gb18030"), (CHINESE, "utf-8"), (JAPANESE, "iso-2022-jp"),
     (JAPANESE, "shift_jis"), (JAPANESE, "euc-jp"), (TEXT, "cp037")],
)  # fmt: skip
def test_text_of_any_charset_is_text(text: str, charset: str) -> None:
    assert binary_kind(text.encode(charset)) is None


@given(
    st.binary(max_size=2000), st.sampled_from(["<p>", "<!DOCTYPE html>", "<A HREF='x'>", "</td>"])
)
def test_what_has_a_tag_is_a_page_however_odd(data: bytes, tag: str) -> None:
    assert binary_kind(b"\n" + data + tag.encode() + data) is None
