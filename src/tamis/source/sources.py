"""Sources: the bytes of one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tamis.errors import InputError, SourceError
from tamis.source.archives import archived
from tamis.source.fetch import Fetch
from tamis.source.files import file_bytes, stdin_bytes
from tamis.source.items import Failure, Place, Source


def read(place: Place, *, max_bytes: int, fetch: Fetch | None = None) -> Source:
    """Read one place; SourceError, FetchError or TooLarge say why that was not possible.

    Standard input belongs to the process that the user started: read such a place there.
    """
    if place.problem is not None:
        raise SourceError(place.problem)
    if place.kind == "archive":
        raise SourceError(f"{place.name} is an archive of many pages: read it with pages()")
    if place.kind == "url":
        fetch = fetch or Fetch(max_bytes=max_bytes)
        return replace(fetch, max_bytes=min(fetch.max_bytes, max_bytes)).get(place.location)
    if place.kind == "stdin":
        data = stdin_bytes(max_bytes)
    else:
        data = file_bytes(place.location, max_bytes)
    return Source(name=place.name, url=None, data=data, charset=None)


def pages(
    places: Iterable[Place], *, max_bytes: int, fetch: Fetch | None = None
) -> Iterator[Source | Failure]:
    """Yield the pages of places one by one, those of archives too; one bad page never stops it."""
    for place in places:
        if place.kind == "archive" and place.problem is None:
            yield from archived(place, max_bytes)
            continue
        try:
            yield read(place, max_bytes=max_bytes, fetch=fetch)
        except InputError as error:
            yield Failure(place.name, error)
