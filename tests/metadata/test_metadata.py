"""Metadata: every source, their order, and the samples."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

import tamis
from tamis.metadata import Metadata, read_metadata

URL = "https://www.example.org/section/page.html"
TODAY = date(2026, 1, 1)
SAMPLES = Path(__file__).parents[2] / "samples"


def metadata(head: str = "", body: str = "", url: str | None = URL, html: str = "") -> Metadata:
    page = f"<html {html}><head>{head}</head><body>{body}</body></html>"
    return read_metadata(tamis.parse(page, url), today=TODAY)


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


def jsonld(*values: object) -> str:
    return "".join(
        f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values
    )


ARTICLE = {
    "@type": "NewsArticle",
    "headline": "A bridge of glass",
    "author": {"@type": "Person", "name": "Ann Bee"},
    "datePublished": "2020-02-03T10:00:00+01:00",
    "image": {"@type": "ImageObject", "url": "/glass.jpg"},
    "keywords": ["bridges", "glass"],
    "publisher": {"@type": "Organization", "name": "The Daily Pane"},
    "inLanguage": "en-gb",
    "description": "It holds.",
}


def test_a_page_that_states_nothing() -> None:
    assert metadata(url=None) == Metadata()
    assert read_metadata(tamis.parse("")) == Metadata()


# JSON-LD --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        ARTICLE,
        [{"@type": "Organization", "name": "The Daily Pane"}, ARTICLE],
        {"@context": "https://schema.org", "@graph": [{"@type": "WebPage"}, ARTICLE]},
        {"@type": "WebPage", "name": "Other", "mainEntity": ARTICLE},
        ARTICLE | {"@type": ["Thing", "BlogPosting"]},
        ARTICLE | {"author": ["Ann Bee"]},
        ARTICLE | {"author": [{"name": "Ann Bee"}, {"name": ""}]},
        {"@graph": [ARTICLE | {"author": {"@id": "#a"}}, {"@id": "#a", "name": "Ann Bee"}]},
    ],
    ids="plain list graph main types names nodes reference".split(),
)
def test_jsonld_in_all_its_shapes(value: object) -> None:
    fields = metadata(jsonld(value))
    assert (fields.title, fields.author, fields.date) == (
        "A bridge of glass",
        "Ann Bee",
        "2020-02-03",
    )


def test_jsonld_gives_all_fields() -> None:
    fields = metadata(jsonld(ARTICLE))
    assert fields == Metadata(
        title="A bridge of glass",
        author="Ann Bee",
        date="2020-02-03",
        description="It holds.",
        site_name="The Daily Pane",
        language="en-GB",
        image="https://www.example.org/glass.jpg",
        url=URL,
        tags=("bridges", "glass"),
    )


def test_several_authors() -> None:
    value = ARTICLE | {"author": [{"name": "Ann Bee"}, {"name": "Cid Dee"}, {"name": "Ann Bee"}]}
    assert metadata(jsonld(value)).author == "Ann Bee; Cid Dee"


def test_an_article_comes_before_the_page_it_is_on() -> None:
    page = {"@type": "WebPage", "name": "Page", "datePublished": "2001-01-01"}
    assert metadata(jsonld(page, ARTICLE)).date == "2020-02-03"


@pytest.mark.parametrize(
    "body",
    [
        '{"@type": "Article", "author": "Ann Bee", "datePublished": "2020-02-03",}',
        '//<![CDATA[\n{"@type":"Article","author":{"name":"Ann Bee"},"datePublished":"2020-02-03"}'
        "\n//]]>",
        '{"@type":"Article","author":{"@type":"Person","name":"Ann Bee"},"datePublished":'
        '"2020-02-03","description":"a "quoted" word"}',
        '{"@type":"Article","author":"Ann Bee","datePublished":"2020-02-03","x":"line\nbreak"};',
    ],
    ids="comma cdata quotes newline".split(),
)
def test_broken_jsonld_is_read_as_far_as_possible(body: str) -> None:
    fields = metadata(f'<script type="application/ld+json">{body}</script>')
    assert (fields.author, fields.date) == ("Ann Bee", "2020-02-03")


def test_entities_in_jsonld_are_decoded() -> None:
    assert metadata(jsonld(ARTICLE | {"headline": "Fish &amp; chips"})).title == "Fish & chips"


# Meta elements --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["og:title", "twitter:title", "dc.title", "citation_title"])
def test_titles_of_meta(name: str) -> None:
    assert metadata(meta(name, "A bridge of glass")).title == "A bridge of glass"


@pytest.mark.parametrize(
    "name",
    ["author", "dc.creator", "DC.Creator", "citation_author", "parsely-author", "sailthru.author"],
)
def test_authors_of_meta(name: str) -> None:
    assert metadata(meta(name, "Ann Bee")).author == "Ann Bee"


def test_several_meta_elements_of_authors() -> None:
    head = meta("citation_author", "Ann Bee") + meta("citation_author", "Cid Dee")
    assert metadata(head).author == "Ann Bee; Cid Dee"


def test_the_author_of_a_twitter_card() -> None:
    head = meta("twitter:label1", "Written by") + meta("twitter:data1", "Ann Bee")
    assert metadata(head).author == "Ann Bee"
    assert metadata(head.replace("Written by", "Reading time")).author is None


@pytest.mark.parametrize(
    "name", ["article:published_time", "date", "dc.date.issued", "parsely-pub-date", "pubdate"]
)
def test_dates_of_meta(name: str) -> None:
    assert metadata(meta(name, "2020-02-03T23:30:00-05:00")).date == "2020-02-03"


def test_property_and_itemprop_are_names_too() -> None:
    assert metadata('<meta property="article:published_time" content="2020-02-03">').date
    assert metadata('<meta itemprop="datePublished" content="2020-02-03">').date == "2020-02-03"


def test_other_fields_of_meta() -> None:
    fields = metadata(
        meta("description", "It &amp;amp; holds.")
        + meta("og:site_name", "The  Daily\nPane")
        + meta("og:image", "//img.example.org/a.jpg")
        + meta("og:locale", "pt_BR")
        + meta("keywords", "glass, bridges; Glass"),
    )
    assert fields.description == "It & holds."
    assert fields.site_name == "The Daily Pane"
    assert fields.image == "https://img.example.org/a.jpg"
    assert fields.language == "pt-BR"
    assert fields.tags == ("glass", "bridges")


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("lang=en_us", "en-US"),
        ("lang=zh-hans-cn", "zh-Hans-CN"),
        ('lang="English please"', None),
        ('lang=""', None),
    ],
)
def test_the_language_of_the_root(html: str, language: str | None) -> None:
    assert metadata(html=html).language == language


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("https://example.org/a", "https://example.org/a"),
        ("/b?c=d", "https://www.example.org/b?c=d"),
        ("javascript:alert(1)", URL),
        ("http://[broken", "http://[broken"),
    ],
)
def test_the_canonical_url_is_absolute(link: str, url: str) -> None:
    assert metadata(f'<link rel="canonical" href="{link}">').url == url


# Titles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>A bridge | The Pane</title>", "<h1>A bridge</h1>", "A bridge"),
        (
            "<title>A long bridge</title>",
            "<h1>The Pane</h1><h1>A long bridge!</h1>",
            "A long bridge!",
        ),
        ("<title>All about bridges</title>", "<h1>Sign in now</h1>", "All about bridges"),
        ("", "<h1>Only <b>a</b> heading <a href=#x>#</a></h1>", "Only a heading"),
        ("<title>Bridges - Example</title>", "", "Bridges"),
        ("<title>Example: Bridges</title>", "", "Bridges"),
        ("<title>Long bridges | Section | More</title>", "", "Long bridges"),
        ("<title>Example</title>", "<h1>The long bridge</h1>", "The long bridge"),
        ("<title>Example</title>", "", "Example"),
        ("<title>Q &amp; A</title><svg><title>no</title></svg>", "", "Q & A"),
        (meta("og:site_name", "Pane") + "<title>Bridges – Pane</title>", "", "Bridges"),
    ],
)
def test_titles_lose_the_name_of_the_site(head: str, body: str, title: str) -> None:
    assert metadata(head, body).title == title


def test_the_last_part_of_the_title_names_the_site() -> None:
    assert (
        metadata("<title>A bridge | The Pane</title>", "<h1>A bridge</h1>").site_name == "The Pane"
    )


# Documents ------------------------------------------------------------------------------------


def test_a_document_has_its_metadata() -> None:
    document = tamis.extract("<title>A bridge</title><p>Text of a page.</p>")
    assert document.metadata is document.metadata
    assert document.metadata.title == "A bridge"
    assert document.json["metadata"]["title"] == "A bridge"
    json.dumps(document.json)


@pytest.mark.parametrize(
    ("name", "title", "author", "day", "site"),
    [
        (
            "article",
            "Old canal locks become a flood alarm for the Vennel valley",
            "Tamsin Aldoury",
            "2023-02-14",
            "Meridale Courier",
        ),
        ("chinese", "老渡口开出“书船” 一船读物走遍三十六村", None, "2021-06-18", "芦津新闻网"),
        ("docs", "Writing a recipe", None, None, "hobnail 2.4 documentation"),
        (
            "forum",
            "Soil probe reads 100% every morning at six",
            "mossy_kettle",
            "2019-03-11",
            "Glasshouse Tinkerers",
        ),
        ("product", "Quernling No. 3 hand coffee grinder", None, None, "Kettle Row"),
        ("shop", "Backpacks", None, None, "Tern & Tarn Outfitters"),
        (
            "table2004",
            "Bellows & Reeds Online - How I Re-leathered a Harmonium in a Caravan",
            "Wilf Ostrander",
            None,
            None,
        ),
    ],
)
def test_samples(
    name: str, title: str, author: str | None, day: str | None, site: str | None
) -> None:
    page = tamis.parse((SAMPLES / f"{name}.html").read_bytes())
    fields = read_metadata(page, today=TODAY)
    assert (fields.title, fields.author, fields.date) == (title, author, day)
    assert fields.site_name == site


def test_questions_beside_an_article_do_not_hide_it() -> None:
    question = {"@type": "Question", "name": "Why?", "author": {"@type": "Person", "name": "Q"}}
    many = {"@type": "FAQPage", "mainEntity": [question] * 4}
    for faq in (many, {"@type": "FAQPage", "mainEntity": [question]}):
        fields = metadata(jsonld(faq, {"@graph": [{"@type": "WebPage"}, ARTICLE]}))
        assert (fields.author, fields.date) == ("Ann Bee", "2020-02-03")
        assert fields.description == "It holds."
        assert fields.image == "https://www.example.org/glass.jpg"


def test_a_page_with_a_single_question_is_about_it() -> None:
    person = {"@type": "Person", "name": "Ann Bee"}
    question = {"@type": "Question", "author": person, "dateCreated": "2020-02-03"}
    fields = metadata(jsonld({"@type": "QAPage", "mainEntity": question}))
    assert (fields.author, fields.date) == ("Ann Bee", "2020-02-03")


BROKEN = (
    '{"@type":"NewsArticle","headline":"The "big" river","datePublished":"2020-02-03",'
    '"author":{"@type":"Person","url":"https://e.org/ann","name":"Ann Bee"}}'
)


@pytest.mark.parametrize(
    "body",
    [
        BROKEN,
        BROKEN.replace('"url":"https://e.org/ann",', ""),
        BROKEN.replace(
            '{"@type":"Person","url":"https://e.org/ann","name":"Ann Bee"}', '"Ann Bee"'
        ),
    ],
)
def test_jsonld_broken_by_quotes(body: str) -> None:
    head = f'<script type="application/ld+json">{body}</script>'
    fields = metadata(head, "<h1>The river</h1>")
    assert (fields.author, fields.date, fields.title) == ("Ann Bee", "2020-02-03", "The river")


@pytest.mark.parametrize(
    "wrapped",
    [
        "//<![CDATA[\n{}\n//]]>",
        "/* <![CDATA[ */{}/* ]]> */",
        "<!-- {} -->",
        '{{"@type": "WebSite"}}{}',
        '{{"@type": "WebSite"}},\n{};',
    ],
)
def test_jsonld_that_is_wrapped_or_follows_other_values(wrapped: str) -> None:
    body = wrapped.format(json.dumps(ARTICLE))
    fields = metadata(f'<script type="application/ld+json">{body}</script>')
    assert (fields.author, fields.date) == ("Ann Bee", "2020-02-03")
    assert fields.image == "https://www.example.org/glass.jpg"


def test_urls_are_relative_to_the_base_that_the_page_declares() -> None:
    head = '<base href="https://cdn.example.com/a/">' + meta("og:image", "b.png")
    fields = metadata(head + '<link rel="canonical" href="c.html">')
    assert fields.image == "https://cdn.example.com/a/b.png"
    assert fields.url == "https://cdn.example.com/a/c.html"
