"""Places → what there is to work on: places as they are, and archives page by page."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from tamis.cli.job import Job, Outcome
from tamis.cli.messages import say
from tamis.cli.skips import Skips
from tamis.page import MAX_BYTES
from tamis.source import (
    Failure,
    Input,
    Source,
    expand_inputs,
    is_list,
    read_archive,
    read_list,
)

Item = Input | Source | Outcome


def items_of(places: Iterable[Input], job: Job, has: Callable[[str], bool]) -> Iterator[Item]:
    """Yield what is to be worked on, without what an output has already.

    Pages of archives are read here, one after the other: an archive can only be read from its
    beginning. Other places are read where they are worked on.
    """
    for place in places:
        if place.kind != "archive" or place.problem:
            if not has(place.name):
                yield place
            continue
        for page in read_archive(place, job.settings.get("max_bytes", MAX_BYTES)):
            if isinstance(page, Failure):
                failed = job.failure(page.name, str(page.error), type(page.error).__name__)
                yield replace(failed, counts_as="archive") if page.of_archive else failed
            elif not has(page.name):
                yield page


def named_places(inputs: Sequence[str], from_list: Path | None, command: str) -> list[Input]:
    """Return the places that the user named, in lists too; none at all is a mistake."""
    if not inputs and from_list is None:
        raise click.UsageError(f"name a file, a folder, a URL or - (see tamis {command} --help)")
    skips = Skips()
    places = list(expand_inputs(written_out(inputs), from_list=from_list, skip=skips.add))
    for line in skips.lines():
        say(line)
    if not places:
        raise click.UsageError(f"the list {from_list} names no input")
    return places


def check_one_address(url: str | None, places: Sequence[Input]) -> None:
    """Raise an error if pages that differ are all to have one address."""
    if url is not None and (len(places) > 1 or has_archives(places)):
        raise click.UsageError("--url is the address of one page, and the inputs are many pages")


def written_out(inputs: Iterable[str]) -> Iterator[str]:
    """Yield what the user named, with what stands in a list in the place of the list."""
    for argument in inputs:
        if not is_list(argument):
            yield argument
            continue
        lines = list(read_list(Path(argument)))
        if not lines:
            raise click.UsageError(f"the list {argument} names no input")
        yield from lines


def has_archives(places: Iterable[Input]) -> bool:
    """Say whether nobody knows how many pages there are."""
    return any(place.kind == "archive" for place in places)


class Names(Container[str]):
    """The names of the pages of places, those in archives included."""

    def __init__(self, places: Sequence[Input]) -> None:
        self.names = {place.name for place in places}

    def __contains__(self, name: object) -> bool:
        return name in self.names or str(name).rpartition("#")[0] in self.names
