"""Augmentation: altered copies of pages to learn from: older, shorter, and with lists around.

The pages of the data sets are English and recent, their articles are long, and little stands around
them. A model that has seen only such pages relies on class names, on elements of HTML 5 and on
articles that fill most of the page; and it takes comments below an article for content, because it
has hardly seen any.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tamis.lab.datasets import Dataset, Item
from tamis.lab.systems.methods import FOLDS, site_fold
from tamis.lab.train.examples import Example, build_example
from tamis.lab.train.shared import Track
from tamis.page import tags

COPY_WEIGHT: Final = 0.5  # of a copy; the page itself has 1
# The least and the greatest number of terms …
SHORT_TERMS: Final = (60, 500)  # … of a shortened article
SURROUNDED_TERMS: Final = (60, 4000)  # … of an article with lists around
_LIST_TERMS: Final = (60, 1000)  # … of each of these lists
LISTS_PER_ARTICLE: Final = 2
_LIST_TYPES: Final = ("collection", "forum", "listing")  # pages whose content is entries or posts
_MIN_CONTENT_SHARE: Final = 0.8  # of the element that is said to hold a page's content
_HTML5_TAG: Final = re.compile(rf"<(/?)(?:{'|'.join(tags.HTML5_SECTIONS)})(?=[\s>])", re.I)
_DECLARATION: Final = re.compile(r"<(?:meta|link)\b[^>]*>", re.I)
_NAME_ATTRIBUTE: Final = re.compile(r"""(\s(?:class|id)=)("[^"<>]*"|'[^'<>]*')""", re.I)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_ROTATED: Final = _LETTERS[13:] + _LETTERS[:13]
_ROT13: Final = str.maketrans(_LETTERS + _LETTERS.upper(), _ROTATED + _ROTATED.upper())

_Edit = tuple[int, int, bytes]  # start and end offsets in a page's source, and the new bytes


def copy_examples(
    datasets: Sequence[Dataset], examples: Sequence[Example], track: Track = iter
) -> Iterator[Example]:
    """Yield aged copies of pages: two of each article, one shortened and one among lists.

    The lists are of any set; there are copies of the pages whose content is known as a whole.
    """
    items = {(dataset.name, item.id): item for dataset in datasets for item in dataset.items}
    lists = group_lists_by_fold(examples)
    for example in track(examples):
        if example.gold is None:
            continue
        item = items[example.dataset, example.id]
        copies = [(item.html, example.gold)]
        if example.page_type == "article" and example.target.any():
            fold_lists = lists[site_fold(example.group)]
            copies = [shorten(example), surround_with_lists(example, fold_lists)]
        for html, gold in copies:
            copy = build_example(example.dataset, _replace_gold(item, gold), age_html(html))
            if copy is not None:
                yield replace(copy, weight=copy.weight * COPY_WEIGHT, is_copy=True)


def group_lists_by_fold(examples: Sequence[Example]) -> list[list[Example]]:
    """Return, for each fold, its pages whose content is entries or posts.

    An article gets lists of its own fold, so that the model that is judged on a fold has seen
    nothing of it.
    """
    lists: list[list[Example]] = [[] for _ in range(FOLDS)]
    for example in examples:
        if example.page_type in _LIST_TYPES and example.target.any():
            lists[site_fold(example.group)].append(example)
    return lists


def age_html(html: str) -> str:
    """Return a page without elements of HTML 5, meaningful class names and ids, and metadata.

    Names that differ still differ, so that what repeats on the page still does.
    """
    plain = _HTML5_TAG.sub(r"<\1div", _DECLARATION.sub("", html))
    return _NAME_ATTRIBUTE.sub(lambda match: match[1] + match[2].translate(_ROT13), plain)


def shorten(example: Example) -> tuple[str, str]:
    """Return a page with only the first blocks of its content, and its gold."""
    edits, gold = shortening_edits(example, draw_terms(random_generator(example, 0), SHORT_TERMS))
    return apply_edits(example, edits), gold


