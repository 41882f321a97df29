"""Pages of the benchmark folder that the environment variable TAMIS_BENCH names."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path

import pytest

import tamis
from tamis.page import Page

needs_bench = pytest.mark.skipif(
    not os.environ.get("TAMIS_BENCH"),
    reason="TAMIS_BENCH does not name a folder of benchmark pages",
)


@cache
def bench_files(count: int = 100) -> tuple[Path, ...]:
    """Return so many of the benchmark's pages, evenly spread over its sets."""
    folder = Path(os.environ["TAMIS_BENCH"])
    found = sorted(folder.rglob("*.html.gz"))
    if len(found) < count:
        raise FileNotFoundError(f"{folder} has {len(found)} pages, not {count}")
    return tuple(found[:: len(found) // count][:count])


@cache
def bench_page(path: Path) -> Page:
    """Return a page of the benchmark, parsed."""
    return tamis.parse(gzip.decompress(path.read_bytes()), deadline=None)
