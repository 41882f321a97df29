"""Records of documents: names, patterns, frames, and pages that mean harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.html_strategies import pages, patient
from helpers.samples import FOLDER
from tamis.errors import InputError
from tamis.page import Page
from tamis.records import Pattern, Records

WORDS = "and a few words that say what this one is good for"


def records(items: str, url: str | None = None) -> Records:
    html = f"<body><main><ul>{items}</ul></main>"
    return tamis.extract(html, url, method="tagwindow").records


def names(found: Records) -> list[str]:
    return [field.name for field in found.fields]


def test_names_come_from_microdata() -> None:
    found = records(
        "".join(
            f"<li itemscope><b><i itemprop=name>Thing {i}</i></b><p><u itemprop=brand>B{i}</u></p>"
            f"<div itemprop=description>{WORDS} {i}</div><em itemprop=sku>x{i}y</em></li>"
            for i in range(5)
        )
    )
    assert names(found) == ["title", "brand", "description", "sku"]


def test_names_come_from_labels() -> None:
    found = records(
        "".join(
            f"<li><h3><a href=/{i}>Thing {i}</a></h3><p>Net weight: {i} kg</p>"
            f"<div><span>Colour:</span><span>red {i}</span></div></li>"
            for i in range(5)
        )
    )
    assert names(found)[:2] == ["title", "url"]
    assert "net_weight" in names(found)
    assert found[3]["colour"] == "red 3"


def test_names_differ_and_those_of_headers_stay() -> None:
    rows = "".join(
        f"<tr><td>thing {i}<td>{10 + i}<td>{30 + i}<td>{50 + i}<td>{70 + i}" for i in range(6)
    )
    heads = "<tr><th>Item<th>Price<th>Price<th>Price 2<th>Price"
    found = tamis.extract(f"<main><table>{heads}{rows}</table></main>").records
    assert found[0] == {"item": "thing 0", "price": 10, "price_3": 30, "price_2": 50, "price_4": 70}


def test_missing_values_stay_missing_and_never_shift() -> None:
    found = records(
        "".join(
            f"<li><h3><a href=/{i}>Thing {i}</a></h3>"
            + f"<span>{WORDS} {i}</span>" * (i % 3 != 0)
            + f"<span>${i}.50</span>" * (i % 4 != 0)
            + "</li>"
            for i in range(12)
        )
    )
    assert [row["price"] for row in found] == [i + 0.5 if i % 4 else None for i in range(12)]
    assert [row["description"] for row in found] == [
        f"{WORDS} {i}" if i % 3 else None for i in range(12)
    ]


def test_addresses_are_safe_and_absolute() -> None:
    urls = ["/a", "b?c=1&amp;d=2", "javascript:a()", "https://other.example/x", "//cdn.example/y"]
    items = (f"<a href='{url}'>Thing {n}</a><p>{WORDS} {n}</p>" for n, url in enumerate(urls))
    found = records("".join(f"<li>{item}</li>" for item in items), url="https://site.example/list/")
    assert [row["url"] for row in found] == [
        "https://site.example/a",
        "https://site.example/list/b?c=1&d=2",
        None,
        "https://other.example/x",
        "https://cdn.example/y",
    ]


def test_a_page_of_nothing_has_nothing() -> None:
    doc = tamis.extract("")
    assert list(doc.records) == []
    assert doc.regions == ()
    assert doc.next_page is None
    assert doc.records.xpath is None
    assert doc.records.record_xpaths == ()
    assert doc.records.as_dict()["rows"] == []


def test_pictures_that_weigh_nothing_are_no_records() -> None:
    doc = tamis.extract("<div><img src=i.png alt=i><img src=i.png alt=i></div>")
    assert list(doc.records) == []


@settings(patient, max_examples=40)
@given(pages())
def test_any_page_has_records_or_says_why_not(page: Page) -> None:
    check(page)


@needs_bench
@pytest.mark.parametrize("number", range(0, 40, 5))
def test_real_pages_have_records_or_say_why_not(number: int) -> None:
    check(bench_page(bench_files(40)[number]))


def check(page: Page) -> None:
    doc = tamis.extract(page)
    for found in (doc.records, *doc.regions):
        assert found.reason
        fields = names(found)
        assert len(set(fields)) == len(fields)
        assert len(found.rows) == len(found)
        assert all(list(row) == fields for row in found)
        json.dumps(found.as_dict())
    main = [found for found in doc.regions if found.is_main]
    assert len(main) == bool(doc.records)
    if main:
        assert list(doc.regions[0]) == list(doc.records)


def test_hostile_spans_and_classes_take_no_time() -> None:
    rows = "".join(
        f"<tr><td colspan=1000 rowspan=1000>a{i}</td><td>b</td></tr>" for i in range(300)
    )
    assert tamis.extract(f"<table>{rows}</table>").regions
    names = " ".join(f"c{i}x" for i in range(2_000))
    items = f"<li class='{names}'><a href=/>{WORDS}</a><p>{WORDS}</p></li>" * 50
    assert len(records(items)) == 50
    texts = "".join(f"<p class=c{chr(97 + i // 26)}{chr(97 + i % 26)}>{WORDS}" for i in range(600))
    assert len(records("".join(f"<li>{i}{texts}</li>" for i in range(6)))) == 6


# Patterns -------------------------------------------------------------------------------------


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
    found = learned.apply(tamis.parse(shop(2, 40)))
    assert names(found) == ["title", "url", "description", "price", "currency"]
    assert [row["title"] for row in found] == ["Thing 40", "Thing 41"]
    assert [row["price"] for row in found] == [40.2, 41.2]


def test_a_pattern_says_when_it_no_longer_fits() -> None:
    learned = Pattern.learn(tamis.extract(shop(12), method="tagwindow").records)
    for html in ("", "<p>gone</p>", (FOLDER / "forum.html").read_bytes()):
        found = learned.apply(tamis.parse(html))
        assert not found
        assert "no longer fits" in found.reason


def shelf(parts: str, name: str) -> str:
    """Return a list of nine cards with some of the parts that a card may have."""
    known = {
        "n": "<h3 class=name><a href=/{i}>Thing {i}</a></h3>",
        "t": "<p class=text>and a few words that say what it is good for {i}</p>",
        "p": "<b class=price>${i}.20</b>",
        "m": "<em class=maker>Maker {i}</em>",
        "s": "<i class=stock>{i} left today</i>",
    }
    card = "<div class=card>" + "".join(known[part] for part in parts) + "</div>"
    return f"<div class={name}>{''.join(card.format(i=i) for i in range(1, 10))}</div>"


def test_a_list_that_fits_is_found_beside_one_in_the_old_place_that_does_not() -> None:
    whole = f"<body><main>{shelf('ntpms', 'cards')}</main>"
    learned = Pattern.learn(tamis.extract(whole, method="tagwindow").records)
    assert len(learned.fields) == 7
    few, many = shelf("nt", "cards"), shelf("np", "moved")  # 3 of the fields, and 4 of them
    for lists in (many, few + many, many + few):
        found = learned.apply(tamis.parse(f"<body><main>{lists}</main>"))
        assert [row["price"] for row in found] == [i + 0.2 for i in range(1, 10)]
        assert found.reason.startswith("0.57 of")
    alone = learned.apply(tamis.parse(f"<body><main>{few}</main>"))
    assert not alone
    assert "0.43 of its fields are on this page at most" in alone.reason


def test_of_lists_that_fit_the_one_in_the_old_place_is_taken() -> None:
    whole = f"<body><main>{shelf('ntpms', 'cards')}</main>"
    learned = Pattern.learn(tamis.extract(whole, method="tagwindow").records)
    lists = shelf("nms", "cards") + shelf("np", "moved")
    found = learned.apply(tamis.parse(f"<body><main>{lists}</main>"))
    assert [row["text_4"] for row in found] == [f"Maker {i}" for i in range(1, 10)]


def test_there_is_nothing_to_learn_from_no_records() -> None:
    with pytest.raises(InputError, match="no records to learn from"):
        Pattern.learn(tamis.extract("<p>one</p>").records)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "other"}', '{"format": "tamis records 2"}']
)
def test_what_is_no_pattern_is_told_so(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match="no pattern"):
        Pattern.load(tmp_path / "p.json")
    with pytest.raises(InputError, match="cannot read"):
        Pattern.load(tmp_path / "missing.json")


# Frames ---------------------------------------------------------------------------------------


def test_pandas_and_arrow_have_the_rows_and_types() -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    found = tamis.extract((FOLDER / "lists" / "grid.html").read_bytes()).records
    frame = found.to_pandas()
    assert list(frame.columns) == names(found)
    assert len(frame) == 7
    table = found.to_arrow()
    assert table.to_pylist() == list(found)
    assert table.schema.field("price").type == pa.float64()
    assert table.schema.field("reviews").type == pa.int64()
    assert table.schema.field("sale").type == pa.bool_()
    from pyarrow.interchange import from_dataframe

    again = from_dataframe(found)
    assert again.column_names == names(found)
    empty = tamis.extract("<p>a").records
    assert empty.to_pandas().empty
    assert empty.to_arrow().num_rows == 0
    assert pd.isna(frame["price"][3])
    assert pa.table(found).equals(table)  # by __arrow_c_stream__


def numbers(*values: str) -> Records:
    rows = "".join(f"<tr><td>thing {i}<td>{value}" for i, value in enumerate(values))
    html = f"<main><table><tr><th>Item<th>Stars{rows}</table></main>"
    return tamis.extract(html, method="tagwindow").records


def test_great_numbers_are_exact_and_have_room_in_a_frame() -> None:
    pa = pytest.importorskip("pyarrow")
    great = [f"1,000,000,000,000,000,000,{i:03}" for i in range(5)]
    found = numbers(*great)
    assert [row["stars"] for row in found] == [10**21 + i for i in range(5)]
    column = found.to_arrow().column("stars")
    assert column.type == pa.float64()
    assert column.to_pylist() == [1e21] * 5
    some = numbers("9,007,199,254,740,993", "2.5", "-3", "4", "5").to_arrow().column("stars")
    assert some.to_pylist() == [9007199254740992.0, 2.5, -3.0, 4.0, 5.0]
    most = numbers("9,223,372,036,854,775,807", "-9,223,372,036,854,775,808", "1", "2", "3")
    assert most.to_arrow().column("stars").to_pylist()[:2] == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize("groups", [120, 2_000])
def test_digits_without_end_are_no_number(groups: int) -> None:
    endless = "123" + ",456" * groups
    assert numbers(*[endless] * 5).fields[1].type == "text"


# The next page --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<head><link rel=next href=/p2></head>", "https://x.example/p2"),
        ("<a rel='nofollow next' href=/p2>go on</a>", "https://x.example/p2"),
        ("<a href=/p2>Next</a>", "https://x.example/p2"),
        ("<a href=/p2>Next page ›</a>", "https://x.example/p2"),
        ("<a href=/p2>Weiter</a>", "https://x.example/p2"),
        ("<a href=/p2>下一页</a>", "https://x.example/p2"),
        ("<a href=/p2 aria-label='Next page'><svg></svg></a>", "https://x.example/p2"),
        ("<div class=pager><a href=/p2>»</a></div>", "https://x.example/p2"),
        ("<div><a href=/p2>»</a></div>", None),
        ("<div class=pagination><b>3</b> <a href=/p4>4</a></div>", "https://x.example/p4"),
        ("<div class=pagination><a href=/p2>2</a> <b>3</b></div>", None),
        ("<ul class=pages><li class=active><a href=#>1</a><li><a href=/p2>2</a></ul>", "https://x.example/p2"),
        ("<a href=/p2>Next to the river</a>", None),
        ("<a href='javascript:go()'>Next</a>", None),
        ("<a href='#more'>Next</a>", None),
        ("", None),
    ],
)  # fmt: skip
def test_next_page(html: str, wanted: str | None) -> None:
    assert tamis.extract(html, url="https://x.example/list").next_page == wanted
