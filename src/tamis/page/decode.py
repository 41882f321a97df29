"""Bytes → UTF-8, by the same evidence a browser uses: BOM, HTTP, <meta>, then detection."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARKUP: Final = re.compile(
    rb"<(?:meta(?=[\s/][^>]*?charset)([^>]*)|!(?=--)|(script|style|title|textarea)(?=[\s/>]))",
    re.IGNORECASE,
)
_LABEL: Final = rb"charset\s*=[\"'\s]*([A-Za-z0-9_:.+-]{1,40})"
# The attribute, not the word in the value of another one: quoted values are passed over whole.
_CHARSET: Final = re.compile(
    rb"(?:[^\"']|\"[^\"]*\"|'[^']*')*?(?<=[\s/\"'])" + _LABEL, re.IGNORECASE
)
_CONTENT_TYPE: Final = re.compile(
    rb"(?=.*?[\s/\"']http-equiv\s*=[\"'\s]*content-type\b).*?\b" + _LABEL,
    re.IGNORECASE | re.DOTALL,
)
_XML: Final = re.compile(
    rb"^\s{0,99}<\?xml\b[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}[\"']([^\"']{1,40})"
)
_META_SPAN: Final = 4096  # the standard says 1024; real pages put scripts before it
_PROOF: Final = 16384  # where a page that says UTF-8 and is none shows it, at little cost
_SAMPLE: Final = 65536
_CUT: Final = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
_ASCII: Final = bytes(range(128))
_TELLING: Final = 32  # bytes that are not ASCII; a handful says little
# What the library takes Western pages with few accents for, far more often than it is right.
_MISTAKEN: Final = ("cp852", "cp865", "mac-latin2")
# What the standard calls codecs that Python calls by names which the standard does not know.
_NAMES: Final = {
    "utf-8": "utf-8",
    "gb18030": "gbk",
    "big5hkscs": "big5",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "iso8859-16": "iso-8859-16",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
}
# Where the standard means another codec than the one that bears the name.
_CODECS: Final = {"gbk": "gb18030", "x-user-defined": "cp1252", "replacement": None}


def find_codec(label: str | None) -> str | None:
    """Return the Python codec that the WHATWG encoding standard gives a label, if it knows it.

    Labels that only Python knows (latin-1, cp949) count as well where the standard has the
    encoding under another name. None is returned for the standard's "replacement", which
    would make one U+FFFD of a whole page.
    """
    import webencodings

    if not label or not label.isascii():
        return None
    encoding = webencodings.lookup(label)
    if encoding is None:
        name = python_codec(label)
        encoding = webencodings.lookup(_NAMES.get(name, name))
    if encoding is None:
        return None
    name = str(encoding.codec_info.name)
    return _CODECS.get(name, name)


def python_codec(label: str) -> str:
    """Return Python's own name of an encoding, or an empty string."""
    try:
        return codecs.lookup(label.strip()).name
    except (LookupError, ValueError):  # the latter for labels that are no text at all
        return ""


def to_utf8(data: bytes, charset: str | None = None) -> tuple[bytes, str]:
    """Return a page's bytes in UTF-8 and the name of the encoding that they were in.

    Order of evidence: byte order mark, `charset` (what HTTP declared), UTF-16 without a mark,
    `<meta>` or the XML declaration, valid UTF-8, statistical detection. Bytes that do not fit
    the encoding become U+FFFD. UTF-8 is passed on as it is: the parser replaces what is wrong.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return transcode(data[len(bom) :], encoding), encoding
    codec = find_codec(charset) or detect_utf16(data)
    if codec is None:
        codec = declared_codec(data)
        if codec != "utf-8":
            # Archives often hold pages converted to UTF-8 with the old declaration still inside;
            # text of another encoding is practically never valid UTF-8 by chance.
            codec = "utf-8" if is_utf8(data) or nearly_utf8(data) else codec or detect_codec(data)
        elif not is_utf8(data[:_PROOF]) and hardly_utf8(data):
            codec = detect_codec(data)
    return transcode(data, codec), encoding_name(codec)


def encoding_name(codec: str) -> str:
    """Return the WHATWG standard's name of the encoding that a codec reads."""
    if codec in _NAMES:
        return _NAMES[codec]
    import webencodings

    encoding = webencodings.lookup(codec)
    return str(encoding.name) if encoding else codec


