"""Features of names and characters: single words, classes and signs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import patient
from tamis.blocks import TagSet
from tamis.verdict.learned import (
    BLOCK_FEATURES,
    MAX_CHARACTERS,
    NAME_GROUPS,
    extract_features,
    find_name_groups,
)

from .oracle import Oracle


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
    words = ["nav", "menu item", "footer", "comment"]
    classes = [f"{words[number % 4]} x{number}" for number in range(3000)] * 2
    page = tamis.parse("".join(f'<p class="{name}">x</p>' for name in classes))
    oracle = Oracle(TagSet().segment(page))
    bits = 1 << np.arange(len(NAME_GROUPS))
    groups = {name: int(np.array(oracle.word_groups(3 + 2 * n)) @ bits) for n, name in
              enumerate(classes[:4])}  # fmt: skip
    found = [mask for mask in find_name_groups(page).tolist() if mask]
    assert found == [groups[classes[number % 4]] for number in range(6000)]


def test_every_word_names_all_its_groups() -> None:
    for bit, group in enumerate(NAME_GROUPS.values()):
        page = tamis.parse("".join(f"<p id={word}>x</p>" for word in group.split()))
        masks = [mask for mask in find_name_groups(page).tolist() if mask]
        assert len(masks) == len(group.split())
        assert all(mask >> bit & 1 for mask in masks)


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
