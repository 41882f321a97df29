"""Files that are plainly no pages: documents, pictures, archives, noise."""

from __future__ import annotations

import re
from typing import Final

# First bytes that no page has.
_MAGIC: Final = {
    b"%PDF-": "a PDF file",
    b"\x89PNG\r\n": "a PNG picture",
    b"GIF87a": "a GIF picture",
    b"GIF89a": "a GIF picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"PK\x03\x04": "a ZIP file (or a document or book that is one)",
    b"\x1f\x8b": "a gzip file inside another",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Office document",
    b"SQLite format 3\0": "a SQLite database",
    b"\x7fELF": "a program",
}
_BOMS: Final = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")  # of UTF-16 and UTF-32
_SAMPLE: Final = 2**16  # bytes that are looked at
_LEAST: Final = 256  # of them; of fewer nobody can tell
_CONTROL: Final = bytes({*range(32)} - set(b"\t\n\v\f\r\x1b"))  # in no text, whatever its charset
_SHARE: Final = 0.05  # of such bytes; of bytes at random it is twice that
_WIDE: Final = 0.9  # share of NULs at every other place in UTF-16, or every fourth in UTF-32
_MOST: Final = 0.8  # share of NULs in UTF-32, which has three of four in Latin text
_MARKUP: Final = re.compile(
    rb"<(!doctype|!--|\?xml|/?(html|head|body|title|meta|script|style|div|span|table|t[rdh]|p|a|br"
    rb"|h[1-6]|ul|ol|li|img|font|center|article|section|main|nav|pre|frameset))[\s>/]",
    re.IGNORECASE,
)


def binary_kind(data: bytes) -> str | None:
    """Return what data is that is plainly no page, in words; None for all else.

    What has a tag is a page, however odd, and so is any text of any charset.
    """
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return kind
    sample = data[:_SAMPLE]
    if len(sample) < _LEAST or sample.startswith(_BOMS):
        return None
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    if controls <= _SHARE * len(sample) or _is_wide(sample):
        return None
    # Without NULs a tag is seen in UTF-16 and UTF-32 as well.
    return None if _MARKUP.search(sample.translate(None, b"\0")) else "binary data"


def _is_wide(sample: bytes) -> bool:
    """Whether NULs stand where they do in UTF-16 of Latin text, and in UTF-32 of any."""
    if sample.count(0) > _MOST * len(sample):
        return False
    places = (sample[::2], sample[1::2], sample[::4], sample[3::4])
    return any(part.count(0) >= _WIDE * len(part) for part in places)
