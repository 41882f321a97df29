"""Cut: the blocks that maximise the expected F1, by trying all cuts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.html_strategies import patient
from tamis.verdict.learned import (
    MIN_BEST_PROBABILITY,
    MIN_EXPECTED_TERMS,
    MIN_PROBABILITY,
    MIN_SHELL_TERMS,
    ONE_TEXT_SHARE,
    POWERS,
    Choice,
    ExpertProbabilities,
    choose_blocks,
)

Floats = NDArray[np.float64]
BLOCKS = st.lists(
    st.tuples(st.integers(0, 64).map(lambda n: n / 64) | st.floats(0, 1), st.integers(0, 300)),
    max_size=12,
)
FAVORS = st.sampled_from(sorted(POWERS, key=str))


def best_cut(score: Floats, terms: Floats, favor: str | None = None) -> Choice:
    """Return the best cut by a single view of the page."""
    return choose_blocks(ExpertProbabilities(score[None], np.ones(1)), terms, favor)


def columns(blocks: list[tuple[float, int]]) -> tuple[Floats, Floats]:
    score, terms = np.array(blocks, dtype=np.float64).reshape(-1, 2).T
    return score.copy(), terms.copy()


def is_shell(score: Floats, terms: Floats) -> bool:
    unlikely = (
        max([0.0, *score.tolist()]) < MIN_BEST_PROBABILITY
        or float(score @ terms) < MIN_EXPECTED_TERMS
    )
    is_one_text = max([0.0, *terms.tolist()]) >= ONE_TEXT_SHARE * terms.sum()
    return not terms.sum() or (unlikely and terms.sum() >= MIN_SHELL_TERMS and not is_one_text)


def value(
    kept: NDArray[np.bool_],
    score: Floats,
    terms: Floats,
    power: float,
    among: NDArray[np.bool_] | None = None,
) -> float:
    """Return the expected F1, with chances that count as a power of themselves."""
    weighed = score**power
    some = np.ones(len(score), dtype=np.bool_) if among is None else among
    whole = float(terms[kept].sum() + weighed[some] @ terms[some])
    return 2 * float((weighed * terms)[kept].sum()) / max(whole, 1e-9)


@patient
@given(BLOCKS, FAVORS)
def test_no_other_cut_within_the_bounds_is_better(
    blocks: list[tuple[float, int]], favor: str | None
) -> None:
    score, terms = columns(blocks)
    cut = best_cut(score, terms, favor)
    if is_shell(score, terms):
        assert not cut.informative.any()
        return
    some = (score >= MIN_PROBABILITY) & (terms > 0)
    if not some.any():  # a few unlikely words: the likeliest
        assert cut.threshold == score[terms > 0].max()
        return
    assert cut.threshold in score[some]
    np.testing.assert_array_equal(cut.informative, score >= cut.threshold)
    power = POWERS[favor]
    values = [value(score >= least, score, terms, power, some) for least in score[some].tolist()]
    assert value(cut.informative, score, terms, power, some) == pytest.approx(max(values))


@patient
@given(BLOCKS, FAVORS)
def test_what_is_expected_of_the_kept_blocks(
    blocks: list[tuple[float, int]], favor: str | None
) -> None:
    score, terms = columns(blocks)
    cut = best_cut(score, terms, favor)
    if is_shell(score, terms):
        found = (cut.threshold, cut.expected_f1, cut.expected_precision, cut.expected_recall)
        assert found == (1.0, 0.0, 0.0, 0.0)
        return
    assert cut.expected_f1 == pytest.approx(value(cut.informative, score, terms, 1.0))
    hits, expected = float((score * terms)[cut.informative].sum()), float(score @ terms)
    assert cut.expected_recall == pytest.approx(hits / max(expected, 1e-9))
    assert cut.expected_precision == pytest.approx(
        hits / max(float(terms[cut.informative].sum()), 1e-9)
    )


@patient
@given(BLOCKS)
def test_precision_keeps_no_more_and_recall_no_less(blocks: list[tuple[float, int]]) -> None:
    score, terms = columns(blocks)
    kept = [
        best_cut(score, terms, favor).informative & (terms > 0) for favor in ("precision", None)
    ]
    kept.append(best_cut(score, terms, "recall").informative & (terms > 0))
    assert not (kept[0] & ~kept[1]).any()
    assert not (kept[1] & ~kept[2]).any()


TWO_VIEWS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 300)), max_size=9)


@patient
@given(TWO_VIEWS, st.floats(0, 1), FAVORS)
def test_the_best_cut_by_two_views_is_the_best_on_average(
    blocks: list[tuple[float, float, int]], article: float, favor: str | None
) -> None:
    first, second, terms = np.array(blocks, dtype=np.float64).reshape(-1, 3).T.copy()
    chances = np.array((article, 1 - article))
    views = ExpertProbabilities(np.stack((first, second)), chances)
    cut, score = choose_blocks(views, terms, favor), views.score
    np.testing.assert_allclose(score, article * first + (1 - article) * second)
    some = (score >= MIN_PROBABILITY) & (terms > 0)
    if is_shell(score, terms) or not some.any():
        return

    def mean(kept: NDArray[np.bool_]) -> float:
        values = [value(kept, belief, terms, POWERS[favor], some) for belief in (first, second)]
        return float(chances @ values)

    best = max(mean(score >= least) for least in score[some].tolist())
    assert mean(cut.informative) == pytest.approx(best)


def test_blocks_stand_or_fall_with_the_view() -> None:
    text, teasers = [0.95], [0.1] * 8
    lists = [0.95], [0.9] * 8
    views = np.array(([*text, *teasers], [*lists[0], *lists[1]]))
    terms = np.array([100.0, *[30.0] * 8])
    kept = [
        int(
            choose_blocks(ExpertProbabilities(views, np.array((q, 1 - q))), terms).informative.sum()
        )
        for q in (0.9, 0.1)
    ]
    assert kept == [1, 9]


def test_what_is_favored_makes_a_difference() -> None:
    score, terms = np.array([0.95, 0.6, 0.45, 0.3, 0.1]), np.full(5, 100.0)
    kept = [int(best_cut(score, terms, favor).informative.sum()) for favor in ("precision", None)]
    kept.append(int(best_cut(score, terms, "recall").informative.sum()))
    assert kept == sorted(set(kept))


def test_no_blocks_are_no_cut() -> None:
    cut = best_cut(np.zeros(0), np.zeros(0))
    assert len(cut.informative) == 0
    assert cut.threshold == 1.0


@pytest.mark.parametrize(
    ("score", "terms", "kept"),
    [
        ([MIN_BEST_PROBABILITY - 0.01] * 3, [500] * 3, 0),  # nothing is likely
        ([MIN_BEST_PROBABILITY + 0.01] * 3, [500] * 3, 3),
        ([0.9, 0.001, 0.001], [8, 80, 80], 0),  # hardly anything is expected
        ([0.9, 0.001, 0.001], [9, 80, 80], 1),
        ([0.2, 0.01, 0.01], [4, 4, 4], 1),  # but the page has no more than a few words
        ([0.05, 0.04], [100, 49], 1),
        ([0.05, 0.04], [100, 50], 0),
        ([0.05, 0.04], [900, 50], 1),  # one text is no shell
        ([0.9, 0.9], [0, 0], 0),
        ([0.99, 0.98, 0.01], [100, 1, 1], 2),
        ([0.5, 0.04], [20, 1], 1),  # what is very unlikely never is
        ([0.04, 0.03], [0, 9], 2),  # an empty block is no answer
    ],
)
def test_a_shell_has_no_content(score: list[float], terms: list[int], kept: int) -> None:
    cut = best_cut(np.array(score), np.array(terms, dtype=np.float64))
    assert int(cut.informative.sum()) == kept
