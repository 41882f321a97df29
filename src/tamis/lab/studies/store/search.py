"""Search: pages looked for in full text, and in informative blocks only (key-pattern paper §1)."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

import tamis
from tamis.content import Document
from tamis.lab.datasets import Dataset, load
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.store.large_store import LargeStores, Speed, measure_speed, user_stores
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_fold_method
from tamis.store import Hit, Store, Tokenizer, detect_language

_MAX_RANK: Final = 10  # hits that are looked at
_MAX_WORDS: Final = 12  # of a sentence
_MAX_CHARACTERS: Final = 120
_QUERIES: Final = 300  # of a kind, or up to twice as many

_Queries = Mapping[str, str]  # by URL of the page that is looked for


@dataclass(frozen=True)
class Quality:
    """How well pages are found that are known to be there."""

    queries: int
    mrr: float  # the mean of one over the rank of the page, 0 beyond the first hits
    first: float  # the share that came first
    ranks: tuple[
        int | None, ...
    ] = ()  # of each page that is looked for; None beyond the first hits


@dataclass(frozen=True)
class Arm:
    """What an index of blocks takes and finds."""

    index_bytes: int
    pieces: int
    informative: int  # pieces that are indexed
    all_queries: Mapping[str, Quality]  # by kind of query
    held_queries: Mapping[str, Quality]  # only queries whose words the informative blocks have
    milliseconds: Mapping[str, float]  # of a search


@dataclass(frozen=True)
class SearchOutcome:
    """What was measured on a data set."""

    dataset: str
    pages: int
    arms: Mapping[str, Arm]
    speed: Speed | None = None  # in a store of many more pages

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class SearchStudy(Study):
    """Measures how well pages are found by a search, and how fast."""

    name: ClassVar[str] = "search"

    dataset: str = "wcxb-dev"

    def run(self, log: Log) -> Report:
        """Search four indexes of the set, and a store of many pages."""
        dataset, stores = load(self.dataset), user_stores()
        outcome = measure_search(dataset, log.say)
        log.say(f"searching a store of {stores.pages:,} pages, which is built once and kept")
        with log.progress(stores.count_steps(dataset)) as progress:
            speed = measure_search_speed(dataset, stores, progress.advance)
        outcome = replace(outcome, speed=speed)
        return Report("tamis: search", search_tables(outcome), data=outcome.as_dict())


def measure_search(dataset: Dataset, say: Callable[[str], None] = lambda _: None) -> SearchOutcome:
    """Look for pages by their titles and by the first sentences of their content, as in the gold.

    Full text and informative blocks are searched like for like: the same words, the same ranking,
    both with the title as a field of the index and without. Where extraction has lost the words of
    a query no ranking finds the page by them, so queries that it has kept are counted apart.
    """
    queries = {
        "title": _spread(_titles(dataset)),
        "first sentence": _spread(_first_sentences(dataset)),
    }
    kept: dict[str, set[str]] = {kind: set() for kind in queries}
    tokenizer = Tokenizer()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        stores = {
            name: stack.enter_context(Store.open(Path(folder) / f"{number}.db"))
            for number, name in enumerate(_ARMS)
        }
        say(f"storing {len(dataset.items):,} pages in {len(_ARMS)} ways")
        for item in dataset.items:
            method = find_fold_method("learned", dataset, item)
            document = tamis.extract(item.html, item.url, method=method)
            url = _page_url(item)
            for name, change in _ARMS.items():
                stores[name].put(url, change(document))
            for kind, by_url in queries.items():
                if _has_words(document, by_url.get(url, ""), tokenizer):
                    kept[kind].add(url)
        arms = {}
        for name, store in stores.items():
            say(f"searching {name}")
            arms[name] = _measure_arm(store, queries, kept)
    return SearchOutcome(dataset.name, len(dataset.items), arms)


def measure_search_speed(
    dataset: Dataset, stores: LargeStores, advance: Callable[[], None] = lambda: None
) -> Speed:
    """Measure how long the same searches take in a store of many pages."""
    queries = [*_titles(dataset).values(), *_first_sentences(dataset).values()]
    return measure_speed(dataset, queries, stores, _MAX_RANK, advance)


def _has_words(document: Document, query: str, tokenizer: Tokenizer) -> bool:
    """Say whether the informative blocks of a page have all words of a query."""
    language = detect_language(document.text, document.metadata.language)
    return set(tokenizer.tokens(query, language)) <= set(tokenizer.tokens(document.text, language))


def _measure_arm(
    store: Store, queries: Mapping[str, _Queries], kept: Mapping[str, Collection[str]]
) -> Arm:
    """Return what an index takes and finds."""
    times: list[tuple[float, float]] = []
    ranks = {kind: _find_ranks(store, by_url, times) for kind, by_url in queries.items()}
    informative = sum(sum(piece.informative for piece in page.pieces) for page in store.pages())
    passed, worked = np.array(times or [(0.0, 0.0)]).T * 1000
    stats = store.stats()
    return Arm(
        stats.index_bytes,
        stats.pieces,
        informative,
        {kind: _quality(list(by_url.values())) for kind, by_url in ranks.items()},
        {
            kind: _quality([rank for url, rank in by_url.items() if url in kept[kind]])
            for kind, by_url in ranks.items()
        },
        {
            "median": float(np.median(passed)),
            "95 %": float(np.percentile(passed, 95)),
            "median of processor": float(np.median(worked)),
        },
    )


def _spread(queries: _Queries) -> _Queries:
    """Return a part of the queries, evenly spread."""
    step = max(1, len(queries) // _QUERIES)
    return dict(list(queries.items())[::step])


def _find_ranks(
    store: Store, queries: _Queries, times: list[tuple[float, float]]
) -> dict[str, int | None]:
    """Return the ranks of pages; append the time of each search and that of the processor."""
    ranks = {}
    for url, query in queries.items():
        started = time.perf_counter(), time.process_time()
        hits = store.search(query, limit=_MAX_RANK)
        times.append((time.perf_counter() - started[0], time.process_time() - started[1]))
        ranks[url] = _find_rank(url, hits)
    return ranks


def _quality(ranks: Sequence[int | None]) -> Quality:
    """Return how well pages of these ranks are found."""
    count = max(len(ranks), 1)
    return Quality(
        len(ranks),
        sum(1 / rank for rank in ranks if rank) / count,
        sum(rank == 1 for rank in ranks) / count,
        tuple(ranks),
    )


def _find_rank(url: str, hits: Iterable[Hit]) -> int | None:
    """Return the rank of a page, or of a page with the same text, among hits."""
    for rank, hit in enumerate(hits, 1):
        if url == hit.url or url in hit.copies:
            return rank
    return None


def _page_url(item: Any) -> str:
    """Return a URL that no other page has."""
    return f"https://{item.group}/{item.id}"


def _titles(dataset: Dataset) -> _Queries:
    """Return the titles of the gold."""
    pairs = ((_page_url(item), str(item.gold.get("title") or "")) for item in dataset.items)
    return {url: title for url, title in pairs if title.strip()}


def _first_sentences(dataset: Dataset) -> _Queries:
    """Return the first sentence, or its first words, of the content that the gold has."""
    sentences: dict[str, str] = {}
    for item in dataset.items:
        text = str(item.gold.get("main_content") or "").strip()
        first = re.split(r"(?<=[.!?。！？])\s|\n|(?<=[。！？])", text, maxsplit=1)[0]
        words = first.split()
        if first.strip():
            sentences[_page_url(item)] = " ".join(words[:_MAX_WORDS])[:_MAX_CHARACTERS]
    return sentences


def _include_all_blocks(document: Document) -> Document:
    """Return a document to which every block is informative."""
    verdict = document.verdict
    all_informative = replace(verdict, informative=np.ones_like(verdict.informative))
    return _set_title(replace(document, verdict=all_informative), document.metadata.title)


def _remove_title(document: Document) -> Document:
    """Return a document whose page states no title."""
    return _set_title(replace(document), None)


def _set_title(document: Document, title: str | None) -> Document:
    """Set the title of a new document, and return it."""
    vars(document)["metadata"] = replace(document.metadata, title=title)
    return document


# What the indexes hold, by name.
_ARMS: Final[Mapping[str, Callable[[Document], Document]]] = {
    "full text": lambda document: _remove_title(_include_all_blocks(document)),
    "informative blocks": _remove_title,
    "full text and title": _include_all_blocks,
    "informative blocks and title": lambda document: document,
}


def search_tables(outcome: SearchOutcome) -> list[ReportTable]:
    """Return what each index takes and finds, of all queries and of those that both can find."""
    first = next(iter(outcome.arms.values()))
    times = [f"ms, {part}" for part in first.milliseconds]
    rows = [
        [
            name,
            *(f"{size:,.0f}" for size in (arm.index_bytes / 1000, arm.informative)),
            *_quality_cells(arm.all_queries),
            *(f"{took:.1f}" for took in arm.milliseconds.values()),
        ]
        for name, arm in outcome.arms.items()
    ]
    tables = [
        ReportTable(
            f"Search in {outcome.dataset}, {outcome.pages:,} pages",
            ["index", "kB", "blocks", *_quality_heads(first.all_queries), *times],
            rows,
        ),
        ReportTable(
            "The same, of queries whose words the informative blocks have",
            ["index", *_quality_heads(first.held_queries)],
            [[name, *_quality_cells(arm.held_queries)] for name, arm in outcome.arms.items()],
        ),
    ]
    return [*tables, _speed_table(outcome.speed)] if outcome.speed else tables


def _speed_table(speed: Speed) -> ReportTable:
    """Return the time of searches in a store of many pages, by kind of question."""
    quantiles = next(iter(speed.milliseconds.values()))
    return ReportTable(
        f"{speed.queries:,} searches each in a store of {speed.pages:,} pages",
        ["for", *(f"ms, {name}" for name in quantiles)],
        [
            [kind, *(f"{took:.1f}" for took in times.values())]
            for kind, times in speed.milliseconds.items()
        ],
    )


def _quality_heads(by_kind: Mapping[str, Quality]) -> list[str]:
    return [
        head
        for kind, quality in by_kind.items()
        for head in (f"MRR, {kind} ({quality.queries})", "P@1")
    ]


def _quality_cells(by_kind: Mapping[str, Quality]) -> list[str]:
    return [cell for kind in by_kind.values() for cell in (f"{kind.mrr:.3f}", f"{kind.first:.3f}")]
