"""Sites at scale: a template for each host and shape with enough pages, and no more in memory."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

import pyarrow as pa

from helpers.poison import METHOD, poison_page
from scale.columns import not_utf8
from tamis.scale import Options, add_site_keys, extract_sites, open_pool
from tamis.site import Site, parse_site

WORDS = "river stone lamp cloud paper engine garden window silver morning market letter".split()
RELATED = "Subscribe to our weekly letter and never miss what the valley talks about, it is free."


def article(number: int) -> bytes:
    chance = random.Random(number)
    paragraphs = "".join(
        f"<p>{' '.join(chance.choices(WORDS, k=40)).capitalize()}.</p>" for _ in range(12)
    )
    return (
        f"<html><body><div class=top><a href=/>Home</a><a href=/news>News</a></div><div id=main>"
        f"<h1>Story {number}</h1>{paragraphs}<div class=promo><p>{RELATED}</p></div></div>"
        "<div class=foot>All rights reserved</div></body></html>"
    ).encode()


def site_pages() -> pa.RecordBatch:
    """Return 14 articles of one shape, 3 of another, a page without URL and a poison page."""
    urls: list[str | None] = [f"https://news.example/2024/story-{n:02}.html" for n in range(14)]
    urls += [f"https://other.example/post/{n}" for n in range(3)]
    pages = [article(n) for n in range(17)]
    urls.append(None)
    pages.append(b"<p>A page without a URL.</p>")
    urls.append("https://news.example/2024/story-99.html")
    pages.append(poison_page("crash"))
    return pa.record_batch({"url": urls, "html": pages, "mark": range(len(urls))})


def sort_pages(pages: pa.RecordBatch, size: int) -> Iterator[pa.RecordBatch]:
    (keyed,) = add_site_keys([pages])
    order = [("site_host", "ascending"), ("site_shape", "ascending"), ("url", "ascending")]
    yield from pa.Table.from_batches([keyed]).sort_by(order).combine_chunks().to_batches(size)


def test_templates_are_learned_applied_and_listed() -> None:
    options = Options(method=METHOD)
    with open_pool(options, 1) as pool:
        tables = [
            pa.Table.from_batches(extract_sites(sort_pages(site_pages(), size), options, pool=pool))
            for size in (100, 3)
        ]
    rows = sorted(tables[0].to_pylist(), key=lambda row: row["mark"])
    again = sorted(tables[1].to_pylist(), key=lambda row: row["mark"])
    assert [row["mark"] for row in rows] == list(range(19))
    assert [row["text"] for row in rows] == [row["text"] for row in again]
    templates = [row for row in rows if row["template"]]
    assert [(row["site_host"], row["site_shape"]) for row in templates] == [
        ("news.example", "/0/*.html")
    ]
    site = parse_site(templates[0]["template"], "the table")
    assert isinstance(site, Site)
    assert site.pages == 10
    for number in range(14):
        expected = site.extract(article(number), rows[number]["url"]).text
        assert rows[number]["text"] == expected
        assert RELATED not in expected
    assert [row["error_kind"] for row in rows[14:18]] == [None] * 4
    assert rows[17]["site_host"] is None


def test_text_that_is_no_utf8_does_not_end_a_shape() -> None:
    html = not_utf8(*(article(n) + b"\xff" for n in range(6)))
    urls = [f"https://news.example/2024/story-{n}.html".encode() for n in range(6)]
    pages = pa.record_batch({"html": html, "url": not_utf8(*urls[:-1], urls[-1] + b"?\xe9")})
    options = Options(method=METHOD)
    with open_pool(options, 1) as pool:
        rows = pa.Table.from_batches(extract_sites(sort_pages(pages, 10), options, pool=pool))
    assert rows["error"].null_count == rows.num_rows == 6
    assert rows["template"].null_count == 5
