"""The sample lists give exactly the rows that stand beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tamis
from helpers.samples import FOLDER
from tamis.content import Document
from tamis.page import find_row

LISTS = sorted(path.stem for path in (FOLDER / "lists").glob("*.html"))


def document(name: str) -> Document:
    data = (FOLDER / "lists" / f"{name}.html").read_bytes()
    return tamis.extract(data, url=f"https://{name}.example/list")


def expected(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / "lists" / "expected" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_there_are_samples() -> None:
    assert LISTS == ["board", "glossary", "grid", "results", "table"]


@pytest.mark.parametrize("name", LISTS)
def test_rows_are_exactly_the_expected_ones(name: str) -> None:
    assert list(document(name).records) == expected(name)


def test_types() -> None:
    types = {field.name: field.type for field in document("grid").records.fields}
    assert types == {
        "sale": "flag",
        "image": "image",
        "title": "text",
        "url": "url",
        "brand": "text",
        "rating": "rating",
        "price": "money",
        "currency": "text",
        "reviews": "number",
        "list_price": "money",
        "sponsored": "flag",
    }
    board = {field.name: field.type for field in document("board").records.fields}
    assert board["comments"] == board["views"] == "count"
    assert board["date"] == "date"


@pytest.mark.parametrize("name", LISTS)
def test_each_value_has_its_xpath(name: str) -> None:
    doc = document(name)
    records = doc.records
    for index, row in enumerate(records):
        for key, value in row.items():
            xpath = records.value_xpath(index, key)
            assert xpath is not None or value in (None, False)
            if xpath is not None and key in ("title", "description", "author", "route"):
                text_row = find_row(doc.page, xpath)
                text = doc.page.text[doc.page.text_start[text_row] : doc.page.text_stop[text_row]]
                assert isinstance(value, str)
                assert value.startswith(" ".join(text.split()))
    assert records.value_xpath(0, "no such field") is None


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("grid", "https://grid.example/pots?page=2"),
        ("results", "https://results.example/search?q=barn+owl+box&start=10"),
        ("board", "https://board.example/workshop/repairs?page=2"),
        ("table", None),
        ("glossary", None),
    ],
)
def test_the_next_page_is_found(name: str, url: str | None) -> None:
    assert document(name).next_page == url


def test_all_regions_are_given_the_main_one_first() -> None:
    doc = document("grid")
    main, *others = doc.regions
    assert main.is_main
    assert list(main) == list(doc.records)
    assert main.xpath == "/html/body/main"
    assert {region.reason for region in others} == {"in <nav>", "in <aside>", "in <footer>"}
    assert not any(region.is_main for region in others)


def test_structured_data_confirms_titles() -> None:
    assert document("grid").records.agreement == "6 of 6 items of the page's structured data"
    assert document("board").records.agreement is None


@pytest.mark.parametrize("name", ["article", "docs", "product"])
def test_pages_that_are_no_lists_have_no_records_and_say_why(name: str) -> None:
    doc = tamis.extract((FOLDER / f"{name}.html").read_bytes())
    assert list(doc.records) == []
    assert not doc.records.fields
    assert "too little" in doc.records.reason
    assert doc.regions
    assert not any(region.is_main for region in doc.regions)
    assert "too little" in " ".join(region.reason for region in doc.regions)


def test_the_sample_shop_keeps_and_marks_the_sponsored_card() -> None:
    records = tamis.extract((FOLDER / "shop.html").read_bytes()).records
    assert len(records) == 13
    assert [row["title"] for row in records if row["sponsored"]] == [
        "Trailbiscuit energy bars, box of 24"
    ]
    assert records[3]["price"] == 149.0
    assert records[3]["list_price"] == 189.0
    assert records[3]["reviews"] == 211
