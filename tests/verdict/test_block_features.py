"""Features of blocks: the same as where everything is looked up again for each block."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import tamis
from helpers.html_strategies import html_trees, pages
from helpers.samples import SAMPLES, sample
from helpers.shapes import SHAPES, shape
from tamis.blocks import TagSet
from tamis.page import Page, tags
from tamis.verdict.learned import (
    ANCESTOR_GROUPS,
    BLOCK_FEATURES,
    COUNTED_CHARACTERS,
    COUNTED_TAGS,
    END_CHARACTERS,
    KINDS,
    MAX_CHARACTERS,
    MAX_FOLDED,
    MAX_TITLE_CHARS,
    MIN_HEADLINE_MATCH,
    NAME_GROUPS,
    OWN_NAME_GROUPS,
    STEPS,
    extract_features,
    read_title,
)

from .oracle import Oracle

Values = dict[str, list[float]]
BENCH = os.environ.get("TAMIS_BENCH", "")

TITLE_FEATURES = (
    "title_match title_cover title_share with_headline with_headline_share after_headline "
    "headings_since_headline long_since_headline".split()
)
SHALLOW = [name for name in SHAPES if "500" not in name]
NAMED = (
    '<body class="home singlePost"><div id=mainContent class="Post-BODY xnavx">{}'
    "</div><ul class=menu><li class=item>A: b?<li class=item>c, d.<li class=item>e | 7 €<li>f</ul>"
)


def add(values: Values, name: str, found: Mapping[str, float]) -> None:
    for measure, value in found.items():
        values.setdefault(name.format(measure), []).append(value)


def own_values(oracle: Oracle) -> Values:
    values: Values = {}
    for block, sums in enumerate(oracle.each):
        found = {
            "hidden": oracle.chars(block, tags.HIDDEN) / max(sums.chars, 1),
            "link_density": sums.link_density,
            "terms": min(sums.terms, 2000),
            "marks": min(sums.marks, 500),
            "marks_per_term": sums.marks / max(sums.terms, 1),
            "share": sums.terms / max(oracle.all.terms, 1),
            "of_longest": sums.terms / max(1, *(other.terms for other in oracle.each)),
            "kind": kind(oracle.tag(block)),
            "level": heading_level(oracle, block),
            "whole": float(oracle.anchors[block] == oracle.blocks.node[block]),
            "depth": float(len(oracle.around(oracle.anchors[block])) - 1),
        }
        found |= {f"n_{g[0]}": min(oracle.elements(block, g), 50) for g in COUNTED_TAGS}
        add(values, "{}", found)
    return values


def kind(tag: str) -> float:
    return float(KINDS.index(tag) if tag in KINDS else len(KINDS))


def heading_level(oracle: Oracle, block: int) -> float:
    levels = dict(zip(tags.HEADINGS, range(1, 7), strict=True))
    return float(levels.get(oracle.tag(block), 9)) if 0 <= block < oracle.size else 9.0


def letter_values(oracle: Oracle) -> Values:
    values: Values = {}
    written = [oracle.written(block) for block in range(oracle.size)]
    for name, chars in zip(
        "digits money asks signs stops".split(), COUNTED_CHARACTERS, strict=True
    ):
        read = [text[:MAX_CHARACTERS] for text in written]
        values[name] = [sum(c in chars for c in text) / max(len(text), 1) for text in read]
    for name, ends in zip(("ends_sentence", "ends_colon"), END_CHARACTERS, strict=True):
        values[name] = [float(bool(text) and text[-1] in ends) for text in written]
    texts = [(sum(map(ord, t[:MAX_CHARACTERS])), len(t), t[-1:]) for t in written]
    values["same"] = [float(min(texts.count(text), 50)) for text in texts]
    values["first_of_same"] = [float(texts.index(t) == b) for b, t in enumerate(texts)]
    return values


def order_values(oracle: Oracle) -> Values:
    """Where blocks are in the order of all, and what their neighbours are like."""
    values: Values = {}
    h1 = [block for block in range(oracle.size) if oracle.tag(block) == "h1"]
    for block, sums in enumerate(oracle.each):
        before, after = oracle.sums(range(block)), oracle.sums(range(block + 1, oracle.size))
        headings = [b for b in range(block + 1) if oracle.each[b].headings and block - b < 300]
        found = {
            "place": min(block, 500),
            "from_end": min(oracle.size - block, 500),
            "text_before": (before.terms + sums.terms / 2) / max(oracle.all.terms, 1),
            "long_before": before.long / max(oracle.all.long, 1),
            "long_after": after.long / oracle.all.long if oracle.all.long else 1.0,
            "after_h1": float(min(max(block - h1[0], -100), 200)) if h1 else -101.0,
            "heading_level": heading_level(oracle, headings[-1] if headings else -1),
            "next_level": heading_level(oracle, block + 1),
            "like_last": float(block > 0 and oracle.paths[block] == oracle.paths[block - 1]),
            "like_next": float(oracle.paths[block] in oracle.paths[block + 1 : block + 2]),
        }
        for step in STEPS:
            other = block + step
            is_there = 0 <= other < oracle.size
            found[f"kind_at_{step}"] = kind(oracle.tag(other)) if is_there else -1.0
            terms = min(oracle.each[other].terms, 500) if is_there else -1.0
            found[f"terms_at_{step}"] = terms
            density = oracle.each[other].link_density if is_there else -1.0
            found[f"link_density_at_{step}"] = density
        add(values, "{}", found)
    return values


def around_values(oracle: Oracle) -> Values:
    values: Values = {}
    said = {row: oracle.word_groups(row) for at in oracle.anchors for row in oracle.around(at)}
    for bit, group in enumerate(NAME_GROUPS):
        counts = [sum(said[row][bit] for row in oracle.around(at)) for at in oracle.anchors]
        values[f"in_{group}"] = [float(min(count, 5)) for count in counts]
    for group in OWN_NAME_GROUPS:
        bit = list(NAME_GROUPS).index(group)
        nodes = [int(row) for row in oracle.blocks.node]
        pairs = zip(oracle.anchors, nodes, strict=True)
        values[f"own_{group}"] = [
            float(bool(said[row][bit] or oracle.word_groups(node)[bit])) for row, node in pairs
        ]
    for elements in ANCESTOR_GROUPS:
        counts = [
            sum(oracle.names[row] in elements for row in oracle.around(at)) for at in oracle.anchors
        ]
        values[f"in_{elements[0]}_element"] = [float(min(count, 5)) for count in counts]
    marked = {g[0]: [v > 0 for v in values[f"in_{g[0]}_element"]] for g in ANCESTOR_GROUPS[:6]}
    marked["heading"] = [sums.headings > 0 for sums in oracle.each]
    marked["long"] = [sums.long > 0 for sums in oracle.each]
    for name, marks in marked.items():
        at = [block for block, mark in enumerate(marks) if mark]
        for word, sign in (("after", 1), ("before", -1)):
            values[f"{word}_{name}"] = [
                float(min([300, *(sign * (b - m) for m in at if sign * (b - m) >= 0)]))
                for b in range(oracle.size)
            ]
    return values


def kinship_values(oracle: Oracle) -> Values:
    h1 = [block for block in range(oracle.size) if oracle.tag(block) == "h1"][:1]
    longest = max(range(oracle.size), key=lambda block: oracle.each[block].long)
    values: Values = {}
    for name, of in (("with_h1", h1), ("with_longest", [longest])):
        for block in of:
            above = [row for row in oracle.around(oracle.anchors[block]) if row]
            shared = [sum(oracle.holds(row, b) for row in above) for b in range(oracle.size)]
            values[name] = [float(len(above) - count) for count in shared]
            values[f"{name}_share"] = [count / max(len(above), 1) for count in shared]
        if not of:
            values[name] = values[f"{name}_share"] = [-1.0] * oracle.size
    return values


def container_values(oracle: Oracle) -> Values:
    values: Values = {}
    for level in range(6):
        for block in range(oracle.size):
            row = oracle.levels[block][level]
            held = oracle.sums(oracle.held(row))
            found = {
                "long_share": held.long / max(oracle.all.long, 1),
                "share": held.terms / max(oracle.all.terms, 1),
                "blocks": float(min(held.count, 300)),
                "terms_per_block": held.terms / held.count,
                "link_density": held.link_density,
                "marks_per_term": held.marks / max(held.terms, 1),
                "kind": kind(oracle.names[row]),
                "headings": held.headings / held.count,
                "part": oracle.each[block].terms / max(held.terms, 1),
            }
            add(values, "{}_" + str(level + 1), found)
    return values


def best_values(oracle: Oracle) -> Values:
    """Where blocks stand to the element of the most running text, the first of equal ones."""
    score: dict[int, float] = {}
    for half in (1, 2):
        for at, sums in zip(oracle.anchors, oracle.each, strict=True):
            weight = (1 + sums.marks + min(sums.chars / 100, 3)) * (1 - sums.link_density)
            row = [*oracle.around(at), 0, 0][half]
            score[row] = score.get(row, 0.0) + (weight / half if sums.chars >= 25 else 0.0)
    score = {row: s * (1 - oracle.sums(oracle.held(row)).link_density) for row, s in score.items()}
    best = max(score, key=lambda row: score[row])
    if sum(s > score[best] - 1e-9 for s in score.values()) > 1:
        return {}  # any of equal ones
    outer = max(oracle.parents[best], 0)
    values: Values = {}
    for block, at in enumerate(oracle.anchors):
        found = {
            "in_best": float(oracle.holds(best, block)),
            "around_best": float(oracle.holds(outer, block)),
            "best_share": oracle.sums(oracle.held(best)).terms / max(oracle.all.terms, 1),
            "side_of_best": 0.0 if oracle.holds(best, block) else -1.0 if at < best else 1.0,
        }
        add(values, "{}", found)
    return values


def window_values(oracle: Oracle) -> Values:
    values: Values = {}
    for window in (3, 8, 20):
        for block in range(oracle.size):
            sums = oracle.sums(range(max(block - window, 0), min(block + window + 1, oracle.size)))
            found = {
                "terms": sums.terms / sums.count,
                "link_density": sums.link_density,
                "marks_per_term": sums.marks / max(sums.terms, 1),
                "long": sums.long / max(oracle.all.long, 1),
                "headings": sums.headings / sums.count,
            }
            add(values, "{}_within_" + str(window), found)
    return values


def repetition_values(oracle: Oracle) -> Values:
    values: Values = {}
    keys = oracle.blocks.page.class_key[oracle.blocks.node].tolist()
    named = list(zip(oracle.paths, keys, strict=True))
    for prefix, groups in (("path", oracle.paths), ("named_path", named)):
        for of in groups:
            sums = oracle.sums(b for b, other in enumerate(groups) if other == of)
            found = {
                "count": min(sums.count, 300),
                "terms": sums.terms / sums.count,
                "share": sums.terms / max(oracle.all.terms, 1),
                "link_density": sums.link_density,
                "long_share": sums.long / max(oracle.all.long, 1),
            }
            add(values, prefix + "_{}", found)
    for prefix, place in (("record", 0), ("outer_record", -1)):
        for block in range(oracle.size):
            found = record_values(oracle, block, oracle.record_around(block, place))
            add(values, prefix + "_{}", found)
    return values


RECORD_MEASURES = (
    "count share long_share terms_each blocks_each link_density headings_each objects_each "
    "number part".split()
)


def record_values(oracle: Oracle, block: int, record: int | None) -> dict[str, float]:
    if record is None:
        return dict.fromkeys(RECORD_MEASURES, 0.0)
    rows = sorted(oracle.records)
    same = [row for row in rows if oracle.records[row] == oracle.records[record]]
    sums = oracle.sums(b for row in same for b in oracle.held(row))
    found = (
        min(len(same), 300),
        sums.terms / max(oracle.all.terms, 1),
        sums.long / max(oracle.all.long, 1),
        sums.terms / len(same),
        sums.count / len(same),
        sums.link_density,
        sums.headings / len(same),
        sums.objects / len(same),
        min(rows.index(record) - rows.index(same[0]), 300),
        oracle.each[block].terms / max(oracle.sums(oracle.held(record)).terms, 1),
    )
    return dict(zip(RECORD_MEASURES, found, strict=True))


def title_values(oracle: Oracle) -> Values:
    """How blocks stand to the title, by sets of words."""
    title = set(words(read_title(oracle.blocks.page)))
    measures = [title_measures(oracle, block, title) for block in range(oracle.size)]
    match = [found[0] for found in measures]
    heading = [bool(sums.headings) for sums in oracle.each]
    best = max(
        range(oracle.size), key=lambda b: (match[b] + 0.25 * (heading[b] and match[b] > 0.2), -b)
    )
    values: Values = {}
    above = [row for row in oracle.around(oracle.anchors[best]) if row]
    for block in range(oracle.size):
        since = [-1.0, -1.0, -101.0, -1.0, -1.0]
        if match[best] >= MIN_HEADLINE_MATCH:
            shared = sum(oracle.holds(row, block) for row in above)
            between = range(best + 1, block + 1) if block > best else range(block, best)
            headings = sum(heading[b] for b in between)
            text = oracle.sums(range(best + 1, block)).long / max(oracle.all.long, 1)
            since = [
                float(len(above) - shared),
                shared / max(len(above), 1),
                float(min(max(block - best, -100), 200)),
                float(min(headings, 20) if block > best else max(-headings - 1, -20)),
                text if block > best else -1.0,
            ]
        found = (*measures[block], *since)
        add(values, "{}", dict(zip(TITLE_FEATURES, found, strict=True)))
    return values


def title_measures(oracle: Oracle, block: int, title: set[str]) -> tuple[float, float, float]:
    text = oracle.written(block)
    own = words(text[:MAX_TITLE_CHARS])
    hits = len(set(own) & title)
    if not hits or not oracle.each[block].terms:
        return 0.0, 0.0, 0.0
    in_all = len(own) * len(text) / min(len(text), MAX_TITLE_CHARS)
    return 2 * hits / (len(title) + in_all), hits / len(title), hits / len(own)


def words(text: str) -> list[str]:
    """Return the words of a text in small letters; where no spaces are written, pairs."""
    found: list[str] = []
    for run in re.findall(r"[぀-ヿ㐀-鿿가-힯]+|[^\W_぀-ヿ㐀-鿿가-힯]+", text):
        if ord(run[0]) >= MAX_FOLDED:
            found += [run[at : at + 2] for at in range(len(run) - 1)]
        else:
            found.append(run.lower().replace("ς", "σ"))
    return found


EXPECTED_VALUES = (
    *(own_values, letter_values, order_values, title_values, around_values, kinship_values),
    *(container_values, window_values, repetition_values),
)


def check(page: Page, *kinds: Callable[[Oracle], Values]) -> None:
    blocks = TagSet().segment(page)
    if not len(blocks):
        return
    columns = dict(zip(BLOCK_FEATURES, extract_features(blocks).matrix, strict=True))
    oracle = Oracle(blocks)
    for kind in kinds or EXPECTED_VALUES:
        for name, values in kind(oracle).items():
            np.testing.assert_allclose(columns[name], values, rtol=1e-5, atol=1e-6, err_msg=name)


def test_the_oracle_knows_every_feature() -> None:
    oracle = Oracle(TagSet().segment(sample("docs")))
    names = {name for kind in (*EXPECTED_VALUES, best_values) for name in kind(oracle)}
    assert names == set(BLOCK_FEATURES)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_page(name: str) -> None:
    check(sample(name))


@pytest.mark.parametrize(
    "html",
    [
        "<title>The Old Bridge | News</title><h1>The old bridge</h1><p>A bridge, the old one.</p>"
        "<h2>More</h2><p>the bridge",
        "<title>ΤΗΣ ΓΕΦΥΡΑΣ &amp; Ёлка</title><p>της γέφυρας της γεφυρας<p>ёлка 2012<h2>x</h2><p>y",
        "<title>老桥的故事-新闻</title><ul><li>新闻<li>故事</ul><h1>老桥的故事</h1>"
        "<p>关于老桥。한국어 日本",
        "<svg><title>old bridge</title></svg><title>old</title><p>old bridge",
        "<title></title><p>x",
        f"<title>{'long title ' * 60}</title><p>{'title words ' * 60}",
        "<title>\U0001f600 ½ x_y</title><p>x y ½<h3>x_y",
    ],
)
def test_a_page_with_a_title(html: str) -> None:
    check(tamis.parse(html), title_values)


@pytest.mark.parametrize("kind", SHALLOW)
def test_a_shape(kind: str) -> None:
    check(shape(kind, 90))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_best_element_of_a_sample_page(name: str) -> None:
    check(sample(name), best_values)


@pytest.mark.heavy
@settings(deadline=None, max_examples=60)
@given(pages())
def test_the_best_element_of_any_tree(page: Page) -> None:
    check(page, best_values)


@pytest.mark.heavy
@settings(deadline=None, max_examples=60)
@given(pages())
def test_any_tree(page: Page) -> None:
    check(page)


@pytest.mark.heavy
@settings(deadline=None, max_examples=40)
@given(html_trees(max_leaves=15))
def test_a_tree_with_names_and_records(html: str) -> None:
    check(tamis.parse(NAMED.format(html * 3)))


@pytest.mark.skipif(not BENCH, reason="TAMIS_BENCH is not set")
@pytest.mark.parametrize("index", range(4))
def test_a_page_of_a_data_set(index: int) -> None:
    paths = sorted(Path(BENCH, "wcxb-dev").rglob("*.html.gz"), key=lambda path: path.stat().st_size)
    html = gzip.decompress(paths[len(paths) * (index + 1) // 12].read_bytes())
    check(tamis.parse(html))


def test_a_page_with_more_blocks_than_are_counted() -> None:
    columns = dict(
        zip(
            BLOCK_FEATURES,
            extract_features(TagSet().segment(shape("siblings", 700))).matrix,
            strict=True,
        )
    )
    for name in ("blocks_1", "path_count", "record_count", "after_nav", "before_long"):
        assert set(columns[name].tolist()) == {300.0}, name
    numbers = np.minimum(np.arange(700), 300)
    np.testing.assert_array_equal(columns["record_number"], numbers)
