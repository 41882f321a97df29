"""Browser: lays out one page after the other, whatever the pages do to it."""

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
from tamis.page import Page, check_type, decode_html, parse
from tamis.render.layout import layout_of
from tamis.render.resources import Folder, choose_resources
from tamis.render.session import Seen, Session, Visit, driver_error
from tamis.source import Fetch

T = TypeVar("T")

SCREEN: Final = (1280, 800)
TIMEOUT: Final = 30.0  # seconds for one page
MAX_MEMORY: Final = 2 * 2**30  # bytes of all processes of the browser
PAGES: Final = 50  # that a browser lays out before another one is started: it grows
NO_LIMITS: Final[Mapping[str, Any]] = MappingProxyType({})  # but those that parse has anyway
# What comes of a page whose scripts meddle with what the browser tells.
NONSENSE: Final = (KeyError, IndexError, TypeError, ValueError, AttributeError)
HOST: Final = "page.invalid"  # the address of pages that have none


@dataclass(frozen=True)
class RenderedPage:
    """A page with layout, and its screenshot (PNG) where one was asked for."""

    page: Page
    screenshot: bytes | None = None


class Browser:
    """Chromium without a network, for any number of pages: use it in a `with` statement.

    Every page gets `timeout` seconds and `max_memory` bytes. A page that hangs, crashes or
    overeats raises DeadlineExceeded or RenderError and takes the browser with it; the next page
    gets another one. May be used by several threads, one page at a time.
    """

    def __init__(
        self,
        *,
        timeout: float = TIMEOUT,
        max_memory: int = MAX_MEMORY,
        screen: tuple[int, int] = SCREEN,
    ) -> None:
        self.timeout, self.max_memory, self.screen = timeout, max_memory, screen
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="tamis-render", daemon=True)
        self._thread.start()
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._failed = False  # whether the session failed the last page
        self._count = 0

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
        limits: Mapping[str, Any] = NO_LIMITS,
    ) -> RenderedPage:
        """Lay a page out.

        Without further words the page has no scripts and no network, and loads nothing. `files` is
        the folder that its style sheets and images are in. `javascript` runs its scripts. `live`
        gives it the network, by the rules of `tamis.source.Fetch`; then `html` may be a URL.
        `limits` are those of `parse`: max_bytes and max_nodes.
        """
        if is_url(html):
            source = fetched(str(html), live)
            html, url, charset = source.data, source.url, charset or source.charset
        check_type(html)
        page = None if javascript else parse(html, url, charset=charset, **limits)
        data = decode_html(html, charset)[0]
        resources = choose_resources(files, live)
        inside = resources.page if isinstance(resources, Folder) else ""
        self._count += 1
        # To another fragment of the last page's address a browser would scroll, not go.
        place = urldefrag(url)[0] if live and url else f"http://p{self._count}.{HOST}/{inside}"
        visit = Visit(data, place, resources, javascript, screenshot)
        name = url or inside or "the page"
        with self._lock:
            seen = self._seen(visit, name)
        if page is None:
            page = parse(seen.html or "", url, **limits)
        try:
            return RenderedPage(
                replace(page, layout=layout_of(page, seen.told, name)), seen.screenshot
            )
        except NONSENSE as error:
            raise RenderError(f"{name} keeps the browser from telling its layout") from error

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
        """The number of the browser's process, if one is running."""
        return self._session.process if self._session else None

    def _seen(self, visit: Visit, name: str) -> Seen:
        """Let the browser see a page; one that died before it began with it is replaced."""
        if not self._thread.is_alive():
            raise RenderError("the browser was closed: make another one")
        failure = driver_error()
        for attempt in (1, 2):
            try:
                return self._wait(self._see(visit))
            except TimeoutError as error:
                raise DeadlineExceeded(
                    f"{name} was not laid out within {self.timeout:g} s; raise timeout="
                ) from error
            except (failure, RenderError, *NONSENSE) as error:
                overweight = self._session is not None and self._session.overweight
                if overweight:
                    said = f"took more than {self.max_memory / 2**20:,.0f} MiB; raise max_memory="
                    raise RenderError(f"{name} {said}") from error
                if visit.begun or attempt == 2:
                    said = f"{type(error).__name__}: {error}".strip().splitlines()[0]
                    raise RenderError(f"{name} could not be laid out ({said})") from error
            finally:
                self._give_up_if_failed()
        raise AssertionError("both attempts ended")  # pragma: no cover

    async def _see(self, visit: Visit) -> Seen:
        """Start a browser if there is none, and let it see a page."""
        session = self._session
        if session is not None and (session.visits >= PAGES or not session.is_alive):
            self._session = None
            await session.close()
        if self._session is None:
            self._session = await Session.started(self.screen, self.max_memory)
        self._failed = True
        async with asyncio.timeout(self.timeout):
            seen = await self._session.see(visit)
        self._failed = False
        return seen

    def _give_up_if_failed(self) -> None:
        """End a browser that failed a page."""
        session = self._session
        if self._failed and session is not None:
            self._session = None
            self._wait(session.kill())

    def _run(self) -> None:
        """Run the event loop.

        Ctrl-C is for the thread that waits: processes started here inherit that they do not hear
        it.
        """
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work on the event loop; if nobody wants to wait any more, it is given up."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


def is_url(html: object) -> bool:
    """Say whether what is to be rendered is the address of a page and not a page."""
    return isinstance(html, str) and html[:8].lower().startswith(("http://", "https://"))


def fetched(url: str, live: bool | Fetch) -> Any:
    """Fetch a page that is to be rendered live."""
    if not live:
        raise InputError(
            f"{url} is an address: live=True renders it from the network, or give its HTML"
        )
    return (live if isinstance(live, Fetch) else Fetch()).get(url)


def render(html: str | bytes, url: str | None = None, **settings: Any) -> Page:
    """Return a page with its layout, through a browser of its own.

    For many pages use one `Browser`. Settings are those of `Browser.visit`, and `timeout`,
    `max_memory` and `screen` those of a `Browser`.
    """
    own = {
        name: settings.pop(name) for name in ("timeout", "max_memory", "screen") if name in settings
    }
    with Browser(**own) as browser:
        return browser.render(html, url, **settings)
