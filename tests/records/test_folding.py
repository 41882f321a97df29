"""Columns that a table leaves out, and rows, lists and dates that are none."""

from __future__ import annotations

from datetime import date

import pytest

import tamis
from tamis.records import Field, find_main_records, fold_fields

NAMES = (
    "Copper pot for two", "Iron pan, small", "Steel ladle", "Oak spoon, long", "Tin whisk, new",
    "Glass jar with a lid", "Cork mat", "Slate board", "Linen cloth, blue", "Clay bowl, deep",
)  # fmt: skip


def card(number: int, name: str, parts: str) -> str:
    return f"<li class=card>{parts}</li>".replace("#", str(number)).replace("NAME", name)


def cards(*parts: str) -> tamis.Document:
    """Return a list page with ten cards; each but the first part is only in the first card."""
    items = [card(n, name, "".join(parts if n == 0 else parts[:1])) for n, name in enumerate(NAMES)]
    return tamis.extract(f"<body><main><h1>Kitchen</h1><ul>{''.join(items)}</ul></main>")


FULL = (
    "<img src=/main/#.jpg><img src=/icon.png class=i><h3><a href=/p/#>NAME</a></h3><b>$1#.50</b>"
    "<p>NAME, made by hand in the village of number #, and sent by post.</p>"
    "<a class=buy href=/buy/#>Buy now</a><i class=again>NAME</i>"
)


def test_icons_buttons_rare_texts_and_repetitions_fold_away() -> None:
    records = cards(
        FULL, "<img src=/swatch/#.png class=s>", "<u>Rare words of this one alone</u>"
    ).records
    names = [field.name for field in records.fields]
    assert names == ["image", "title", "url", "price", "currency", "description"]
    assert len(records.all_fields) > len(names)
    assert {field.name for field in records.fields} <= {field.name for field in records.all_fields}
    assert [row["image"] for row in records][:2] == ["/main/0.jpg", "/main/1.jpg"]
    assert list(records[0]) == names


def test_of_the_images_the_one_that_differs_most_is_the_image() -> None:
    records = cards(
        "<img src=/icon.png><img src=/own/#.jpg><a href=/#>NAME</a><p>Words of NAME here</p>"
    )
    assert records.records[1]["image"] == "/own/1.jpg"


def test_a_small_table_keeps_all_columns() -> None:
    table = "<tr><th>a<th>b<th>c</tr>" + "".join(
        f"<tr><td>{name}<td>{n}<td>{'once' * (n == 0)}</tr>" for n, name in enumerate(NAMES)
    )
    records = tamis.extract(f"<main><table>{table}</table></main>").records
    assert [field.name for field in records.fields] == ["a", "b", "c"]


def test_a_button_is_no_title() -> None:
    records = cards(
        "<a href=/buy/#>Buy</a><div>NAME</div><p>It is the best of all of number #.</p>"
    )
    assert {row.get("title") for row in records.records} != {"Buy"}


def test_totals_are_no_records() -> None:
    rows = "".join(f"<tr><td>{name}<td>{n + 3}<td>${n + 1}.20</tr>" for n, name in enumerate(NAMES))
    for total in ("<tr><td>Total:<td>75<td>$57.00</tr>", "<tfoot><tr><td>All<td>75<td>$57</tfoot>"):
        table = f"<table><tr><th>Thing<th>Number<th>Price</tr>{rows}{total}</table>"
        records = tamis.extract(f"<main>{table}</main>").records
        assert len(records) == len(NAMES), total
        assert records[-1]["thing"] == NAMES[-1]


PAIRS = (("Weight", "3 kg"), ("Size", "30 cm"), ("Colour", "copper red"), ("Handle", "oak"))


def test_names_and_values_of_one_thing_are_no_records() -> None:
    pairs = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in PAIRS)
    doc = tamis.extract(f"<main><h1>Copper pot</h1><dl>{pairs}</dl></main>")
    assert len(doc.records) == 0
    assert [region.reason for region in doc.regions] == ["names and values of one thing"]


def test_definitions_and_lists_of_prices_are_records() -> None:
    words = "is a vessel in which soups and stews are made over a fire"
    for value in (words, "$4.50"):
        pairs = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name in NAMES)
        doc = tamis.extract(f"<main><h1>Of pots</h1><dl>{pairs}</dl></main>", method="tagwindow")
        assert len(doc.records) == len(NAMES)


@pytest.mark.parametrize("fetched", [None, date(2024, 3, 9)])
def test_relative_dates_need_the_day_on_which_the_page_was_fetched(fetched: date | None) -> None:
    page = cards("<a href=/#>NAME</a><p>Words of NAME that go on here</p><i>1# days ago</i>").page
    records = find_main_records(page, fetched=fetched)
    wanted = "2024-02-27" if fetched else "11 days ago"
    assert records[1]["date"] == wanted


def shown(parts: str) -> list[str]:
    """Return the names of the columns that are shown of a list of cards."""
    return [field.name for field in cards(f"<h3><a href=/p/#>NAME</a></h3>{parts}").records.fields]


def test_what_has_no_value_or_one_image_for_all_is_no_column() -> None:
    assert "image" not in shown("<img alt=later><p>Words of NAME here</p>")
    assert "image" not in shown("<img src=/spacer.gif><p>Words of NAME here</p>")
    assert "image" in shown("<img src=/#.jpg><p>Words of NAME here</p>")


def test_words_that_join_others_are_no_column() -> None:
    by = "<i>by</i><p>Words of NAME here</p>"
    assert shown(by) == ["title", "url", "description"]
    assert shown(by.replace("by", "New")) == ["title", "url", "text_2", "description"]


def test_a_button_of_two_texts_and_the_label_of_a_box_are_no_columns() -> None:
    box = "<label><input type=checkbox><b>Compare</b></label><p>Words of NAME here</p>"
    assert shown(box) == ["title", "url", "description"]
    items = "".join(
        f"<li><h3><a href=/{n}>{name}</a></h3><p>{name}, made by hand and sent by post.</p>"
        f"<div><button>{'Add to cart' if n % 3 else 'Notify me'}</button></div></li>"
        for n, name in enumerate(NAMES)
    )
    records = tamis.extract(f"<main><ul>{items}</ul></main>").records
    assert [field.name for field in records.fields] == ["title", "url", "description"]


def test_a_former_price_that_is_always_the_price_is_no_column() -> None:
    same = "<b class=price>$1#.50</b><b class=old-price>$1#.50</b>"
    assert shown(same) == ["title", "url", "price", "currency"]
    former = "<b class=price>$1#.50</b><b class=old-price>$2#.50</b>"
    assert shown(former) == ["title", "url", "price", "currency", "list_price"]


def test_dates_are_most_of_their_texts() -> None:
    records = cards(
        "<a href=/#>NAME</a><p>Words of NAME that go on</p><i>39# stars today</i>"
    ).records
    assert "date" not in records[1]


def test_of_very_many_columns_only_the_usual_ones_are_shown() -> None:
    region = cards("<h3><a href=/p/#>NAME</a></h3><p>Words of NAME here</p>").records.region
    assert region is not None

    def count(columns: int) -> int:
        fields = []
        for column in range(columns):
            texts = tuple(f"{name} {column}" * (n < 4) for n, name in enumerate(NAMES))
            values = tuple(text or None for text in texts)
            fields.append(Field(f"text_{column}", "text", values, texts, (0,) * len(NAMES)))
        usual = Field("text_99", "text", NAMES, NAMES, (0,) * len(NAMES))
        return len(fold_fields(region, [*fields, usual]))

    assert (count(19), count(20)) == (20, 1)
