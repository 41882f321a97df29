"""How well title, author and date are found, side by side with trafilatura.

    python -m tamis.lab.studies.metadata FOLDER [LIMIT]

FOLDER is a data set whose gold states title, author and date, such as wcxb-dev. Both sides are
given each page's address. The pages are parted in two halves by a hash of their domain: the rules
were made while looking at mistakes on the first half only, so the second tells how they hold.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, load
from tamis.metadata import read_metadata
from tamis.page import parse

FIELDS: Final = ("title", "author", "date")
HALVES: Final = ("seen", "unseen")
SPEED_PAGES: Final = 300
_WORD: Final = re.compile(r"\w+")
_NAMES: Final = re.compile(r"[;,&/]|\band\b")

Facts = Mapping[str, str | None]
Reader = Callable[[str, str | None], Facts]


@dataclass(frozen=True)
class Row:
    """The scores of one system for one field on one half of the pages.

    `accuracy` and `f1` (of words) are means over the pages whose gold has the field, `precision`
    is the share of right ones among all that were found, on pages without gold as well.
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
    """What a system found for a field of one page, and what is right."""

    found: str | None
    wanted: str | None


def metadata_table(dataset: Dataset) -> list[Row]:
    """Return the scores of tamis and trafilatura on a data set, by half and field."""
    answers: dict[tuple[str, str, str], list[Answer]] = {}
    systems = readers()
    for item in dataset.items:
        half = HALVES[half_of(item.gold.get("domain"))]
        html = item.html
        for system, read in systems.items():
            found = read(html, item.url)
            for field in FIELDS:
                answer = Answer(found.get(field), item.gold.get(field))
                answers.setdefault((system, half, field), []).append(answer)
    return [scores(*key, answers[key]) for key in sorted(answers)]


def readers() -> dict[str, Reader]:
    """Return the systems that are compared."""
    import logging

    from trafilatura.metadata import extract_metadata

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)

    def by_tamis(html: str, url: str | None) -> Facts:
        found = read_metadata(parse(html, url))
        return {"title": found.title, "author": found.author, "date": found.date}

    def by_trafilatura(html: str, url: str | None) -> Facts:
        found = extract_metadata(html, default_url=url)
        return {"title": found.title, "author": found.author, "date": found.date}

    return {"tamis": by_tamis, "trafilatura": by_trafilatura}


def half_of(domain: str | None) -> int:
    """Return the half that a domain belongs to, the same on every machine."""
    return hashlib.sha256((domain or "").encode()).digest()[-1] % 2


def scores(system: str, half: str, field: str, answers: list[Answer]) -> Row:
    """Return the scores of some answers."""
    known = [answer for answer in answers if answer.wanted]
    right = sum(is_right(field, answer) for answer in known)
    found = sum(answer.found is not None for answer in answers)
    return Row(
        system=system,
        half=half,
        field=field,
        pages=len(known),
        accuracy=right / max(1, len(known)),
        precision=right / max(1, found),
        f1=sum(word_f1(answer) for answer in known) / max(1, len(known)),
    )


def is_right(field: str, answer: Answer) -> bool:
    """Whether an answer is the same title, set of names or day as the gold's."""
    if answer.found is None or answer.wanted is None:
        return False
    if field == "author":
        return names(answer.found) == names(answer.wanted)
    if field == "date":
        return answer.found == answer.wanted
    return words(answer.found) == words(answer.wanted)


def word_f1(answer: Answer) -> float:
    """Return the F1 of the words of an answer."""
    found, wanted = Counter(words(answer.found)), Counter(words(answer.wanted))
    common = (found & wanted).total()
    return 2 * common / (found.total() + wanted.total()) if common else 0.0


def names(text: str) -> frozenset[tuple[str, ...]]:
    """Return the names in a text, each as its words in one case."""
    return frozenset(name for part in _NAMES.split(text) if (name := tuple(words(part))))


def words(text: str | None) -> list[str]:
    """Return the words of a text in one case."""
    return _WORD.findall((text or "").casefold())


def markdown(rows: list[Row]) -> str:
    """Return rows as a Markdown table."""
    order = {name: place for place, name in enumerate(FIELDS)}
    ordered = sorted(rows, key=lambda row: (order[row.field], row.half, row.system))
    head = "| field | half | system | pages | right | precision | word F1 |"
    lines = [
        f"| {row.field} | {row.half} | {row.system} | {row.pages} | {row.accuracy:.3f} "
        f"| {row.precision:.3f} | {row.f1:.3f} |"
        for row in ordered
    ]
    return "\n".join((head, "|---|---|---|---:|---:|---:|---:|", *lines))


def speed(dataset: Dataset) -> tuple[float, float]:
    """Return the mean milliseconds of metadata and of resiliparse's extraction, best of three."""
    from resiliparse.extract.html2text import extract_plain_text

    sums = [0.0, 0.0]
    for item in dataset.items:
        html = item.html
        page = parse(html, item.url)
        best = [float("inf"), float("inf")]
        for _ in range(3):
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


def main(arguments: list[str]) -> None:
    """Print the table and the speed."""
    if not arguments or not all(argument.isdecimal() for argument in arguments[1:2]):
        sys.exit("usage: python -m tamis.lab.studies.metadata FOLDER [LIMIT]")
    limit = int(arguments[1]) if len(arguments) > 1 else None
    try:
        dataset = load(arguments[0])
        print(markdown(metadata_table(dataset.spread(limit))))
        own, other = speed(dataset.spread(limit or SPEED_PAGES))
    except TamisError as error:
        sys.exit(f"tamis: {error}")
    print(f"\nmetadata {own:.2f} ms a page, {own / other:.2f} of resiliparse's extraction")


if __name__ == "__main__":
    main(sys.argv[1:])
