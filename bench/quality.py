"""Word F1 of every method on wcxb-dev, by page type: the table of the README.

    TAMIS_BENCH=… python bench/quality.py [--peers]

The metric is the set's own (its README): multisets of lower-case `\\w+`, F1 a page, mean over
pages; empty against empty is 1. A page that fails scores 0. The full lab comes with
`tamis evaluate`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from statistics import mean, stdev

import pages

import tamis

Extractor = Callable[[str], str]
WORD = re.compile(r"\w+")
TYPES = ("article", "documentation", "service", "forum", "collection", "listing", "product")


def main() -> None:
    """Score every method (and, with --peers, two peers) on all pages and print a table."""
    extractors: dict[str, Extractor] = {name: by_method(name) for name in tamis.METHODS}
    if "--peers" in sys.argv[1:]:
        extractors |= peers()
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for truth in pages.gold():
        html = pages.page(truth["id"]).decode("utf-8", "replace")
        wanted = Counter(WORD.findall(truth["main_content"].lower()))
        for name, extract in extractors.items():
            score = f1(Counter(WORD.findall(safely(extract, html).lower())), wanted)
            scores[name]["all"].append(score)
            scores[name][truth["page_type"]].append(score)
    columns = ("all", *TYPES)
    print("| method | F1 (± se) |", " | ".join(columns[1:]), "|")
    print("|---|---:|" + "---:|" * len(TYPES))
    for name, by_type in sorted(scores.items(), key=lambda item: -mean(item[1]["all"])):
        every = by_type["all"]
        error = stdev(every) / len(every) ** 0.5
        means = " | ".join(f"{mean(by_type[kind]):.3f}" for kind in columns[1:])
        print(f"| {name} | {mean(every):.3f} ± {error:.3f} | {means} |")
    print(f"\n{len(every)} pages of wcxb-dev, word F1")


def by_method(name: str) -> Extractor:
    """Return a method as a function from HTML to text."""
    return lambda html: tamis.extract(html, method=name).text


def peers() -> dict[str, Extractor]:
    """Return the peers of the `evaluate` extra."""
    import trafilatura
    from resiliparse.extract.html2text import extract_plain_text

    return {
        "resiliparse": lambda html: extract_plain_text(html, main_content=True),
        "trafilatura": lambda html: trafilatura.extract(html) or "",
    }


def safely(extract: Extractor, html: str) -> str:
    """Return what an extractor finds; a page that fails must score 0, so it must not stop us."""
    try:
        return extract(html)
    except Exception as error:
        print(f"failed: {error}", file=sys.stderr)
        return "\0failed"


def f1(found: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two multisets of words; 1 if both are empty."""
    if not found and not wanted:
        return 1.0
    common = sum((found & wanted).values())
    return 2 * common / (sum(found.values()) + sum(wanted.values()))


if __name__ == "__main__":
    main()
