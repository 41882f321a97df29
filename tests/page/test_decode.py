"""Bytes are read by the evidence a browser goes by, and never raise."""

from __future__ import annotations

import codecs
import time

import cchardet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from page.soup import patient
from tamis.page import (
    declared_codec,
    detect_codec,
    find_codec,
    is_nearly_utf8,
    parse,
    to_utf8,
)

RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 5
CHINESE = "今天天气很好，我们一起去公园散步，看到了很多花。" * 5
JAPANESE = "いろはにほへと ちりぬるを わかよたれそ つねならむ" * 5
KOREAN = "강은 사흘째 불어났고 시의회는 낡은 회관에 모였다. " * 5
FRENCH = "Dès Noël où un zéphyr haï me vêt de glaçons würmiens. " * 5


@pytest.mark.parametrize(
    ("data", "charset", "text", "encoding"),
    [
        # a byte order mark counts more than all else
        (codecs.BOM_UTF8 + "<meta charset=latin1>é".encode(), "koi8-r", "é", "utf-8"),
        ("\ufeff<p>é".encode("utf-16-le"), "utf-8", "é", "utf-16-le"),
        ("\ufeff<p>é".encode("utf-16-be"), None, "é", "utf-16-be"),
        # what HTTP declared counts more than what the page declares
        ("<meta charset=koi8-r>д".encode("cp1251"), "windows-1251", "д", "windows-1251"),
        ("<meta charset=koi8-r>д".encode("cp1251"), " Windows-1251 ", "д", "windows-1251"),
        # a label that nobody knows counts nothing
        ("<meta charset=koi8-r>д".encode("koi8-r"), "no-such", "д", "koi8-r"),
        ("<meta charset=koi8-r>д".encode("koi8-r"), "", "д", "koi8-r"),
        ("<meta charset=koi8-r>д".encode("koi8-r"), "\0\ud800é", "д", "koi8-r"),
        # declarations in the page
        ("<META http-equiv=content-type content='x; charset=Big5'>書".encode("big5"),
         None, "書", "big5"),
        ("<meta charset='shift_jis'>ソ表".encode("cp932"), None, "ソ表", "shift_jis"),
        ("<?xml version='1.0' encoding='euc-kr'?><p>한글".encode("cp949"), None, "한글", "euc-kr"),
        # Python's names for them
        ("<meta charset=cp949>똠방".encode("cp949"), None, "똠방", "euc-kr"),
        ("<p>똠방".encode("cp949"), "UHC", "똠방", "euc-kr"),
        ("<p>①".encode("cp932"), "cp932", "①", "shift_jis"),
        ("<p>дом".encode("mac-cyrillic"), "mac-cyrillic", "дом", "x-mac-cyrillic"),
        ("<p>いろ".encode("euc-jp"), "eucjp", "いろ", "euc-jp"),
        # the wide sets behind narrow names
        ("<meta charset=gb2312>朱镕基€".encode("gb18030"), None, "朱镕基€", "gbk"),
        ("<meta charset=latin-1>“€”".encode("cp1252"), None, "“€”", "windows-1252"),
        ("<meta charset=iso-8859-1>“€”".encode("cp1252"), None, "“€”", "windows-1252"),
        ("<meta charset=ascii>“é”".encode("cp1252"), None, "“é”", "windows-1252"),
        ("<meta charset=iso-8859-9>ğ".encode("cp1254"), None, "ğ", "windows-1254"),
        ("<meta charset=x-user-defined>é".encode("cp1252"), None, "é", "windows-1252"),
        # who can read "utf-16" in ASCII is not reading UTF-16
        ("<meta charset=utf-16>é".encode(), None, "é", "utf-8"),
        # a page that was converted and kept its old declaration
        ("<meta charset=windows-1251>дом".encode(), None, "дом", "utf-8"),
        # UTF-16 without a mark
        ("<!doctype html><p>дом".encode("utf-16-le"), None, "дом", "utf-16-le"),
        ("<!doctype html><p>дом".encode("utf-16-be"), None, "дом", "utf-16-be"),
        # nothing declared
        (b"<p>plain", None, "plain", "utf-8"),
        ("<p>дом".encode(), None, "дом", "utf-8"),
    ],
)  # fmt: skip
def test_evidence(data: bytes, charset: str | None, text: str, encoding: str) -> None:
    page = parse(data, charset=charset)
    assert page.text == text
    assert page.encoding == encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (CHINESE, "gb18030"),
        (CHINESE.replace("气", "氣"), "gbk"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc-jp"),
        (KOREAN, "cp949"),
        (RUSSIAN, "mac-cyrillic"),
        (RUSSIAN, "cp855"),
        (FRENCH, "cp1252"),
        (FRENCH, "utf-16-le"),
    ],
)
def test_detection(text: str, encoding: str) -> None:
    assert parse(f"<html><body><p>{text}".encode(encoding)).text == text.strip()


def test_accents_make_no_dos_page() -> None:
    text = "The town café served naïve visitors."
    assert cchardet.detect(text.encode("cp1252"))["encoding"] == "IBM852"  # else it tests nothing
    for times in (1, 50):
        assert parse(f"<p>{text * times}".encode("cp1252")).text == text * times


