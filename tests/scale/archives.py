"""Archives and tables of sample pages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import tamis
from helpers.archives import http, record

SAMPLES = Path(__file__).parents[2] / "samples"
PAGES = [path.read_bytes() for path in sorted(SAMPLES.glob("*.html"))]
TEXTS = [tamis.extract(html).text for html in PAGES]


def sample_record(number: int) -> bytes:
    """Return the record of a sample page; there are as many as one likes."""
    return record(number, http(PAGES[number % len(PAGES)], kind="text/html"))


def sample_archive(start: int, stop: int) -> bytes:
    """Return an archive of sample pages with these numbers."""
    return b"".join(gzip.compress(sample_record(number)) for number in range(start, stop))


def sample_index(archive: bytes, name: str) -> list[dict[str, object]]:
    """Return where each record of an archive is, as a CDXJ file says it."""
    offsets = [i for i in range(len(archive)) if archive.startswith(b"\x1f\x8b\x08", i)]
    return [
        {
            "url": f"https://site.example/{number}",
            "filename": name,
            "offset": str(start),
            "length": str(stop - start),
        }
        for number, (start, stop) in enumerate(
            zip(offsets, [*offsets[1:], len(archive)], strict=True)
        )
    ]


def cdxj(entries: list[dict[str, object]]) -> bytes:
    """Return an index in the CDXJ format."""
    lines = [f"example,site)/ 20200506070809 {json.dumps(entry)}\n" for entry in entries]
    return "".join(lines).encode()
