"""Roles of schema.org in the HTML of a document, on request."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from tamis.content import Document
from tamis.page import Page
from tamis.verdict import build_verdict

BODY = "<p>The river rose for three days, and nobody in the valley slept before noon.</p>" * 4
HTML = f"""<html><head><title>The river</title><meta name=author content="Ada Poll">
<meta property="article:published_time" content="2024-05-06T10:00:00Z"></head><body><article>
<h1>The river</h1><span class=byline>By Ada Poll</span>
<time datetime="2024-05-06">6 May 2024</time>{BODY}</article>
<section><div class="comment c1"><span class=author>Bo</span>
<time datetime="2024-05-07">next day</time><p>I slept well, thank you for asking me.</p></div>
<div class="comment c2"><span class=author>Cy</span><p>So did I, all of the three days.</p></div>
</section></body></html>"""


def keep_all(html: str | Page) -> Document:
    """A document of all blocks of a page."""
    page = html if isinstance(html, Page) else tamis.parse(html)
    blocks = tamis.segment(page)
    score, zeros = np.ones(len(blocks)), np.zeros(len(blocks), dtype=np.uint8)
    return Document(page, blocks, build_verdict(score, score > 0, zeros, score, ""), "all")


def test_body_comments_authors_and_dates_are_marked() -> None:
    html = keep_all(HTML).to_html(roles=True)
    assert html.startswith('<div itemscope itemtype="https://schema.org/Article">')
    assert '<meta itemprop="name" content="The river">' in html
    assert '<div itemprop="articleBody">' in html
    assert '<span itemprop="author">By Ada Poll</span>' in html
    assert '<time datetime="2024-05-06" itemprop="datePublished">' in html
    comment = '<div itemprop="comment" itemscope="" itemtype="https://schema.org/Comment">'
    assert html.count(comment) == 2
    assert '<span itemprop="author">Bo</span>' in html
    assert '<time datetime="2024-05-07" itemprop="dateCreated">next day</time>' in html


def test_what_the_content_does_not_show_stands_above_it() -> None:
    html = keep_all(HTML.replace("By Ada Poll", "staff")).to_html(roles=True)
    assert '<meta itemprop="author" content="Ada Poll">' in html
    assert html.index("<meta") < html.index("articleBody")


def test_nothing_changes_without_the_request() -> None:
    document = keep_all(HTML)
    assert document.to_html() == document.html
    assert "itemprop" not in document.html


def test_values_of_a_page_do_not_become_markup() -> None:
    hostile = HTML.replace("Ada Poll", "Ada &quot;&gt;&lt;script&gt;x&lt;/script&gt;")
    assert "<script" not in keep_all(hostile).to_html(roles=True)


def test_a_page_without_content_has_no_item() -> None:
    assert tamis.extract("<p></p>").to_html(roles=True) == ""


def parse_text(html: str) -> str:
    return "".join(tamis.parse(html).text.split())


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_have_the_same_text_with_roles(name: str) -> None:
    document = tamis.extract(sample(name))
    assert parse_text(document.to_html(roles=True)) == parse_text(document.html)


@patient
@given(page=pages())
def test_any_page_has_the_same_text_with_roles(page: Page) -> None:
    document = keep_all(page)
    assert parse_text(document.to_html(roles=True)) == parse_text(document.html)
