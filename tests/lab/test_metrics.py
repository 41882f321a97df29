"""Measures, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from tamis.lab.metrics import blocks as block_metrics
from tamis.lab.metrics.records import record_counts
from tamis.lab.metrics.statistics import calibration
from tamis.lab.metrics.text import Counts, characters, snippet_share, word_counts


def test_words_are_multisets_without_case() -> None:
    counts = word_counts("The cat. The DOG!", "the cat the cat sat")
    assert counts == Counts(3, 4, 5)  # the, the, cat
    assert counts.precision == 3 / 4
    assert counts.recall == 3 / 5
    assert counts.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)


def test_empty_against_empty_is_right_and_else_wrong() -> None:
    nothing = word_counts(" …", "")
    assert (nothing.precision, nothing.recall, nothing.f1) == (1, 1, 1)
    for found, wanted in (("a", ""), ("", "a")):
        counts = word_counts(found, wanted)
        assert (counts.precision, counts.recall, counts.f1) == (0, 0, 0)


def test_han_characters_are_words_and_latin_words_stay_whole() -> None:
    assert word_counts("美元大涨 5G phone", "美元 5g", "han") == Counts(3, 6, 3)


def test_by_characters_each_letter_is_a_word() -> None:
    assert characters("涨 5.4%，Ab") == ["涨", "5", "4", "a", "b"]
    assert word_counts("美元ab", "美ac", "characters") == Counts(2, 4, 3)


def test_snippets_ignore_case_and_spacing() -> None:
    text = "Read  The\nwhole Story"
    assert snippet_share(text, ["the whole", "story of"]) == 0.5
    assert snippet_share(text, []) is None
    assert snippet_share(text, [" "]) is None


PAGE = (
    "<body><div><a href=/>Home page</a></div><div><p>One two three four five six.</p></div>"
    "<div><p>Seven eight nine ten.</p></div></body>"
)
SEGMENTS = [
    {"text": "Home page", "label": 0},
    {"text": "One two three four five six.", "label": 2},
    {"text": "Seven eight nine ten.", "label": 5},
]


def test_blocks_are_counted_against_the_ideal_choice() -> None:
    blocks = tamis.segment(PAGE)
    wanted = block_metrics.wanted_blocks(blocks, "One two three four five six.")
    assert [b.text for b in blocks if wanted[b.index]] == ["One two three four five six."]
    everything = np.ones(len(blocks), dtype=np.bool_)
    assert block_metrics.block_counts(blocks, everything, wanted) == Counts(1, 3, 1)


def test_a_page_without_blocks_has_nothing_to_decide() -> None:
    blocks = tamis.segment("")
    none = np.zeros(len(blocks), dtype=np.bool_)
    assert not block_metrics.wanted_blocks(blocks, "words").any()
    assert block_metrics.block_counts(blocks, none, none).f1 == 1


def test_segments_take_the_verdict_on_the_block_that_holds_them() -> None:
    blocks = tamis.segment(PAGE)
    kept = np.array(["One" in block.text or "Home" in block.text for block in blocks])
    assert block_metrics.segments_in_blocks(blocks, kept, SEGMENTS).tolist() == [True, True, False]


def test_segments_are_in_a_text_with_half_of_their_words_in_order() -> None:
    held = block_metrics.segments_in_text("One two three. ten nine", SEGMENTS)
    assert held.tolist() == [False, True, False]


def test_labelled_segments_weigh_their_words() -> None:
    kept = np.array([True, True, False])
    assert block_metrics.segment_counts(SEGMENTS, kept) == Counts(6, 8, 6)
    wide = block_metrics.segment_counts(SEGMENTS, kept, block_metrics.WIDE_CONTENT)
    assert wide == Counts(6, 8, 10)


def test_records_match_by_half_of_their_words() -> None:
    wanted = [["A man needs a name", "130 points"], ["Fitness", "237 points"]]
    found = [["Fitness 237 points"], ["A man needs a title", "130 points"], ["Sign up"]]
    assert record_counts(found, wanted) == Counts(2, 3, 2)
    assert record_counts([], wanted).f1 == 0


def test_calibration_worked_by_hand() -> None:
    found = calibration([0.9, 0.9, 0.1, 1.0], [1.0, 0.6, 0.3, 1.0])
    assert [(b.count, round(b.confidence, 3), round(b.quality, 3)) for b in found.bins] == [
        (1, 0.1, 0.3),
        (3, 0.933, 0.867),
    ]
    assert found.expected_error == pytest.approx((0.2 + 0.2) / 4)
    assert found.brier == pytest.approx((0.01 + 0.09 + 0.04 + 0) / 4)
    assert found.constant_brier == pytest.approx(np.var([1.0, 0.6, 0.3, 1.0]))
