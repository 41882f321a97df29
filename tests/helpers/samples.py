"""The sample pages that the project carries."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import tamis
from tamis.page import Page

FOLDER: Final = Path(__file__).parents[2] / "samples"
SAMPLES: Final = sorted(path.stem for path in FOLDER.glob("*.html"))


def sample_bytes(name: str) -> bytes:
    """Return a sample page as it is on disk."""
    return (FOLDER / f"{name}.html").read_bytes()


@cache
def sample(name: str) -> Page:
    """Return a sample page, parsed."""
    return tamis.parse(sample_bytes(name), f"https://{name}.example/")
