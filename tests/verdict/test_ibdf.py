"""ibdf: the index misses nothing, and the template equals the brute-force answer."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from helpers.sites import site_pages
from tamis.blocks import (
    Blocks,
    BlockVector,
    TagSet,
    block_counts,
    block_vector,
    fingerprint,
    greatest_counts,
)
from tamis.errors import InputError, UnknownName
from tamis.page import Page
from tamis.verdict import Ibdf, SimilarIndex, build_ibdf_template, collect_holders

EPSILONS = (0.5, 0.8, 0.9, 0.97, 1.0)


def vector(terms: str | frozenset[str], *features: float) -> BlockVector:
    said = frozenset(terms.split()) if isinstance(terms, str) else terms
    padded = (*features, *[0.0] * (10 - len(features)))
    return BlockVector(said, padded, len(said) + sum(value**2 for value in padded))


words = st.integers(0, 30).map("w{}".format)
levels = st.sampled_from((0.0, 0.0, 0.0, 0.0625, 0.5, 1.0))
vectors = st.builds(
    lambda terms, features: vector(frozenset(terms), *features),
    st.sets(words, max_size=30),
    st.lists(levels, min_size=10, max_size=10),
)


def same(one: BlockVector, other: BlockVector, epsilon: float) -> bool:
    return one == other or one.cosine(other) > epsilon


def brute_force(pages: list[list[BlockVector]], epsilon: float) -> dict[BlockVector, int]:
    """df of every block, by comparing all with all."""
    found = {block for page in pages for block in page}
    return {
        block: sum(any(same(block, other, epsilon) for other in page) for page in pages)
        for block in found
    }


def test_the_cosine_is_that_of_features_and_terms() -> None:
    one, other = vector("a b c", 1.0), vector("b c d e", 0.5)
    assert one.cosine(other) == pytest.approx((2 + 0.5) / math.sqrt(4 * 4.25))
    assert vector("").cosine(vector("")) == 1.0
    assert vector("").cosine(vector("a")) == 0.0


@patient
@given(st.lists(vectors, max_size=25), st.sampled_from(EPSILONS))
def test_the_index_finds_what_comparing_all_finds(found: list[BlockVector], epsilon: float) -> None:
    learned, asked = found[: len(found) // 2], found
    index = SimilarIndex(learned, epsilon)
    assert index.vectors == list(dict.fromkeys(learned))
    for block in asked:
        wanted = [n for n, other in enumerate(index.vectors) if same(block, other, epsilon)]
        assert index.similar(block) == wanted


@patient
@given(st.lists(st.integers(0, 400), min_size=30, max_size=200), st.data())
def test_long_blocks_with_a_few_other_terms_are_found(
    numbers: list[int], data: st.DataObject
) -> None:
    terms = {f"t{number}" for number in numbers}
    changed = data.draw(st.sets(st.sampled_from(sorted(terms)), max_size=len(terms) // 4))
    added = data.draw(st.integers(0, len(terms) // 4))
    one = vector(frozenset(terms), 0.25)
    other = vector(frozenset(terms - changed | {f"n{n}" for n in range(added)}), 0.5)
    index = SimilarIndex([other], 0.9)
    assert bool(index.similar(one)) == (one.cosine(other) > 0.9)


@patient
@given(st.lists(st.lists(vectors, max_size=8), min_size=1, max_size=5))
def test_the_template_holds_the_brute_force_frequencies(found: list[list[BlockVector]]) -> None:
    template = build_ibdf_template(*collect_holders(found), 0.9)
    wanted = brute_force(found, 0.9)
    known = dict(zip(template.vectors, template.frequencies, strict=True))
    assert known.items() <= wanted.items()
    for block, df in wanted.items():
        assert max(template.frequency(block), 1) == df
        near = [other for other in wanted if same(block, other, 0.9)]
        assert (block in known) == any(wanted[other] > 1 for other in near)
    assert template.pages == len(found)


def test_a_block_of_one_page_that_is_like_a_repeated_one_is_of_one_page() -> None:
    def block(first: int, stop: int) -> str:
        return f"<div>{' '.join(f'w{number}' for number in range(first, stop))}</div>"

    pages = (block(0, 12) + block(1, 13), block(2, 14))  # cosines .923, .923 and .846
    found = [TagSet().segment(tamis.parse(html)) for html in pages]
    verdict = Ibdf().fit(found).identify(found[0])
    assert verdict.reason_value.tolist() == [1, 2]
    assert verdict.informative.tolist() == [True, False]


@patient
@given(st.lists(pages(), min_size=1, max_size=4))
def test_frequencies_of_any_pages_are_the_brute_force_ones(found: list[Page]) -> None:
    check_pages([TagSet().segment(page) for page in found])


def test_frequencies_of_a_site_are_the_brute_force_ones() -> None:
    check_pages([TagSet().segment(tamis.parse(html)) for _, html in site_pages(12)])


def check_pages(found: list[Blocks]) -> None:
    scaled = vectors_of(found)
    wanted = brute_force(scaled, 0.9)
    ready = Ibdf().fit(found)
    for page, blocks in zip(found, scaled, strict=True):
        df = [max(wanted[block], 1) for block in blocks]
        assert ready.identify(page).reason_value.tolist() == df


def vectors_of(found: list[Blocks]) -> list[list[BlockVector]]:
    """Return the vectors of pages that are compared, features scaled over all of them."""
    counted = [block_counts(page) for page in found]
    maxima = greatest_counts(block for page in counted for block in page)
    return [[block_vector(block, maxima) for block in page] for page in counted]


MENU = "<nav>Home <a href=/>News</a> <img src=x></nav>"


def test_the_same_block_is_the_same_vector_on_pages_of_unlike_size() -> None:
    story = "<p>" + " ".join(f"word{n}" for n in range(300)) + "</p>"
    links = "<div>" + "<a href=x>entry</a><img src=y>" * 40 + "</div>"
    small, large = (TagSet().segment(tamis.parse(MENU + more)) for more in ("", story + links))
    (one,), (other, *_) = vectors_of([small, large])
    assert one == other
    assert one.cosine(other) == 1.0
    ready = Ibdf().fit([small, large])
    assert ready.identify(small).reason(0) == "in 2 of 2 pages"
    assert ready.identify(large).reason_value.tolist() == [2, 1, 1]
    # So it is on a page that was not learned from, whatever else that holds.
    further = TagSet().segment(tamis.parse(MENU + links * 3 + f"<form>{'<input>' * 9}</form>"))
    assert ready.identify(further).reason_value[0] == 2


def test_features_are_scaled_by_the_greatest_count_of_all_pages() -> None:
    pages = [f"<p>{'a ' * n}{'<img src=x>' * m}</p>" for n, m in ((10, 1), (40, 0), (20, 4))]
    found = vectors_of([TagSet().segment(tamis.parse(html)) for html in pages])
    texts = [block.features[0] for page in found for block in page]
    assert texts == [0.25, 1.0, 0.5]
    assert [max(block.features[1:]) for page in found for block in page] == [0.25, 0.0, 1.0]
    assert [block.size for page in found for block in page] == [1.125, 2.0, 2.25]


def test_a_further_page_with_more_than_the_greatest_count_has_that() -> None:
    counts = block_counts(TagSet().segment(tamis.parse("<p>a a a a <img src=x></p>")))[0]
    assert max(block_vector(counts, tuple([2.0] * len(counts.counts))).features) == 1.0
    assert max(block_vector(counts, tuple([0.0] * len(counts.counts))).features) == 1.0
    assert block_vector(counts, ()) == block_vector(counts, tuple([0.0] * len(counts.counts)))


def test_what_all_pages_have_is_noise_and_what_one_has_is_not() -> None:
    html = "<nav>Home News Sport</nav><p>{}</p><footer>Copyright by us, always</footer>"
    found = [TagSet().segment(tamis.parse(html.format(f"story number {n} of many"))) for n in "abc"]
    ready = Ibdf().fit(found)
    verdict = ready.identify(found[0])
    assert verdict.informative.tolist() == [False, True, False]
    assert [verdict.reason(index) for index in range(3)] == [
        "in 3 of 3 pages",
        "in 1 of 3 pages",
        "in 3 of 3 pages",
    ]
    assert verdict.score.tolist() == [0.25, 0.5, 0.25]
    new = TagSet().segment(tamis.parse(html.format("a story that nobody has read before")))
    assert ready.identify(new).informative.tolist() == [False, True, False]


def test_the_share_of_pages_that_makes_noise_is_a_parameter() -> None:
    html = "<p>the same words on two of ten pages</p>"
    other = "<p>{0} words that {0} nobody else {0}0 has</p>"
    found = [
        TagSet().segment(tamis.parse(html if n < 2 else other.format(f"x{n}"))) for n in range(10)
    ]
    assert not Ibdf(theta=0.1).fit(found).identify(found[0]).informative.any()
    assert Ibdf(theta=0.2).fit(found).identify(found[0]).informative.all()
    log = Ibdf(scale="log").fit(found).identify(found[0])
    assert log.score[0] == pytest.approx(1 / (1 + np.log(3)))


def test_a_block_with_one_other_word_in_twenty_is_the_same_block() -> None:
    said = " ".join(f"word{n}" for n in range(20))
    found = [TagSet().segment(tamis.parse(f"<p>{said} page{n}</p>")) for n in range(3)]
    assert Ibdf().fit(found).identify(found[0]).reason_value.tolist() == [3.0]
    assert Ibdf(epsilon=0.99).fit(found).identify(found[0]).reason_value.tolist() == [1.0]


def test_terms_in_chinese_are_characters() -> None:
    html = "<nav>首页 新闻 体育</nav><p>{}</p>"
    texts = ("今天天气很好", "昨日股市大跌", "明年房价看涨")
    found = [TagSet().segment(tamis.parse(html.format(text))) for text in texts]
    assert Ibdf().fit(found).identify(found[1]).informative.tolist() == [False, True]


def test_identifying_before_learning_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InputError, match=r"several pages of one site: call fit\(pages\) first"):
        Ibdf().identify(TagSet().segment(sample("article")))
    with pytest.raises(InputError, match="no page to learn from"):
        Ibdf().fit([])
    with pytest.raises(UnknownName, match="no scale 'square': take linear or log"):
        Ibdf(scale="square")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="epsilon is 0"):
        Ibdf(epsilon=0).fit([TagSet().segment(sample("article"))])


def test_a_fitted_identifier_is_a_value() -> None:
    found = [TagSet().segment(sample(name)) for name in SAMPLES[:3]]
    one, other = Ibdf().fit(found), Ibdf().fit(iter(found))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Ibdf()
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.theta = 0.5  # type: ignore[misc]


def test_a_fingerprint_is_of_the_set_of_terms_and_the_same_everywhere() -> None:
    assert fingerprint(["b", "a", "a"]) == fingerprint(("a", "b")) == "f84c4d669fe0d410"
    assert fingerprint(["a", "b"]) != fingerprint(["ab"])
