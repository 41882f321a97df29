"""Sites that a crawl learns: a template for each shape of a host, from its first pages."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from tamis.crawl.answer import Answer
from tamis.crawl.reader import LearnTask, ReadPage

_SITE_PAGES: Final = 8  # of one shape from which a site is learned
_SITE_READS: Final = 10  # after which a site that fits half of them, or fewer, is learned again
_MAX_SAMPLE_BYTES: Final = 32 * 2**20  # of pages that are kept to learn from


@dataclass
class _ShapeSite:
    """What is learned of one shape of a host."""

    samples: list[Answer] = field(default_factory=list)
    is_learning: bool = False
    path: str | None = None
    fits: deque[bool] = field(default_factory=lambda: deque(maxlen=_SITE_READS))


class SiteLearner:
    """Keeps pages to learn from, has sites learned in workers, and says which are ready.

    `submit` gives a task to a worker, `spawn` runs something beside.
    """

    def __init__(
        self,
        submit: Callable[[LearnTask], Future[Any]],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        max_bytes: int,
    ) -> None:
        self._submit = submit
        self._spawn = spawn
        self._max_bytes = max_bytes
        self._folder = tempfile.TemporaryDirectory(prefix="tamis-crawl-")
        self._sites: dict[tuple[str, str], _ShapeSite] = defaultdict(_ShapeSite)
        self._sample_bytes = 0
        self._sampled: dict[tuple[str, str], None] = {}  # with samples; the last one used last

    def find_path(self, host: str, shape: str) -> str | None:
        """Return the file of the site that was learned for a shape, if there is one."""
        site = self._sites.get((host, shape))
        return site.path if site else None

    def add_page(self, host: str, shape: str, answer: Answer, read: ReadPage) -> None:
        """Keep a page to learn its site from; learn when there are enough, or when it changed."""
        site = self._sites[(host, shape)]
        if site.path is not None:
            site.fits.append(read.fits_site)
            if len(site.fits) == _SITE_READS and 2 * sum(site.fits) <= _SITE_READS:
                site.path = None
                site.fits.clear()
        elif not site.is_learning and read.status == "good":
            self._sampled.pop((host, shape), None)
            self._sampled[(host, shape)] = None
            site.samples.append(answer)
            self._sample_bytes += len(answer.body)
            if len(site.samples) >= _SITE_PAGES:
                site.is_learning = True
                del self._sampled[(host, shape)]
                self._spawn(self._learn(site))
            self._drop_samples()

    def _drop_samples(self) -> None:
        """Forget the pages of shapes of which none came for longest, if there are too many."""
        while self._sample_bytes > _MAX_SAMPLE_BYTES and self._sampled:
            key = next(iter(self._sampled))
            del self._sampled[key]
            self._sample_bytes -= sum(len(answer.body) for answer in self._sites[key].samples)
            self._sites[key].samples.clear()

    async def _learn(self, site: _ShapeSite) -> None:
        """Have a site learned in a worker; if that is not possible, pages are read without."""
        pages, site.samples = tuple(site.samples), []
        self._sample_bytes -= sum(len(answer.body) for answer in pages)
        path = f"{self._folder.name}/{time.monotonic_ns()}.tamis"
        outcome = await asyncio.wrap_future(self._submit(LearnTask(path, pages, self._max_bytes)))
        site.is_learning = False
        site.path = None if outcome.is_error else path

    def close(self) -> None:
        """Delete the files."""
        self._folder.cleanup()
