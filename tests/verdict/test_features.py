"""Evidence on blocks: what it must not depend on, and that it is always a number."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import html_trees, pages, patient
from helpers.samples import SAMPLES, sample, sample_bytes
from helpers.shapes import shape
from tamis.blocks import TagSet
from tamis.page import Page
from tamis.verdict.learned import (
    BLOCK_FEATURES,
    CANDIDATE_FEATURES,
    NAME_GROUPS,
    OG_TYPES,
    PAGE_FEATURES,
    STACKED_FEATURES,
    extract_features,
    write_stacked_features,
)

JSON_LD = (
    '<script type="application/ld+json">{"@type": "Product", "name": "a name",'
    '"content": "many words that nobody sees", "offers": {"price": 1}}</script>'
)
COMMENT = "<!--" + " no word of this is seen, whatever it says: <p class=nav>x</p>" * 300 + "-->"
KNOWN = {word for words in NAME_GROUPS.values() for word in words.split()}


def columns(html: bytes | str | Page) -> NDArray[np.float32]:
    page = html if isinstance(html, Page) else tamis.parse(html)
    return extract_features(TagSet().segment(page)).matrix


def decoded(name: str) -> str:
    return sample(name).source.decode()


def check_same(html: str, other: str) -> None:
    """Check that all evidence on two pages is the same."""
    one, two = columns(html), columns(other)
    assert one.shape == two.shape
    changed = (one != two).any(axis=1)
    assert [name for name, change in zip(BLOCK_FEATURES, changed, strict=True) if change] == []


def named_anew(value: str) -> str:
    """Return a class with other unknown words for its unknown words, one for one."""

    def other(match: re.Match[str]) -> str:
        word = match[0].lower()
        assert f"{word}qz" not in KNOWN
        return match[0] if word in KNOWN else f"{match[0]}qz"

    return re.sub("[A-Z]+[a-z]*|[a-z]+", other, value)


def test_names_are_unique() -> None:
    for both in (
        (*BLOCK_FEATURES, *STACKED_FEATURES),
        (*PAGE_FEATURES, *CANDIDATE_FEATURES),
    ):
        assert len(set(both)) == len(both)
    assert not set(PAGE_FEATURES) & set(
        BLOCK_FEATURES
    )  # what all blocks share tells none from another


@pytest.mark.parametrize("name", SAMPLES)
def test_each_column_of_a_sample_is_written(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = TagSet().segment(sample(name))
    expected = extract_features(blocks).matrix
    assert expected.shape == (len(BLOCK_FEATURES), len(blocks))
    made = np.empty
    monkeypatch.setattr(np, "empty", lambda *given, **named: filled(made(*given, **named)))
    np.testing.assert_array_equal(extract_features(blocks).matrix, expected)


def filled(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return an array full of rubbish, as memory that was used before."""
    array.fill(1)
    return array


@patient
@given(pages())
def test_all_evidence_is_finite(page: Page) -> None:
    blocks = TagSet().segment(page)
    if not len(blocks):
        return
    found = extract_features(blocks)
    assert found.matrix.dtype == np.float32
    assert np.isfinite(found.matrix).all()
    assert np.isfinite(found.page_features).all()
    for belief in (np.zeros(len(blocks)), np.ones(len(blocks))):
        beliefs = np.full((len(STACKED_FEATURES), len(blocks)), np.nan, dtype=np.float32)
        write_stacked_features(found, belief, beliefs)
        assert np.isfinite(beliefs).all()
        assert ((beliefs >= -1) & (beliefs <= 1 + 1e-6)).all()


@pytest.mark.parametrize("html", ["x", "<p>one two</p>", "<img src=x>", "<h1>a</h1>", "<li>。"])
def test_a_page_of_one_block(html: str) -> None:
    found = dict(zip(BLOCK_FEATURES, columns(html)[:, 0].tolist(), strict=True))
    assert np.isfinite(list(found.values())).all()
    assert found["place"] == 0
    assert found["from_end"] == 1
    assert found["with_longest"] == 0
    assert (found["like_last"], found["like_next"]) == (0, 0)
    assert {found[f"{name}_at_{step}"] for name in ("terms", "kind") for step in (-1, 1)} == {-1}