def surround_with_lists(example: Example, lists: Sequence[Example]) -> tuple[str, str]:
    """Return a page with parts of lists around its content, which is shortened too, and its gold.

    What is content on one page is noise on another: posts become comments, entries teasers.
    """
    generator = random_generator(example, 1)
    edits, gold = shortening_edits(example, draw_terms(generator, SURROUNDED_TERMS))
    offsets = insertion_offsets(example)
    for _ in range(LISTS_PER_ARTICLE if lists else 0):
        list_page = lists[int(generator.integers(len(lists)))]
        offset = offsets[int(generator.integers(len(offsets)))]
        entries = first_entries(list_page, draw_terms(generator, _LIST_TERMS))
        edits.append((offset, offset, entries))
    return apply_edits(example, edits), gold


def random_generator(example: Example, copy: int) -> np.random.Generator:
    """Return the random numbers for one copy of a page: the same on every run."""
    return np.random.default_rng(zlib.crc32(f"{example.id} {copy}".encode()))


def draw_terms(generator: np.random.Generator, bounds: tuple[float, float]) -> float:
    """Return a random number of terms: 100 to 200 are as likely as 200 to 400."""
    return float(np.exp(generator.uniform(*np.log(bounds))))


def shortening_edits(example: Example, max_terms: float) -> tuple[list[_Edit], str]:
    """Return the edits that leave only the first blocks of the content, and the gold of that."""
    context = example.features.context
    blocks = context.blocks
    content = np.flatnonzero(example.target >= 0.5)
    terms_before = np.cumsum(context.terms[content]) - context.terms[content]
    is_element = blocks.first[content] == blocks.node[content]
    is_innermost = ~np.isin(content, blocks.parent)  # what holds other blocks stays
    removed = (terms_before >= max_terms) & is_element & is_innermost
    edits = [(*blocks.span(int(index)), b"") for index in content[removed]]
    return edits, "\n".join(blocks.text(int(index)) for index in content[~removed])


def apply_edits(example: Example, edits: Sequence[_Edit]) -> str:
    """Return the HTML of a page after some edits of its source."""
    source = example.features.context.page.source
    parts: list[bytes] = []
    offset = 0
    for start, end, new in sorted(edits):
        parts += [source[offset:start], new]
        offset = max(offset, end)
    parts.append(source[offset:])
    return b"".join(parts).decode("utf-8", "replace")


def insertion_offsets(example: Example) -> tuple[int, int, int]:
    """Return the offsets before and after the element with the content, and inside at its end."""
    page, row = example.features.context.page, _find_content_row(example)
    start, tag_end, end = int(page.start[row]), int(page.head[row]), int(page.stop[row])
    return start, end, max(page.source.rfind(b"</", 0, end), tag_end)


def first_entries(example: Example, max_terms: float) -> bytes:
    """Return the source of the first entries of a list."""
    page, row = example.features.context.page, _find_content_row(example)
    terms = page.below(page.terms)
    entries: list[bytes] = []
    terms_so_far = 0
    child = row + 1
    while child < page.end[row] and terms_so_far < max_terms:
        entries.append(page.source[page.start[child] : page.stop[child]])
        terms_so_far += int(terms[child])
        child = int(page.end[child])
    return b"<div>" + b"".join(entries) + b"</div>"


def _find_content_row(example: Example) -> int:
    """Return the innermost row of a page that holds nearly all of its content."""
    context = example.features.context
    content = np.zeros(len(context.page))
    np.add.at(content, context.blocks.node, context.terms * (example.target >= 0.5))
    is_wide_enough = context.page.below(content) >= _MIN_CONTENT_SHARE * content.sum()
    return int(np.flatnonzero(is_wide_enough)[-1])


def _replace_gold(item: Item, gold: str) -> Item:
    """Return an item with another gold text."""
    return replace(item, gold={**item.gold, "main_content": gold})
