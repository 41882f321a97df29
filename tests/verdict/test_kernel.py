"""The kernel of the learned method: single functions, and the same numbers without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import pages, patient
from helpers.kernels import uncompiled
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet, group_equal
from tamis.page import Page
from tamis.verdict.kernel import answers as sums_of_answers
from tamis.verdict.kernel import beliefs, measures, passes, sums, words
from tamis.verdict.learned import (
    BLOCK_FEATURES,
    MAX_CHARACTERS,
    NAME_GROUPS,
    STACKED_FEATURES,
    STEPS,
    WINDOWS,
    Features,
    compute_candidate_features,
    extract_features,
    find_name_groups,
    name_table,
    write_stacked_features,
)

from .oracle import Oracle

CALLERS = tuple(
    import_module(f"tamis.verdict.learned.{name}")
    for name in (
        *("block_features", "candidate_features", "feature_context", "features"),
        *("name_features", "page_features", "threshold", "title_features"),
    )
)
KERNEL = (sums_of_answers, beliefs, measures, passes, sums, words)
Computed = tuple[Features, np.ndarray, np.ndarray]
KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(1, 9).map(lambda n: n << 60)


PLAIN = {module.__name__: uncompiled(module) for module in KERNEL}


@pytest.fixture(scope="module")
def plainly() -> Iterator[Callable[[Page], Computed]]:
    """Yield a function that computes evidence with the uncompiled kernel."""

    def compute(page: Page) -> Computed:
        with pytest.MonkeyPatch.context() as patch:
            for caller in CALLERS:
                for name, thing in vars(caller).items():
                    plain = PLAIN.get(getattr(thing, "__module__", None) or "")
                    if plain is not None and callable(thing):
                        patch.setattr(caller, name, getattr(plain, name))
            name_table.cache_clear()
            return all_evidence(page)

    yield compute
    name_table.cache_clear()


def all_evidence(page: Page) -> Computed:
    """Return the evidence on a page, and that of beliefs that are made up."""
    found = extract_features(TagSet().segment(page))
    beliefs = np.random.default_rng(0).random((2, len(found.context)))
    around = np.full((len(STACKED_FEATURES), len(found.context)), np.nan, dtype=np.float32)
    write_stacked_features(found, beliefs[0], around)
    told = compute_candidate_features(found, beliefs)
    return found, around, np.concatenate((told, found.page_features))


def check_uncompiled(page: Page, plainly: Callable[[Page], Computed]) -> None:
    if not len(TagSet().segment(page)):
        return
    found, beliefs, told = all_evidence(page)
    plain, plain_beliefs, plain_told = plainly(page)
    np.testing.assert_array_equal(found.matrix, plain.matrix)
    np.testing.assert_array_equal(beliefs, plain_beliefs)
    np.testing.assert_array_equal(told, plain_told)
    for name in ("levels", "paths", "named_paths"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))


@pytest.mark.parametrize("name", SAMPLES)
def test_uncompiled_the_evidence_on_a_sample_is_the_same(
    name: str, plainly: Callable[[Page], Computed]
) -> None:
    check_uncompiled(sample(name), plainly)


def test_uncompiled_the_evidence_on_any_tree_is_the_same(
    plainly: Callable[[Page], Computed],
) -> None:
    @settings(deadline=None, max_examples=40)
    @given(pages())
    def check(page: Page) -> None:
        check_uncompiled(page, plainly)

    check()


@patient
@given(st.lists(KEYS, max_size=40))
def test_equal_keys_are_in_one_group(keys: list[int]) -> None:
    groups, count = group_equal(np.array(keys, dtype=np.uint64))
    first: dict[int, int] = {}
    assert groups.tolist() == [first.setdefault(key, len(first)) for key in keys]
    assert count == len(first)


@patient
@given(st.text(alphabet="abXYZ19-_ é", max_size=12), st.sampled_from(["nav", "Nav", "NAV", "navi"]))
def test_words_of_a_class_are_found(around: str, word: str) -> None:
    html = f'<p class="{around}{word}-{around}" id="{word}">x</p>'
    page = tamis.parse(html)
    oracle = Oracle(TagSet().segment(page))
    bits = 1 << np.arange(len(NAME_GROUPS))
    expected = [int(np.array(oracle.word_groups(row)) @ bits) for row in range(len(page))]
    assert find_name_groups(page).tolist() == expected


def test_classes_whose_keys_share_a_slot_are_told_apart() -> None:
    known = ["nav", "menu item", "footer", "comment"]
    classes = [f"{known[number % 4]} x{number}" for number in range(3000)] * 2
    page = tamis.parse("".join(f'<p class="{name}">x</p>' for name in classes))
    oracle = Oracle(TagSet().segment(page))
    bits = 1 << np.arange(len(NAME_GROUPS))
    groups = {name: int(np.array(oracle.word_groups(3 + 2 * n)) @ bits) for n, name in
              enumerate(classes[:4])}  # fmt: skip
    found = [mask for mask in find_name_groups(page).tolist() if mask]
    assert found == [groups[classes[number % 4]] for number in range(6000)]


@pytest.mark.parametrize("word", [b"", b"nav", b"a" * 300])
def test_a_hash_is_that_of_fowler_noll_and_vo(word: bytes) -> None:
    key = 1469598103934665603
    for letter in word:
        key = (key ^ letter) * 1099511628211 % 2**64
    assert passes.word_key(word) == key


def test_every_word_is_in_the_table_with_all_its_groups() -> None:
    known, groups = name_table()
    where = dict(zip(known.tolist(), groups.tolist(), strict=True))
    for bit, group in enumerate(NAME_GROUPS.values()):
        for word in group.split():
            assert where[passes.word_key(word.encode())] >> bit & 1, word
    assert np.count_nonzero(known) == len(
        {word for words in NAME_GROUPS.values() for word in words.split()}
    )


def test_letters_beyond_the_table_belong_to_no_class() -> None:
    page = tamis.parse("<p>\U00030000\U000e0100 9?</p>")
    found = dict(
        zip(
            BLOCK_FEATURES,
            extract_features(TagSet().segment(page)).matrix[:, 0].tolist(),
            strict=True,
        )
    )
    size = len(page.text.strip())
    assert found["digits"] == pytest.approx(1 / size)
    assert found["asks"] == pytest.approx(1 / size)
    assert found["ends_sentence"] == 1


def test_only_the_beginning_of_a_long_block_is_read() -> None:
    page = tamis.parse("<p>" + "a" * MAX_CHARACTERS + "1" * 500 + ":</p>")
    found = dict(
        zip(
            BLOCK_FEATURES,
            extract_features(TagSet().segment(page)).matrix[:, 0].tolist(),
            strict=True,
        )
    )
    assert found["digits"] == 0
    assert found["ends_colon"] == 1


def test_equal_blocks_are_counted() -> None:
    page = tamis.parse(
        "<p>0<p>one two<p>three<p>one two<p>two one!<p>one two<p>three" + "<p>x" * 60
    )
    columns = dict(
        zip(BLOCK_FEATURES, extract_features(TagSet().segment(page)).matrix, strict=True)
    )
    assert columns["same"].tolist() == [1, 3, 2, 3, 1, 3, 2] + [50] * 60
    assert columns["first_of_same"].tolist() == [1, 1, 1, 0, 1, 0, 0, 1] + [0] * 59


def expected_beliefs(oracle: Oracle, belief: np.ndarray) -> dict[str, list[float]]:
    """Return means of the belief, weighted by terms, each over a set of blocks."""
    weight = [min(sums.terms, 500) + 0.5 for sums in oracle.each]
    values: dict[str, list[float]] = {}

    def add(name: str, some: list[int]) -> None:
        total = sum(belief[block] * weight[block] for block in some)
        values.setdefault(name, []).append(total / sum(weight[block] for block in some))

    every = range(oracle.size)
    classes = oracle.blocks.page.class_key[oracle.blocks.node].tolist()
    named = list(zip(oracle.paths, classes, strict=True))
    for block in every:
        for window in WINDOWS:
            add(f"belief_within_{window}", [b for b in every if abs(b - block) <= window])
        for level, row in enumerate(oracle.levels[block], start=1):
            add(f"belief_level_{level}", oracle.held(row))
        add("belief_path", [b for b in every if oracle.paths[b] == oracle.paths[block]])
        add("belief_named_path", [b for b in every if named[b] == named[block]])
        inner, outer = (oracle.record_around(block, place) for place in (0, -1))
        for name, record, alike in (
            ("belief_record", inner, False),
            ("belief_records", inner, True),
            ("belief_outer_records", outer, True),
        ):
            rows = [record] if record is not None else []
            if alike and record is not None:
                make = oracle.records[record]
                rows = [row for row in oracle.records if oracle.records[row] == make]
            add(name, [b for row in rows for b in oracle.held(row)] or [block])
    return values


@pytest.mark.parametrize("name", SAMPLES)
def test_beliefs_around_a_block_are_means(name: str) -> None:
    found, columns, _ = all_evidence(sample(name))
    by_name = dict(zip(STACKED_FEATURES, columns, strict=True))
    belief = np.random.default_rng(0).random(len(found.context))
    for measure, values in expected_beliefs(Oracle(found.context.blocks), belief).items():
        np.testing.assert_allclose(by_name[measure], values, rtol=1e-4, err_msg=measure)
    np.testing.assert_allclose(by_name["belief"], belief, rtol=1e-6)
    np.testing.assert_allclose(by_name["belief_best"], belief.max(), rtol=1e-6)
    order = np.argsort(by_name["rank"])
    assert (np.diff(belief[order]) <= 0).all()
    size = len(belief)
    for step in STEPS:
        there = [belief[b + step] if 0 <= b + step < size else -1 for b in range(size)]
        np.testing.assert_allclose(by_name[f"belief_at_{step}"], there, rtol=1e-6)
