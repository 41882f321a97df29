"""A running Chromium, and visits to pages with it; everything here runs on one event loop."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal

from tamis.errors import RenderError, Unavailable, unavailable
from tamis.render.chromium import (
    OwnFolder,
    create_folder,
    kill,
    launched,
    measure_memory,
    process_tree,
)
from tamis.render.resources import Network, NoResources, Resource, ResourceRequest, Resources

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, Route
    from playwright.async_api import Page as Tab

LOADING: Final = 10.0  # seconds that a page gets to load what it wants; then it is as it is
SETTLING: Final = 3.0  # seconds that a page with scripts gets to load more
LOOK: Final = 0.25  # seconds between two looks at memory
FAREWELL: Final = 5.0  # seconds for an orderly end
TALLEST: Final = 12_000  # pixels of a picture, fewer than Chromium can paint


@dataclass
class Visit:
    """A page to be laid out, and what became of it so far."""

    html: bytes
    url: str
    resources: Resources
    javascript: bool
    screenshot: bool
    given: bool = False  # whether the browser was given the page
    begun: bool = False  # whether it has begun to lay it out


@dataclass(frozen=True)
class Seen:
    """What the browser tells of a page."""

    told: dict[str, Any]
    html: str | None  # the document as it is after its scripts have run
    screenshot: bytes | None = None


@dataclass
class Session:
    """A driver and a browser; after any mishap both are given up and another session begins."""

    screen: tuple[int, int]
    max_memory: int
    folder: OwnFolder  # for the files of the browser, which leaves some behind when it is killed
    driver: Playwright
    browser: Browser
    process: int
    visits: int = 0
    overweight: bool = False
    tab: Tab | None = None  # kept for the next page without scripts
    visit: Visit | None = field(default=None, repr=False)

    @classmethod
    async def started(cls, screen: tuple[int, int], max_memory: int) -> Session:
        """Start a driver and a browser."""
        failure = driver_error()
        from playwright.async_api import async_playwright

        driver = await async_playwright().start()
        folder = create_folder()
        try:
            return cls(screen, max_memory, folder, driver, *await launched(driver, folder.path))
        except failure as error:
            await ended(driver, folder)
            said = str(error).strip().splitlines()
            raise Unavailable(f"Chromium does not start: {' '.join(said[:2])}") from error
        except BaseException:
            await ended(driver, folder)
            raise

    @property
    def is_alive(self) -> bool:
        """Whether the browser answers, as far as is known."""
        return self.browser.is_connected()

    async def see(self, visit: Visit) -> Seen:
        """Load a page and return what the browser tells of it."""
        self.visits += 1
        self.visit, visit.given = visit, False
        watch = asyncio.create_task(self._watch())
        try:
            tab = await self._tab(visit)
            await tab.goto(visit.url, wait_until="commit", timeout=0)
            visit.begun = True
            await loaded(tab, "load", LOADING)
            if visit.javascript:
                await loaded(tab, "networkidle", SETTLING)
            html = await tab.evaluate(DOCUMENT) if visit.javascript else None
            told = json.loads(await tab.evaluate(script()))
            check_told(told)
            screenshot = await painted(tab, told) if visit.screenshot else None
            if visit.javascript:
                await tab.context.close()
            else:
                self.tab = tab
            return Seen(told, html, screenshot)
        finally:
            watch.cancel()
            self.visit = None

    async def _tab(self, visit: Visit) -> Tab:
        """Return a tab: for scripts a fresh one, else the last one, as starting one takes time."""
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
        await unframed(tab)
        context.on("page", lambda popup: asyncio.ensure_future(quietly(popup.close())))
        return tab

    async def _answer(self, route: Route) -> None:
        """Give the page to the browser, and to the page what it may have."""
        visit, request = self.visit, route.request
        with suppress(Exception):  # the tab may be gone by now; whoever waits for it will know
            leads = request.is_navigation_request() and request.frame.parent_frame is None
            if visit is None or (leads and visit.given):
                await route.abort("aborted")  # a page that wants to go elsewhere stays
            elif leads:
                visit.given = True
                kind = {"content-type": "text/html; charset=utf-8"}
                await route.fulfill(status=200, headers=kind, body=visit.html)
            elif isinstance(visit.resources, NoResources):
                await route.abort("blockedbyclient")
            else:
                found = await answered(visit.resources, await wanted(route, visit.resources))
                if found is None:
                    await route.abort("blockedbyclient")
                else:
                    headers = dict(found.headers)
                    await route.fulfill(status=found.status, headers=headers, body=found.body)

    async def _watch(self) -> None:
        """Kill the browser when it takes too much memory."""
        while True:
            await asyncio.sleep(LOOK)
            if measure_memory(process_tree(self.process)) > self.max_memory:
                self.overweight = True
                kill(self.process)
                return

    async def close(self) -> None:
        """End the browser and the driver, in an orderly way if they let us."""
        with suppress(Exception):
            await asyncio.wait_for(self.browser.close(), FAREWELL)
        await self.kill()

    async def kill(self) -> None:
        """End the browser at once, and the driver."""
        if self.is_alive or self.overweight:
            kill(self.process)
        await ended(self.driver, self.folder)


async def ended(driver: Playwright, folder: OwnFolder) -> None:
    """End a driver, and remove what its browser left behind."""
    with suppress(Exception):
        await asyncio.wait_for(driver.stop(), FAREWELL)
    await none_left()
    folder.remove()


async def none_left() -> None:
    """End all work on the event loop: requests of pages that nobody waits for any more."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=1.0)


