"""Pages → a store, in this process or in several that each open it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar
from urllib.parse import quote

from tamis.cli.choice import extraction_settings
from tamis.cli.interrupts import Interrupts
from tamis.cli.items import has_archives, items_of
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


@dataclass(frozen=True)
class StoreJob(Job):
    """Read, extract and store one page after the other."""

    store: str = ""
    keep: Keep = "all"
    base: str | None = None  # what the addresses of files begin with
    resume: bool = False  # whether pages that the store has are left as they are

    ends_run: ClassVar = (StoreError,)

    def done(self, source: Source, place: Place | None) -> Outcome:
        """Extract a page and store it."""
        settings = extraction_settings(self.settings)
        url = settings.pop("url", None) or self.address(source)
        charset = settings.pop("charset", None) or source.charset
        store = opened(self.store)
        if self.resume and url in store:
            return Outcome(source.name, None, counts_as="before")
        document = extract(source.data, url, charset=charset, **settings)
        store.put(url, document, source.fetched_at, keep=self.keep, raw_bytes=len(source.data))
        return Outcome(source.name, None)

    def address(self, source: Source) -> str:
        """Return the address that a page is stored under: its own, or one made of its name."""
        if source.url:
            return source.url
        if self.base is None:
            return f"file:{quote(source.name)}"
        return f"{self.base.rstrip('/')}/{quote(source.name.lstrip('/'))}"


@lru_cache(maxsize=1)  # a process works on many pages of one store
def opened(place: str) -> Store:
    """Return a store that stays open."""
    return Store.open(place)


def add(places: Sequence[Place], job: StoreJob, jobs: int) -> int:
    """Store all places and return the exit code."""
    opened(job.store)  # one that cannot be opened is told before any work
    tell_if_slow()
    progress = Progress(None if has_archives(places) else len(places), what="storing")
    interrupts = Interrupts()
    interrupted = False
    items = items_of(places, job, lambda _: False)
    try:
        with interrupts.watched(), progress, closing(outcomes(items, job, jobs)) as found:
            for outcome in found:
                with interrupts.whole():
                    progress.count(outcome)
    except KeyboardInterrupt:
        interrupted = True
    progress.summary(interrupted=interrupted, resumable=True)
    if interrupted:
        return INTERRUPTED
    return 0 if progress.is_whole else FAILED
