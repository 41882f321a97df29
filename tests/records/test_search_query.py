"""Result pages: the search query tells which of their lists has the results."""

from __future__ import annotations

import pytest

import tamis
from tamis.records import find_search_queries

FIELD = "<form action=/s><input name=q value='{}'></form>"
ANSWERS = "".join(
    f"<article><h2><a href=/a{i}>Paper lantern {i}</a></h2><p>Hand made no. {i}</p></article>"
    for i in range(5)
)
OTHERS = "".join(
    f"<li><h3><a href=/b{i}>Brass kettle {i}</a></h3><p>Good for a long time, no. {i}</p></li>"
    for i in range(9)
)


def titles(field: str) -> list[object]:
    document = tamis.extract(f"{field}<ul>{OTHERS}</ul><main>{ANSWERS}</main>", method="tagwindow")
    regions = document.regions
    main = document.records
    assert main.rows == regions[0].rows
    scores = [region.score for region in regions[1:]]
    assert scores == sorted(scores, reverse=True)
    return [row["title"] for row in main]


def test_the_list_that_answers_is_the_main_one() -> None:
    assert titles(FIELD.format("lanterns"))[0] == "Paper lantern 0"
    assert titles(FIELD.format("LANTERN of paper"))[0] == "Paper lantern 0"


@pytest.mark.parametrize("field", ["", FIELD.format(""), FIELD.format("Search"), "<input value=l>"])
def test_without_a_search_the_larger_list_is(field: str) -> None:
    assert titles(field)[0] == "Brass kettle 0"


def test_words_count_from_their_beginning_only() -> None:
    assert titles(FIELD.format("antern"))[0] == "Brass kettle 0"


@pytest.mark.parametrize("field", ["lantern", ""])
def test_a_page_that_answers_is_a_list_whatever_else_is_on_it(field: str) -> None:
    prose = "<div>" + "<p>A text that goes on and on, as articles do. " * 20 + "</div>"
    page = f"{FIELD.format(field)}{prose}<main>{ANSWERS}</main>"
    records = tamis.extract(page, method="tagwindow").records
    assert len(records) == (5 if field else 0), records.reason


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        ("<input type=search value='red &amp; blue kites'>", (("red", "blue", "kite"),)),
        ("<input name=q value='the bus'>", (("bus",),)),
        ("<input name=searchfield value=x1>", ()),  # too short
        ("<input name=q value='東京 駅'>", (("東京", "駅"),)),
        ("<input name=q value='http://a.example/kites'>", ()),
        ("<input name=q value='Search the shop'>", ()),
        ("<input name=mail value='kites'>", ()),
        ("<input type=hidden name=q value=kites>", ()),
        ("<input type=submit class=search value=Go!>", ()),
        (f"<input name=q value='{'kites ' * 20}'>", ()),
        ("<input name=q value=kites>" * 3, (("kite",),)),
        ("".join(f"<input name=q value=kites{i}>" for i in range(900)), None),
    ],
)
def test_queries_of_search_fields(field: str, wanted: tuple[tuple[str, ...], ...] | None) -> None:
    queries = find_search_queries(tamis.parse(f"<body><form>{field}</form><p>Text"))
    assert queries == wanted if wanted is not None else len(queries) == 4


def test_letters_without_small_ones_of_their_length_break_nothing() -> None:
    page = tamis.parse(f"{FIELD.format('lantern')}<p>İİİ</p><main>{ANSWERS.lower()}</main>")
    records = tamis.extract(page, method="tagwindow").records
    assert records.region is not None
    assert records.region.query_share > 0
