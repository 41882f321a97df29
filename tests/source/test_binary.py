"""What is plainly no page is told from all that may be one."""

from __future__ import annotations

import gzip
import random
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import SourceError
from tamis.source import binary_kind, expand_inputs, read_input

TEXT = "It rained all day, and all night too, they said; nobody slept. " * 20
CHINESE = "老渡口开出书船，一船读物走遍三十六村。" * 40
JAPANESE = "今日は朝から雨が降っていました。" * 40


def zipped() -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.html", TEXT)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        (zipped(), "a ZIP file"),
        (gzip.compress(gzip.compress(TEXT.encode())), "a gzip file inside another"),
        (random.Random(1).randbytes(5000), "binary data"),
        (bytes(5000), "binary data"),
    ],
)
def test_what_is_no_page_is_refused(data: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(data)
    (place,) = expand_inputs([str(path)])
    with pytest.raises(SourceError, match=kind):
        read_input(place, max_bytes=10**6)


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
