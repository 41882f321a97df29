"""Results: what each system gave for each page, and how good that is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.content import Document, Post
from tamis.lab.datasets import Dataset, Item
from tamis.lab.metrics import blocks as block_metrics
from tamis.lab.metrics import records
from tamis.lab.metrics.posts import post_measures
from tamis.lab.metrics.records import record_counts
from tamis.lab.metrics.text import Counts, snippet_share, word_counts
from tamis.lab.systems.methods import Answer, System

_DIGITS: Final = 4  # of the scores of blocks that are kept

_Measures = Mapping[str, float]


@dataclass(frozen=True)
class PageResult:
    """What a system gave for a page.

    `measures` has precision, recall and f1 (`b_…` of blocks, `wide_…` of the wider labels), the
    counts that they come from, the shares of snippets in the output: `with`, `without` and
    `comments`, in the document's comments: `in_comments`, and what `post_measures` gives.
    """

    id: str
    stamp: str  # of the page's file
    run: str  # results of one run were timed side by side
    lab: str  # the version of what measured it
    seconds: float
    text: str
    error: str | None
    measures: _Measures
    confidence: float | None = None
    scores: tuple[float, ...] = ()  # of the blocks with text
    wanted: tuple[bool, ...] = ()  # whether the same blocks are content in truth

    @property
    def f1(self) -> float:
        """The measure that pages are compared by."""
        return self.measures["f1"]


@dataclass(frozen=True)
class RunStamp:
    """What results are stamped with: the run, the lab's version, and the kind of truth."""

    run: str
    lab: str
    truth: str


@dataclass(frozen=True)
class SystemResult:
    """What a system gave for all pages, in the order of the data set."""

    system: System
    pages: tuple[PageResult, ...]

    @property
    def failures(self) -> tuple[PageResult, ...]:
        """The pages that it could not read."""
        return tuple(page for page in self.pages if page.error is not None)


@dataclass(frozen=True)
class Results:
    """What all systems gave for a data set."""

    dataset: Dataset
    systems: tuple[SystemResult, ...]


def measure_answer(item: Item, by: RunStamp, seconds: float, answer: Answer) -> PageResult:
    """Return the result of an answer."""
    measures = dict(MEASURES[by.truth](item, answer))
    scores: tuple[float, ...] = ()
    wanted: tuple[bool, ...] = ()
    if answer.document is not None and by.truth == "text":
        scores, wanted, counts = _block_truth(answer.document, item.gold["main_content"] or "")
        measures |= _name_measures(counts, "b_")
    sure = getattr(answer.document, "confidence", None)
    return PageResult(
        item.id,
        item.stamp,
        by.run,
        by.lab,
        seconds,
        answer.text,
        None,
        measures,
        None if sure is None else float(sure),
        scores,
        wanted,
    )


def measure_failure(item: Item, by: RunStamp, seconds: float, error: str) -> PageResult:
    """Return the result of a page that a system could not read: 0, whatever was wanted."""
    nothing = MEASURES[by.truth](item, Answer(""))
    measures = {name: value if name.endswith("wanted") else 0.0 for name, value in nothing.items()}
    if "main_content" in item.gold:
        measures |= _measure_posts(item, ())
    return PageResult(item.id, item.stamp, by.run, by.lab, seconds, "", error, measures)


def _name_measures(counts: Counts, prefix: str = "") -> dict[str, float]:
    """Return counts and what follows from them by name."""
    names = ("precision", "recall", "f1", "common", "predicted", "wanted")
    return {f"{prefix}{name}": float(getattr(counts, name)) for name in names}


def _measure_text(item: Item, answer: Answer) -> _Measures:
    """Measure an answer against the text of the content."""
    gold = item.gold["main_content"] or ""
    measures = _name_measures(word_counts(answer.text, gold, item.tokens))
    for name in ("with", "without"):
        share = snippet_share(answer.text, item.gold.get(name) or ())
        if share is not None:
            measures[name] = share
    if answer.document is not None:
        measures |= _measure_posts(item, answer.document.posts if "posts" in item.gold else ())
    return measures


def _measure_posts(item: Item, posts: Sequence[Post]) -> dict[str, float]:
    """Measure posts against those of the page, if its gold has them."""
    wanted = item.gold.get("posts")
    return post_measures(posts, wanted, item.gold["main_content"] or "") if wanted else {}


def _measure_labels(item: Item, answer: Answer) -> _Measures:
    """Measure an answer against labelled segments of the page's text."""
    segments, document = item.gold["segments"], answer.document
    if document is None:
        kept = block_metrics.segments_in_text(answer.text, segments)
    else:
        kept = block_metrics.segments_in_blocks(
            document.segments, document.verdict.informative, segments
        )
    wide = block_metrics.segment_counts(segments, kept, block_metrics.WIDE_CONTENT)
    return _name_measures(block_metrics.segment_counts(segments, kept)) | _name_measures(
        wide, "wide_"
    )


def _measure_records(item: Item, answer: Answer) -> _Measures:
    """Measure an answer, a table of cells as JSON, against the records of the page."""
    predicted: list[list[str]] = json.loads(answer.text or "[]")
    wanted = item.gold["records"]
    priced = bool(item.gold.get("has_price"))
    counts = record_counts(predicted, wanted)
    return _name_measures(counts) | records.field_measures(predicted, wanted, priced=priced)


def _measure_snippets(item: Item, answer: Answer) -> _Measures:
    """Measure which snippets of the content, of noise and of comments are in an answer."""
    wanted, noise = item.gold["with"], item.gold.get("without") or ()
    hits = sum(snippet in answer.text for snippet in wanted)
    extra = sum(snippet in answer.text for snippet in noise)
    measures = _name_measures(Counts(hits, hits + extra, len(wanted)))
    if comments := item.gold.get("comments"):
        measures["comments"] = sum(snippet in answer.text for snippet in comments) / len(comments)
        if answer.document is not None:
            text = "\n".join(comment.text for comment in answer.document.comments)
            hits = sum(snippet in text for snippet in comments)
            measures["in_comments"] = hits / len(comments)
    return measures


MEASURES: Final[Mapping[str, Callable[[Item, Answer], _Measures]]] = {
    "text": _measure_text,
    "snippets": _measure_snippets,
    "labelled": _measure_labels,
    "records": _measure_records,
}


def _block_truth(
    document: Document, gold: str
) -> tuple[tuple[float, ...], tuple[bool, ...], Counts]:
    """Return the scores of blocks with text, whether they are content in truth, and the counts."""
    blocks = document.segments
    with_text = block_metrics.has_text(blocks)
    wanted = block_metrics.wanted_blocks(blocks, gold)
    scores = tuple(round(float(score), _DIGITS) for score in document.verdict.score[with_text])
    counts = block_metrics.block_counts(blocks, document.verdict.informative, wanted)
    return scores, tuple(bool(block) for block in wanted[with_text]), counts
