"""A running Chromium and its visits to pages. Everything here runs on one event loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal

from tamis.errors import RenderError, Unavailable, unavailable
from tamis.render.chromium import (
    BrowserFolder,
    create_folder,
    kill_tree,
    launch,
    measure_memory,
    process_tree,
    temporary_files_in,
)
from tamis.render.resources import Network, NoResources, Resource, ResourceRequest, Resources

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, Route
    from playwright.async_api import Page as Tab

_LOAD_SECONDS: Final = 10.0  # for a page to load its resources; then it is taken as it is
_SETTLE_SECONDS: Final = 3.0  # for a page with scripts to load more
_MEMORY_CHECK_SECONDS: Final = 0.25  # between two checks of memory
_CLOSE_SECONDS: Final = 5.0  # for an orderly end
_MAX_SIDE: Final = 12_000  # pixels of a screenshot, fewer than Chromium can paint
_OUTER_HTML: Final = "() => document.documentElement.outerHTML"


@dataclass
class Visit:
    """A page to be laid out, and how far the browser is with it."""

    html: bytes
    url: str
    resources: Resources
    javascript: bool
    screenshot: bool
    is_delivered: bool = False  # whether the browser got the page
    is_begun: bool = False  # whether it began to lay it out


@dataclass(frozen=True)
class VisitOutcome:
    """What the browser returns for a page."""

    columns: dict[str, Any]  # of its layout: see columns.js
    html: str | None  # the document after its scripts have run, None without scripts
    screenshot: bytes | None = None


@dataclass
class Session:
    """A driver and a browser. After any failure both are ended and another session begins."""

    screen: tuple[int, int]
    max_memory: int
    folder: BrowserFolder  # for files of the browser, which leaves some behind when it is killed
    driver: Playwright
    browser: Browser
    process: int
    visits: int = 0
    is_over_memory: bool = False
    tab: Tab | None = None  # reused by the next page without scripts
    visit: Visit | None = field(default=None, repr=False)

    @classmethod
    async def start(cls, screen: tuple[int, int], max_memory: int) -> Session:
        """Start a driver and a browser."""
        failure = driver_error()
        from playwright.async_api import async_playwright

        folder = create_folder()
        try:
            with temporary_files_in(folder.path):  # of the driver: a profile for each browser
                driver = await async_playwright().start()
        except BaseException:
            folder.remove()
            raise
        try:
            return cls(screen, max_memory, folder, driver, *await launch(driver, folder.path))
        except failure as error:
            await _stop_driver(driver, folder)
            lines = str(error).strip().splitlines()
            raise Unavailable(f"Chromium does not start: {' '.join(lines[:2])}") from error
        except BaseException:
            await _stop_driver(driver, folder)
            raise

    @property
    def is_alive(self) -> bool:
        """Whether the browser is still connected."""
        return self.browser.is_connected()

    async def open(self, visit: Visit) -> VisitOutcome:
        """Load a page and return its layout, and its HTML and a screenshot if asked for.

        The driver does not answer some requests to a browser that was killed, such as those for a
        new tab, so that the end of the browser is waited for as well.
        """
        self.visits += 1
        self.visit, visit.is_delivered = visit, False
        memory_check = asyncio.create_task(self._check_memory())
        ended = asyncio.get_running_loop().create_future()

        def note_end(_: Browser) -> None:
            if not ended.done():
                ended.set_result(None)

        self.browser.on("disconnected", note_end)
        work = asyncio.ensure_future(self._load(visit))
        try:
            await asyncio.wait((work, ended), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise RenderError("the browser ended")
            return work.result()
        finally:
            self.browser.remove_listener("disconnected", note_end)
            work.cancel()
            ended.cancel()
            memory_check.cancel()
            self.visit = None

    async def _load(self, visit: Visit) -> VisitOutcome:
        """Load a page in a tab, and return what the browser knows of it then."""
        tab = await self._open_tab(visit)
        await tab.goto(visit.url, wait_until="commit", timeout=0)
        visit.is_begun = True
        await _wait_for_state(tab, "load", _LOAD_SECONDS)
        if visit.javascript:
            await _wait_for_state(tab, "networkidle", _SETTLE_SECONDS)
        html = await tab.evaluate(_OUTER_HTML) if visit.javascript else None
        columns = json.loads(await tab.evaluate(_layout_script()))
        _check_url(columns)
        screenshot = await _take_screenshot(tab, columns) if visit.screenshot else None
        if visit.javascript:
            await tab.context.close()
        else:
            self.tab = tab
        return VisitOutcome(columns, html, screenshot)

    async def _open_tab(self, visit: Visit) -> Tab:
        """Return a tab: for scripts a new one, else the last one, as opening one takes time."""
        tab, self.tab = self.tab, None
        if tab is not None and not visit.javascript:
            return tab
        if tab is not None:
            await tab.context.close()
        context: BrowserContext = await self.browser.new_context(
            viewport={"width": self.screen[0], "height": self.screen[1]},
            java_script_enabled=visit.javascript,
            service_workers="block",
            accept_downloads=False,
        )
        await context.route("**/*", self._answer)
        tab = await context.new_page()
        await _hide_window_frame(tab)
        context.on("page", lambda popup: asyncio.ensure_future(_ignore_errors(popup.close())))
        return tab

    async def _answer(self, route: Route) -> None:
        """Answer a request of the browser: with the page, a resource, or a refusal."""
        visit, request = self.visit, route.request
        with suppress(Exception):  # the tab may be gone; whoever waits for it will know
            is_page = request.is_navigation_request() and request.frame.parent_frame is None
            if visit is None or (is_page and visit.is_delivered):
                await route.abort("aborted")  # a page that wants to go elsewhere stays
            elif is_page:
                visit.is_delivered = True
                headers = {"content-type": "text/html; charset=utf-8"}
                await route.fulfill(status=200, headers=headers, body=visit.html)
            elif isinstance(visit.resources, NoResources):
                await route.abort("blockedbyclient")
            else:
                wanted = await _build_request(route, visit.resources)
                resource = await _get_resource(visit.resources, wanted)
                if resource is None:
                    await route.abort("blockedbyclient")
                else:
                    headers = dict(resource.headers)
                    await route.fulfill(status=resource.status, headers=headers, body=resource.body)

    async def _check_memory(self) -> None:
        """Kill the browser when it takes too much memory."""
        while True:
            await asyncio.sleep(_MEMORY_CHECK_SECONDS)
            if measure_memory(process_tree(self.process)) > self.max_memory:
                self.is_over_memory = True
                kill_tree(self.process)
                return

    async def close(self) -> None:
        """End the browser and the driver, in an orderly way if possible."""
        with suppress(Exception):
            await asyncio.wait_for(self.browser.close(), _CLOSE_SECONDS)
        await self.kill()

    async def kill(self) -> None:
        """End the browser at once, and the driver."""
        if self.is_alive or self.is_over_memory:
            kill_tree(self.process)
        await _stop_driver(self.driver, self.folder)


def driver_error() -> type[Exception]:
    """Return the class of all errors of Playwright; Unavailable if there is no Playwright."""
    try:
        from playwright.async_api import Error
    except ImportError as error:
        raise unavailable("rendering needs playwright", "render") from error
    return Error


# Ending -------------------------------------------------------------------------------------------


async def _stop_driver(driver: Playwright, folder: BrowserFolder) -> None:
    """Stop a driver, and remove the files of its browser."""
    with suppress(Exception):
        await asyncio.wait_for(driver.stop(), _CLOSE_SECONDS)
    await _cancel_tasks()
    folder.remove()


async def _cancel_tasks() -> None:
    """Cancel all other tasks of the event loop: requests of pages that nobody waits for."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=1.0)


