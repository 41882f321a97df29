"""entropy: terms that are everywhere say little."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import patient
from tamis.blocks import Blocks, Tables, TagSet
from tamis.errors import InputError, Unavailable
from tamis.verdict import (
    Entropy,
    Stemmer,
    block_entropy,
    find_greedy_threshold,
    page_language,
    term_entropies,
)

terms = st.sampled_from("abcdef")
pages_of_terms = st.lists(st.lists(st.lists(terms, max_size=6), max_size=4), min_size=2, max_size=6)


def literal(term: str, pages: list[list[list[str]]]) -> float:
    """H(t) = −Σ_j w_tj log_n w_tj, word for word."""
    counts = [sum(block.count(term) for block in page) for page in pages]
    shares = [count / sum(counts) for count in counts]
    return -sum(w * math.log(w, len(pages)) for w in shares if w)


@patient
@given(pages_of_terms)
def test_entropies_are_those_of_the_formula(pages: list[list[list[str]]]) -> None:
    found = term_entropies(pages)
    assert found.keys() == {term for page in pages for block in page for term in block}
    for term, value in found.items():
        assert value == pytest.approx(literal(term, pages), abs=1e-9)
        assert 0 <= value <= 1


def test_a_term_in_all_pages_has_entropy_one_and_in_one_page_zero() -> None:
    found = term_entropies([[["menu", "a"]], [["menu", "b"]], [["menu", "b"]]])
    assert found["menu"] == pytest.approx(1.0)
    assert found["a"] == 0.0
    assert found["b"] == pytest.approx(math.log(2, 3))
    assert block_entropy(["menu", "a", "a"], found) == pytest.approx(0.5)
    assert block_entropy(["never", "seen"], found) == 0.0


@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        ([0.05, 0.15, 0.25, 0.9], 0.3),  # 0.4 adds none
        ([0.05, 0.9], 0.1),
        ([0.55, 0.95], 0.6),  # no block at all is no answer
        ([0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75], 0.8),  # every step adds some
        ([0.99], 0.8),
        ([], 0.8),
    ],
)
def test_the_threshold_rises_while_steps_add_blocks(values: list[float], threshold: float) -> None:
    assert find_greedy_threshold(np.array(values)) == threshold


def test_tables_that_repeat_are_noise() -> None:
    html = "<table><tr><td>Home News Sport</table>{}<table><tr><td>About us</table>"
    said = ("It rained again", "Nobody saw him leave", "Prices keep falling")
    found = [cut(html.format(text)) for text in said]
    verdict = Entropy(language=None).fit(found).identify(found[0])
    assert verdict.informative.tolist() == [False, True, False]
    assert verdict.reason(0) == "entropy 1.00, above 0.1"
    assert verdict.reason(1) == "entropy 0.00, up to 0.1"


def cut(html: str) -> Blocks:
    return Tables().segment(tamis.parse(html))


def test_a_page_without_tables_is_one_block() -> None:
    assert len(cut("<div>one</div><p>two</p><ul><li>three</ul>")) == 1
    assert len(cut("<p>one</p><table><tr><td>two<td>2</table><p>three</p>")) == 3


def test_the_threshold_can_be_set() -> None:
    found = [cut(f"<p>{text}</p>") for text in ("same one", "same two")]
    assert not Entropy(0.4).fit(found).identify(found[0]).informative.any()
    assert Entropy(0.6).fit(found).identify(found[0]).informative.all()


@pytest.mark.parametrize("count", [0, 1])
def test_several_pages_are_needed(count: int) -> None:
    with pytest.raises(InputError, match=f"several pages of one site, and there are {count}"):
        Entropy().fit([cut("<p>one</p>")] * count)
    with pytest.raises(InputError, match="call fit"):
        Entropy().identify(cut("<p>one</p>"))


def test_words_are_stemmed_and_stop_words_left_out_by_the_language_of_the_page() -> None:
    english = tamis.parse("<html lang=en-GB><p>The rivers were rising</p>")
    assert page_language(english) == "en"
    assert Stemmer().stem(["the", "rivers", "were", "rising"], "en") == [
        None,
        "river",
        None,
        "rise",
    ]
    assert Stemmer().stem(["the", "rivers"], None) == ["the", "rivers"]
    assert Stemmer().stem(["die", "flüsse"], "de") == [None, "fluss"]
    assert Stemmer().stem(["我", "河"], "zh")[1] == "河"
    assert page_language(tamis.parse("<p>no language</p>")) is None
    assert Stemmer().stem(["tlhingan", "maH"], "tlh") == ["tlhingan", "maH"]


def test_forms_of_a_word_are_one_term() -> None:
    html = "<html lang=en><p>{}</p>"
    found = [
        TagSet().segment(tamis.parse(html.format(said)))
        for said in ("the river rises", "rivers were rising")
    ]
    assert Entropy(0.5).fit(found).identify(found[0]).reason_value.tolist() == [pytest.approx(1.0)]


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", None)  # as if it were not installed
    with pytest.raises(Unavailable, match=r"pip install 'tamis\[entropy\]'"):
        Entropy().fit([cut("<html lang=en><p>one</p>")] * 2)
    assert Entropy(language=None).fit([cut("<html lang=en><p>one</p>")] * 2)
