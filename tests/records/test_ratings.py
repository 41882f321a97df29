"""Ratings that no text of their own tells."""

from __future__ import annotations

import pytest

import tamis
from helpers.lists import numbered


@pytest.mark.parametrize(
    "stars",
    [
        '<span class=stars aria-label="4.# out of 5 stars"></span>',
        '<i title="Rated 4.# out of 5"><i style="width:9#%"></i></i>',
        '<b title="Rated 4.# out of 5"></b><i aria-label="4.#/5"><svg></svg></i>',
    ],
)
def test_an_empty_element_may_be_a_rating(stars: str) -> None:
    records = numbered(f"{stars}<em>(1#)</em><p>words of #</p>")
    assert [row["rating"] for row in records] == [4 + n / 10 for n in range(6)]
    assert [row["reviews"] for row in records] == list(range(10, 16))
    assert records.value_xpath(1, "rating") is not None


@pytest.mark.parametrize(
    "other",
    [
        "".join(f'<i title="{n} stars"></i>' for n in range(1, 6)),  # to choose from
        '<i title="Add to list"></i>',
        '<i title="4.# out of 5">words of #</i>',
    ],
)
def test_other_labels_are_no_ratings(other: str) -> None:
    assert "rating" not in numbered(f"{other}<p>words of #</p>")[0]


def test_few_ratings_are_no_column() -> None:
    star = '<i title="4.5 out of 5"></i>'
    items = "".join(
        f"<li><h3><a href=/{n}>Title number {n}</a></h3>{star * (n < 2)}<p>words of {n}</p></li>"
        for n in range(6)
    )
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert len(records) == 6
    assert "rating" not in records[0]


def test_a_rating_and_its_number_in_brackets_are_two_columns() -> None:
    records = numbered("<em>3.# (1#)</em><p>words of #</p>")
    assert [(row["rating"], row["reviews"]) for row in records] == [
        (3 + n / 10, 10 + n) for n in range(6)
    ]


def test_other_numbers_before_brackets_are_words() -> None:
    assert "rating" not in numbered("<em>7.# (1#)</em><p>words of #</p>")[0]
