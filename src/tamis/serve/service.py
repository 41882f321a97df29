"""Service: workers, fetches, the store and sites, behind the API, the inspector and the tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tamis.errors import FetchError, TamisError
from tamis.serve.metrics import Metrics
from tamis.serve.problems import Problem, error_problem, outcome_problem, queue_full
from tamis.serve.settings import ServeSettings
from tamis.serve.site_files import SiteFiles
from tamis.serve.tasks import PageInput, Task, build_runner
from tamis.source import Source
from tamis.workers import Pool

if TYPE_CHECKING:
    from tamis.store import Store

_MAX_FETCHES: Final = 16  # at once
_MAX_WAITING_FETCHES: Final = 64
_STORE_THREADS: Final = 4

_T = TypeVar("_T")


class Service:
    """What answers requests. All of it is used from one event loop."""

    def __init__(self, settings: ServeSettings) -> None:
        self._store = _open_store(settings.store)  # first: a mistake is to leave nothing behind
        self.settings = settings
        self.metrics = Metrics()
        self.sites = SiteFiles(settings.sites)
        self.is_ready = False
        self._limits = {"deadline": settings.deadline, "max_bytes": settings.max_body}
        self.pool: Pool[Task, bytes] = Pool(
            partial(build_runner, self._limits),
            workers=settings.worker_count,
            deadline=settings.worker_deadline,
            memory=settings.memory,
        )
        self._max_pages = settings.worker_count * settings.max_queue
        self._pages = 0  # that wait or are worked on
        self._slot_freed = asyncio.Condition()
        self._waiting = 0  # pages that wait for a slot
        self._fetches = 0
        self._fetchers = ThreadPoolExecutor(_MAX_FETCHES, "tamis fetch")
        self._readers = ThreadPoolExecutor(_STORE_THREADS, "tamis store")
        self.metrics.watch(lambda: self._pages)

    async def start(self) -> None:
        """Start all workers."""
        await asyncio.to_thread(self.pool.start)
        self.is_ready = True

    async def close(self) -> None:
        """End workers and threads."""
        self.is_ready = False
        await asyncio.to_thread(self.pool.close)
        self._fetchers.shutdown(wait=False, cancel_futures=True)
        self._readers.shutdown(wait=False, cancel_futures=True)
        if self._store is not None:
            self._store.close()

    # Pages --------------------------------------------------------------------------------------

    @property
    def pages_under_way(self) -> int:
        """Pages that wait or are worked on."""
        return self._pages

    async def run(self, task: Task, *, patient: bool = False) -> bytes:
        """Have a worker do a task. A full queue is a Problem, unless `patient` waits for it."""
        if not patient:
            self.check_queue()
        elif self._pages >= self._max_pages:
            await self._wait_for_slot()
        self._pages += 1
        try:
            outcome = await asyncio.wrap_future(self.pool.submit(task))
        except TamisError as error:
            raise error_problem(error) from error
        except RuntimeError as error:  # the pool was closed
            raise queue_full(5) from error
        finally:
            self._pages -= 1
            if self._waiting:
                await self._free_slot()
        if outcome.kind is not None:
            self.metrics.page_errors.labels(outcome.kind).inc()
            raise outcome_problem(outcome)
        assert outcome.value is not None
        return outcome.value

    def check_queue(self) -> None:
        """Raise a Problem if the queue is full; before a body is read, that saves reading it."""
        if self._pages >= self._max_pages:
            self.metrics.refused.inc()
            raise queue_full()

    async def _wait_for_slot(self) -> None:
        self._waiting += 1
        try:
            async with self._slot_freed:
                await self._slot_freed.wait_for(lambda: self._pages < self._max_pages)
        finally:
            self._waiting -= 1

    async def _free_slot(self) -> None:
        async with self._slot_freed:
            self._slot_freed.notify()

    # Fetches ------------------------------------------------------------------------------------

    async def fetch(self, url: str) -> PageInput:
        """Fetch a page, by the address rules of `Fetch`."""
        source = await self.call_fetcher(partial(self.settings.fetch.get, url))
        return _page_input(source)

    async def call_fetcher(self, function: Callable[[], _T]) -> _T:
        """Call what fetches in a thread; its errors are Problems."""
        if not self.settings.can_fetch:
            raise Problem(403, "no-fetching", "this service fetches nothing: send the page as html")
        if self._fetches >= _MAX_WAITING_FETCHES:
            self.metrics.refused.inc()
            raise queue_full()
        self._fetches += 1
        try:
            outcome = await asyncio.get_running_loop().run_in_executor(self._fetchers, function)
            self.metrics.fetches.labels("ok").inc()
            return outcome
        except TamisError as error:
            kind = "failed" if isinstance(error, FetchError) else "error"
            self.metrics.fetches.labels(kind).inc()
            raise error_problem(error) from error
        finally:
            self._fetches -= 1

    # The store ----------------------------------------------------------------------------------

    @property
    def has_store(self) -> bool:
        """Whether the service has a store."""
        return self.settings.store is not None

    async def read_store(self, function: Callable[[Store], _T]) -> _T:
        """Call a function with the store, in a thread; errors are Problems."""
        if self._store is None:
            raise Problem(409, "no-store", "this service has no store: start it with --store FILE")
        call = partial(function, self._store)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, call)
        except TamisError as error:
            raise error_problem(error) from error

    async def read_stored(self, url: str, version: int = -1) -> PageInput:
        """Return a page of the store."""

        def read(store: Store) -> PageInput | None:
            page = store.get(url, version)
            return None if page is None else PageInput(page.source, page.url, "utf-8")

        page = await self.read_store(read)
        if page is None:
            raise Problem(404, "not-in-store", f"{url} is not in the store: see /v1/search")
        return page

    async def read_site(self, host: str, count: int) -> list[PageInput]:
        """Return pages of a host in the store."""

        def read(store: Store) -> list[PageInput]:
            pages = islice(store.pages(host), count)
            return [PageInput(page.source, page.url, "utf-8") for page in pages]

        return await self.read_store(read)

    @property
    def limits(self) -> Any:
        """The limits of the work on one page."""
        return MappingProxyType(self._limits)


def _open_store(location: str | None) -> Store | None:
    """Return the store of a service; StoreError if it is not there."""
    if location is None:
        return None
    from tamis.store import Store

    return Store.open(location, create=False)


def _page_input(source: Source) -> PageInput:
    return PageInput(source.data, source.url, source.charset)
