"""Places: where in a template a block stands, without the numbers that tell one from the next."""

from __future__ import annotations

import re
from typing import Final

from tamis.blocks import Blocks
from tamis.page import Page, tags

STEPS: Final = 4  # elements from a block upwards: further up, classes say what page it is
_OUTSIDE: Final = tags.tag_table(("html", "body"))
_DIGITS: Final = re.compile(rb"[0-9]+")


def block_places(blocks: Blocks) -> list[str]:
    """Return the place of each block: names, ids and classes of the elements that it stands in.

    Digits are left out, as ids and classes often hold the number of an article.
    """
    known: dict[int, str] = {}
    paths: dict[int, str] = {}
    page = blocks.page
    return [path(page, node, known, paths) for node in blocks.node.tolist()]


def path(page: Page, row: int, known: dict[int, str], paths: dict[int, str]) -> str:
    """Return the place of an element; what was found before is in `known` and `paths`."""
    if row not in paths:
        steps: list[str] = []
        at = row
        while at >= 0 and len(steps) < STEPS and not _OUTSIDE[page.tag[at]]:
            if at not in known:
                known[at] = step(page, at)
            steps.append(known[at])
            at = int(page.parent[at])
        paths[row] = "/".join(reversed(steps))
    return paths[row]


def step(page: Page, row: int) -> str:
    """Return an element as in a style sheet: name#id.class.class, without digits."""
    said = page.name(row)
    if page.id_stop[row] > page.id_start[row]:
        said += f"#{clean(page.source[page.id_start[row] : page.id_stop[row]].strip())}"
    if page.class_stop[row] > page.class_start[row]:
        classes = page.source[page.class_start[row] : page.class_stop[row]].split()
        said += "".join(f".{clean(name)}" for name in classes)
    return said


def clean(name: bytes) -> str:
    """Return a name without digits."""
    return _DIGITS.sub(b"", name).decode("utf-8", "replace")
