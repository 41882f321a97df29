"""How well title, author and date are found, side by side with trafilatura.

Both sides get each page's URL. The pages are split in two halves by a hash of their domain: the
rules were written while looking at mistakes on the first half only, so the second shows how they
hold.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Final

from tamis.lab.datasets import Dataset, load
from tamis.lab.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.metadata import read_metadata
from tamis.page import parse

_FIELDS: Final = ("title", "author", "date")
_HALVES: Final = ("seen", "unseen")
_SPEED_PAGES: Final = 300
_ROUNDS: Final = 3
_WORD: Final = re.compile(r"\w+")
_NAME_BREAK: Final = re.compile(r"[;,&/]|\band\b")

Values = Mapping[str, str | None]  # by field
Reader = Callable[[str, str | None], Values]


@dataclass(frozen=True)
class MetadataStudy(Study):
    """Measures title, author and date of tamis and trafilatura on a set whose gold has them."""

    name: ClassVar[str] = "metadata"

    dataset: str = "wcxb-dev"
    limit: int | None = None  # of pages

    def run(self, log: Log) -> Report:
        """Score both sides, and take the time of tamis."""
        dataset = load(self.dataset)
        log.say("scoring metadata")
        rows = score_metadata(dataset.spread(self.limit))
        log.say("taking times")
        own, extraction = _measure_speed(dataset.spread(self.limit or _SPEED_PAGES))
        return Report(
            "tamis: metadata",
            [metadata_table(dataset.name, rows)],
            remarks=[
                f"Metadata takes {own:.2f} ms per page, {own / extraction:.2f} of resiliparse's "
                "extraction."
            ],
        )


@dataclass(frozen=True)
class Row:
    """The scores of one system for one field on one half of the pages.

    `accuracy` and `f1` (of words) are means over the pages whose gold has the field, `precision`
    is the share of right ones among all answers, on pages without gold as well.
    """

    system: str
    half: str
    field: str
    pages: int
    accuracy: float
    precision: float
    f1: float


@dataclass(frozen=True)
class Answer:
    """What a system gave for a field of one page, and what is right."""

    given: str | None
    wanted: str | None


def score_metadata(dataset: Dataset) -> list[Row]:
    """Return the scores of tamis and trafilatura on a data set, by half and field."""
    answers: dict[tuple[str, str, str], list[Answer]] = {}
    systems = _readers()
    for item in dataset.items:
        half = _HALVES[domain_half(item.gold.get("domain"))]
        html = item.html
        for system, read in systems.items():
            values = read(html, item.url)
            for field in _FIELDS:
                answer = Answer(values.get(field), item.gold.get(field))
                answers.setdefault((system, half, field), []).append(answer)
    return [_score_answers(*key, answers[key]) for key in sorted(answers)]


def _readers() -> dict[str, Reader]:
    """Return the systems that are compared."""
    import logging

    from trafilatura.metadata import extract_metadata

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)

    def by_tamis(html: str, url: str | None) -> Values:
        metadata = read_metadata(parse(html, url))
        return {"title": metadata.title, "author": metadata.author, "date": metadata.date}

    def by_trafilatura(html: str, url: str | None) -> Values:
        metadata = extract_metadata(html, default_url=url)
        return {"title": metadata.title, "author": metadata.author, "date": metadata.date}

    return {"tamis": by_tamis, "trafilatura": by_trafilatura}


def domain_half(domain: str | None) -> int:
    """Return the half that a domain belongs to, the same on every machine."""
    return hashlib.sha256((domain or "").encode()).digest()[-1] % 2


def _score_answers(system: str, half: str, field: str, answers: list[Answer]) -> Row:
    """Return the scores of answers."""
    with_gold = [answer for answer in answers if answer.wanted]
    right = sum(is_right(field, answer) for answer in with_gold)
    given = sum(answer.given is not None for answer in answers)
    return Row(
        system=system,
        half=half,
        field=field,
        pages=len(with_gold),
        accuracy=right / max(1, len(with_gold)),
        precision=right / max(1, given),
        f1=sum(word_f1(answer) for answer in with_gold) / max(1, len(with_gold)),
    )


def is_right(field: str, answer: Answer) -> bool:
    """Say whether an answer is the same title, set of names or day as the gold's."""
    if answer.given is None or answer.wanted is None:
        return False
    if field == "author":
        return _names(answer.given) == _names(answer.wanted)
    if field == "date":
        return answer.given == answer.wanted
    return _words(answer.given) == _words(answer.wanted)


def word_f1(answer: Answer) -> float:
    """Return the F1 of the words of an answer."""
    given, wanted = Counter(_words(answer.given)), Counter(_words(answer.wanted))
    common = (given & wanted).total()
    return 2 * common / (given.total() + wanted.total()) if common else 0.0


def _names(text: str) -> frozenset[tuple[str, ...]]:
    """Return the names in a text, each as its words in one case."""
    return frozenset(name for part in _NAME_BREAK.split(text) if (name := tuple(_words(part))))


def _words(text: str | None) -> list[str]:
    """Return the words of a text in one case."""
    return _WORD.findall((text or "").casefold())


def metadata_table(name: str, rows: list[Row]) -> ReportTable:
    """Return scores as a table, one row per field, half and system."""
    order = {field: index for index, field in enumerate(_FIELDS)}
    ordered = sorted(rows, key=lambda row: (order[row.field], row.half, row.system))
    return ReportTable(
        f"Metadata of {name}",
        ["field", "half", "system", "pages", "right", "precision", "word F1"],
        [
            [
                *(row.field, row.half, row.system, str(row.pages)),
                *(f"{value:.3f}" for value in (row.accuracy, row.precision, row.f1)),
            ]
            for row in ordered
        ],
    )


def _measure_speed(dataset: Dataset) -> tuple[float, float]:
    """Return the mean milliseconds of metadata and of resiliparse's extraction, best of three."""
    from resiliparse.extract.html2text import extract_plain_text

    sums = [0.0, 0.0]
    for item in dataset.items:
        html = item.html
        page = parse(html, item.url)
        best = [float("inf"), float("inf")]
        for _ in range(_ROUNDS):
            for side in (0, 1):
                start = perf_counter()
                if side:
                    extract_plain_text(html, main_content=True)
                else:
                    read_metadata(page)
                best[side] = min(best[side], perf_counter() - start)
        sums = [total + value for total, value in zip(sums, best, strict=True)]
    count = max(1, len(dataset.items))
    return 1000 * sums[0] / count, 1000 * sums[1] / count