def driver_error() -> type[Exception]:
    """Return the class of all errors of Playwright; Unavailable if there is no Playwright."""
    try:
        from playwright.async_api import Error
    except ImportError as error:
        raise unavailable("rendering needs playwright", "render") from error
    return Error


DOCUMENT: Final = "() => document.documentElement.outerHTML"


@cache
def script() -> str:
    """Return the script that collects the layout."""
    return files("tamis.render").joinpath("columns.js").read_text(encoding="utf-8")


def check_told(told: dict[str, Any]) -> None:
    """Raise RenderError if the browser tells of another page than the one that it got."""
    if told["url"].startswith("about:"):
        raise RenderError(f"the page went to {told['url'][:80]} before it was laid out")


async def unframed(tab: Tab) -> None:
    """Hide the frame of a tab's window, which is drawn again and again while a page loads."""
    session = await tab.context.new_cdp_session(tab)
    with suppress(driver_error()):  # a browser that has no windows
        window = await session.send("Browser.getWindowForTarget")
        whole = {"windowId": window["windowId"], "bounds": {"windowState": "fullscreen"}}
        await session.send("Browser.setWindowBounds", whole)
    await session.detach()


async def loaded(tab: Tab, state: Literal["load", "networkidle"], seconds: float) -> None:
    """Wait until a page has loaded, or for as long as it is worth."""
    from playwright.async_api import TimeoutError as TookTooLong

    with suppress(TookTooLong):
        await tab.wait_for_load_state(state, timeout=1000 * seconds)


async def painted(tab: Tab, told: dict[str, Any]) -> bytes:
    """Return a picture of the whole page, or of its upper part if it is very tall."""
    width = max(1, min(int(told["size"][0]), TALLEST))
    height = max(1, min(int(told["size"][1]), TALLEST))
    clip: Any = {"x": 0, "y": 0, "width": width, "height": height}
    return await tab.screenshot(full_page=True, clip=clip, animations="disabled", timeout=0)


async def wanted(route: Route, resources: Resources) -> ResourceRequest:
    """Return what a request asks for; its headers only for the network, as asking takes time."""
    request = route.request
    live = isinstance(resources, Network)
    headers = tuple((await request.all_headers()).items()) if live else ()
    return ResourceRequest(
        request.url, request.resource_type, request.method, headers, request.post_data_buffer
    )


async def answered(resources: Resources, asked: ResourceRequest) -> Resource | None:
    """Return a resource, found in a thread that nobody needs to wait for at the end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Resource | None] = loop.create_future()

    def told(found: Resource | None) -> None:
        if not future.done():
            future.set_result(found)

    def find() -> None:
        try:
            found = resources.get(asked)
        except Exception:  # a page without one of its pictures is still a page
            found = None
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(told, found)

    threading.Thread(target=find, daemon=True).start()
    return await future


async def quietly(work: Any) -> None:
    """Do something that may fail."""
    with suppress(Exception):
        await work
