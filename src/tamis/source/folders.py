"""The pages in a folder, and the files that match a pattern."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from tamis.source.archives import ENDINGS as ARCHIVES
from tamis.source.items import Reason, Skipped

ENDINGS = (".html", ".htm", ".xhtml", ".xht", ".shtml")
_ENDINGS = ENDINGS + tuple(ending + ".gz" for ending in ENDINGS) + ARCHIVES
_Entry = Literal["page", "folder"] | Reason


def pages_in(folder: str) -> Iterator[str | Skipped | OSError]:
    """Paths of all pages under `folder`, sorted, lazily; an OSError for an unreadable folder.

    What else there is comes as skipped: files by other names, hidden files and folders, and linked
    folders, which can run in circles.
    """
    # A stack and not recursion: a tree may be deeper than Python's stack.
    stack: list[tuple[str, _Entry]] = [(folder, "folder")]
    while stack:
        path, entry = stack.pop()
        if entry == "page":
            yield path
        elif entry != "folder":
            yield Skipped(folder, path, entry)
        else:
            try:
                stack.extend(_entries(path))
            except OSError as error:
                yield error


def _entries(folder: str) -> list[tuple[str, _Entry]]:
    """All that is directly in `folder`, last name first, and what each is."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name, reverse=True)
    return [(entry.path, _sorted_out(entry)) for entry in ordered]


def _sorted_out(entry: os.DirEntry[str]) -> _Entry:
    """What a file or folder is by its name, and by where it leads."""
    if entry.name.startswith("."):
        return "hidden"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    if os.path.isdir(entry.path):
        return "linked"
    return "page" if entry.name.lower().endswith(_ENDINGS) else "no page"


def is_pattern(argument: str) -> bool:
    """Whether `argument` has characters of a glob pattern."""
    return glob.has_magic(argument)


def files_like(pattern: str) -> list[str]:
    """Paths of the files that match a glob pattern, sorted; hidden ones only if asked for."""
    parts = Path(pattern).parts
    first = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    base, wild = Path(*parts[:first]), list(parts[first:])
    if wild[-1] == "**":
        wild.append("*")
    # Only a whole part can be recursive; pathlib refuses "a**" where the shell sees "a*".
    wild = [part if part == "**" else part.replace("**", "*") for part in wild]
    hidden = any(part.startswith(".") for part in wild)
    # Not glob.glob: its ** follows linked folders, which can run in circles.
    matches = base.glob("/".join(wild))
    return sorted(
        {str(path) for path in matches if (hidden or _visible(path, base)) and _is_file(path)}
    )


def _visible(path: Path, base: Path) -> bool:
    """Whether no part of `path` below `base` is hidden."""
    return not any(part.startswith(".") for part in path.relative_to(base).parts)


def _is_file(path: Path) -> bool:
    """Whether `path` is not a folder; what cannot be read is reported when it is read."""
    return not os.path.isdir(path)
