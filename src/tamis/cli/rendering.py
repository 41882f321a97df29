"""Rendering: pages that a browser lays out before they are segmented, and screenshots of blocks."""

from __future__ import annotations

import atexit
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click

from tamis.cli.files import write_target
from tamis.cli.messages import say
from tamis.errors import Misaligned, UnknownName
from tamis.source import Fetch, Input, Source

if TYPE_CHECKING:
    from tamis.cli.method_specs import MethodSpec
    from tamis.render import Browser, RenderedPage

_LIMITS: Final = ("max_bytes", "max_nodes")
_SCREENSHOT_ENDINGS: Final = (".png", ".html", ".htm")


@dataclass(frozen=True)
class Rendering:
    """How pages are rendered: with their scripts or not, with the network or not."""

    javascript: bool
    live: Fetch | None

    def render(
        self,
        source: Source,
        page_input: Input | None,
        settings: Mapping[str, Any],
        *,
        screenshot: bool = False,
    ) -> RenderedPage:
        """Render a page, with the files beside it if it is a file."""
        is_file = page_input is not None and page_input.kind == "file"
        folder = Path(page_input.location).parent if page_input is not None and is_file else None
        browser = open_browser(settings.get("deadline"))
        with _print_warnings():
            return browser.visit(
                source.data,
                settings.get("url") or source.url,
                charset=settings.get("charset") or source.charset,
                files=folder,
                javascript=self.javascript,
                live=self.live or False,
                screenshot=screenshot,
                limits={name: settings[name] for name in _LIMITS if name in settings},
            )


@contextmanager
def _print_warnings() -> Iterator[None]:
    """Print warnings about a page, one line each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Misaligned)
        yield
    for warning in caught:
        say(str(warning.message))


@lru_cache(maxsize=1)  # a process renders many pages with one browser
def open_browser(timeout: float | None) -> Browser:
    """Return the browser of this process, which ends with it."""
    from tamis.render import Browser

    browser = Browser(timeout=timeout) if timeout else Browser()
    atexit.register(browser.close)
    _exit_on_sigterm()
    return browser


def _exit_on_sigterm() -> None:
    """Let `kill` end this process as Ctrl-C does, with its browser."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def _on_sigterm(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def choose_rendering(
    fetch: Fetch, *, javascript: bool, live: bool, needed: bool
) -> Rendering | None:
    """Return how pages are rendered, or None if they need not be."""
    if not (javascript or live or needed):
        return None
    return Rendering(javascript, fetch if live else None)


def method_needs_layout(method: str | MethodSpec | None) -> bool:
    """Say whether a method that the user named needs pages with layout."""
    if method is None:
        return False
    from tamis.pipeline import METHODS

    name = method if isinstance(method, str) else method.name
    return name in METHODS and METHODS[name].needs_layout


def segmenter_needs_layout(segmenter: str | None) -> bool:
    """Say whether a segmenter that the user named needs pages with layout."""
    from tamis.blocks import SEGMENTERS

    if segmenter is None:
        return False
    if segmenter not in SEGMENTERS:
        raise UnknownName(f"no segmenter {segmenter!r}: take one of {', '.join(SEGMENTERS)}")
    return bool(getattr(SEGMENTERS[segmenter], "needs_layout", False))


def check_screenshot_path(path: Path | None) -> None:
    """Raise an error for a screenshot in a format that cannot be written, before the work."""
    if path is not None and path.suffix.lower() not in _SCREENSHOT_ENDINGS:
        raise click.UsageError(f"--picture {path}: name it .png, or .html to point at blocks")


def write_screenshot(path: Path, page: str, deadline: float | None) -> None:
    """Write a screenshot of blocks, which is an HTML page, as that page or as PNG."""
    from tamis.render import blocks_png

    is_png = path.suffix.lower() == ".png"
    content = blocks_png(page, open_browser(deadline)) if is_png else page.encode()
    write_target(path, content)
