"""Records of documents: names, missing values, data frames, and hostile pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.html_strategies import pages, patient
from helpers.samples import FOLDER
from tamis.page import Page
from tamis.records import Records

WORDS = "and a few words that say what this one is good for"


def extract_list(items: str, url: str | None = None) -> Records:
    html = f"<body><main><ul>{items}</ul></main>"
    return tamis.extract(html, url, method="tagwindow").records


def names(records: Records) -> list[str]:
    return [field.name for field in records.fields]


def test_names_come_from_microdata() -> None:
    records = extract_list(
        "".join(
            f"<li itemscope><b><i itemprop=name>Thing {i}</i></b><p><u itemprop=brand>B{i}</u></p>"
            f"<div itemprop=description>{WORDS} {i}</div><em itemprop=sku>x{i}y</em></li>"
            for i in range(5)
        )
    )
    assert names(records) == ["title", "brand", "description", "sku"]


def test_names_come_from_labels() -> None:
    records = extract_list(
        "".join(
            f"<li><h3><a href=/{i}>Thing {i}</a></h3><p>Net weight: {i} kg</p>"
            f"<div><span>Colour:</span><span>red {i}</span></div></li>"
            for i in range(5)
        )
    )
    assert names(records)[:2] == ["title", "url"]
    assert "net_weight" in names(records)
    assert records[3]["colour"] == "red 3"


def test_names_differ_and_those_of_headers_stay() -> None:
    rows = "".join(
        f"<tr><td>thing {i}<td>{10 + i}<td>{30 + i}<td>{50 + i}<td>{70 + i}" for i in range(6)
    )
    heads = "<tr><th>Item<th>Price<th>Price<th>Price 2<th>Price"
    records = tamis.extract(f"<main><table>{heads}{rows}</table></main>").records
    assert records[0] == {
        "item": "thing 0",
        "price": 10,
        "price_3": 30,
        "price_2": 50,
        "price_4": 70,
    }


def test_missing_values_stay_missing_and_never_shift() -> None:
    records = extract_list(
        "".join(
            f"<li><h3><a href=/{i}>Thing {i}</a></h3>"
            + f"<span>{WORDS} {i}</span>" * (i % 3 != 0)
            + f"<span>${i}.50</span>" * (i % 4 != 0)
            + "</li>"
            for i in range(12)
        )
    )
    assert [row["price"] for row in records] == [i + 0.5 if i % 4 else None for i in range(12)]
    assert [row["description"] for row in records] == [
        f"{WORDS} {i}" if i % 3 else None for i in range(12)
    ]


def test_urls_are_safe_and_absolute() -> None:
    urls = ["/a", "b?c=1&amp;d=2", "javascript:a()", "https://other.example/x", "//cdn.example/y"]
    items = (f"<a href='{url}'>Thing {n}</a><p>{WORDS} {n}</p>" for n, url in enumerate(urls))
    records = extract_list(
        "".join(f"<li>{item}</li>" for item in items), url="https://site.example/list/"
    )
    assert [row["url"] for row in records] == [
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


def test_images_without_weight_are_no_records() -> None:
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
    for records in (doc.records, *doc.regions):
        assert records.reason
        fields = names(records)
        assert len(set(fields)) == len(fields)
        assert len(records.rows) == len(records)
        assert all(list(row) == fields for row in records)
        json.dumps(records.as_dict())
    main = [records for records in doc.regions if records.is_main]
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
    assert len(extract_list(items)) == 50
    texts = "".join(f"<p class=c{chr(97 + i // 26)}{chr(97 + i % 26)}>{WORDS}" for i in range(600))
    assert len(extract_list("".join(f"<li>{i}{texts}</li>" for i in range(6)))) == 6


# Frames ---------------------------------------------------------------------------------------


def test_pandas_and_arrow_have_the_rows_and_types() -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    records = tamis.extract((FOLDER / "lists" / "grid.html").read_bytes()).records
    frame = records.to_pandas()
    assert list(frame.columns) == names(records)
    assert len(frame) == 7
    table = records.to_arrow()
    assert table.to_pylist() == list(records)
    assert table.schema.field("price").type == pa.float64()
    assert table.schema.field("reviews").type == pa.int64()
    assert table.schema.field("sale").type == pa.bool_()
    from pyarrow.interchange import from_dataframe

    again = from_dataframe(records)
    assert again.column_names == names(records)
    empty = tamis.extract("<p>a").records
    assert empty.to_pandas().empty
    assert empty.to_arrow().num_rows == 0
    assert pd.isna(frame["price"][3])
    assert pa.table(records).equals(table)  # by __arrow_c_stream__


def numbers(*values: str) -> Records:
    rows = "".join(f"<tr><td>thing {i}<td>{value}" for i, value in enumerate(values))
    html = f"<main><table><tr><th>Item<th>Stars{rows}</table></main>"
    return tamis.extract(html, method="tagwindow").records


def test_large_numbers_are_exact_and_fit_into_a_frame() -> None:
    pa = pytest.importorskip("pyarrow")
    large = [f"1,000,000,000,000,000,000,{i:03}" for i in range(5)]
    records = numbers(*large)
    assert [row["stars"] for row in records] == [10**21 + i for i in range(5)]
    column = records.to_arrow().column("stars")
    assert column.type == pa.float64()
    assert column.to_pylist() == [1e21] * 5
    mixed = numbers("9,007,199,254,740,993", "2.5", "-3", "4", "5").to_arrow().column("stars")
    assert mixed.to_pylist() == [9007199254740992.0, 2.5, -3.0, 4.0, 5.0]
    extremes = numbers("9,223,372,036,854,775,807", "-9,223,372,036,854,775,808", "1", "2", "3")
    assert extremes.to_arrow().column("stars").to_pylist()[:2] == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize("groups", [120, 2_000])
def test_digits_without_end_are_no_number(groups: int) -> None:
    endless = "123" + ",456" * groups
    assert numbers(*[endless] * 5).fields[1].type == "text"
