"""Hashes all that tamis gives out for the pages of data sets: python tools/fingerprint.py SET…

Two versions of the code that print the same hash give the same text, Markdown, HTML, metadata,
records, blocks, scores and methods for every page. The sets are folders in $TAMIS_BENCH.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Final

import tamis

URL: Final = "https://example.org/a/b.html"
METHODS: Final = ("feature", "kfeature", "optimum", "tagwindow", "keypattern", "svm")


def digest(value: object) -> str:
    """Return a short hash of bytes, or of anything as text."""
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:12]


def describe_page(html: bytes) -> dict[str, str | None]:
    """Return hashes of what is extracted from a page, or the error that it raises."""
    try:
        doc = tamis.extract(html, URL, deadline=None)
        methods = {name: digest(tamis.extract(doc.page, method=name).text) for name in METHODS}
        regions = [(r.xpath, len(r), [field.name for field in r.fields]) for r in doc.regions]
        return {
            "text": digest(doc.text),
            "markdown": digest(doc.markdown),
            "html": digest(doc.html),
            "meta": digest(doc.metadata),
            "type": doc.page_type,
            "conf": digest(doc.confidence),
            "status": doc.status,
            "scores": digest(doc.verdict.score.tobytes())
            + digest(doc.verdict.informative.tobytes()),
            "records": digest(list(doc.records)),
            "next": digest(doc.next_page),
            "regions": digest(regions),
            "blocks": digest([(block.xpath, block.span, block.tag) for block in doc.blocks]),
            **methods,
        }
    except tamis.TamisError as error:
        return {"error": type(error).__name__}


def main() -> None:
    """Print one hash per data set."""
    bench = Path(os.environ["TAMIS_BENCH"])
    for name in sys.argv[1:]:
        total = hashlib.sha256()
        for path in sorted((bench / name).rglob("*.html.gz")):
            row = json.dumps(describe_page(gzip.decompress(path.read_bytes())), sort_keys=True)
            total.update(f"{name}/{path.name} {row}".encode())
        print(name, total.hexdigest()[:16], flush=True)


if __name__ == "__main__":
    main()
