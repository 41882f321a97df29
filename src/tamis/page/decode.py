"""Bytes → UTF-8.

The encoding is decided as browsers do: by byte order mark, HTTP header, `<meta>`, then detection.
"""

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
# The attribute, not the word in the value of another attribute: quoted values are skipped.
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
_MAX_META_BYTES: Final = 4096  # the standard says 1024; real pages put scripts before it
_UTF8_PROBE_BYTES: Final = 16384  # checked first, cheaply, of a page that declares UTF-8
_MAX_SAMPLE_BYTES: Final = 65536  # for statistical detection
# The beginning of a UTF-8 character at the end of the data.
_CUT_CHARACTER: Final = re.compile(
    rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z"
)
_ASCII: Final = bytes(range(128))
_MIN_NON_ASCII: Final = 32  # bytes; fewer do not show the encoding
# Western pages with few accents are detected as these, far more often than these are right.
_OFTEN_WRONG: Final = ("cp852", "cp865", "mac-latin2")
# Python codec → the standard's name of the encoding, where the standard does not know Python's.
_STANDARD_NAMES: Final = {
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
# Codec by the standard's name → the codec that the standard means, where that is another one.
_STANDARD_CODECS: Final = {"gbk": "gb18030", "x-user-defined": "cp1252", "replacement": None}


def find_codec(label: str | None) -> str | None:
    """Return the Python codec for a label of the WHATWG encoding standard, None if it has none.

    Labels that only Python knows (latin-1, cp949) are accepted where the standard has the encoding
    under another name. The standard's "replacement" gives None: it would turn a whole page into
    one U+FFFD.
    """
    import webencodings

    if not label or not label.isascii():
        return None
    encoding = webencodings.lookup(label)
    if encoding is None:
        name = _python_codec(label)
        encoding = webencodings.lookup(_STANDARD_NAMES.get(name, name))
    if encoding is None:
        return None
    name = str(encoding.codec_info.name)
    return _STANDARD_CODECS.get(name, name)


def _python_codec(label: str) -> str:
    """Return Python's name of an encoding, or an empty string."""
    try:
        return codecs.lookup(label.strip()).name
    except (LookupError, ValueError):  # ValueError: the label has a NUL
        return ""


def to_utf8(data: bytes, charset: str | None = None) -> tuple[bytes, str]:
    """Return a page's bytes in UTF-8 and the name of the encoding that they were in.

    The encoding is derived, in this order, from: byte order mark, `charset` (declared by HTTP),
    UTF-16 without a mark, `<meta>` or the XML declaration, valid UTF-8, statistical detection.
    Bytes that do not fit the encoding become U+FFFD. UTF-8 is returned unchanged: the parser
    replaces invalid bytes.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _transcode(data[len(bom) :], encoding), encoding
    codec = find_codec(charset) or _detect_utf16(data)
    if codec is None:
        codec = declared_codec(data)
        if codec != "utf-8":
            # Archives often hold pages converted to UTF-8 with the old declaration still inside;
            # text of another encoding is practically never valid UTF-8 by chance.
            codec = (
                "utf-8" if is_utf8(data) or is_nearly_utf8(data) else codec or detect_codec(data)
            )
        elif not is_utf8(data[:_UTF8_PROBE_BYTES]) and _is_hardly_utf8(data):
            codec = detect_codec(data)
    return _transcode(data, codec), _encoding_name(codec)


def _encoding_name(codec: str) -> str:
    """Return the WHATWG standard's name of the encoding that a codec reads."""
    if codec in _STANDARD_NAMES:
        return _STANDARD_NAMES[codec]
    import webencodings

    encoding = webencodings.lookup(codec)
    return str(encoding.name) if encoding else codec


def _transcode(data: bytes, encoding: str) -> bytes:
    """Return bytes of any encoding in UTF-8, with U+FFFD for invalid bytes."""
    if encoding == "utf-8":
        return data
    return data.decode(encoding, "replace").encode("utf-8", "replace")


def declared_codec(data: bytes) -> str | None:
    """Return the codec that the page itself declares, None if it declares none."""
    codec = next(filter(None, map(find_codec, _find_charset_labels(data[:_MAX_META_BYTES]))), None)
    # A declaration that can be read as ASCII does not stand in UTF-16 (HTML standard, 13.2.3.3).
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def _find_charset_labels(head: bytes) -> Iterator[str]:
    """Yield the charsets that the metas at the top of a page declare, then its XML declaration."""
    for attributes in _find_charset_metas(head):
        if match := _CHARSET.match(attributes) or _CONTENT_TYPE.match(attributes):
            yield match[1].decode()
    if match := _XML.search(head, 0, 400):
        yield match[1].decode("ascii", "replace")


def _find_charset_metas(head: bytes) -> Iterator[bytes]:
    """Yield the attributes of each charset meta that is not in a comment, script or the like."""
    offset = 0
    while offset >= 0 and (match := _MARKUP.search(head, offset)):
        attributes, raw_text_tag = match.groups()
        offset = match.end()
        if attributes is not None:
            yield attributes
        else:  # a comment or script that does not end in the head reaches to its end
            end = b"</" + raw_text_tag if raw_text_tag else b"-->"
            start, offset = offset, head.find(end, offset)
            if offset < 0 and raw_text_tag:
                offset = head.lower().find(end.lower(), start)


def _detect_utf16(data: bytes) -> str | None:
    """Detect UTF-16 by its zero bytes: markup is ASCII, so every other byte is zero."""
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
    """Return the most likely codec by the statistics of bytes from the first non-ASCII one on."""
    import cchardet

    non_ascii = next((match.start() for match in re.finditer(rb"[\x80-\xff]", data)), 0)
    start = max(0, non_ascii - 1024)
    sample = data[start : start + _MAX_SAMPLE_BYTES]
    label = cchardet.detect(sample).get("encoding") or ""
    codec = find_codec(label)
    if codec is None and len(sample.translate(None, _ASCII)) >= _MIN_NON_ASCII:
        codec = _python_codec(label)
    if not codec or codec in _OFTEN_WRONG:
        codec = "cp1252"
    # Where nothing fits, the library answers UTF-8, although most bytes are not.
    return "cp1252" if codec == "utf-8" and not _is_mostly_utf8(sample) else codec


def is_nearly_utf8(data: bytes) -> bool:
    """Say whether at least 95 % of the bytes that are not ASCII are valid UTF-8.

    An incomplete character at the end does not count: crawlers cut pages at a size.
    """
    valid, invalid = _count_utf8_bytes(data[:-3] + _CUT_CHARACTER.sub(b"", data[-3:]))
    return valid > 0 and valid >= 19 * invalid


def _is_hardly_utf8(data: bytes) -> bool:
    """Say whether the page has many bytes that are not ASCII, most of them not valid UTF-8.

    In Western and Cyrillic text hardly any are valid, in Korean and Chinese text a third.
    """
    valid, invalid = _count_utf8_bytes(data)
    return invalid >= _MIN_NON_ASCII and invalid > valid


def _is_mostly_utf8(data: bytes) -> bool:
    """Say whether more than half of the bytes that are not ASCII are valid UTF-8."""
    valid, invalid = _count_utf8_bytes(data)
    return valid > invalid


def _count_utf8_bytes(data: bytes) -> tuple[int, int]:
    """Return how many bytes that are not ASCII are part of valid UTF-8, and how many are not."""
    valid = len(data.decode("utf-8", "ignore").encode().translate(None, _ASCII))
    return valid, len(data.translate(None, _ASCII)) - valid
