"""Browser: renders one page after the other, and survives what the pages do to it."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import urldefrag

from tamis.errors import DeadlineExceeded, InputError, RenderError
from tamis.page import Page, check_html, decode_html, parse
from tamis.render.layout import build_layout
from tamis.render.resources import Folder, choose_resources
from tamis.render.session import Session, Visit, VisitOutcome, driver_error
from tamis.source import Fetch, Source

_T = TypeVar("_T")

_SCREEN: Final = (1280, 800)
_TIMEOUT: Final = 30.0  # seconds for one page
_MAX_MEMORY: Final = 2 * 2**30  # bytes of all processes of the browser
_MAX_VISITS: Final = 50  # of one browser; then another one is started, because it grows
_PARSE_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType({})  # the limits that parse has
# Errors from layouts that the scripts of a page have tampered with.
_TAMPERED: Final = (KeyError, IndexError, TypeError, ValueError, AttributeError)
_HOST: Final = "page.invalid"  # in the URLs of pages that have none


@dataclass(frozen=True)
class RenderedPage:
    """A page with layout, and its screenshot (PNG) if it was asked for."""

    page: Page
    screenshot: bytes | None = None


class Browser:
    """Chromium without a network, for any number of pages: use it in a `with` statement.

    Every page gets `timeout` seconds and `max_memory` bytes. A page that hangs, crashes or takes
    too much memory raises DeadlineExceeded or RenderError and ends the browser; the next page gets
    another one. Several threads may use it; pages are rendered one at a time.
    """

    def __init__(
        self,
        *,
        timeout: float = _TIMEOUT,
        max_memory: int = _MAX_MEMORY,
        screen: tuple[int, int] = _SCREEN,
    ) -> None:
        self.timeout, self.max_memory, self.screen = timeout, max_memory, screen
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="tamis-render", daemon=True)
        self._thread.start()
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._failed = False  # whether the session failed on the last page
        self._visits = 0

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def render(self, html: str | bytes, url: str | None = None, **settings: Any) -> Page:
        """Return a page with its layout; for the settings see `visit`."""
        return self.visit(html, url, **settings).page

    def visit(
        self,
        html: str | bytes,
        url: str | None = None,
        *,
        charset: str | None = None,
        files: str | Path | Folder | None = None,
        javascript: bool = False,
        live: bool | Fetch = False,
        screenshot: bool = False,
        limits: Mapping[str, Any] = _PARSE_DEFAULTS,
    ) -> RenderedPage:
        """Render a page, with a screenshot if `screenshot` is set.

        By default the page has no scripts and no network, and loads nothing. `files` is the folder
        of its style sheets and images. `javascript` runs its scripts. `live` gives it the network,
        by the rules of `tamis.source.Fetch`; then `html` may be a URL. `limits` are those of
        `parse`: max_bytes and max_nodes.
        """
        if _is_url(html):
            source = _fetch_page(str(html), live)
            html, url, charset = source.data, source.url, charset or source.charset
        check_html(html)
        page = None if javascript else parse(html, url, charset=charset, **limits)
        decoded = decode_html(html, charset)[0]
        resources = choose_resources(files, live)
        path = resources.page if isinstance(resources, Folder) else ""
        self._visits += 1
        # To another fragment of the last page's URL a browser would scroll, not navigate.
        visit_url = urldefrag(url)[0] if live and url else f"http://p{self._visits}.{_HOST}/{path}"
        visit = Visit(decoded, visit_url, resources, javascript, screenshot)
        name = url or path or "the page"
        with self._lock:
            outcome = self._run_visit(visit, name)
        if page is None:
            page = parse(outcome.html or "", url, **limits)
        try:
            layout = build_layout(page, outcome.columns, name)
            return RenderedPage(replace(page, layout=layout), outcome.screenshot)
        except _TAMPERED as error:
            raise RenderError(f"{name} keeps the browser from returning its layout") from error

    def close(self) -> None:
        """End the browser and all its processes."""
        with self._lock:
            if self._thread.is_alive():
                session, self._session = self._session, None
                if session is not None:
                    self._wait(session.close())
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()

    @property
    def process(self) -> int | None:
        """The process id of the browser, if one is running."""
        return self._session.process if self._session else None

    def _run_visit(self, visit: Visit, name: str) -> VisitOutcome:
        """Let a browser visit a page; a browser that died before it began is replaced once."""
        if not self._thread.is_alive():
            raise RenderError("the browser was closed: make another one")
        failure = driver_error()
        for attempt in (1, 2):
            try:
                return self._wait(self._open(visit))
            except TimeoutError as error:
                raise DeadlineExceeded(
                    f"{name} was not laid out within {self.timeout:g} s; raise timeout="
                ) from error
            except (failure, RenderError, *_TAMPERED) as error:
                if self._session is not None and self._session.is_over_memory:
                    mebibytes = f"{self.max_memory / 2**20:,.0f} MiB"
                    raise RenderError(
                        f"{name} took more than {mebibytes}; raise max_memory="
                    ) from error
                if visit.is_begun or attempt == 2:
                    cause = f"{type(error).__name__}: {error}".strip().splitlines()[0]
                    raise RenderError(f"{name} could not be laid out ({cause})") from error
            finally:
                self._end_if_failed()
        raise AssertionError("both attempts ended")  # pragma: no cover

    async def _open(self, visit: Visit) -> VisitOutcome:
        """Start a browser if there is none, and let it visit a page."""
        session = self._session
        if session is not None and (session.visits >= _MAX_VISITS or not session.is_alive):
            self._session = None
            await session.close()
        if self._session is None:
            self._session = await Session.start(self.screen, self.max_memory)
        self._failed = True
        async with asyncio.timeout(self.timeout):
            outcome = await self._session.open(visit)
        self._failed = False
        return outcome

    def _end_if_failed(self) -> None:
        """End a browser that failed on a page."""
        session = self._session
        if self._failed and session is not None:
            self._session = None
            self._wait(session.kill())

    def _run(self) -> None:
        """Run the event loop.

        Ctrl-C is for the thread that waits. It is blocked here, and so in processes that are
        started here.
        """
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Wait for work on the event loop; it is cancelled if the wait is interrupted."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


def _is_url(html: object) -> bool:
    """Return whether what is to be rendered is the URL of a page and not a page."""
    return isinstance(html, str) and html[:8].lower().startswith(("http://", "https://"))


def _fetch_page(url: str, live: bool | Fetch) -> Source:
    """Fetch a page that is to be rendered live."""
    if not live:
        raise InputError(f"{url} is a URL: live=True renders it from the network, or give its HTML")
    return (live if isinstance(live, Fetch) else Fetch()).get(url)


def render(html: str | bytes, url: str | None = None, **settings: Any) -> Page:
    """Return a page with its layout, through a new browser.

    For many pages use one `Browser`. Settings are those of `Browser.visit`, and `timeout`,
    `max_memory` and `screen` of a `Browser`.
    """
    names = ("timeout", "max_memory", "screen")
    browser_settings = {name: settings.pop(name) for name in names if name in settings}
    with Browser(**browser_settings) as browser:
        return browser.render(html, url, **settings)
