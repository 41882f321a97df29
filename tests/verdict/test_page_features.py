"""Features of the page as a whole: the same as where everything is summed again."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings

import tamis
from helpers.html_strategies import html_trees, pages
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet
from tamis.page import Page
from tamis.verdict.learned import (
    BLOCK_FEATURES,
    NAME_GROUPS,
    OG_TYPES,
    PAGE_FEATURES,
    PAGE_TAGS,
    SHARE_GROUPS,
    Features,
    extract_features,
)

from .oracle import Oracle

DECLARED = {*(f"og_{name}" for name in OG_TYPES), "path_depth", "path_length"}
LIST = "<ul class=posts>" + "<li class=post><a href=x>one two</a> three 7 $" * 5 + "</ul>"


def expected_values(oracle: Oracle, features: Features) -> dict[str, float]:
    """Return the page features but those that the page declares."""
    terms, all_terms = features.context.terms, max(oracle.all.terms, 1)
    column = dict(zip(BLOCK_FEATURES, features.matrix.astype(np.float64), strict=True))

    def share_of(names: Iterable[str]) -> float:
        has_tag = [oracle.tag(block) in names for block in range(oracle.size)]
        return float(terms[has_tag].sum()) / all_terms

    longest = sorted(terms.tolist())
    values = {
        "page_link_density": oracle.all.link_density,
        "page_long": max(oracle.all.long, 1) / all_terms,
        "page_marks": oracle.all.marks / all_terms,
        "page_terms_per_block": all_terms / oracle.size,
        "page_longest": longest[-1] / all_terms,
        "page_top5": sum(longest[-5:]) / all_terms,
        "page_digits": float(column["digits"] @ terms) / all_terms,
        "page_money": float(column["money"] @ terms) / all_terms,
        "page_h1": float(min(sum(oracle.tag(b) == "h1" for b in range(oracle.size)), 5)),
    }
    values |= {f"page_share_{group[0]}": share_of(group) for group in SHARE_GROUPS}
    for name in PAGE_TAGS:
        values[f"page_{name}_per_block"] = oracle.names.count(name) / oracle.size
    outer = [row for row, name in enumerate(oracle.names) if name in ("html", "body", "main")]
    for bit, name in enumerate(NAME_GROUPS):
        values[f"page_mean_{name}"] = float(column[f"in_{name}"].mean())
        values[f"page_is_{name}"] = float(any(oracle.word_groups(row)[bit] for row in outer))
    return values | record_values(oracle, all_terms)


def record_values(oracle: Oracle, all_terms: float) -> dict[str, float]:
    """Return how much is in the outermost records of the kind that has the most terms there."""
    outer = [oracle.record_around(block, -1) for block in range(oracle.size)]
    kinds: dict[tuple[int, int, int], list[int]] = {}
    for block, record in enumerate(outer):
        if record is not None:
            kinds.setdefault(oracle.records[record], []).append(block)
    if not kinds:
        return {"page_records": 0.0, "page_record_terms": 0.0, "page_record_links": 0.0}
    best = max(kinds, key=lambda kind: oracle.sums(kinds[kind]).terms)
    sums = oracle.sums(kinds[best])
    return {
        "page_records": float(min(list(oracle.records.values()).count(best), 300)),
        "page_record_terms": sums.terms / all_terms,
        "page_record_links": sums.link_density,
    }


def check(page: Page) -> None:
    blocks = TagSet().segment(page)
    if not len(blocks):
        return
    features = extract_features(blocks)
    values = dict(zip(PAGE_FEATURES, features.page_features.tolist(), strict=True))
    expected = expected_values(Oracle(blocks), features)
    assert set(expected) | DECLARED == set(PAGE_FEATURES)
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, rel=1e-6, abs=1e-6), name


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_page(name: str) -> None:
    check(sample(name))


@settings(deadline=None, max_examples=40)
@given(pages())
def test_any_tree(page: Page) -> None:
    check(page)


@settings(deadline=None, max_examples=30)
@given(html_trees(max_leaves=12))
def test_a_tree_with_names_and_records(html: str) -> None:
    check(tamis.parse(f'<body class="home blog"><main id=content>{html}</main>{LIST}'))


def test_a_page_without_blocks_has_no_features() -> None:
    with pytest.raises(ValueError, match="without blocks"):
        extract_features(TagSet().segment(tamis.parse("")))
