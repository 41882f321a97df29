"""Scrapy as the engine of a crawl: a scheduler over the frontier, a spider, and the reactor.

The scheduler gives out requests when their hosts may be asked, and the spider hands what comes of
them to the session. Redirects, retries, robots.txt, compression and cookies are not left to
Scrapy's middlewares: a redirect is another address of the frontier (Scrapy would drop it as seen,
or lose it when it is killed), and bodies are unpacked in workers, within limits.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
)
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.utils.reactor import install_reactor
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from tamis.crawl.resolver import PublicResolver
from tamis.crawl.session import Session
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.summary import Counts, Summary, read_summary, write_records

_REACTOR: Final = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
_INTERRUPTED: Final = 130  # exit code


class FrontierScheduler(BaseScheduler):
    """Gives Scrapy the requests of a session."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._spider: TamisSpider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the scheduler of a crawler."""
        return cls(crawler)

    def open(self, spider: Spider) -> None:
        """Connect the session with the engine."""
        assert isinstance(spider, TamisSpider)
        self._spider = spider
        spider.session.start(self._wake)

    def _wake(self) -> None:
        """Let the engine ask for the next request; it would ask every five seconds by itself."""
        engine = self._crawler.engine
        slot = getattr(engine, "_slot", None)
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    def has_pending_requests(self) -> bool:
        """Say whether the crawl goes on."""
        return self._spider.session.has_pending()

    def enqueue_request(self, request: Request) -> bool:
        """Take a request that is not from the frontier."""
        self._spider.session.add_request(request)
        return True

    def next_request(self) -> Request | None:
        """Return a request whose host may be asked now."""
        request = self._spider.session.next_request()
        if request is not None:
            request.callback = self._spider.handle_response
            request.errback = self._spider.handle_error
        return request


class TamisSpider(Spider):
    """Hands answers and failures to the session of a crawl."""

    name = "tamis"

    def __init__(self, session: Session, **kwargs: Any) -> None:
        super().__init__(self.name, **kwargs)
        self.session = session

    async def start(self) -> AsyncIterator[Any]:
        """Yield nothing: all addresses come from the frontier."""
        return
        yield

    async def handle_response(self, response: Response) -> None:
        """Hand an answer to the session."""
        request = response.request
        assert request is not None
        if "robots" in request.meta:
            await self.session.handle_robots(request, response)
        else:
            await self.session.handle_answer(request, response)

    async def handle_error(self, failure: Failure) -> None:
        """Hand a failure to the session."""
        request: Request = failure.request  # type: ignore[attr-defined]
        reason, is_final = self._explain(request, failure.value)
        if "robots" in request.meta:
            is_final &= not isinstance(failure.value, DownloadCancelledError)
            await self.session.handle_robots(request, None, reason, is_final=is_final)
            return
        await self.session.handle_failure(request, reason, is_final=is_final)

    def _explain(self, request: Request, error: BaseException | None) -> tuple[str, bool]:
        """Return why a request failed, and whether it would fail again."""
        from twisted.internet import reactor

        host = urlsplit(request.url).hostname or ""
        refused = getattr(getattr(reactor, "nameResolver", None), "refused", {})
        if host in refused:
            ip = "" if refused[host] == host else f" ({refused[host]})"
            return f"{host}{ip} is not a public address", True
        if isinstance(error, DownloadCancelledError):
            return f"is larger than {request.meta['download_maxsize']:,} bytes", True
        if isinstance(error, DownloadTimeoutError):
            return f"took longer than {request.meta['download_timeout']:g} s", False
        if isinstance(error, CannotResolveHostError):
            return f"{host} has no address in the DNS", False
        if isinstance(error, DownloadConnectionRefusedError):
            return "the connection was refused", False
        return _explain_connection(error)


def _explain_connection(error: BaseException | None) -> tuple[str, bool]:
    """Return why a connection failed, and whether it would fail again: its certificate does."""
    causes = [error.__cause__ if error is not None and error.__cause__ else error]
    # Twisted has a list of failures, of which each may have one.
    for cause in causes:
        failures = getattr(cause, "reasons", None) or ()
        causes += [getattr(failure, "value", failure) for failure in failures]
    last = causes[-1]
    message = " ".join(str(last).split()).rstrip(".")
    if "certificate verify failed" in message:
        return "its certificate cannot be verified", True
    is_plain = isinstance(last, ConnectionLost | ConnectionDone)
    text = message if is_plain else f"{type(last).__name__}: {message}"
    return text[:200], "certificate" in message.lower()


