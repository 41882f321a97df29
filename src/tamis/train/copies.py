"""Copies of pages to learn from once more: as they might be elsewhere, years before, or shorter.

The training pages are English and of today, and their articles are long. A model that has seen only
such pages counts on names, on elements of HTML 5 and on an article to be most of its page.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tamis.evaluate.datasets import Dataset, Item
from tamis.page import tags
from tamis.train.examples import Example, example_of

WEIGHT: Final = 0.5  # of a copy beside the page itself
SHORTEST, LONGEST = 60, 500  # terms of a shortened article
SHORTENED: Final = 2  # copies of an article
_OF_HTML5: Final = re.compile(rf"<(/?)(?:{'|'.join(tags.OF_HTML5)})(?=[\s>])", re.I)
_DECLARES: Final = re.compile(r"<(?:meta|link)\b[^>]*>", re.I)
_NAMED: Final = re.compile(r"""(\s(?:class|id)=)("[^"<>]*"|'[^'<>]*')""", re.I)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TURNED: Final = _LETTERS[13:] + _LETTERS[:13]
_STRANGE: Final = str.maketrans(_LETTERS + _LETTERS.upper(), _TURNED + _TURNED.upper())


def copied_examples(dataset: Dataset, examples: Sequence[Example]) -> Iterator[Example]:
    """Yield aged copies of the pages; articles are shortened, twice."""
    items = {item.id: item for item in dataset.items}
    for example in examples:
        item = items[example.id]
        numbers = range(SHORTENED) if example.page_type == "article" else [None]
        for number in numbers:
            html, gold = (item.html, example.gold)
            if number is not None and example.target.any():
                html, gold = shortened(example, shortened_size(example.id, number))
            found = example_of(with_gold(item, gold), aged(html))
            if found is not None:
                yield replace(found, weight=found.weight * WEIGHT, copy=True)


def aged(html: str) -> str:
    """Return a page without elements of HTML 5, without names that say something, and undeclared.

    Names stay apart where they were: what repeats still does.
    """
    plain = _OF_HTML5.sub(r"<\1div", _DECLARES.sub("", html))
    return _NAMED.sub(lambda match: match[1] + match[2].translate(_STRANGE), plain)


def shortened_size(page: str, number: int) -> float:
    """Return how many terms a shortened copy keeps: the same for a page on every run."""
    dice = np.random.default_rng(zlib.crc32(f"{page} {number}".encode()))
    return float(np.exp(dice.uniform(np.log(SHORTEST), np.log(LONGEST))))


def shortened(example: Example, most_terms: float) -> tuple[str, str]:
    """Return a page of whose content only the first blocks are left, and the gold of that."""
    frame = example.found.frame
    blocks, page = frame.blocks, frame.page
    content = np.flatnonzero(example.target >= 0.5)
    before = np.cumsum(frame.terms[content]) - frame.terms[content]
    whole = blocks.first[content] == blocks.node[content]
    inner = ~np.isin(content, blocks.parent)  # what holds other blocks stays
    gone = (before >= most_terms) & whole & inner
    pieces: list[bytes] = []
    place = 0
    for start, stop in (blocks.span(int(index)) for index in content[gone]):
        pieces.append(page.source[place:start])
        place = max(place, stop)
    pieces.append(page.source[place:])
    gold = "\n".join(blocks.text(int(index)) for index in content[~gone])
    return b"".join(pieces).decode("utf-8", "replace"), gold


def with_gold(item: Item, gold: str) -> Item:
    """Return an item with another gold text."""
    return replace(item, gold={**item.gold, "main_content": gold})
