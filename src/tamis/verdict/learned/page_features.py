"""The page as a whole: the same values for all its blocks, and what its type is told from.

No size of the page and nothing that scripts leave behind is among them: part of the training pages
was stripped of scripts, so a model would learn that instead of the pages.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags
from tamis.verdict.kernel.sums import count_tags, find_longest, sum_records, sum_tags, sum_told
from tamis.verdict.learned import name_features
from tamis.verdict.learned.block_features import Records
from tamis.verdict.learned.feature_context import FeatureContext, Matrix

SHARED: Final = (
    ("p",),
    ("li", "dd", "dt"),
    ("h1", "h2", "h3", "h4", "h5", "h6"),
    ("td", "th"),
    ("pre",),
    ("div",),
    ("blockquote",),
)
COUNTED: Final = ("img", "form", "input", "button", "time", "code", "table", "article", "iframe")
TOP: Final = 5  # longest blocks
OG_TYPES: Final = ("article", "website", "product", "other")
PAGE_FEATURES: Final = (
    *"page_link_density page_long page_marks page_terms_per_block page_longest page_top5".split(),
    *(f"page_share_{group[0]}" for group in SHARED),
    *(f"page_{name}_per_block" for name in COUNTED),
    *"page_records page_record_terms page_record_links page_digits page_money page_h1".split(),
    *(f"og_{kind}" for kind in OG_TYPES),
    *"path_depth path_length".split(),
    *name_features.NAME_PAGE_FEATURES,
)
_CONTENT: Final = re.compile(rb'(?:content|href)="([^"]{0,500})"')


def declared(page: Page) -> list[float]:
    """Return what the page declares: its kind in OpenGraph, the shape of its canonical address."""
    head = page.source[: page.start[max(page.tag.tobytes().find(_BODY), 0)]]
    kind = value_beside(head, b'"og:type"').decode("utf-8", "replace").lower()
    flags = [float(known in kind) for known in OG_TYPES[:-1]]
    flags.append(float(bool(kind) and not any(flags)))
    address = value_beside(head, b'rel="canonical"') or value_beside(head, b'"og:url"')
    path = address.split(b"?")[0].split(b"://")[-1]
    parts = [part for part in path.split(b"/")[1:] if part]
    if not path:
        return [*flags, -1.0, -1.0]
    return [*flags, float(min(len(parts), 8)), float(len(parts[-1]) if parts else 0)]


def value_beside(head: bytes, mark: bytes) -> bytes:
    """Return the content or address of the first tag that holds a mark."""
    place = head.find(mark)
    if place < 0:
        return b""
    start, stop = head.rfind(b"<", 0, place), head.find(b">", place)
    match = _CONTENT.search(head, start, stop)
    return match[1] if match else b""


def compute_page_features(
    frame: FeatureContext, records: Records, told: Matrix, named: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the page is like as a whole, one value a name."""
    terms, size, all_terms = frame.terms, max(len(frame), 1), frame.all_terms
    _, linked, chars, marks = frame.totals[:4, -1].tolist()
    longest, by_tag, blocks = np.zeros(TOP), np.zeros(256), np.zeros(256)
    of_records, letters = np.zeros(4), np.zeros(2)
    find_longest(terms, longest)
    sum_tags(frame.tag, terms, by_tag)
    count_tags(frame.tag, blocks)
    sum_told(told, terms, letters)
    sum_records(records.group, records.outer, frame.sums, np.zeros(records.makes), of_records)
    number, record_terms, record_linked, record_chars = of_records.tolist()
    values = [
        linked / max(chars, 1.0),
        frame.all_long / all_terms,
        marks / all_terms,
        all_terms / size,
        float(longest[-1]) / all_terms,
        float(longest.sum()) / all_terms,
    ]
    values += (np.add.reduceat(by_tag[_SHARED], _SHARED_AT) / all_terms).tolist()
    values += (frame.rows_by_tag[_COUNTED] / size).tolist()
    values += [
        min(number, 300.0),
        record_terms / all_terms,
        record_linked / max(record_chars, 1.0),
        *(letters / all_terms).tolist(),
        min(float(blocks[_H1]), 5.0),
    ]
    return np.concatenate((values, declared(frame.page), named))


_SHARED = np.array([tags.CODE[name] for group in SHARED for name in group])
_SHARED_AT = np.cumsum([0, *(len(group) for group in SHARED[:-1])])
_COUNTED = np.array([tags.CODE[name] for name in COUNTED])
_BODY, _H1 = tags.CODE["body"], tags.CODE["h1"]
