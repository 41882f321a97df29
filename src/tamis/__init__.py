"""tamis cuts web pages into blocks and tells the informative ones from the noise."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = (
    False  # type checkers take it for true; importing it would take longer than the rest
)
if TYPE_CHECKING:
    from tamis import blocks as blocks
    from tamis import content as content
    from tamis import crawl as crawl
    from tamis import errors as errors
    from tamis import integrations as integrations
    from tamis import metadata as metadata
    from tamis import page as page
    from tamis import records as records
    from tamis import render as render
    from tamis import scale as scale
    from tamis import serve as serve
    from tamis import site as site
    from tamis import source as source
    from tamis import store as store
    from tamis import values as values
    from tamis import verdict as verdict
    from tamis import workers as workers
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

# Public name → its module, which is imported when the name is first used: `tamis --help` needs no
# parser.
_MODULES = {
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

# Rooms that are imported in the same way: `tamis.store.Store`, `tamis.verdict.learned`.
_ROOMS = frozenset(
    (
        *"blocks content crawl errors integrations metadata page records render".split(),
        *"scale serve site source store values verdict workers".split(),
    )
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
    """Return a public name or a room, imported when it is first used."""
    if name == "__version__":
        return _version()
    if name in _ROOMS:
        return import_module(f"tamis.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'tamis' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """Return the public names; a room only if the libraries that it needs are installed."""
    from importlib.util import find_spec

    needs = {
        "store": ("datasketch",),
        "crawl": ("datasketch", "scrapy"),
        "scale": ("datasketch", "fsspec"),
        "serve": ("fastapi", "uvicorn", "mcp", "prometheus_client"),
    }
    rooms = _ROOMS - {room for room, names in needs.items() if not all(map(find_spec, names))}
    return sorted({*__all__, *rooms, "__version__"})


def _version() -> str:
    """Return the installed version, or "unknown"."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tamis")
    except PackageNotFoundError:
        return "unknown"
