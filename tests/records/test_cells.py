"""Which texts are cells, which columns are joined, and prices in parts."""

from __future__ import annotations

import pytest

import tamis
from tamis.records import Records


def extract_list(item: str, count: int = 6) -> Records:
    """Return the records of a list whose items have a number in place of #."""
    items = "".join(item.replace("#", str(n + 1)) for n in range(count))
    page = tamis.extract(f"<body><main><ul>{items}</ul></main></body>", method="tagwindow")
    return page.records


def texts(item: str) -> list[str]:
    records = extract_list(item)
    assert len(records) == 6
    return [field.texts[1] for field in records.all_fields if any(field.texts)]


TITLE = "<h3><a href=/#>Title number #</a></h3>"


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<p>by <a href=/u#>Author #</a>, editor</p>", ["by Author 2, editor"]),
        ("<p><a href=/u#>Author #</a> editor</p>", ["Author 2", "editor"]),
        ("<p>see <a href=/a#>One #</a> <a href=/b#>Two #</a></p>", ["see", "One 2", "Two 2"]),
        ("<p>some <b>bold</b> words #</p>", ["some bold words 2"]),
        ("<p>words #<br><span class=u>example.org/#</span></p>", ["words 2", "example.org/2"]),
        ("<p><span class=date>5 May 200#</span> long words #</p>", ["5 May 2002", "long words 2"]),
        ("<p><time>5 May 200#</time> long words #</p>", ["5 May 2002", "long words 2"]),
        ("<p>posted <time>5 May 200#</time></p>", ["posted 5 May 2002"]),
        ("<p>updated <relative-time>5 May 200#</relative-time></p>", ["updated 5 May 2002"]),
        ("<p>words #</p><span class=sr-only>Favourite</span>", ["words 2"]),
        ("<p>words #</p><div class='u gs-visibleUrl-short'>a.example</div>", ["words 2"]),
        (
            "<p>words # that go on <a href=/s><svg></svg>1#</a> for a while</p>",
            ["words 2 that go on", "12", "for a while"],
        ),
        (
            "<p>words # go on <a href=/s>1# <svg></svg></a> a while</p>",
            ["words 2 go on 12 a while"],
        ),
        ("<p>words #</p><button><ul><li>Play now</li></ul></button>", ["words 2"]),
        ("<p>words #</p><button><b>Play #</b></button>", ["words 2", "Play 2"]),
        ("<p>words #</p><div><b>Play now</b></div>", ["words 2", "Play now"]),
    ],
)
def test_cells_are_what_a_reader_takes_as_one(html: str, wanted: list[str]) -> None:
    assert texts(f"<li>{TITLE}{html}</li>")[1:] == wanted


def test_columns_in_other_surroundings_are_one() -> None:
    text = "<div class=b><h3 class=t>Name #</h3><p class=d>text number #</p></div><img src=/#>"
    start = "<li class=i><p class=k>kind of #</p>"
    plain, deep = f"{start}{text}</li>", f"{start}<section>{text}</section></li>"
    items = "".join((deep if n % 4 == 3 else plain).replace("#", str(n)) for n in range(8))
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert [row["title"] for row in records] == [f"Name {n}" for n in range(8)]
    assert [field.name for field in records.fields if any(field.texts)] == [
        "text_1",
        "title",
        "description",
    ]


def test_columns_of_one_class_are_one_whatever_other_names_they_have() -> None:
    one = f"<li>{TITLE}<p class='t wide'>Words of #</p><p><b class=n>1 part</b></p></li>"
    other = f"<li>{TITLE}<div><p class='x t'>Words of #</p></div><div><b class=n>3 parts</b></div>"
    items = "".join((other if n % 3 == 2 else one).replace("#", str(n)) for n in range(9))
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    full = [field.texts for field in records.fields if all(field.texts)]
    assert tuple(f"Words of {n}" for n in range(9)) in full
    assert ("1 part", "1 part", "3 parts") * 3 in full


NARROW = "Red kites over #, seen…"
WIDE = "Red kites over #, seen from the mill"
PROSE = f"{WIDE}, and by whoever was about on that day, as it seems, and by some who were not"


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (f"<p>{NARROW}</p><div>{WIDE}</div>", [WIDE]),
        (f"<p>{WIDE}</p><div>{NARROW}</div>", [WIDE]),
        (f"<p>{NARROW}</p><div>{PROSE}</div>", [PROSE]),
        (f"<p>{WIDE}</p><div>{PROSE}</div>", [WIDE, PROSE]),  # a title and a text that begins so
        ("<p>Red #</p><div>Red # kites over there</div>", ["Red #", "Red # kites over there"]),
        (f"<p>{WIDE}</p><div>Blue kites over #, seen</div>", [WIDE, "Blue kites over #, seen"]),
    ],
)
def test_a_text_that_is_repeated_in_short_is_no_column(html: str, wanted: list[str]) -> None:
    texts_of_second = texts(f"<li>{TITLE}{html}</li>")[1:]
    assert texts_of_second == [text.replace("#", "2") for text in wanted]


def test_tables_inside_table_cells_are_read() -> None:
    inner = "<table><tr><td>Name:</td><td>Person #</td></tr></table>"
    row = f"<tr><td><a href=/#>Title #</a></td><td>{inner}</td></tr>"
    rows = "".join(row.replace("#", str(n)) for n in range(6))
    records = tamis.extract(f"<body><table>{rows}</table>", method="tagwindow").records
    assert len(records) == 6
    assert {"Title 3", "Person 3"} <= set(map(str, records[3].values()))


@pytest.mark.parametrize(
    "price",
    [
        "<span class=p><sup>$</sup>19<sup>#0</sup></span>",
        "<div class=p><span>$</span> <span>19</span><span>#0</span></div>",
        "<div class=p><span>$</span><span>19.#0</span></div>",
        "<div class=p>$19.#0</div>",
    ],
)
def test_prices_in_parts_are_joined(price: str) -> None:
    records = extract_list(f"<li>{TITLE}<p>words and words #</p>{price}</li>")
    assert [row["price"] for row in records] == [19 + n / 10 for n in range(1, 7)]
    assert {row["currency"] for row in records} == {"USD"}


def test_what_is_declared_beside_the_content_is_not_the_main_list() -> None:
    item = "<li><h3><a href=/#>Title number #</a></h3><p>many words and more words #</p></li>"
    aside = "".join(item.replace("#", f"{n} elsewhere") for n in range(20))
    main = "".join(item.replace("#", str(n)) for n in range(5))
    html = f"<body><aside><ul>{aside}</ul></aside><main><ul>{main}</ul></main>"
    doc = tamis.extract(html, method="tagwindow")
    assert [row["title"] for row in doc.records] == [f"Title number {n}" for n in range(5)]
    assert "in <aside>" in {region.reason for region in doc.regions}


@pytest.mark.parametrize("sign", [",", "(", "|", "—", "- ", "•"])
def test_signs_between_others_are_no_column(sign: str) -> None:
    item = f"<li>{TITLE}<p><a href=/a#>First #</a></p><div>{sign}</div><p>Second text #</p></li>"
    assert texts(item) == ["Title number 2", "First 2", "Second text 2"]


def test_a_sign_that_says_something_is_a_column() -> None:
    assert texts(f"<li>{TITLE}<div>$$</div><p>Second text #</p></li>")[1] == "$$"
