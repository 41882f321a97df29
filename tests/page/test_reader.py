"""The reader gives what the reference parser gives, or says that a page is hard."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given

from helpers.bench import bench_files, needs_bench
from helpers.samples import SAMPLES, sample_bytes
from page.soup import patient, repeated_soups, soups
from tamis.lab.studies import Difference, compare_with_reference, minimise, mutate_pages
from tamis.page import (
    Markup,
    parse,
    read_by_reference,
    read_markup,
    read_serialised,
    replace_invalid,
    to_utf8,
)

UNLIMITED = 2**31


def check_equal(html: bytes) -> str:
    """Compare reader and reference on a page; return why it is hard, if it is."""
    outcome = compare_with_reference(html)
    if isinstance(outcome, Difference):
        smallest = minimise(html, lambda part: isinstance(compare_with_reference(part), Difference))
        pytest.fail(f"{smallest!r}: {compare_with_reference(smallest)}")
    return outcome


def read(html: str) -> Markup:
    """Read a page that is not hard."""
    markup = read_markup(html.encode(), UNLIMITED, UNLIMITED)
    assert isinstance(markup, Markup), markup
    return markup


@given(soups())
@patient
def test_soup(html: str) -> None:
    check_equal(html.encode())


@given(repeated_soups())
@patient
def test_repeated_soup(html: str) -> None:
    check_equal(html.encode())


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str) -> None:
    check_equal(to_utf8(sample_bytes(name))[0])


@needs_bench
@pytest.mark.parametrize("number", range(100))
def test_bench_pages(number: int) -> None:
    check_equal(to_utf8(gzip.decompress(bench_files()[number].read_bytes()))[0])


def test_mutated_samples() -> None:
    pages = [to_utf8(sample_bytes(name))[0] for name in SAMPLES]
    outcomes = [check_equal(html) for html in mutate_pages(pages, 1000)]
    assert outcomes.count("") > 600  # most of them are not hard, so that something is compared


@needs_bench
@pytest.mark.slow
def test_every_bench_page_and_none_is_truncated() -> None:
    import os

    for path in sorted(Path(os.environ["TAMIS_BENCH"]).rglob("*.html.gz")):
        html = gzip.decompress(path.read_bytes())
        check_equal(to_utf8(html)[0])
        assert not parse(html, deadline=None).truncated, path


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<b>x<div>y</b>z", "adoption agency"),
        ("<p><b>x<div>y</b>z", ""),
        ("<a>x<table><tr><td><a>y", ""),
        ("<b>x<i>y</b>z</i>", ""),
        ("<p><b>x</p><p>y</b>z", ""),
        ("<form><div></form>x", "element removed from the stack"),
        ("<a><object><a>", ""),
        ("<table>x", "foster parenting"),
        ("<table><div>x", "foster parenting"),
        ("<table><tr><input type=HIDDEN><td>x", ""),
        ("<table> <tr> <td>x</table>y", ""),
        ("<head></head><script>x</script><link>", ""),
        ("<head></head><template>", "head element after the head"),
        ("<p>x<body class=a>y<html lang=en>z", ""),
        ("<p>x<body hidden>", "attributes of a second html or body"),
        ("<frameset><frame>", "frameset"),
        ("<p><image src=x>", "rare tag"),
        ("<template><td>x", "table part in a template"),
        ("<template><div>x<template>y</template></div></template>z", ""),
        ("<svg><style>a<b></style></svg>", "raw text in foreign content"),
        ("<svg><style>a>b</style><title>x<p>y</title><path/></svg>", ""),
        ("<svg><![CDATA[x]]></svg>", "raw text in foreign content"),
        ("<!doctype x><p>", "document type"),
        ("<!doctype html public 'y'><p><table>", "table in a paragraph in quirks mode"),
        ("&NotEqualTilde;", "character reference"),
        ("a\0b", "NUL"),
        ("x<!-- y", "unfinished markup"),
        ("x<a href='", ""),
        ("<script></script ", ""),
        ("<script><!--<script x", ""),
        ("<p><b></p><textarea>x", "lost formatting in a text area"),
        ("<p>x</body><!--a--> y</html><!--b-->\n", ""),
        ("x</body>" + "<!---->" * 65, "comments after the body"),
    ],
)
def test_what_is_hard(html: str, reason: str) -> None:
    assert check_equal(html.encode()) == reason


def test_source_is_normalised() -> None:
    html = "<P CLASS=a title='\"<&gt;\u00a0' Class=b hidden>x&copy;y&#128;<BR/>1\r\n2 & 3\u00a0<3"
    assert read(html).source.decode() == (
        "<html><head></head><body>"
        '<p class="a" title="&quot;&lt;&gt;&nbsp;" hidden="">x©y€<br>1\n2 &amp; 3&nbsp;&lt;3</p>'
        "</body></html>"
    )


def test_drawings_lose_their_outlines() -> None:
    html = "<svg><path fill=red d='M0 0 L 10 10 L 20 20' id=a /><PATH D=M0></svg>"
    assert b'<path fill="red" id="a"></path><path d="M0">' in read(html).source
    assert check_equal(html.encode()) == ""


def test_scripts_and_style_sheets_lose_their_text() -> None:
    html = "<style>p{}</style><script>a<b</script><script type='application/LD+json'>{}</script>x"
    markup = read(html)
    assert b"<style></style><script></script>" in markup.source
    assert b'"application/LD+json">{}</script>' in markup.source
    assert markup.styles == (b"p{}",)


@pytest.mark.parametrize(
    "script",
    [
        "<!--<script></script>-->",
        "<!--<script></script><script></script>-->",
        "<!--<script></SCRIPT ></scripts>-->",
        "<!--><b></scrip>",
        "<!---><b>",
        "</scriptx></ script>",
        "<!--</scrip",
    ],
)
def test_scripts_end_where_the_standard_says(script: str) -> None:
    html = f"<p>a<script>{script}</script>b"
    assert read(html).source.endswith(b"<p>a<script></script>b</p></body></html>")
    assert check_equal(html.encode()) == ""


def test_an_iframe_that_swallows_the_page_is_left_out() -> None:
    html = "<noscript><iframe src=x></noscript><div>y"
    assert parse(html).text == "y"
    assert parse(html + "<i>x<div>z</i>w").text == "yx\nzw"  # and on a hard page
    assert parse("<noscript><iframe src=x></iframe></noscript><p>y").text == "y"


def test_what_is_not_utf8_is_replaced() -> None:
    assert replace_invalid(b"a\xffb\xc3") == "a\ufffdb\ufffd".encode()
    for valid in ("aé中😀" * 9, "\u07ff\u0800\uffff\U00010000\U0010ffff"):
        assert replace_invalid(valid.encode()) == valid.encode()
    for invalid in (
        b"\xc0\x80",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xf0\x9f",
    ):
        assert replace_invalid(invalid) == invalid.decode("utf-8", "replace").encode()


def test_a_source_that_is_read_again_stays_as_it_is() -> None:
    source = read_by_reference(b"<a><table><a>x<svg><style>a&lt;b").source
    assert read_serialised(source)[0] is source
    assert read_serialised(source, pruning=True)[0] == source
