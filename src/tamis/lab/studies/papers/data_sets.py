"""The data sets that the items stand on: what they are for, how many pages and sites they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tamis.errors import InputError, TamisError
from tamis.lab.datasets import load
from tamis.lab.study import Log

USES: Final[Mapping[str, str]] = {
    "sites-dev": "news sites, several pages each",
    "wcxb-dev": "pages of all types; products, collections and forums among them",
    "records-dev": "result pages, shops among them",
    "posts-dev": "threads of forums",
    "blocks-dev": "news pages, each text labelled",
    "segments-dev": "home pages, blocks marked",
}


def measure_data_part(log: Log) -> dict[str, Any]:
    """Return the pages and sites of the sets that are there, and why others are not."""
    sets: dict[str, dict[str, Any]] = {}
    problems: list[str] = []
    for name in USES:
        try:
            items = load(name).items
        except TamisError as error:  # one set that fails does not stop the others
            problems.append(f"{name}: {error}")
            log.say(f"left out: {name}: {error}")
            continue
        by_site: dict[str, int] = {}
        for item in items:
            by_site[item.group] = by_site.get(item.group, 0) + 1
        sets[name] = by_site
    if not sets:
        raise InputError(f"none of the sets could be read: {'; '.join(problems)}")
    return {"sets": sets, "problems": problems}
