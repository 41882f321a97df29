"""Forest: evaluation of trees, saving and reading them, and where they come from."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.html_strategies import patient
from tamis.errors import InputError
from tamis.lab.train import build_forest, fit_forest, round_down, widen_forest
from tamis.verdict.learned import LEAVES, Forest, leaf_slots, logistic

Tree = dict[str, Any]
NAMES = ("a", "b", "c")
NUMBERS = st.integers(-4, 4).map(lambda n: n / 2)


def leaf(value: float) -> Tree:
    return {"leaf_value": value}


def split(feature: int, threshold: float, left: Tree, right: Tree) -> Tree:
    return {
        "split_feature": feature,
        "threshold": threshold,
        "left_child": left,
        "right_child": right,
    }


def tree_value(tree: Tree, row: NDArray[np.float32]) -> float:
    while "split_feature" in tree:
        side = "left" if row[tree["split_feature"]] <= tree["threshold"] else "right"
        tree = tree[f"{side}_child"]
    return float(tree["leaf_value"])


TREES: st.SearchStrategy[Tree] = st.recursive(
    NUMBERS.map(leaf),
    lambda below: st.builds(split, st.integers(0, 2), NUMBERS, below, below),
    max_leaves=12,
)


@st.composite
def features(draw: st.DrawFn) -> NDArray[np.float32]:
    size = draw(st.integers(0, 9))
    row = st.lists(NUMBERS, min_size=size, max_size=size)
    return np.array([draw(row) for _ in NAMES], dtype=np.float32).reshape(3, size)


@patient
@given(st.lists(TREES, max_size=5), st.integers(1, 3), features())
def test_a_forest_is_the_sum_of_its_trees(
    made: list[Tree], outputs: int, columns: NDArray[np.float32]
) -> None:
    forest = build_forest(made, NAMES, outputs)
    expected = [
        [sum(tree_value(tree, row) for tree in made[output::outputs]) for row in columns.T]
        for output in range(outputs)
    ]
    sums = forest.sums(columns)
    np.testing.assert_allclose(sums, expected)
    half = np.arange(columns.shape[1])[::2].copy()
    np.testing.assert_array_equal(forest.sums(columns, half), sums[:, half])


def test_a_tree_of_hand() -> None:
    tree = split(2, 1.5, leaf(1), split(0, -2, leaf(10), leaf(100)))
    forest = build_forest([tree, leaf(0.5)], NAMES)
    assert forest.trees.tolist() == [0, 1, 1]
    assert forest.feature.tolist() == [[2, 0, 0, 0]]
    assert forest.threshold.tolist() == [[1.5, -2, np.inf, np.inf]]
    assert forest.crossed.tolist() == [[0b1, 0b10, 0, 0]]
    assert forest.value[:, leaf_slots()[:4]].tolist() == [[1, 10, 100, 0], [0.5, 0, 0, 0]]
    columns = np.array([[0, -2, -1.9], [0, 0, 0], [1.5, 1.6, 1.6]], dtype=np.float32)
    assert forest.sums(columns).tolist() == [[1.5, 10.5, 100.5]]


def test_a_tree_has_as_many_leaves_as_a_set_has_bits() -> None:
    tree = leaf(0)
    for number in range(1, LEAVES):
        tree = split(0, number, tree, leaf(number))
    columns = np.arange(1, LEAVES + 1, dtype=np.float32)[None]
    assert build_forest([tree], NAMES).sums(columns).tolist() == [list(range(LEAVES))]
    with pytest.raises(ValueError, match="33 leaves"):
        build_forest([split(0, LEAVES, tree, leaf(LEAVES))], NAMES)


def test_columns_may_lie_in_rows() -> None:
    forest = build_forest([split(1, 0.0, leaf(1), leaf(2))], NAMES)
    rows = np.array([[0, -1, 0], [0, 1, 0]], dtype=np.float32)
    assert forest.sums(rows.T).tolist() == [[1, 2]]


def test_too_few_features_are_refused() -> None:
    forest = build_forest([split(2, 0.0, leaf(1), leaf(2))], NAMES)
    with pytest.raises(ValueError, match="2 rows of features are too few"):
        forest.sums(np.zeros((2, 4), dtype=np.float32))
    with pytest.raises(IndexError, match="no column 4"):
        forest.sums(np.zeros((3, 4), dtype=np.float32), np.array([4]))


@patient
@given(st.lists(TREES, max_size=4), features(), st.permutations(range(5)))
def test_a_forest_is_saved_by_names(
    made: list[Tree], columns: NDArray[np.float32], order: list[int]
) -> None:
    forest = build_forest(made, NAMES, 2)
    file = io.BytesIO()
    both: dict[str, Any] = forest.to_arrays("x") | build_forest([leaf(7)], NAMES).to_arrays("y")
    np.savez_compressed(file, **both)
    file.seek(0)
    names = [[*NAMES, "new", "newer"][place] for place in order]
    with np.load(file) as arrays:
        read = Forest.from_arrays(arrays, "x", names)
    assert read.names == tuple(names)
    full = np.concatenate((columns, np.full((2, columns.shape[1]), 3, dtype=np.float32)))
    np.testing.assert_array_equal(read.sums(full[order]), forest.sums(columns))


def test_a_forest_over_a_feature_that_is_no_more_is_not_read() -> None:
    arrays = build_forest([split(1, 0.0, leaf(1), leaf(2))], NAMES).to_arrays("x")
    assert Forest.from_arrays(arrays, "x", ("b", "a")).names == ("b", "a")  # c is not used
    with pytest.raises(InputError, match="features that are unknown here, b: make the model"):
        Forest.from_arrays(arrays, "x", ("a", "c"))


def test_no_trees_add_nothing() -> None:
    forest = build_forest((), NAMES)
    assert forest.sums(np.ones((3, 2), dtype=np.float32)).tolist() == [[0, 0]]
    read = Forest.from_arrays(forest.to_arrays("x"), "x", NAMES)
    assert read.sums(np.ones((3, 2), dtype=np.float32)).tolist() == [[0, 0]]


def test_a_forest_over_some_features_becomes_one_over_all() -> None:
    forest = build_forest([split(1, 0.0, leaf(1), leaf(2))], ("b", "d"))
    wide = widen_forest(forest, np.array([1, 3]), ("a", "b", "c", "d"))
    columns = np.zeros((4, 2), dtype=np.float32)
    columns[3, 1] = 1
    assert wide.sums(columns).tolist() == [[1, 2]]


@patient
@given(st.floats(-1e30, 1e30), st.floats(-(2.0**99), 2.0**99, width=32))
def test_a_rounded_threshold_divides_the_same(threshold: float, feature: float) -> None:
    limit = round_down(np.array([threshold]))[0]
    assert limit.dtype == np.float32
    assert float(limit) <= threshold
    assert float(np.nextafter(limit, np.float32(np.inf))) > threshold
    assert (np.float32(feature) <= limit) == (feature <= threshold)


def test_chances_are_between_0_and_1() -> None:
    found = logistic(np.array([-1e9, -1.0, 0.0, 1.0, 1e9]))
    assert found[2] == 0.5
    assert (np.diff(found) > 0).all()
    assert ((found > 0) & (found <= 1)).all()
    assert found[1] + found[3] == pytest.approx(1)


@pytest.mark.heavy
@pytest.mark.parametrize("classes", [1, 3])
def test_what_lightgbm_learns_is_kept(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    dice = np.random.default_rng(1)
    rows = dice.integers(-20, 20, (400, 5)).astype(np.float32) / np.float32(3)
    target: NDArray[np.float64] = rows[:, 0].astype(np.float64) * rows[:, 1]
    if classes > 1:
        kinds = (rows[:, 0] > rows[:, 1]).astype(np.int64) + (rows[:, 2] > 0)
        target = kinds.astype(np.float64)
    boosters = []
    train = lightgbm.train

    def watched(*given: Any, **named: Any) -> Any:
        boosters.append(train(*given, **named))
        return boosters[-1]

    monkeypatch.setattr(lightgbm, "train", watched)
    settings = {"rounds": 7, "num_leaves": 9, "min_data_in_leaf": 5, "num_threads": 1}
    kind = {"objective": "multiclass", "num_class": 3} if classes > 1 else {}
    forest = fit_forest({**settings, **kind}, rows, target, None, tuple("abcde"))
    assert len(forest.value) == 7 * classes
    expected = boosters[0].predict(rows, raw_score=True).reshape(-1, classes)
    np.testing.assert_allclose(forest.sums(rows.T), expected.T, rtol=1e-5, atol=1e-5)