def run_crawl(
    settings: CrawlSettings,
    on_progress: Callable[[Counts], None] | None = None,
    on_interrupt: Callable[[int], None] | None = None,
) -> Summary:
    """Run a crawl in this process, which has one reactor and so can run one; return its summary.

    SIGINT or SIGTERM ends it when what is in flight is done, a second one at once. `on_interrupt`
    is called with the number of the signal: 1, or 2 before the process ends.
    """
    _silence_loggers()
    install_reactor(_REACTOR)
    from twisted.internet import reactor

    session = Session(settings, on_progress)
    # The reactor is an object whose methods its module does not declare.
    loop_reactor: Any = reactor
    PublicResolver(loop_reactor, allow_private=settings.allow_private).install_on_reactor()
    failures: list[BaseException] = []

    async def crawl() -> None:
        try:
            await _crawl(session, settings)
        except BaseException as error:  # it is raised again below, out of the reactor
            failures.append(error)
        finally:
            loop_reactor.stop()

    loop_reactor.callWhenRunning(lambda: asyncio.ensure_future(crawl()))
    with _interrupts(session, loop_reactor, on_interrupt or (lambda _: None)):
        loop_reactor.run(installSignalHandlers=False)
    if failures:
        raise failures[0]
    if session.fatal is not None:
        raise session.fatal
    summary = read_summary(settings, session.frontier.crawl_id, session.counts)
    summary.is_interrupted = session.is_interrupted
    if settings.records:
        write_records(settings, session.frontier.crawl_id)
    return summary


def _silence_loggers() -> None:
    """Keep what Scrapy, Twisted and asyncio log to themselves: reasons are in the store."""
    for name in ("scrapy", "twisted", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    # Until its log has begun, Twisted writes tracebacks to standard error.
    observer: Any = lambda _: None  # noqa: E731
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False, discardBuffer=True)


@contextmanager
def _interrupts(
    session: Session, reactor: Any, on_interrupt: Callable[[int], None]
) -> Iterator[None]:
    """Stop a session at a first signal and the process at a second one.

    The handlers are those of Python, as those of the event loop would wait for it while it closes
    the session, and would hide all signals after its end.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        if session.is_interrupted:
            on_interrupt(2)
            os._exit(_INTERRUPTED)
        session.is_interrupted = True
        on_interrupt(1)
        reactor.callFromThread(session.stop)

    former = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError):  # not in the main thread
            former[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


async def _crawl(session: Session, settings: CrawlSettings) -> None:
    """Run Scrapy until the session is over."""
    runner = AsyncCrawlerRunner(_scrapy_settings(settings))
    crawler = runner.create_crawler(TamisSpider)
    loop = asyncio.get_running_loop()

    ends: list[asyncio.Task[None]] = []

    def stop_engine() -> None:
        ends.append(loop.create_task(_stop(crawler)))

    session.stop_engine = stop_engine
    try:
        await runner.crawl(crawler, session=session)
    finally:
        await session.close()


async def _stop(crawler: Crawler) -> None:
    """End a crawler when what is in flight is done."""
    with suppress(RuntimeError):
        await crawler.stop_async()


def _scrapy_settings(settings: CrawlSettings) -> Settings:
    """Return Scrapy's settings: its downloader and its engine, and nothing around them."""
    return Settings(
        {
            "TWISTED_REACTOR": _REACTOR,
            "SCHEDULER": FrontierScheduler,
            "DOWNLOADER_MIDDLEWARES_BASE": {},
            "SPIDER_MIDDLEWARES_BASE": {},
            "EXTENSIONS_BASE": {},
            "TELNETCONSOLE_ENABLED": False,
            "LOG_ENABLED": False,
            "CONCURRENT_REQUESTS": settings.concurrency * 17,  # the session decides
            # So many tasks are made for every answer, for what its callback yields: nothing.
            "CONCURRENT_ITEMS": 1,
            "CONCURRENT_REQUESTS_PER_DOMAIN": max(settings.per_host, 2),
            "DOWNLOAD_DELAY": 0,
            "DOWNLOAD_MAXSIZE": settings.max_bytes,
            "DOWNLOAD_WARNSIZE": 0,
            "DOWNLOAD_VERIFY_CERTIFICATES": True,
            "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 2 * settings.max_bytes,
        }
    )
