"""Authors of pages: bylines, microdata, and texts that are no authors."""

from __future__ import annotations

import json

import pytest

import tamis
from tamis.metadata import read_metadata

URL = "https://www.example.org/section/page.html"


def author(head: str = "", body: str = "", html: str = "") -> str | None:
    page = f"<html {html}><head>{head}</head><body>{body}</body></html>"
    return read_metadata(tamis.parse(page, URL)).author


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


@pytest.mark.parametrize(
    ("byline", "name"),
    [
        ("<p>By Ann Bee</p>", "Ann Bee"),
        ("<p>By Ann Bee and Cid Dee</p>", "Ann Bee; Cid Dee"),
        ("<p>Written by</p><p>Ann Bee</p>", "Ann Bee"),
        ("<p>March 5, 2012 by Ann Bee</p>", "Ann Bee"),
        ("<p class=byline>By Dr. Ann Bee, science reporter</p>", "Dr. Ann Bee"),
        ("<p class=post-author>Ann Bee | March 5, 2012</p>", "Ann Bee"),
        ("<p class=byline>By <a href=/a>Ann Bee</a> Senior Reporter</p>", "Ann Bee"),
        ("<a rel=author href=/a>Ann Bee</a>", "Ann Bee"),
        ("<a href=/authors/ann>Ann Bee</a>", "Ann Bee"),
        ("<p>Von Jörg Müller, 5. März 2021</p>", "Jörg Müller"),
        ("<p>Par Élodie Durand | 1er février 2019</p>", "Élodie Durand"),
        ("<p>Por Juan Pérez</p>", "Juan Pérez"),
        ("<p>Автор: Иван Петров</p>", "Иван Петров"),
        ("<p>作者：李明 来源：日报</p>", "李明"),
        ("<p>2012年3月5日 作者：李明</p>", "李明"),
        ("<p>Sort by Price</p>", None),
        ("<p>Powered by Engines</p>", None),
        ("<p>by the river it rained</p>", None),
        ("<p class=author>admin</p>", None),
        ("<p class=author>ann@example.org</p>", None),
    ],
)
def test_bylines(byline: str, name: str | None) -> None:
    assert author(body=f"<h1>A bridge of glass</h1>{byline}<p>Long text.</p>") == name


def test_an_author_of_microdata() -> None:
    scope = "<div itemscope itemtype='https://schema.org/Article'>{}</div>"
    person = (
        "<p itemprop=author itemscope itemtype='https://schema.org/Person'>The writer "
        "<b itemprop=name>Ann Bee</b> of York</p>"
    )
    assert author(body=scope.format(person)) == "Ann Bee"
    review = scope.format(person).replace("Article", "Review")
    assert author(body=review) is None


@pytest.mark.parametrize("name", ["https://example.org/ann", "ann@example.org", "12345", "  ", "-"])
def test_texts_that_are_no_names(name: str) -> None:
    assert author(meta("author", name)) is None


def test_a_site_is_not_its_own_author() -> None:
    site = meta("og:site_name", "daily pane")
    assert author(site + meta("author", "Daily pane")) is None
    shown = author(site, "<h1>A bridge</h1><p class=byline>By Daily Pane</p>")
    assert shown == "Daily Pane"
    person = {"@type": "Person", "name": "Ann Bee"}
    article = json.dumps({"@type": "Article", "author": person, "publisher": person})
    assert author(f'<script type="application/ld+json">{article}</script>') == "Ann Bee"


def test_reviewers_of_a_product_are_not_authors_of_its_page() -> None:
    body = "<h1>A kettle</h1><p class=review-author>Ann Bee</p>"
    assert author(meta("og:type", "product"), body) is None


def test_meta_comes_before_the_byline_and_names_before_accounts() -> None:
    body = "<h1>A bridge</h1><p>By Cid Dee</p>"
    assert author(meta("author", "Ann Bee"), body) == "Ann Bee"
    assert author(meta("author", "annb"), body) == "Cid Dee"
    assert author(meta("author", "annb")) == "annb"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "By Friday the water had reached the bridge."),
        ("en", "By Monday, the water had gone."),
        ("en", "By Ann Bee, nobody had seen such a thing before."),
        ("en", "By March 2012"),
        ("en", "Author Archives"),
        ("en", "Author Archives: Ann Bee"),
        ("en", "Di Maio Bianchi"),
        ("it", "Da Roma arriva la conferma ufficiale"),
        ("it", "Di Maio attacca il governo"),
        ("it", "Di Maio"),
        ("pt", "Por Lisboa passaram milhares"),
        ("de", "Von Montag an gilt die neue Regel"),
        ("de", "Von Montag an"),
        ("", "Von Montag an gilt die neue Regel"),
    ],
)
def test_a_sentence_is_no_byline(language: str, line: str) -> None:
    body = f"<h1>A bridge of glass</h1><p>{line}</p><p>Long text.</p>"
    assert author(body=body, html=f"lang='{language}'") is None


@pytest.mark.parametrize(
    ("language", "line", "name"),
    [
        ("en", "By Voltaire", "Voltaire"),
        ("en", "By April Jones", "April Jones"),
        ("en", "By Ludwig van der Rohe", "Ludwig van der Rohe"),
        ("en", "By Omar al-Rashid and Jeanne d'Arc", "Omar al-Rashid; Jeanne d'Arc"),
        ("en", "By The Associated Press", "The Associated Press"),
        ("en", "Author: Voltaire", "Voltaire"),
        ("it-IT", "Di Mario Rossi", "Mario Rossi"),
        ("es", "Por Redacción", "Redacción"),
        ("fr", "Par AFP", "AFP"),
        ("ar", "By أحمد علي", "أحمد علي"),
        ("ja", "著者：山田太郎", "山田太郎"),
        ("ka", "By ნინო ბერიძე", "ნინო ბერიძე"),
    ],
)
def test_names_after_by(language: str, line: str, name: str) -> None:
    body = f"<h1>A bridge of glass</h1><p>{line}</p><p>Long text.</p>"
    assert author(body=body, html=f"lang='{language}'") == name


@pytest.mark.parametrize(
    ("language", "stated", "names"),
    [
        ("en", "Ann Bee and Cid Dee", "Ann Bee; Cid Dee"),
        ("en", "Ann Bee &amp; Cid van Dee", "Ann Bee; Cid van Dee"),
        ("en", "Ann Bee; Cid", "Ann Bee; Cid"),
        ("en", "Simon &amp; Schuster", "Simon & Schuster"),
        ("en", "Food and Agriculture Organization", "Food and Agriculture Organization"),
        ("en", "Bureau of Labor and Human Affairs", "Bureau of Labor and Human Affairs"),
        ("en", "Juan Pérez y Ana Gil", "Juan Pérez y Ana Gil"),
        ("es", "Juan Pérez y Ana Gil", "Juan Pérez; Ana Gil"),
        ("es", "José Ortega y Gasset", "José Ortega y Gasset"),
        ("de", "Jörg Müller und Ina Groß", "Jörg Müller; Ina Groß"),
    ],
)
def test_and_separates_only_persons(language: str, stated: str, names: str) -> None:
    assert author(meta("author", stated), html=f"lang={language}") == names


def test_the_name_of_an_entity_is_one_name() -> None:
    group = {"@type": "Organization", "name": "Ann Bee and Cid Dee"}
    article = json.dumps({"@type": "Article", "author": group})
    assert author(f'<script type="application/ld+json">{article}</script>') == group["name"]
