"""Page features: the page as a whole. The type of a page is derived from them.

The size of the page and traces of scripts are not among them: part of the training pages was
stripped of scripts, so a model would learn that instead of the pages.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tamis.page import Page, tags
from tamis.verdict.kernel.sums import count_tags, find_longest, sum_records, sum_tags, sum_told
from tamis.verdict.learned import name_features
from tamis.verdict.learned.block_features import Records
from tamis.verdict.learned.feature_context import FeatureContext, Matrix
from tamis.verdict.verdict import Floats

OG_TYPES: Final = ("article", "website", "product", "other")
# Groups of tags whose share of the page's terms is a feature.
_SHARE_GROUPS: Final = (
    ("p",),
    ("li", "dd", "dt"),
    ("h1", "h2", "h3", "h4", "h5", "h6"),
    ("td", "th"),
    ("pre",),
    ("div",),
    ("blockquote",),
)
_COUNTED_TAGS: Final = (
    *("img", "form", "input", "button", "time", "code", "table", "article", "iframe"),
)
_LONGEST_BLOCKS: Final = 5
_MAX_RECORDS: Final = 300.0
_MAX_H1: Final = 5.0
_MAX_PATH_DEPTH: Final = 8
PAGE_FEATURES: Final = (
    *"page_link_density page_long page_marks page_terms_per_block page_longest page_top5".split(),
    *(f"page_share_{group[0]}" for group in _SHARE_GROUPS),
    *(f"page_{name}_per_block" for name in _COUNTED_TAGS),
    *"page_records page_record_terms page_record_links page_digits page_money page_h1".split(),
    *(f"og_{og_type}" for og_type in OG_TYPES),
    *"path_depth path_length".split(),
    *name_features.NAME_PAGE_FEATURES,
)
_VALUE: Final = re.compile(rb'(?:content|href)="([^"]{0,500})"')
_SHARE_CODES = np.array([tags.CODE[name] for group in _SHARE_GROUPS for name in group])
_SHARE_STARTS = np.cumsum([0, *(len(group) for group in _SHARE_GROUPS[:-1])])
_COUNTED_CODES = np.array([tags.CODE[name] for name in _COUNTED_TAGS])
_BODY, _H1 = tags.CODE["body"], tags.CODE["h1"]


def compute_page_features(
    context: FeatureContext, records: Records, characters: Matrix, page_names: Floats
) -> Floats:
    """Return the page features, one value per name of `PAGE_FEATURES`.

    `characters` are the character features of the blocks, `page_names` those of the page's names.
    """
    terms, size, all_terms = context.terms, max(len(context), 1), context.all_terms
    _, linked, chars, marks = context.totals[:4, -1].tolist()
    longest, terms_by_tag, blocks_by_tag = np.zeros(_LONGEST_BLOCKS), np.zeros(256), np.zeros(256)
    record_sums, digits_and_money = np.zeros(4), np.zeros(2)
    find_longest(terms, longest)
    sum_tags(context.tag, terms, terms_by_tag)
    count_tags(context.tag, blocks_by_tag)
    sum_told(characters, terms, digits_and_money)
    buffer = np.zeros(records.group_count)
    sum_records(records.group, records.outer, context.sums, buffer, record_sums)
    record_count, record_terms, record_linked, record_chars = record_sums.tolist()
    values = [
        linked / max(chars, 1.0),
        context.all_long / all_terms,
        marks / all_terms,
        all_terms / size,
        float(longest[-1]) / all_terms,
        float(longest.sum()) / all_terms,
    ]
    values += (np.add.reduceat(terms_by_tag[_SHARE_CODES], _SHARE_STARTS) / all_terms).tolist()
    values += (context.rows_by_tag[_COUNTED_CODES] / size).tolist()
    values += [
        min(record_count, _MAX_RECORDS),
        record_terms / all_terms,
        record_linked / max(record_chars, 1.0),
        *(digits_and_money / all_terms).tolist(),
        min(float(blocks_by_tag[_H1]), _MAX_H1),
    ]
    return np.concatenate((values, _declared_features(context.page), page_names))


def _declared_features(page: Page) -> list[float]:
    """Return the page's type in OpenGraph, as flags, and the shape of its canonical URL."""
    head = page.source[: page.start[max(page.tag.tobytes().find(_BODY), 0)]]
    og_type = _find_value(head, b'"og:type"').decode("utf-8", "replace").lower()
    flags = [float(name in og_type) for name in OG_TYPES[:-1]]
    flags.append(float(bool(og_type) and not any(flags)))
    url = _find_value(head, b'rel="canonical"') or _find_value(head, b'"og:url"')
    path = url.split(b"?")[0].split(b"://")[-1]
    parts = [part for part in path.split(b"/")[1:] if part]
    if not path:
        return [*flags, -1.0, -1.0]
    return [*flags, float(min(len(parts), _MAX_PATH_DEPTH)), float(len(parts[-1]) if parts else 0)]


def _find_value(head: bytes, attribute: bytes) -> bytes:
    """Return the content or URL of the tag around the first occurrence of an attribute."""
    offset = head.find(attribute)
    if offset < 0:
        return b""
    start, stop = head.rfind(b"<", 0, offset), head.find(b">", offset)
    match = _VALUE.search(head, start, stop)
    return match[1] if match else b""
