"""Syndicated copies: one article in the frames of two sites (Debnath et al. 2005 §1).

The paper says that copies are found by their content blocks, whatever surrounds them. No set has
copies that are marked as such, so they are made up from real pages: the content of a page is put
where a page of another site has its own.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

import tamis
from tamis.content import Document
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.gold import words
from tamis.lab.studies.papers.site_blocks import SITES_SET
from tamis.lab.studies.sites.systems import LabPage
from tamis.lab.study import Log
from tamis.lab.systems.methods import find_fold_method
from tamis.page import join_text
from tamis.store import Store

FULL_TEXT: Final = "full text"
CONTENT: Final = "informative blocks"
_COPIES: Final = 100
_MIN_SHARE: Final = 0.8  # of the words of its element that are content, so that it can be replaced
_MIN_WORDS: Final = 100  # of an article that is copied
_SEED: Final = 20050719


@dataclass(frozen=True)
class MadeUpCopy:
    """An article of one site in the frame of another."""

    article: Item
    frame: Item
    html: str


def measure_copies_part(log: Log) -> dict[str, Any]:
    """Return for each copy whether it is found as one, and whether its frame is taken for one."""
    dataset = load(SITES_SET)
    copies = make_copies(dataset)
    log.say(f"{SITES_SET}: {len(copies)} articles, each in the frame of another site")
    groups = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate((FULL_TEXT, CONTENT)):
            with Store.open(Path(folder) / f"{number}.db") as store:
                _fill(store, dataset, copies, is_full=name == FULL_TEXT)
                groups[name] = _group_by_url(store)
    pairs = [(f"copy-{n}", c.article.id, c.frame.id) for n, c in enumerate(copies)]
    return {
        "copies": len(copies),
        "sites": [copy.frame.group for copy in copies],
        "hits": {n: [_is_joined(g, c, a) for c, a, _ in pairs] for n, g in groups.items()},
        "mistakes": {n: [_is_joined(g, c, f) for c, _, f in pairs] for n, g in groups.items()},
    }


def make_copies(dataset: Dataset) -> list[MadeUpCopy]:
    """Return copies of articles in pages of other sites in their language."""
    chooser = random.Random(_SEED)
    items = [item for item in dataset.items if len(words(_content(item))) >= _MIN_WORDS]
    copies: list[MadeUpCopy] = []
    for article in chooser.sample(items, len(items)):
        frames = [i for i in items if i.group != article.group and i.lang == article.lang]
        if len(copies) == _COPIES or not frames:
            continue
        frame = chooser.choice(frames)
        html = _put_content(frame, _content(article))
        if html is not None:
            copies.append(MadeUpCopy(article, frame, html))
    return copies


def _content(item: Item) -> str:
    return item.gold["main_content"] or ""


def _put_content(frame: Item, content: str) -> str | None:
    """Return a page with other content; None if its own is in no element of its own."""
    lab_page = LabPage(frame)
    page, wanted = lab_page.page, np.flatnonzero(lab_page.wanted("tagset"))
    if not len(wanted):
        return None
    blocks = lab_page.blocks("tagset")
    first, stop = int(blocks.first[wanted].min()), int(blocks.stop[wanted].max())
    row = int(page.parent[first])
    while row > 0 and page.end[row] < stop:
        row = int(page.parent[row])
    inside = np.flatnonzero(page.visible[row : page.end[row]]) + row
    held = len(words(join_text(page, inside)))
    if row <= 0 or len(words(_content(frame))) < _MIN_SHARE * held:
        return None
    closing = len(f"</{page.name(row)}>")
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in content.splitlines() if line.strip())
    start, end = int(page.head[row]), int(page.stop[row]) - closing
    return b"".join(
        [page.source[:start], paragraphs.encode("utf-8", "replace"), page.source[end:]]
    ).decode("utf-8", "replace")


def _fill(store: Store, dataset: Dataset, copies: Sequence[MadeUpCopy], *, is_full: bool) -> None:
    """Store all pages and all copies, by their full text or by their informative blocks."""
    pages = [(item.id, item, item.html) for item in dataset.items]
    pages += [(f"copy-{number}", copy.frame, copy.html) for number, copy in enumerate(copies)]
    for name, item, html in pages:
        method = find_fold_method("learned", dataset, item)
        document = tamis.extract(html, method=method)
        store.put(_url(name), _include_all(document) if is_full else document)


def _include_all(document: Document) -> Document:
    """Return a document to which every block is informative."""
    verdict = document.verdict
    return replace(
        document, verdict=replace(verdict, informative=np.ones_like(verdict.informative))
    )


def _url(name: str) -> str:
    return f"https://copies.example/{name}"


def _group_by_url(store: Store) -> dict[str, int]:
    """Return the number of the group of near duplicates that each page is in."""
    groups = enumerate(store.duplicates())
    return {url: number for number, group in groups for url in group.urls}


def _is_joined(groups: Mapping[str, int], one: str, other: str) -> bool:
    """Say whether two pages are in one group."""
    group = groups.get(_url(one))
    return group is not None and group == groups.get(_url(other))
