"""Pages → a store, in this process or in several that each open it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from tamis.cli.choice import extraction_settings
from tamis.cli.interrupts import Interrupts
from tamis.cli.items import Item, has_archives, items_of
from tamis.cli.job import Job, Outcome
from tamis.cli.progress import Progress
from tamis.cli.run import FAILED, INTERRUPTED
from tamis.cli.slow import tell_if_slow
from tamis.cli.workers import outcomes
from tamis.errors import InputError, StoreError
from tamis.pipeline import extract
from tamis.source import Input, Source
from tamis.store import Keep, Store


@dataclass(frozen=True)
class StoreJob(Job):
    """Read, extract and store one page after the other."""

    store: str = ""
    keep: Keep = "all"
    base: str | None = None  # what the addresses of files begin with
    resume: bool = False  # whether pages that the store has are left as they are
    since: datetime = field(default_factory=lambda: datetime.now(UTC))  # what came before is old

    ends_run: ClassVar = (StoreError,)

    def done(self, source: Source, place: Input | None) -> Outcome:
        """Extract a page and store it."""
        settings = extraction_settings(self.settings)
        url = settings.pop("url", None) or self.address(source, place)
        charset = settings.pop("charset", None) or source.charset
        store = opened(self.store)
        if self.resume and source.fetched_at is None and self.is_old(store, url):
            return Outcome(source.name, None, counts_as="before")
        document = extract(source.data, url, charset=charset, **settings)
        store.put(url, document, source.fetched_at, keep=self.keep, raw_bytes=len(source.data))
        return Outcome(source.name, None)

    def is_old(self, store: Store, url: str) -> bool:
        """Say whether the store had a page before this run."""
        return url in store and any(old.fetched_at < self.since for old in store.history(url)[:1])

    def address(self, source: Source, place: Input | None) -> str:
        """Return the address that a page is stored under: its own, or one made of its name.

        The name alone would make pages of different folders versions of one page.
        """
        if source.url:
            return source.url
        if self.base is not None:
            return f"{self.base.rstrip('/')}/{quote(source.name.lstrip('/'))}"
        if place is None or place.kind != "file":
            raise InputError(f"{source.name} has no address: give --base to make one of its name")
        return Path(os.path.abspath(place.location)).as_uri()


def without_old(items: Iterable[Item], job: StoreJob) -> Iterator[Item]:
    """Yield items, in the place of captures that the store had before their outcome.

    A capture is known by its address and its instant. What this run stores is asked of nobody:
    other processes may have stored it, or not yet.
    """
    new: set[int] = set()
    store = opened(job.store)
    for item in items:
        if isinstance(item, Source) and item.url and item.fetched_at:
            capture = hash((item.url, item.fetched_at))  # of two alike, both are stored
            if capture not in new and is_stored(store, item.url, item.fetched_at):
                yield Outcome(item.name, None, counts_as="before")
                continue
            new.add(capture)
        yield item


def is_stored(store: Store, url: str, instant: datetime) -> bool:
    """Say whether the store has a page as it was fetched at an instant."""
    return url in store and any(version.fetched_at == instant for version in store.history(url))


@lru_cache(maxsize=1)  # a process works on many pages of one store
def opened(place: str) -> Store:
    """Return a store that stays open."""
    return Store.open(place)


def add(places: Sequence[Input], job: StoreJob, jobs: int) -> int:
    """Store all places and return the exit code."""
    opened(job.store)  # one that cannot be opened is told before any work
    tell_if_slow()
    progress = Progress(None if has_archives(places) else len(places), what="storing")
    interrupts = Interrupts()
    interrupted = False
    items = items_of(places, job, lambda _: False)
    if job.resume:
        items = without_old(items, job)
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