@pytest.mark.parametrize(
    "head",
    [
        "<!-- <meta charset=koi8-r> -->",
        "<!--> <!---> <!--[if IE]><meta charset=koi8-r><![endif]-->",
        "<script>a = '<meta charset=koi8-r>'</SCRIPT>",
        "<STYLE><meta charset=koi8-r></style>",
        "<title><meta charset=koi8-r></title>",
        "<meta name=description content='set charset=koi8-r here'>",
        '<meta name="description" content="charset=koi8-r">',
        "<meta name=x data-charset=koi8-r>",
        "<meta charset=no-such>",
    ],
)
@pytest.mark.parametrize(
    "meta",
    [
        "<meta charset=windows-1251>",
        '<META NAME="a"CHARSET = " Windows-1251 "/>',
        '<meta content="text/html; charset=windows-1251" http-equiv="Content-Type">',
        "<noscript><meta charset=windows-1251></noscript>",
        "<!--[if !IE]><!--><meta charset='windows-1251'><!--<![endif]-->",
    ],
)
def test_only_a_real_meta_declares(head: str, meta: str) -> None:
    assert declared_codec((head + meta + "<p>дом").encode("cp1251")) == "cp1251"
    assert declared_codec((head + "<p>дом").encode("cp1251")) is None


@pytest.mark.parametrize("unit", ["<meta charset", "'", "' ", "<!--", "<script>", " charset=", " "])
def test_hostile_heads_are_read_in_no_time(unit: str) -> None:
    start = time.process_time()
    declared_codec(b"<meta " + unit.encode() * 4096 + b" charset")
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize("meta", ["", "<meta charset=windows-1252>", "<meta charset=gbk>"])
@pytest.mark.parametrize("text", [FRENCH, CHINESE, RUSSIAN, "😀 " * 20])
def test_utf_8_with_little_damage_stays_utf_8(meta: str, text: str) -> None:
    whole = (meta + "<p>" + text).encode()
    last = (meta + "<p>" + text.strip()).encode()
    assert to_utf8(whole + b" bad \xe9 byte")[1] == "utf-8"
    for cut in range(1, 5):
        assert to_utf8(last[:-cut])[1] == "utf-8"


def test_a_last_letter_alone_is_no_cut_utf_8() -> None:
    assert parse(b"<p>caf\xe9").text == "café"


@given(st.text(min_size=1, max_size=50), st.integers(0, 200))
@patient
def test_no_cut_makes_another_encoding_of_utf_8(text: str, size: int) -> None:
    data = ("é" + text).encode("utf-8", "ignore")
    assert is_nearly_utf8(data[: 2 + size])


def test_a_page_that_says_utf_8_and_is_none() -> None:
    for text, codec in ((FRENCH, "cp1252"), (RUSSIAN, "cp1251"), (KOREAN, "cp949")):
        data = f"<meta charset=utf-8><p>{text}".encode(codec)
        assert parse(data).text == text.strip()
        # what HTTP says is believed, and so is a page with a stray byte or two
        assert parse(data, charset="utf-8").encoding == "utf-8"
    assert parse(b"<meta charset=utf-8><p>caf\xe9").encoding == "utf-8"
    mixed = FRENCH.encode() + FRENCH.encode("cp1252")
    assert parse(b"<meta charset=utf-8><p>" + mixed).encoding == "utf-8"


def test_detection_looks_beyond_the_first_kilobytes_of_ascii() -> None:
    data = b"<p>" + b"plain words " * 20_000 + RUSSIAN.encode("cp1251")
    assert parse(data).text.endswith(RUSSIAN.strip())


@pytest.mark.parametrize("label", sorted(LABELS))
def test_every_label_of_the_standard_decodes_anything(label: str) -> None:
    junk = bytes(range(256)) * 3 + b"\x1b$B\x80"
    for data in (junk, b"<meta charset=" + label.encode() + b">" + junk):
        decoded, encoding = to_utf8(data, label)
        decoded.decode("utf-8", "strict" if encoding != "utf-8" else "replace")


def test_labels_that_are_not_of_the_standard() -> None:
    assert find_codec("latin-1") == "cp1252"
    assert find_codec("utf8") == find_codec("UTF-8 ") == find_codec("utf_8") == "utf-8"
    assert find_codec("cp936") == "gb18030"
    for label in ("base64", "rot13", "punycode", "utf-7", "hz", "replacement", "", None, "é", "\0"):
        assert find_codec(label) is None


@given(st.binary(max_size=3000), st.sampled_from([None, "utf-8", "utf-16", "gbk", "iso-2022-jp"]))
@patient
def test_no_bytes_raise(data: bytes, charset: str | None) -> None:
    page = parse(data, charset=charset)
    assert page.source.decode("utf-8")
    assert "\0" not in page.text


@given(st.binary(min_size=1, max_size=500))
@patient
def test_detection_always_names_a_codec(data: bytes) -> None:
    data.decode(detect_codec(data), "replace")


@given(st.text(st.characters(codec=None), max_size=200))
@patient
def test_no_string_raises(text: str) -> None:
    assert parse(text).encoding == "utf-8"


def test_lone_surrogates_and_a_mark_in_a_string() -> None:
    assert parse("\ufeff<p>a\ud800b").text == "a?b"


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert parse(b"<p>a\xffb \xc3(", charset="utf-8").text == "a�b �("
    assert parse(b"<p title='\xff'>x", charset="utf-8").source.count("�".encode()) == 1


def test_other_kinds_of_bytes() -> None:
    for kind in (bytes, bytearray, memoryview):
        assert parse(kind(b"<p>x")).text == "x"  # type: ignore[arg-type]
