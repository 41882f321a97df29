"""tamis cuts web pages into blocks and tells the informative ones from the noise."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamis import blocks as blocks
    from tamis import content as content
    from tamis import errors as errors
    from tamis import page as page
    from tamis import render as render
    from tamis import site as site
    from tamis import source as source
    from tamis import store as store
    from tamis import verdict as verdict
    from tamis.blocks import SEGMENTERS as SEGMENTERS
    from tamis.content import Document as Document
    from tamis.errors import TamisError as TamisError
    from tamis.page import Page as Page
    from tamis.page import parse as parse
    from tamis.pipeline import METHODS as METHODS
    from tamis.pipeline import Method as Method
    from tamis.pipeline import extract as extract
    from tamis.pipeline import fetch as fetch
    from tamis.pipeline import segment as segment
    from tamis.site import Site as Site
    from tamis.verdict import IDENTIFIERS as IDENTIFIERS

    __version__: str

# Names are looked up when they are first used, so that `tamis --help` loads no parser.
_HOME = {
    "IDENTIFIERS": "tamis.verdict",
    "METHODS": "tamis.pipeline",
    "SEGMENTERS": "tamis.blocks",
    "Document": "tamis.content",
    "Method": "tamis.pipeline",
    "Page": "tamis.page",
    "Site": "tamis.site",
    "TamisError": "tamis.errors",
    "extract": "tamis.pipeline",
    "fetch": "tamis.pipeline",
    "parse": "tamis.page",
    "segment": "tamis.pipeline",
}

# Folders and modules that are looked up in the same way: `tamis.store`, `tamis.verdict.learned`.
_FOLDERS = frozenset(
    {"blocks", "content", "errors", "page", "render", "site", "source", "store", "verdict"}
)

__all__ = [
    "IDENTIFIERS",
    "METHODS",
    "SEGMENTERS",
    "Document",
    "Method",
    "Page",
    "Site",
    "TamisError",
    "extract",
    "fetch",
    "parse",
    "segment",
]


def __getattr__(name: str) -> object:
    """Return a public name from the module that it lives in."""
    if name == "__version__":
        return _version()
    if name in _FOLDERS:
        return import_module(f"tamis.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'tamis' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the public names; the store is one of them where what it needs is installed."""
    from importlib.util import find_spec

    there = _FOLDERS if find_spec("sqlalchemy") else _FOLDERS - {"store"}
    return sorted({*__all__, *there, "__version__"})


def _version() -> str:
    """Return the version that is installed, if one is."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tamis")
    except PackageNotFoundError:
        return "unknown"
