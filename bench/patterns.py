"""Patterns of records: what they find on the page that they were learned from, and on others.

    TAMIS_BENCH=… python bench/patterns.py [SITE]

A pattern is learned on each page of records-dev and applied to it, and to each other page of its
site. What it reads is compared with what the page gives by itself: the records (where they begin),
and columns by their values, whatever their names. Means over pages or pairs of pages. With SITE,
what differs on the pages of a site.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from itertools import product

import numpy as np

import tamis
from tamis.content import Document
from tamis.lab.datasets import load
from tamis.records import Pattern, Records

MEASURES = ("same records", "all rows the same", "column precision", "column recall")


def columns_of(records: Records) -> Counter[tuple[object, ...]]:
    """Return the columns that hold anything, by their values."""
    return Counter(field.values for field in records.fields if any(field.values))


def measured(found: Records, own: Records) -> list[float]:
    """Return the measures of what a pattern reads against what a page gives by itself."""
    same = found.region is not None and own.region is not None
    if not same or not np.array_equal(found.region.start, own.region.start):  # type: ignore[union-attr]
        return [0.0, 0.0, 0.0, 0.0]
    here, there = columns_of(found), columns_of(own)
    both = (here & there).total()
    exact = float(here == there)
    return [1.0, exact, both / max(1, here.total()), both / max(1, there.total())]


def differences(found: Records, own: Records) -> str:
    """Return which columns differ, a line each."""
    here, there = columns_of(found), columns_of(own)
    lines = [f"{len(found)} {found.reason}, by itself {len(own)}"]
    for sign, records, some in (("+", found, here - there), ("-", own, there - here)):
        lines += [
            f"  {sign} {field.name} {field.type} {field.values[:3]}"
            for field in records.fields
            if field.values in some
        ]
    return "\n".join(lines)


def main(wanted: str | None = None) -> None:
    """Print the measures of patterns on the same page and on others of the site."""
    sites: defaultdict[str, list[Document]] = defaultdict(list)
    for item in load("records-dev").items:
        if wanted in (None, item.group):
            sites[item.group].append(tamis.extract(item.html))
    scores: dict[bool, list[list[float]]] = {True: [], False: []}
    for documents in sites.values():
        listed = [document for document in documents if document.records]
        for one, other in product(listed, listed):
            found = Pattern.learn(one.records).apply(other.page)
            scores[one is other].append(measured(found, other.records))
            if wanted and scores[one is other][-1][1] < 1:
                print(f"{listed.index(one)} on {listed.index(other)}:", end=" ")
                print(differences(found, other.records))
    print(f"| applied to | pages | {' | '.join(MEASURES)} |\n|---|---:|{'---:|' * len(MEASURES)}")
    for said, some in (("the same page", scores[True]), ("others of its site", scores[False])):
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(some, axis=0))
        print(f"| {said} | {len(some)} | {means} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
