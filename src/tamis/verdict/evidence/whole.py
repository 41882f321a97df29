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
from tamis.verdict.evidence import names
from tamis.verdict.evidence.frame import Frame, Matrix
from tamis.verdict.evidence.repetition import Records

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
OG_TYPES: Final = ("article", "website", "product", "other")
NAMES: Final = (
    *"page_link_density page_long page_marks page_terms_per_block page_longest page_top5".split(),
    *(f"page_share_{group[0]}" for group in SHARED),
    *(f"page_{name}_per_block" for name in COUNTED),
    *"page_records page_record_terms page_record_links page_digits page_money page_h1".split(),
    *(f"og_{kind}" for kind in OG_TYPES),
    *"path_depth path_length".split(),
    *names.PAGE_NAMES,
)
_CONTENT: Final = re.compile(rb'(?:content|href)="([^"]{0,500})"')


def declared(page: Page) -> list[float]:
    """Return what the page declares: its kind in OpenGraph, the shape of its canonical address."""
    head = page.source[: page.start[np.argmax(page.tag == _BODY)]]
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


def whole(
    frame: Frame, records: Records, told: Matrix, named: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the page is like as a whole, one value a name."""
    terms, size = frame.terms, max(len(frame), 1)
    _, linked, chars, marks = frame.totals[:4, -1].tolist()
    longest = np.partition(terms, -5)[-5:] if len(terms) > 5 else terms
    by_tag = np.bincount(frame.tag, weights=terms, minlength=256) / frame.all_terms
    counts = np.bincount(frame.page.tag, minlength=256) / size
    record_terms = record_links = biggest = 0.0
    if len(records.rows):
        found = np.flatnonzero(records.outer >= 0)
        group = records.group[records.outer[found]]
        held = np.bincount(group, weights=terms[found], minlength=1)
        best = int(np.argmax(held)) if len(held) else 0
        inside = found[group == best]
        biggest = float(min(int(np.count_nonzero(records.group == best)), 300))
        record_terms = float(held[best]) / frame.all_terms if len(held) else 0.0
        of_records = max(float(frame.chars[inside].sum()), 1.0)
        record_links = float(frame.linked[inside].sum()) / of_records
    values = [
        linked / max(chars, 1.0),
        frame.all_long / frame.all_terms,
        marks / frame.all_terms,
        frame.all_terms / size,
        float(longest.max()) / frame.all_terms,
        float(longest.sum()) / frame.all_terms,
    ]
    values += (_SHARED @ by_tag).tolist()
    values += counts[_COUNTED].tolist()
    share = terms / frame.all_terms
    h1 = float(min(int(np.count_nonzero(frame.tag == tags.CODE["h1"])), 5))
    values += [
        biggest,
        record_terms,
        record_links,
        float(told[0] @ share),
        float(told[1] @ share),
        h1,
    ]
    return np.concatenate((values, declared(frame.page), named))


_SHARED = np.array([tags.tag_table(group) for group in SHARED], dtype=np.float64)
_COUNTED = np.array([tags.CODE[name] for name in COUNTED])
_BODY = tags.CODE["body"]
