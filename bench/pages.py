"""Pages of wcxb-dev, found by the environment variable TAMIS_BENCH."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def folder() -> Path:
    """Return the folder of wcxb-dev, or stop with a word on what to do."""
    root = os.environ.get("TAMIS_BENCH")
    if not root or not (Path(root) / "wcxb-dev").is_dir():
        sys.exit("bench: set TAMIS_BENCH to the folder that holds wcxb-dev")
    return Path(root) / "wcxb-dev"


def gold() -> Iterator[dict[str, Any]]:
    """Yield the truth of each page."""
    with gzip.open(folder() / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def page(identifier: str) -> bytes:
    """Return the bytes of a page."""
    return gzip.decompress((folder() / "html" / f"{identifier}.html.gz").read_bytes())


def sample(count: int) -> list[bytes]:
    """Return pages from all over the set, always the same."""
    names = sorted(path.name.removesuffix(".html.gz") for path in (folder() / "html").iterdir())
    return [page(name) for name in names[:: len(names) // count][:count]]