def transcode(data: bytes, encoding: str) -> bytes:
    """Return bytes of any encoding in UTF-8, wrong ones replaced."""
    if encoding == "utf-8":
        return data
    return data.decode(encoding, "replace").encode("utf-8", "replace")


def declared_codec(data: bytes) -> str | None:
    """Return the codec that the page itself declares."""
    codec = next(filter(None, map(find_codec, charset_labels(data[:_META_SPAN]))), None)
    # Whoever can read the declaration as ASCII is not looking at UTF-16 (standard, 13.2.3.3).
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def charset_labels(head: bytes) -> Iterator[str]:
    """Yield what the metas at the head of a page declare, then what its XML declaration does."""
    for attributes in charset_metas(head):
        if match := _CHARSET.match(attributes) or _CONTENT_TYPE.match(attributes):
            yield match[1].decode()
    if match := _XML.search(head, 0, 400):
        yield match[1].decode("ascii", "replace")


def charset_metas(head: bytes) -> Iterator[bytes]:
    """Yield the attributes of each meta about a charset outside of comments and scripts."""
    at = 0
    while at >= 0 and (match := _MARKUP.search(head, at)):
        attributes, text = match.groups()
        at = match.end()
        if attributes is not None:
            yield attributes
        else:  # what does not end in the head reaches to the end of it
            end = b"</" + text if text else b"-->"
            start, at = at, head.find(end, at)
            if at < 0 and text:
                at = head.lower().find(end.lower(), start)


def detect_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 by its zero bytes: markup is ASCII, so every other byte is zero."""
    head = data[:1024]
    if len(head) < 4 or b"\0" not in head:
        return None
    half = len(head) // 2
    if head[1::2].count(0) > 0.6 * half and head[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if head[0::2].count(0) > 0.6 * half and head[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None


def is_utf8(data: bytes) -> bool:
    """Say whether all bytes are valid UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def detect_codec(data: bytes) -> str:
    """Return the most likely codec by statistics of the first bytes that are not ASCII."""
    import cchardet

    start = next((m.start() for m in re.finditer(rb"[\x80-\xff]", data)), 0)
    begin = max(0, start - 1024)
    sample = data[begin : begin + _SAMPLE]
    label = cchardet.detect(sample).get("encoding") or ""
    codec = find_codec(label)
    if codec is None and len(sample.translate(None, _ASCII)) >= _TELLING:
        codec = python_codec(label)
    if not codec or codec in _MISTAKEN:
        codec = "cp1252"
    # Where nothing else fits either the library says UTF-8, although most bytes are none.
    return "cp1252" if codec == "utf-8" and not mostly_utf8(sample) else codec


def nearly_utf8(data: bytes) -> bool:
    """Say whether at least 95 % of the bytes that are not ASCII are valid UTF-8.

    A character that the end of the page cuts does not count: crawls cut pages at a size.
    """
    valid, others = count_utf8_bytes(data[:-3] + _CUT.sub(b"", data[-3:]))
    return valid > 0 and valid >= 19 * others


def hardly_utf8(data: bytes) -> bool:
    """Say whether the page has many bytes that are not ASCII, most of them no valid UTF-8.

    Of Western and Cyrillic text practically none are valid, of Korean and Chinese a third.
    """
    valid, others = count_utf8_bytes(data)
    return others >= _TELLING and others > valid


def mostly_utf8(data: bytes) -> bool:
    """Say whether more than half of the bytes that are not ASCII are valid UTF-8."""
    valid, others = count_utf8_bytes(data)
    return valid > others


def count_utf8_bytes(data: bytes) -> tuple[int, int]:
    """Return how many bytes that are not ASCII are part of valid UTF-8, and how many are not."""
    valid = len(data.decode("utf-8", "ignore").encode().translate(None, _ASCII))
    return valid, len(data.translate(None, _ASCII)) - valid
