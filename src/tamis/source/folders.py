"""The pages in a folder, and the files that match a pattern."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from tamis.source.archives import ENDINGS as ARCHIVES

ENDINGS = (".html", ".htm", ".xhtml", ".xht", ".shtml")
_ENDINGS = ENDINGS + tuple(ending + ".gz" for ending in ENDINGS) + ARCHIVES


def pages_in(folder: str) -> Iterator[str | OSError]:
    """Paths of all pages under `folder`, sorted, lazily; an OSError for an unreadable folder.

    Hidden files and folders are left out, and so are linked folders, which can run in circles.
    """
    # A stack and not recursion: a tree may be deeper than Python's stack.
    stack: list[tuple[str, bool]] = [(folder, True)]
    while stack:
        path, is_folder = stack.pop()
        if not is_folder:
            yield path
            continue
        try:
            stack.extend(_entries(path))
        except OSError as error:
            yield error


def _entries(folder: str) -> list[tuple[str, bool]]:
    """Pages and folders directly in `folder`, last name first, and whether each is a folder."""
    with os.scandir(folder) as found:
        entries = [
            (entry.path, entry.is_dir(follow_symlinks=False))
            for entry in sorted(found, key=lambda entry: entry.name, reverse=True)
            if not entry.name.startswith(".")
        ]
    return [(path, is_folder) for path, is_folder in entries if is_folder or _is_page(path)]


def _is_page(path: str) -> bool:
    """Whether the name of the file is that of a page; a folder in a linked disguise is none."""
    return path.lower().endswith(_ENDINGS) and not os.path.isdir(path)


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
