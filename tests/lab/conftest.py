"""Small data sets, written for each test, and a cache of its own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

Rows = Sequence[Mapping[str, Any]]
Writer = Callable[..., Path]

ARTICLE = (
    "<html><head><title>{n}</title></head><body><nav><a href=/>Home</a> <a href=/a>About us</a>"
    "</nav><article><h1>The bridge of day {n}</h1><p>It rained on day {n}, and it rained well, "
    "so that the river rose and everybody came to look at it.</p><p>The bridge held, the mayor "
    "said a few words, and nobody was surprised at all.</p></article>"
    "<footer><a href=/i>Imprint</a> <a href=/p>Privacy</a></footer></body></html>"
)
TEXT = (
    "The bridge of day {n}\nIt rained on day {n}, and it rained well, so that the river rose and "
    "everybody came to look at it.\nThe bridge held, the mayor said a few words, and nobody was "
    "surprised at all."
)


@pytest.fixture(autouse=True)
def cache_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep results out of the user's own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def written(tmp_path: Path) -> Writer:
    """Write a data set: rows of gold, and the pages by path."""

    def write(name: str, rows: Rows, pages: Mapping[str, bytes], *, packed: bool = True) -> Path:
        folder = tmp_path / name
        gold = "\n".join(json.dumps(row) for row in rows).encode()
        for place, data in pages.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        folder.mkdir(exist_ok=True)
        if packed:
            (folder / "gold.jsonl.gz").write_bytes(gzip.compress(gold))
        else:
            (folder / "gold.jsonl").write_bytes(gold)
        return folder

    return write


@pytest.fixture
def tiny(written: Writer) -> Path:
    """A set of four pages of two kinds, of which the gold is the article."""
    rows = [
        {
            "id": f"p{n}",
            "domain": f"site{n // 2}.example",
            "page_type": "article" if n < 3 else "forum",
            "main_content": TEXT.format(n=n),
            "with": ["the mayor said"],
            "without": ["Privacy"],
        }
        for n in range(4)
    ]
    pages = {f"html/p{n}.html.gz": ARTICLE.format(n=n).encode() for n in range(4)}
    return written("tiny", rows, pages)