async def _ignore_errors(work: Awaitable[Any]) -> None:
    """Wait for work that may fail."""
    with suppress(Exception):
        await work


# Tabs ---------------------------------------------------------------------------------------------


@cache
def _layout_script() -> str:
    """Return the script that collects the layout."""
    return files("tamis.render").joinpath("columns.js").read_text(encoding="utf-8")


def _check_url(columns: dict[str, Any]) -> None:
    """Raise RenderError if the browser shows another page than the one that it got."""
    if columns["url"].startswith("about:"):
        raise RenderError(f"the page went to {columns['url'][:80]} before it was laid out")


async def _hide_window_frame(tab: Tab) -> None:
    """Hide the frame of a tab's window, which is drawn again and again while a page loads."""
    session = await tab.context.new_cdp_session(tab)
    with suppress(driver_error()):  # a browser that has no windows
        window = await session.send("Browser.getWindowForTarget")
        bounds = {"windowId": window["windowId"], "bounds": {"windowState": "fullscreen"}}
        await session.send("Browser.setWindowBounds", bounds)
    await session.detach()


async def _wait_for_state(tab: Tab, state: Literal["load", "networkidle"], seconds: float) -> None:
    """Wait until a page has loaded, but no longer than some seconds."""
    from playwright.async_api import TimeoutError as DriverTimeout

    with suppress(DriverTimeout):
        await tab.wait_for_load_state(state, timeout=1000 * seconds)


async def _take_screenshot(tab: Tab, columns: dict[str, Any]) -> bytes:
    """Return a screenshot of the page, of its upper part if it is very tall."""
    width = max(1, min(int(columns["size"][0]), _MAX_SIDE))
    height = max(1, min(int(columns["size"][1]), _MAX_SIDE))
    clip: Any = {"x": 0, "y": 0, "width": width, "height": height}
    return await tab.screenshot(full_page=True, clip=clip, animations="disabled", timeout=0)


# Resources ----------------------------------------------------------------------------------------


async def _build_request(route: Route, resources: Resources) -> ResourceRequest:
    """Return a request of a page; with headers only for the network, as reading them takes time."""
    request = route.request
    is_live = isinstance(resources, Network)
    headers = tuple((await request.all_headers()).items()) if is_live else ()
    return ResourceRequest(
        request.url, request.resource_type, request.method, headers, request.post_data_buffer
    )


async def _get_resource(resources: Resources, request: ResourceRequest) -> Resource | None:
    """Return a resource, read in a thread that nobody needs to wait for at the end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Resource | None] = loop.create_future()

    def deliver(resource: Resource | None) -> None:
        if not future.done():
            future.set_result(resource)

    def read() -> None:
        try:
            resource = resources.get(request)
        except Exception:  # a page without one of its images is still a page
            resource = None
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(deliver, resource)

    threading.Thread(target=read, daemon=True).start()
    return await future
