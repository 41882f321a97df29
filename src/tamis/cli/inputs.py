"""Inputs: what the user names, with lists written out and what folders skip reported."""

from __future__ import annotations

import glob
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click

from tamis.cli.messages import count_things, say
from tamis.printing import printable
from tamis.source import (
    Input,
    Skipped,
    SkipReason,
    expand_inputs,
    is_list,
    printable_name,
    read_list,
)

_MAX_SKIPPED_NAMES: Final = 3  # of each kind; the others are counted
# What is skipped, why, and what to do to read it.
_SKIP_WORDS: Final[dict[SkipReason, tuple[str, str, str]]] = {
    "no page": ("file", " not named as a page", "; name them to read them, or use a pattern"),
    "hidden": ("hidden name", "", ""),
    "linked": ("linked folder", ", which may lead in a circle", ""),
}


def find_inputs(arguments: Sequence[str], from_list: Path | None, command: str) -> list[Input]:
    """Return the inputs that the user named, including those in lists; none is a mistake."""
    if not arguments and from_list is None:
        raise click.UsageError(f"name a file, a folder, a URL or - (see tamis {command} --help)")
    skips = _Skips()
    inputs = list(expand_inputs(_expand_lists(arguments), from_list=from_list, skip=skips.add))
    for line in skips.lines():
        say(line)
    if not inputs:
        raise click.UsageError(f"the list {from_list} names no input")
    return inputs


def names_many_pages(
    arguments: Sequence[str], from_list: Path | None, inputs: Sequence[Input]
) -> bool:
    """Say whether the user named what may be many pages, however many there are now.

    A folder, a pattern, a list and an archive may be; one file, one URL and - are one page.
    """
    if from_list is not None or len(arguments) > 1 or has_archives(inputs):
        return True
    is_pattern = glob.has_magic(arguments[0]) and not os.path.lexists(arguments[0])
    is_url = inputs[0].kind == "url"
    return os.path.isdir(arguments[0]) or (is_pattern and not is_url) or is_list(arguments[0])


def check_single_url(url: str | None, inputs: Sequence[Input]) -> None:
    """Raise an error if one URL is given for several pages."""
    if url is not None and (len(inputs) > 1 or has_archives(inputs)):
        raise click.UsageError("--url is the address of one page, and the inputs are many pages")


def has_archives(inputs: Iterable[Input]) -> bool:
    """Say whether inputs include archives, so that the number of pages is unknown."""
    return any(page_input.kind == "archive" for page_input in inputs)


class PageNames(Container[str]):
    """The names of the pages of inputs, including those in archives."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self._names = {page_input.name for page_input in inputs}

    def __contains__(self, name: object) -> bool:
        return name in self._names or str(name).rpartition("#")[0] in self._names


def _expand_lists(arguments: Iterable[str]) -> Iterator[str]:
    """Yield arguments, with the lines of a list instead of the list."""
    for argument in arguments:
        if not is_list(argument):
            yield argument
            continue
        lines = list(read_list(Path(argument)))
        if not lines:
            raise click.UsageError(f"the list {argument} names no input")
        yield from lines


@dataclass
class _Skips:
    """Counts what was skipped in each folder by reason, and keeps the first few names."""

    counts: dict[tuple[str, SkipReason], int] = field(default_factory=dict)
    names: dict[tuple[str, SkipReason], list[str]] = field(default_factory=dict)

    def add(self, skipped: Skipped) -> None:
        """Count a file or folder that was skipped."""
        key = skipped.folder, skipped.reason
        self.counts[key] = self.counts.get(key, 0) + 1
        names = self.names.setdefault(key, [])
        if len(names) < _MAX_SKIPPED_NAMES:
            names.append(printable(printable_name(os.path.relpath(skipped.path, skipped.folder))))

    def lines(self) -> Iterator[str]:
        """Yield one line per folder and reason: how many, and the first of them."""
        for (folder, reason), count in self.counts.items():
            noun, why, advice = _SKIP_WORDS[reason]
            names = ", ".join(self.names[folder, reason]) + ", …" * (count > _MAX_SKIPPED_NAMES)
            name = printable(printable_name(folder))
            yield f"{name}: skipped {count_things(count, noun)}{why} ({names}){advice}"
