"""Pages that are looked at: rendered by a browser before they are cut."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.messages import say
from tamis.cli.targets import write_target
from tamis.errors import Misaligned, UnknownName
from tamis.source import Fetch, Input, Source

if TYPE_CHECKING:
    from tamis.render import Browser, RenderedPage

LIMITS = ("max_bytes", "max_nodes")
PICTURES = (".png", ".html", ".htm")


@dataclass(frozen=True)
class Rendering:
    """How pages are rendered: with their scripts or not, with the network or not."""

    javascript: bool
    live: Fetch | None

    def rendered(
        self,
        source: Source,
        place: Input | None,
        settings: Mapping[str, Any],
        *,
        picture: bool = False,
    ) -> RenderedPage:
        """Render a page, with the files beside it if it is a file."""
        beside = place is not None and place.kind == "file"
        folder = Path(place.location).parent if place is not None and beside else None
        browser = process_browser(settings.get("deadline"))
        with told():
            return browser.visit(
                source.data,
                settings.get("url") or source.url,
                charset=settings.get("charset") or source.charset,
                files=folder,
                javascript=self.javascript,
                live=self.live or False,
                screenshot=picture,
                limits={name: settings[name] for name in LIMITS if name in settings},
            )


@contextmanager
def told() -> Iterator[None]:
    """Tell warnings about a page in a line each."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", Misaligned)
        yield
    for warning in said:
        say(str(warning.message))


@lru_cache(maxsize=1)  # a process renders many pages with one browser
def process_browser(timeout: float | None) -> Browser:
    """Return the browser of this process, which ends with it."""
    from tamis.render import Browser

    browser = Browser(timeout=timeout) if timeout else Browser()
    # Unlike those of atexit, these also run where the process is one of a pool.
    Finalize(None, browser.close, exitpriority=0)
    end_in_order()
    return browser


def end_in_order() -> None:
    """Let `kill` end the process that the user started as Ctrl-C does, the browser with it."""
    here = threading.current_thread() is threading.main_thread()
    if here and parent_process() is None and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def chosen_rendering(
    fetch: Fetch, *, javascript: bool, live: bool, needed: bool
) -> Rendering | None:
    """Return how pages are rendered, or None if they need not be."""
    if not (javascript or live or needed):
        return None
    return Rendering(javascript, fetch if live else None)


def method_looks(method: object) -> bool:
    """Say whether a method that the user named needs pages with layout."""
    from tamis.pipeline import METHODS

    return isinstance(method, str) and METHODS[method].needs_layout


def segmenter_looks(segmenter: str | None) -> bool:
    """Say whether a segmenter that the user named needs pages with layout."""
    from tamis.blocks import SEGMENTERS

    if segmenter is None:
        return False
    if segmenter not in SEGMENTERS:
        raise UnknownName(f"no segmenter {segmenter!r}: take one of {', '.join(SEGMENTERS)}")
    return bool(getattr(SEGMENTERS[segmenter], "needs_layout", False))


def check_picture(path: Path | None) -> None:
    """Raise an error for a picture of a kind that cannot be drawn, before the work."""
    if path is not None and path.suffix.lower() not in PICTURES:
        raise click.UsageError(f"--picture {path}: name it .png, or .html to point at blocks")


def write_picture(path: Path, page: str, deadline: float | None) -> None:
    """Write a picture of blocks as the HTML page that it is, or as PNG."""
    from tamis.render import blocks_png

    is_png = path.suffix.lower() == ".png"
    data = blocks_png(page, process_browser(deadline)) if is_png else page.encode()
    write_target(path, data)