@pytest.mark.parametrize("unseen", [JSON_LD, COMMENT, "<style>p{}</style>"])
@pytest.mark.parametrize("name", SAMPLES)
def test_what_nobody_sees_is_no_evidence(name: str, unseen: str) -> None:
    html = decoded(name)
    assert "</head>" in html
    for mark in ("<head>", "</head>", "</body>"):
        added = mark + unseen if mark == "<head>" else unseen + mark
        check_same(html, html.replace(mark, added, 1))


@patient
@given(html_trees())
def test_what_nobody_sees_before_any_tree_is_no_evidence(html: str) -> None:
    if len(TagSet().segment(tamis.parse(html))):
        page = "<html><head>{}</head><body>{}</body></html>"
        check_same(page.format("", html), page.format(JSON_LD + COMMENT, html))


@pytest.mark.parametrize("name", SAMPLES)
def test_other_names_that_say_nothing_change_nothing(name: str) -> None:
    html = decoded(name)
    renamed = re.sub(r'(?<= class=")[^"]*', lambda match: named_anew(match[0]), html)
    check_same(html, renamed)


def test_names_that_say_something_change_something() -> None:
    html = '<div class="{}"><p>one two</p></div>' * 2
    before, after = columns(html.format("abc", "abd")), columns(html.format("abc", "sidebar"))
    changed = {n for n, row in zip(BLOCK_FEATURES, before != after, strict=True) if row.any()}
    assert changed == {"in_side"}


def test_names_that_are_merged_change_what_repeats() -> None:
    html = '<p class="{}">one two</p><p class="{}">three</p>'
    before, after = columns(html.format("ab", "ac")), columns(html.format("ab", "ab"))
    changed = {n for n, row in zip(BLOCK_FEATURES, before != after, strict=True) if row.any()}
    assert changed
    assert all(name.startswith(("named_path_", "record_", "outer_record_")) for name in changed)


@pytest.mark.parametrize(
    ("head", "kind", "path"),
    [
        ('<meta property="og:type" content="article">', "article", (-1, -1)),
        ('<meta content="Product.item" property="og:type">', "product", (-1, -1)),
        ('<meta property="og:type" content="profile">', "other", (-1, -1)),
        ('<link rel="canonical" href="https://a.example/b/cde?x=/y/">', None, (2, 3)),
        ('<link href="https://a.example/" rel="canonical">', None, (0, 0)),
        ('<meta property="og:url" content="https://a.example/b/c/d/efgh">', None, (4, 4)),
        ("<title>x</title>", None, (-1, -1)),
    ],
)
def test_what_a_page_declares(head: str, kind: str | None, path: tuple[int, int]) -> None:
    html = f"<html><head>{head}</head><body><p>x</p></body></html>"
    page = extract_features(TagSet().segment(tamis.parse(html))).page_features
    found = dict(zip(PAGE_FEATURES, page.tolist(), strict=True))
    assert [name for name in OG_TYPES if found[f"og_{name}"]] == ([kind] if kind else [])
    assert (found["path_depth"], found["path_length"]) == path


@pytest.mark.parametrize(
    "before",
    [
        '<script type="application/ld+json">{"og:type": 1, "og:url": "x"}</script>',
        '<!-- "og:type" "og:url" rel="canonical" -->',
        '<title>"og:type" content="product" "og:url"</title>',
    ],
)
def test_only_tags_declare_something(before: str) -> None:
    html = "<html><head>{}<meta property='og:type' content='article'></head><body>x</body></html>"
    check_same(html.format(""), html.format(before))


def test_a_sample_is_what_it_was_on_disk() -> None:
    np.testing.assert_array_equal(columns(sample_bytes("docs")), columns(decoded("docs")))


@pytest.mark.parametrize("kind", ["content", "siblings", "nests of 100", "500 levels of div"])
def test_time_grows_linearly(kind: str) -> None:
    small, large = (TagSet().segment(shape(kind, size)) for size in (1500, 12_000))
    assert growth(lambda: extract_features(small), lambda: extract_features(large)) < LINEAR
