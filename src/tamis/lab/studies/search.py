"""Search: known pages looked for in full text, and in informative blocks only (000 §1)."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

import tamis
from tamis.content import Document
from tamis.lab.datasets import Dataset
from tamis.lab.studies.large_store import LargeStores, Speed, measured_speed
from tamis.store import Hit, Store, Tokenizer, detect_language

DEEPEST: Final = 10  # hits that are looked at
WORDS: Final = 12  # of a sentence
QUERIES: Final = 300  # of a kind, or up to twice as many

Queries = Mapping[str, str]  # by address of the page that is looked for


@dataclass(frozen=True)
class Quality:
    """How well known pages are found."""

    queries: int
    mrr: float  # the mean of one over the place of the page, 0 where it is not among the first
    first: float  # the share that came first


@dataclass(frozen=True)
class Arm:
    """What an index of some blocks takes and finds."""

    index_bytes: int
    pieces: int
    informative: int  # pieces that are indexed
    found: Mapping[str, Quality]  # by kind of query
    held: Mapping[str, Quality]  # the same, of queries whose words the informative blocks have
    milliseconds: Mapping[str, float]  # of a search


@dataclass(frozen=True)
class Found:
    """The study of a set."""

    dataset: str
    pages: int
    arms: Mapping[str, Arm]
    speed: Speed | None = None  # in a store of many more pages

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


def search(dataset: Dataset, say: Callable[[str], None] = lambda _: None) -> Found:
    """Look for pages by their titles and by the first sentences of their content, as in the gold.

    Full text and informative blocks are searched like for like: the same words, the same ranking,
    both with the title as a field of the index and without. Where extraction has lost the words of
    a query no ranking finds the page by them, so queries that it has kept are told apart.
    """
    queries = {"title": spread(titles(dataset)), "first sentence": spread(sentences(dataset))}
    kept: dict[str, set[str]] = {kind: set() for kind in queries}
    words = Tokenizer()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        stores = {
            name: stack.enter_context(Store.open(Path(folder) / f"{number}.db"))
            for number, name in enumerate(ARMS)
        }
        say(f"storing {len(dataset.items):,} pages in {len(ARMS)} ways")
        for item in dataset.items:
            document = tamis.extract(item.html, item.url)
            url = address(item)
            for name, made in ARMS.items():
                stores[name].put(url, made(document))
            for kind, asked in queries.items():
                if has_words(document, asked.get(url, ""), words):
                    kept[kind].add(url)
        arms = {}
        for name, store in stores.items():
            say(f"searching {name}")
            arms[name] = searched(store, queries, kept)
    return Found(dataset.name, len(dataset.items), arms)


def search_speed(
    dataset: Dataset, stores: LargeStores, advance: Callable[[], None] = lambda: None
) -> Speed:
    """Measure how long the same searches take in a store of many pages."""
    queries = [*titles(dataset).values(), *sentences(dataset).values()]
    return measured_speed(dataset, queries, stores, DEEPEST, advance)


def has_words(document: Document, query: str, words: Tokenizer) -> bool:
    """Say whether the informative blocks of a page have all words of a query."""
    language = detect_language(document.text, document.metadata.language)
    return set(words.tokens(query, language)) <= set(words.tokens(document.text, language))


def searched(
    store: Store, queries: Mapping[str, Queries], kept: Mapping[str, Collection[str]]
) -> Arm:
    """Return what an index takes and finds."""
    times: list[tuple[float, float]] = []
    places = {kind: places_of(store, asked, times) for kind, asked in queries.items()}
    informative = sum(sum(piece.informative for piece in page.pieces) for page in store.pages())
    passed, worked = np.array(times or [(0.0, 0.0)]).T * 1000
    stats = store.stats()
    return Arm(
        stats.index_bytes,
        stats.pieces,
        informative,
        {kind: quality(list(found.values())) for kind, found in places.items()},
        {
            kind: quality([place for url, place in found.items() if url in kept[kind]])
            for kind, found in places.items()
        },
        {
            "median": float(np.median(passed)),
            "95 %": float(np.percentile(passed, 95)),
            "median of processor": float(np.median(worked)),
        },
    )


def spread(queries: Queries) -> Queries:
    """Return some of the queries, evenly spread."""
    step = max(1, len(queries) // QUERIES)
    return dict(list(queries.items())[::step])


def places_of(
    store: Store, queries: Queries, times: list[tuple[float, float]]
) -> dict[str, int | None]:
    """Return the places of pages, and note the time of each search and the processor's."""
    places = {}
    for url, query in queries.items():
        started = time.perf_counter(), time.process_time()
        hits = store.search(query, limit=DEEPEST)
        times.append((time.perf_counter() - started[0], time.process_time() - started[1]))
        places[url] = place_of(url, hits)
    return places


def quality(places: Sequence[int | None]) -> Quality:
    """Return how well pages are found that came to these places."""
    known = max(len(places), 1)
    return Quality(
        len(places),
        sum(1 / place for place in places if place) / known,
        sum(place == 1 for place in places) / known,
    )


def place_of(url: str, hits: Iterable[Hit]) -> int | None:
    """Return the place of a page, or of a page that says the same, among hits."""
    for place, hit in enumerate(hits, 1):
        if url == hit.url or url in hit.copies:
            return place
    return None


def address(item: Any) -> str:
    """Return the address of a page, which is its own."""
    return f"https://{item.group}/{item.id}"


def titles(dataset: Dataset) -> Queries:
    """Return the titles of the gold."""
    found = ((address(item), str(item.gold.get("title") or "")) for item in dataset.items)
    return {url: title for url, title in found if title.strip()}


def sentences(dataset: Dataset) -> Queries:
    """Return the first sentence, or its first words, of the content that the gold has."""
    found: dict[str, str] = {}
    for item in dataset.items:
        text = str(item.gold.get("main_content") or "").strip()
        first = re.split(r"(?<=[.!?。！？])\s|\n|(?<=[。！？])", text, maxsplit=1)[0]
        words = first.split()
        if first.strip():
            found[address(item)] = " ".join(words[:WORDS])[:120]
    return found


def as_it_is(document: Document) -> Document:
    """Return a document as it is."""
    return document


def of_all_blocks(document: Document) -> Document:
    """Return a document to which every block is informative."""
    verdict = document.verdict
    every = replace(verdict, informative=np.ones_like(verdict.informative))
    return with_title(replace(document, verdict=every), document.metadata.title)


def untitled(document: Document) -> Document:
    """Return a document whose page states no title."""
    return with_title(replace(document), None)


def with_title(document: Document, title: str | None) -> Document:
    """Return a document that was just made, with another title for its page."""
    vars(document)["metadata"] = replace(document.metadata, title=title)
    return document


# What is indexed, by name.
ARMS: Final[Mapping[str, Callable[[Document], Document]]] = {
    "full text": lambda document: untitled(of_all_blocks(document)),
    "informative blocks": untitled,
    "full text and title": of_all_blocks,
    "informative blocks and title": as_it_is,
}
