"""Terms of blocks are those that the page counts."""

from __future__ import annotations

import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from page.oracle import TERM
from tamis.blocks import TagSet, block_terms
from tamis.page import Page


def check(page: Page) -> None:
    blocks = TagSet().segment(page)
    terms = block_terms(blocks)
    by_block = terms.by_block(len(blocks))
    for index, words in enumerate(by_block):
        expected = TERM.findall(blocks.text(index))
        assert [word.casefold() for word in words] == [word.casefold() for word in expected]
    assert sorted(terms.words) == sorted(word for words in by_block for word in words)
    assert (terms.row[1:] >= terms.row[:-1]).all()


@pytest.mark.parametrize("name", SAMPLES)
def test_terms_of_samples(name: str) -> None:
    check(sample(name))


@patient
@given(pages())
def test_terms_of_any_page(page: Page) -> None:
    check(page)


@pytest.mark.parametrize(
    ("html", "terms"),
    [
        ("<p>Two Words</p>", [["two", "words"]]),
        ("<p>今天 rain</p>", [["今", "天", "rain"]]),
        ("<p>a<b>b</b>c</p><p>STRASSE 𠀀x</p>", [["abc"], ["strasse", "𠀀", "x"]]),
        ("<p>Straße İ b</p>", [["straße", "İ", "b"]]),
        ("<p>one</p><script>no</script><p hidden>two</p>", [["one"], ["two"]]),
        ("<div>one<template><p>no</p></template>one</div>", [["one"], ["one"]]),
        ("", []),
    ],
)
def test_terms_are_folded_and_belong_to_their_block(html: str, terms: list[list[str]]) -> None:
    blocks = TagSet().segment(tamis.parse(html))
    assert block_terms(blocks).by_block(len(blocks)) == terms
