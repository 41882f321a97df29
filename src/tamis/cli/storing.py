"""Pages → a store, in this process or in several that each open it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from tamis.cli.choice import extraction_settings
from tamis.cli.interrupts import Interrupts
from tamis.cli.job import Job, Outcome
from tamis.cli.progress import Progress
from tamis.cli.run import FAILED, INTERRUPTED
from tamis.cli.slow import tell_if_slow
from tamis.cli.workers import outcomes
from tamis.errors import StoreError
from tamis.pipeline import extract
from tamis.source import Place, Source
from tamis.store import Store
from tamis.store.page import Keep


class StoreFailed(BaseException):
    """The store itself failed: no further page can be stored. Not an error of one page."""


@dataclass(frozen=True)
class StoreJob(Job):
    """Read, extract and store one page after the other."""

    store: str = ""
    keep: Keep = "all"
    base: str | None = None  # what the addresses of files begin with
    resume: bool = False  # whether pages that the store has are left as they are

    def outcome(self, place: Place | Source) -> Outcome:
        """Return what became of a place; only what is wrong with the store raises."""
        try:
            return super().outcome(place)
        except StoreFailed as error:
            raise StoreError(str(error)) from error

    def rendered(self, source: Source) -> str:
        """Extract a page and store it."""
        settings = extraction_settings(self.settings)
        url = settings.pop("url", None) or self.address(source)
        charset = settings.pop("charset", None) or source.charset
        try:
            store = opened(self.store)
            if not (self.resume and url in store):
                document = extract(source.data, url, charset=charset, **settings)
                store.put(url, document, keep=self.keep, raw_bytes=len(source.data))
        except StoreError as error:
            raise StoreFailed(str(error)) from error
        return url

    def address(self, source: Source) -> str:
        """Return the address that a page is stored under: its own, or one made of its name."""
        if source.url:
            return source.url
        return f"{self.base or 'file:'}{quote(source.name)}"


@lru_cache(maxsize=1)  # a process works on many pages of one store
def opened(place: str) -> Store:
    """Return a store that stays open."""
    return Store.open(place)


def add(places: Sequence[Place], job: StoreJob, jobs: int) -> int:
    """Store all places and return the exit code."""
    opened(job.store)  # one that cannot be opened is told before any work
    tell_if_slow()
    progress = Progress(len(places))
    interrupts = Interrupts()
    interrupted = False
    try:
        with interrupts.watched(), progress, closing(outcomes(places, job, jobs)) as found:
            for outcome in found:
                with interrupts.whole():
                    progress.count(outcome)
    except KeyboardInterrupt:
        interrupted = True
    progress.summary(interrupted=interrupted, resumable=True)
    if interrupted:
        return INTERRUPTED
    return FAILED if progress.failed else 0
