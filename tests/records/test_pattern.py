"""Patterns on other pages: each field keeps its name, and what a page lacks is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import tamis
from helpers.bench import needs_bench
from helpers.html_strategies import pages, patient
from helpers.samples import FOLDER
from tamis.errors import InputError
from tamis.lab import load
from tamis.page import Page
from tamis.records import Pattern, Records
from tamis.site import Site

LISTS = sorted(path.stem for path in (FOLDER / "lists").glob("*.html"))
WORDS = "and a few words that say what this one is good for"
THINGS = ("oak chair", "walnut table", "pine shelf", "linen sofa", "brass lamp", "wool rug")


def extract_list(main: str) -> Records:
    return tamis.extract(f"<body><main>{main}</main>", method="tagwindow").records


def learn(main: str) -> Pattern:
    return Pattern.learn(extract_list(main))


def apply(pattern: Pattern, main: str) -> Records:
    return pattern.apply(tamis.parse(f"<body><main>{main}</main>"))


def table(heads: str, *rows: tuple[object, ...]) -> str:
    names = "".join(f"<th>{head}</th>" for head in heads.split())
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f"<table><tr>{names}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def column(records: Records, name: str) -> list[Any]:
    return [row[name] for row in records]


# The same page --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LISTS)
def test_on_its_own_page_a_pattern_finds_what_it_was_learned_from(name: str) -> None:
    doc = tamis.extract((FOLDER / "lists" / f"{name}.html").read_bytes(), url="https://x.example/")
    assert_same(doc.records, doc.page)


@needs_bench
def test_real_pages_give_the_same_records_by_their_pattern() -> None:
    for item in load("records-dev").items[::7]:
        doc = tamis.extract(item.html)
        if doc.records:
            assert_same(doc.records, doc.page)


def assert_same(records: Records, page: Page) -> None:
    again = Pattern.learn(records).apply(page)
    assert list(again) == list(records)
    assert [field.type for field in again.fields] == [field.type for field in records.fields]
    assert [field.rows for field in again.fields] == [field.rows for field in records.fields]


@settings(patient, max_examples=40)
@given(pages(), pages())
def test_any_pattern_reads_any_page_or_says_why_not(page: Page, other: Page) -> None:
    for records in tamis.extract(page).regions:
        pattern = Pattern.from_dict(json.loads(json.dumps(Pattern.learn(records).as_dict())))
        for applied_to in (page, other):
            again = pattern.apply(applied_to)
            names = [field.name for field in pattern.fields]
            assert again.reason
            assert len(again.rows) == len(again)
            assert all(list(row) == names for row in again)


# Other pages of the site ----------------------------------------------------------------------


def shop(count: int, first: int = 0) -> str:
    cards = "".join(
        f"<div class=card><h3 class=name><a href=/{i}>Thing {i}</a></h3>"
        f"<p class=text>{WORDS} {i}</p>" + f"<b class=price>${i}.20</b>" * (i % 3 != 0) + "</div>"
        for i in range(first, first + count)
    )
    return f"<body><nav><a href=/>Home</a></nav><main><div class=cards>{cards}</div></main>"


def test_a_pattern_gives_the_same_fields_on_another_page(tmp_path: Path) -> None:
    learned = Pattern.learn(tamis.extract(shop(12), method="tagwindow").records)
    path = tmp_path / "pattern.json"
    learned.save(path)
    assert Pattern.load(path) == learned
    learned.save(str(path))
    assert Pattern.load(str(path)) == learned
    records = learned.apply(tamis.parse(shop(2, 40)))
    assert [field.name for field in records.fields] == [
        "title",
        "url",
        "description",
        "price",
        "currency",
    ]
    assert [row["title"] for row in records] == ["Thing 40", "Thing 41"]
    assert [row["price"] for row in records] == [40.2, 41.2]


def test_a_pattern_says_when_it_no_longer_fits() -> None:
    learned = Pattern.learn(tamis.extract(shop(12), method="tagwindow").records)
    for html in ("", "<p>gone</p>", (FOLDER / "forum.html").read_bytes()):
        records = learned.apply(tamis.parse(html))
        assert not records
        assert "no longer fits" in records.reason


def shelf(parts: str, name: str) -> str:
    """Return a list of nine cards with given parts: n(ame), t(ext), p(rice), m(aker), s(tock)."""
    html = {
        "n": "<h3 class=name><a href=/{i}>Thing {i}</a></h3>",
        "t": "<p class=text>and a few words that say what it is good for {i}</p>",
        "p": "<b class=price>${i}.20</b>",
        "m": "<em class=maker>Maker {i}</em>",
        "s": "<i class=stock>{i} left today</i>",
    }
    card = "<div class=card>" + "".join(html[part] for part in parts) + "</div>"
    return f"<div class={name}>{''.join(card.format(i=i) for i in range(1, 10))}</div>"


def test_a_list_that_fits_is_found_beside_one_on_the_old_path_that_does_not() -> None:
    whole = f"<body><main>{shelf('ntpms', 'cards')}</main>"
    learned = Pattern.learn(tamis.extract(whole, method="tagwindow").records)
    assert len(learned.fields) == 7
    few, many = shelf("nt", "cards"), shelf("np", "moved")  # 3 of the fields, and 4 of them
    for lists in (many, few + many, many + few):
        records = learned.apply(tamis.parse(f"<body><main>{lists}</main>"))
        assert [row["price"] for row in records] == [i + 0.2 for i in range(1, 10)]
        assert records.reason.startswith("0.57 of")
    alone = learned.apply(tamis.parse(f"<body><main>{few}</main>"))
    assert not alone
    assert "0.43 of its fields are on this page at most" in alone.reason


def test_of_lists_that_fit_the_one_on_the_old_path_is_taken() -> None:
    whole = f"<body><main>{shelf('ntpms', 'cards')}</main>"
    learned = Pattern.learn(tamis.extract(whole, method="tagwindow").records)
    lists = shelf("nms", "cards") + shelf("np", "moved")
    records = learned.apply(tamis.parse(f"<body><main>{lists}</main>"))
    assert [row["text_4"] for row in records] == [f"Maker {i}" for i in range(1, 10)]


# Which field is which -------------------------------------------------------------------------


ROWS = [(f"<a href=/{i}>{name}</a>", f"Town {i}", f"Agent {i}", 10 + i, 70 + i)
        for i, name in enumerate(THINGS)]  # fmt: skip


def test_columns_of_a_table_are_distinguished_by_position_and_header() -> None:
    pattern = learn(table("Item Town Agent Qty Age", *ROWS))
    again = apply(pattern, table("Item Town Agent Qty Age", *ROWS[2:]))
    assert list(again[0].values()) == ["pine shelf", "Town 2", "Agent 2", 12, 72, "/2"]
    swapped = [(row[0], row[2], row[1], row[4], row[3]) for row in ROWS]
    again = apply(pattern, table("Item Agent Town Age Qty", *swapped))
    assert again[1]["town"] == "Town 1"
    assert again[1]["agent"] == "Agent 1"
    assert (again[1]["qty"], again[1]["age"]) == (11, 71)


def test_a_column_with_another_header_is_missing() -> None:
    pattern = learn(table("Item Town Agent Qty Age", *ROWS))
    again = apply(pattern, table("Item County Agent Qty Age", *ROWS))
    assert column(again, "town") == [None] * 6
    assert column(again, "agent") == [f"Agent {i}" for i in range(6)]
    assert again.reason.startswith("0.83 of")


def test_an_empty_column_of_a_table_without_headers_moves_no_other() -> None:
    rows = [
        (f"<a href=/{i}>{name}</a>", f"Town {i}", f"Agent {i}") for i, name in enumerate(THINGS)
    ]
    pattern = learn(table("", *rows))
    names = [field.name for field in pattern.fields if field.type == "text"]
    again = apply(pattern, table("", *((row[0], "", row[2]) for row in rows)))
    assert column(again, names[1]) == [None] * 6
    assert column(again, names[2]) == [f"Agent {i}" for i in range(6)]


def card(i: int, *, badge: str = "", weight: str = "", stock: str = "") -> str:
    return (
        f"<li class=card><h3><a href=/{i}>{THINGS[i % 6]} number {i}</a></h3>{badge}"
        f"<p>made by hand in the town of {i}</p><p>{weight or f'weighs {i + 2} kg'}</p>"
        f"<b class=price>${i + 3}.25</b><i class=stock>{stock or f'{i + 1} left'}</i></li>"
    )


def cards(numbers: range, **parts: str) -> str:
    return f"<ul>{''.join(card(i, **parts) for i in numbers)}</ul>"


SALE = "<em>Sale</em>"
SHOP = f"<ul>{''.join(card(i, badge=SALE * (i % 2)) for i in range(8))}</ul>"


def test_two_paragraphs_are_two_fields() -> None:
    pattern = learn(SHOP)
    assert [field.name for field in pattern.fields] == [
        "title", "url", "sale", "description", "text_4", "price", "currency", "left"
    ]  # fmt: skip
    again = apply(pattern, cards(range(20, 26)))
    assert again[0]["description"] == "made by hand in the town of 20"
    assert again[0]["text_4"] == "weighs 22 kg"


def test_which_is_longer_changes_no_names() -> None:
    heavy = "weighs quite a lot, so that two strong people have to carry it up the stairs"
    again = apply(learn(SHOP), cards(range(6), weight=heavy))
    assert column(again, "text_4") == [heavy] * 6
    assert again[0]["description"] == "made by hand in the town of 0"


def test_a_column_that_says_what_another_says_is_there_all_the_same() -> None:
    rows = "".join(
        f"<li><h3><a href=/{i}>{name} of ours</a></h3><i>by Ann {i}</i><u>by {who} {i}</u></li>"
        for i, (name, who) in enumerate(zip(THINGS, ("Bob", "Cid") * 3, strict=True))
    )
    pattern = learn(f"<ul>{rows}</ul>")
    alike = rows.replace("Bob", "Ann").replace("Cid", "Ann")
    again = apply(pattern, f"<ul>{alike}</ul>")
    assert [field.name for field in pattern.fields[2:]] == ["text_2", "text_3"]
    assert column(again, "text_2") == column(again, "text_3") == [f"by Ann {i}" for i in range(6)]


def test_labels_distinguish_fields() -> None:
    def item(i: int, *labels: str) -> str:
        facts = "".join(f"<p>{label}: {label[0]}{i}x</p>" for label in labels)
        return f"<li><h3><a href=/{i}>{THINGS[i % 6]} of {i}</a></h3>{facts}</li>"

    pattern = learn("<ul>" + "".join(item(i, "Colour", "Maker", "Shop") for i in range(6)))
    for count in (6, 1):
        again = apply(pattern, "<ul>" + "".join(item(i, "Shop", "Colour") for i in range(count)))
        assert column(again, "colour") == [f"C{i}x" for i in range(count)]
        assert column(again, "maker") == [None] * count
        assert column(again, "shop") == [f"S{i}x" for i in range(count)]


# One record -----------------------------------------------------------------------------------


def test_a_last_page_has_one_record() -> None:
    again = apply(learn(SHOP), f"<h1>Page 9</h1><ul>{card(40, badge=SALE)}</ul>")
    assert list(again) == [
        {
            "title": "brass lamp number 40",
            "url": "/40",
            "sale": True,
            "description": "made by hand in the town of 40",
            "text_4": "weighs 42 kg",
            "price": 43.25,
            "currency": "USD",
            "left": 41,
        }
    ]
    assert again.xpath == "/html/body/main/ul"
    assert again.share > 0


def test_a_table_may_have_one_row() -> None:
    again = apply(learn(table("Item Town Agent Qty Age", *ROWS)),
                    table("Item Town Agent Qty Age", ROWS[4]))  # fmt: skip
    assert column(again, "agent") == ["Agent 4"]
    assert column(again, "qty") == [14]


def test_a_single_record_does_not_outdo_a_list() -> None:
    moved = cards(range(9)).replace("<ul>", "<ul class=moved>")
    again = apply(learn(SHOP), f"<ul>{card(50)}</ul><h2>All</h2>{moved}")
    assert len(again) >= 9


# Types ----------------------------------------------------------------------------------------


def test_a_flag_that_all_or_none_have_is_a_flag() -> None:
    pattern = learn(SHOP)
    assert column(apply(pattern, cards(range(6), badge=SALE)), "sale") == [True] * 6
    assert column(apply(pattern, cards(range(6))), "sale") == [False] * 6
    assert column(apply(pattern, cards(range(6), badge="<em>SALE</em>")), "sale") == [True] * 6


def test_a_badge_that_says_something_else_is_no_such_flag() -> None:
    items = (card(i, badge="<em>New</em>" * (i % 2)) for i in range(6))
    again = apply(learn(SHOP), f"<ul>{''.join(items)}</ul>")
    assert column(again, "sale") == [None, "New"] * 3


def test_values_of_another_type_are_kept() -> None:
    pattern = learn(SHOP)
    again = apply(pattern, cards(range(6), stock="In stock"))
    assert column(again, "left") == ["In stock"] * 6
    half = "".join(card(i, stock="In stock" if i % 2 else "") for i in range(6))
    assert column(apply(pattern, f"<ul>{half}</ul>"), "left")[:2] == ["1 left", "In stock"]


def test_texts_that_happen_to_be_numbers_are_texts_where_they_were() -> None:
    mixed = "".join(card(i, stock="In stock" if i % 2 else "") for i in range(8))
    pattern = learn(f"<ul>{mixed}</ul>")
    name = pattern.fields[-1].name
    assert column(apply(pattern, SHOP), name)[:2] == ["1 left", "2 left"]


# Files ----------------------------------------------------------------------------------------


OLD = {"record": "html/body/ul/li", "fields": [{"name": "a", "type": "text", "path": "li"}]}


def test_a_pattern_of_the_old_format_is_to_be_learned_anew(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"format": "tamis records 1", **OLD}))
    with pytest.raises(InputError, match="older version: learn it anew"):
        Pattern.load(path)


def test_a_site_with_a_pattern_of_the_old_format_is_read_without_it(tmp_path: Path) -> None:
    html = (FOLDER / "lists" / "grid.html").read_bytes()
    path = tmp_path / "site.json"
    Site.learn([html]).learn_records(html).save(path)
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "records": [OLD]}))
    site = Site.load(path)
    with pytest.raises(InputError, match="older version: learn one"):
        site.records(html)
    site.learn_records(html).save(path)
    assert len(Site.load(path).records(html)) == 7


@pytest.mark.parametrize(
    "change",
    [
        {"paths": []},
        {"paths": "html"},
        {"fields": []},
        {"fields": [{"name": "a"}]},
        {"fields": [{"name": "a", "type": "text", "paths": "p"}]},
        {"fields": [{"name": "a", "type": "text", "paths": ["p"], "place": "x"}]},
        {"fields": [{"name": "a", "type": "text", "paths": ["p"], "word": 3}]},
        {"fields": [{"name": 1, "type": "text", "paths": ["p"]}]},
        {"url": 3},
    ],
)
def test_a_damaged_pattern_is_an_error(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    learn(SHOP).save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match="no pattern"):
        Pattern.load(path)


def test_there_is_nothing_to_learn_from_no_records() -> None:
    with pytest.raises(InputError, match="no records to learn from"):
        Pattern.learn(tamis.extract("<p>one</p>").records)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "other"}', '{"format": "tamis records 2"}']
)
def test_other_files_are_no_patterns(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match="no pattern"):
        Pattern.load(tmp_path / "p.json")
    with pytest.raises(InputError, match="cannot read"):
        Pattern.load(tmp_path / "missing.json")
