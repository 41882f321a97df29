"""shingle: fragments that pages share, found without comparing all with all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from tamis.blocks import Blocks, Fragments, block_terms
from tamis.errors import InputError
from tamis.page import Page
from tamis.verdict import (
    ResemblanceIndex,
    Shingle,
    Shingles,
    block_shingles,
    build_shingle_template,
    run_hashes,
    token_hashes,
)

sets = st.sets(st.integers(0, 30), min_size=1, max_size=20).map(lambda s: tuple(sorted(s)))


def cut(html: str, min_size: int = 30) -> Blocks:
    return Fragments(min_size).segment(tamis.parse(html))


def literal(blocks: Blocks, index: int, window: int, count: int) -> Shingles:
    """The smallest hashes of all windows of a block's text, one window after the other."""
    terms = block_terms(blocks)
    rows = range(int(blocks.first[index]), int(blocks.stop[index]))
    inside = [word for word, row in zip(terms.words, terms.row, strict=True) if row in rows]
    window = min(window, max(len(inside), 1))
    runs = [inside[n : n + window] for n in range(len(inside) - window + 1)] if inside else []
    found = {int(run_hashes(token_hashes(run), window)[0]) for run in runs}
    return tuple(sorted(found)[:count])


def check_shingles(blocks: Blocks, window: int, count: int) -> None:
    found = block_shingles(blocks, window, count)
    assert found == [literal(blocks, index, window, count) for index in range(len(blocks))]


@patient
@given(pages(), st.integers(1, 12), st.integers(1, 60))
def test_shingles_are_the_smallest_hashes_of_all_windows(
    page: Page, window: int, count: int
) -> None:
    check_shingles(Fragments(5).segment(page), window, count)


@pytest.mark.parametrize("name", SAMPLES)
def test_shingles_of_samples(name: str) -> None:
    check_shingles(Fragments().segment(sample(name)), 10, 50)


def resembles(one: Shingles, other: Shingles, min_match: float) -> bool:
    both = len(set(one) & set(other))
    return both / len(set(one) | set(other)) >= min_match - 1e-9


@patient
@given(st.lists(sets, max_size=20), st.sampled_from((0.3, 0.5, 0.7, 1.0)))
def test_the_index_finds_what_comparing_all_finds(found: list[Shingles], min_match: float) -> None:
    index = ResemblanceIndex(found[: len(found) // 2], min_match)
    for one in found:
        wanted = [n for n, other in enumerate(index.fragments) if resembles(one, other, min_match)]
        assert index.similar(one) == wanted


@patient
@given(st.lists(st.lists(sets, max_size=6), min_size=1, max_size=5))
def test_the_template_holds_what_comparing_all_finds(found: list[list[Shingles]]) -> None:
    template = build_shingle_template(found, 0.7)
    for one in {shingles for page in found for shingles in page}:
        shares = sum(any(resembles(one, other, 0.7) for other in page) for page in found)
        assert template.count_pages(one) == (shares if shares > 1 else 0)


def test_a_fragment_of_one_page_is_not_taken_for_a_shared_one_that_it_is_like() -> None:
    lonely, between, other = tuple(range(10)), tuple(range(1, 11)), tuple(range(2, 12))
    template = build_shingle_template([[lonely, between], [other]], 0.8)
    assert [template.count_pages(one) for one in (lonely, between, other)] == [0, 2, 2]


HTML = (
    "<div id=top><div>Home and other places to go, every day of the week, for all the family and "
    "friends</div><p>Everybody reads us, and so should you and yours for ever and a day.</p></div>"
    "<div id=story><p>{}</p></div>"
)


def test_what_pages_share_is_noise_and_what_lies_in_it_too() -> None:
    found = [cut(HTML.format(f"{n} of these stories are told by {n}" * 3)) for n in "abcdef"]
    verdict = Shingle().fit(found).identify(found[0])
    for index, block in enumerate(found[0]):
        shared = ("top" in block.html and "story" not in block.html) or "Everybody" in block.text
        assert verdict.informative[index] == (not shared and "Home" not in block.text), block
    reasons = [verdict.reason(index) for index in range(len(found[0]))]
    assert "shared by 6 of 6 pages" in reasons


def test_a_fragment_with_a_few_other_words_is_the_same() -> None:
    words = [f"word{n}" for n in range(80)]
    changed = [*words[:40], "other", *words[41:]]
    found = [cut(f"<p>{' '.join(said)}</p>") for said in (words, changed)]
    assert not Shingle().fit(found).identify(found[0]).informative.any()
    assert Shingle(min_match=0.95).fit(found).identify(found[0]).informative.all()


def test_how_many_pages_must_share_is_a_parameter() -> None:
    page = "<p>the same long words on some of the pages that we have here</p>"
    other = "<p>{0} there is nothing on page {0} that any other page has {0}</p>"
    found = [cut(page if n < 3 else other.format(f"x{n}")) for n in range(40)]
    assert Shingle(share=0.1).fit(found).identify(found[0]).informative.all()
    assert not Shingle(share=0.05).fit(found).identify(found[0]).informative.any()
    assert Shingle(share_pages=4, share=0.0).fit(found).identify(found[0]).informative.all()


def test_short_pages_and_texts_are_taken_as_they_are() -> None:
    found = [cut("<p>hi</p>"), cut("<p>hi</p>"), cut("")]
    verdict = Shingle().fit(found).identify(found[0])
    assert not verdict.informative.any()
    assert len(Shingle().fit(found).identify(found[2]).score) == 0


def test_mistakes_are_told() -> None:
    with pytest.raises(InputError, match="call fit"):
        Shingle().identify(cut("<p>a</p>"))
    with pytest.raises(InputError, match="no page to learn from"):
        Shingle().fit([])
    with pytest.raises(InputError, match="min_match is 0"):
        Shingle(min_match=0).fit([cut("<p>a</p>")])
    with pytest.raises(InputError, match="window is 0: take a whole number from 1"):
        Shingle(window=0).fit([cut("<p>a</p>")])


def test_fragments_are_the_elements_with_enough_text() -> None:
    blocks = cut("<div><p>0123456789</p><p>01234 56789 01234 56789</p></div>", 20)
    assert [block.tag for block in blocks] == ["html", "body", "div", "p"]
    assert blocks[2].text == "0123456789"
    assert np.array_equal(blocks.parent, [-1, 0, 1, 2])


def test_the_defaults_are_those_of_the_specification() -> None:
    shingle = Shingle()
    assert (shingle.window, shingle.count, shingle.min_match) == (10, 50, 0.7)
    assert (shingle.share_pages, shingle.share) == (2, 0.1)
    assert Fragments().min_size == 30


@pytest.mark.parametrize(
    ("pages", "holding", "shared"), [(5, 2, True), (30, 2, False), (30, 3, True)]
)
def test_two_pages_or_a_tenth_of_them_must_share(pages: int, holding: int, shared: bool) -> None:
    menu = " ".join(f"menu{n}" for n in range(40))
    own = [" ".join(f"p{page}w{n}" for n in range(40)) for page in range(pages)]
    found = [
        Fragments().segment(
            tamis.parse(f"<div>{menu if page < holding else own[page][::-1]}</div><p>{own[page]}")
        )
        for page in range(pages)
    ]
    verdict = Shingle().fit(found).identify(found[0])
    menus = [block.index for block in found[0] if block.tag == "div"]
    assert [bool(verdict.informative[index]) for index in menus] == [not shared]
