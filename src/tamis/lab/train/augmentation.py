"""Copies of pages to learn from once more: as they might be elsewhere, years before, or shorter.

The training pages are English and of today, their articles are long, and little stands around them.
A model that has seen only such pages counts on names, on elements of HTML 5 and on an article to be
most of its page; and it keeps comments below an article, as it has hardly seen any.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tamis.lab.datasets import Dataset, Item
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train.examples import Example, example_of
from tamis.lab.train.steps import Watch
from tamis.page import tags

WEIGHT: Final = 0.5  # of a copy beside the page itself
SHORT: Final = (60, 500)  # least and most terms of a shortened article
AMONG_LISTS: Final = (60, 4000)  # … of an article that is put among lists
LIST: Final = (60, 1000)  # … of each of these
AROUND: Final = 2  # lists around an article
LIST_TYPES: Final = ("collection", "forum", "listing")  # pages whose content is entries or posts
MOST: Final = 0.8  # of a page's content: what holds so much holds the content
_OF_HTML5: Final = re.compile(rf"<(/?)(?:{'|'.join(tags.HTML5_SECTIONS)})(?=[\s>])", re.I)
_DECLARES: Final = re.compile(r"<(?:meta|link)\b[^>]*>", re.I)
_NAMED: Final = re.compile(r"""(\s(?:class|id)=)("[^"<>]*"|'[^'<>]*')""", re.I)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_TURNED: Final = _LETTERS[13:] + _LETTERS[:13]
_STRANGE: Final = str.maketrans(_LETTERS + _LETTERS.upper(), _TURNED + _TURNED.upper())

Edit = tuple[int, int, bytes]  # from where to where in a page's source, and what comes there


def copied_examples(
    dataset: Dataset, examples: Sequence[Example], watch: Watch = iter
) -> Iterator[Example]:
    """Yield aged copies of the pages: of articles two, a short one and one among lists."""
    items = {item.id: item for item in dataset.items}
    lists = lists_by_fold(examples)
    for example in watch(examples):
        item = items[example.id]
        copies = [(item.html, example.gold)]
        if example.page_type == "article" and example.target.any():
            nearby = lists[fold_of(example.group)]
            copies = [short_copy(example), copy_among_lists(example, nearby)]
        for html, gold in copies:
            found = example_of(with_gold(item, gold), aged(html))
            if found is not None:
                yield replace(found, weight=found.weight * WEIGHT, copy=True)


def lists_by_fold(examples: Sequence[Example]) -> list[list[Example]]:
    """Return, for each fold, its pages whose content is entries or posts.

    An article is put among lists of its own fold: a model knows nothing of the fold that judges it.
    """
    found: list[list[Example]] = [[] for _ in range(FOLDS)]
    for example in examples:
        if example.page_type in LIST_TYPES and example.target.any():
            found[fold_of(example.group)].append(example)
    return found


def aged(html: str) -> str:
    """Return a page without elements of HTML 5, without names that say something, and undeclared.

    Names stay apart where they were: what repeats still does.
    """
    plain = _OF_HTML5.sub(r"<\1div", _DECLARES.sub("", html))
    return _NAMED.sub(lambda match: match[1] + match[2].translate(_STRANGE), plain)


def short_copy(example: Example) -> tuple[str, str]:
    """Return a page of whose content only the first blocks are left, and the gold of that."""
    edits, gold = shortening(example, drawn_size(dice_of(example, 0), SHORT))
    return edited(example, edits), gold


def copy_among_lists(example: Example, lists: Sequence[Example]) -> tuple[str, str]:
    """Return a page with parts of lists around its content, shortened too, and its gold.

    What is content on one page is noise on another: posts are comments, entries are teasers.
    """
    dice = dice_of(example, 1)
    edits, gold = shortening(example, drawn_size(dice, AMONG_LISTS))
    places = places_around(example)
    for _ in range(AROUND if lists else 0):
        other = lists[int(dice.integers(len(lists)))]
        place = places[int(dice.integers(len(places)))]
        edits.append((place, place, part_of_list(other, drawn_size(dice, LIST))))
    return edited(example, edits), gold


def dice_of(example: Example, number: int) -> np.random.Generator:
    """Return the dice for a copy of a page: the same on every run."""
    return np.random.default_rng(zlib.crc32(f"{example.id} {number}".encode()))


def drawn_size(dice: np.random.Generator, between: tuple[float, float]) -> float:
    """Return a number of terms: one in 100 to 200 is as likely as one in 200 to 400."""
    return float(np.exp(dice.uniform(*np.log(between))))


def shortening(example: Example, most_terms: float) -> tuple[list[Edit], str]:
    """Return the edits that leave the first blocks of a page's content, and the gold of that."""
    frame = example.found.context
    blocks = frame.blocks
    content = np.flatnonzero(example.target >= 0.5)
    before = np.cumsum(frame.terms[content]) - frame.terms[content]
    whole = blocks.first[content] == blocks.node[content]
    inner = ~np.isin(content, blocks.parent)  # what holds other blocks stays
    gone = (before >= most_terms) & whole & inner
    edits = [(*blocks.span(int(index)), b"") for index in content[gone]]
    return edits, "\n".join(blocks.text(int(index)) for index in content[~gone])


def edited(example: Example, edits: Sequence[Edit]) -> str:
    """Return a page in some places of which something else stands."""
    source = example.found.context.page.source
    pieces: list[bytes] = []
    place = 0
    for start, stop, new in sorted(edits):
        pieces += [source[place:start], new]
        place = max(place, stop)
    pieces.append(source[place:])
    return b"".join(pieces).decode("utf-8", "replace")


def content_row(example: Example) -> int:
    """Return the innermost row of a page that holds most of its content."""
    frame = example.found.context
    content = np.zeros(len(frame.page))
    np.add.at(content, frame.blocks.node, frame.terms * (example.target >= 0.5))
    return int(np.flatnonzero(frame.page.below(content) >= MOST * content.sum())[-1])


def places_around(example: Example) -> tuple[int, int, int]:
    """Return the places before and after what holds a page's content, and that at its end."""
    page, row = example.found.context.page, content_row(example)
    start, head, stop = int(page.start[row]), int(page.head[row]), int(page.stop[row])
    return start, stop, max(page.source.rfind(b"</", 0, stop), head)


def part_of_list(example: Example, most_terms: float) -> bytes:
    """Return the source of the first entries of a list."""
    page, row = example.found.context.page, content_row(example)
    terms = page.below(page.terms)
    entries: list[bytes] = []
    taken = 0
    child = row + 1
    while child < page.end[row] and taken < most_terms:
        entries.append(page.source[page.start[child] : page.stop[child]])
        taken += int(terms[child])
        child = int(page.end[child])
    return b"<div>" + b"".join(entries) + b"</div>"


def with_gold(item: Item, gold: str) -> Item:
    """Return an item with another gold text."""
    return replace(item, gold={**item.gold, "main_content": gold})
