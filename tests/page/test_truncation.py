"""What is left out of hostile pages, and that all their text stays."""

from __future__ import annotations

from tamis.page import parse


def test_depth_is_limited_and_no_text_is_lost() -> None:
    html = "".join(f"<div>{number} " for number in range(2000)) + "</div>" * 2000 + "<p>after"
    page = parse(html)
    assert page.text.split() == [*map(str, range(2000)), "after"]
    assert page.depth.max() < 520
    assert page.name(int(page.parent[page.parent[-1]])) == "body"
    assert page.truncated == ("1,488 elements nested deeper than 512 levels were flattened",)


def test_what_is_left_out_makes_no_tag_of_what_stands_around_it() -> None:
    page = parse("<div>" * 512 + "<<div>b>x</div>")
    assert page.text == "<b>x"
    assert page.truncated


def test_what_was_left_out_is_forgotten_further_up() -> None:
    html = "<div>" * 514 + "</div>" * 300 + "<p>a</p></div><div>b</div>"
    page = parse(html)
    assert page.html(int(page.parent[-1])) == "<div>b</div>"
    assert page.truncated == ("2 elements nested deeper than 512 levels were flattened",)


def test_attributes_are_limited() -> None:
    html = "<p " + " ".join(f"a{number}=1" for number in range(100_000)) + ">text"
    page = parse(html)
    assert page.text == "text"
    assert page.source.count(b"=") == 256
    assert page.truncated == ("1 tags had more than 256 attributes, the rest was dropped",)


def test_attributes_of_html_and_body_are_limited_together() -> None:
    html = "".join(f"<body a{number}><html b{number}>" for number in range(1000)) + "text"
    page = parse(html)
    assert page.text == "text"
    assert page.source.count(b"=") <= 256
    assert page.truncated


def test_formatting_is_limited() -> None:
    html = "".join(f"<p><b id={number}>{number}" for number in range(1000))
    page = parse(html)
    assert page.text.split() == [str(number) for number in range(1000)]
    assert page.truncated == ("936 formatting tags that were never closed were dropped",)


def test_any_number_of_names_is_read() -> None:
    html = "".join(f"<x{number}>{number} </x{number}>" for number in range(5000))
    page = parse(html)
    assert page.text.split() == [str(number) for number in range(5000)]
    assert page.name(len(page) - 2) == "x4999"
    assert not page.truncated


def test_text_that_would_be_moved_again_and_again_stays_where_it_is() -> None:
    html = "<table>" + "".join(f"{number} <!---->" for number in range(20_000)) + "<tr><td>end"
    page = parse(html)
    assert page.text.split() == [*map(str, range(20_000)), "end"]
    assert page.truncated == ("20,000 misplaced tags and texts were left where they stand",)


def test_a_few_misplaced_texts_are_moved() -> None:
    page = parse("<table>a<tr>b<td>c")
    assert page.text == "ab\n\nc"
    assert not page.truncated
