"""Publication dates of pages: every source, and their order."""

from __future__ import annotations

from datetime import date

import pytest

import tamis
from tamis.metadata import read_metadata

TODAY = date(2026, 1, 1)


def page_date(body: str, url: str | None = None, html: str = "", head: str = "") -> str | None:
    page = f"<html {html}><head>{head}</head><body><h1>A bridge of glass</h1>{body}</body></html>"
    return read_metadata(tamis.parse(page, url), today=TODAY).date


def test_the_order_of_day_and_month_follows_the_page() -> None:
    assert page_date("<p>5/3/2012</p>", html="lang=en-GB") == "2012-03-05"
    assert page_date("<p>5/3/2012</p>", html="lang=en-US") == "2012-05-03"


def test_a_time_element_near_the_headline() -> None:
    assert page_date("<time datetime=2012-03-05>yesterday</time>") == "2012-03-05"
    assert page_date("<time>March 5, 2012</time>") == "2012-03-05"


def test_a_time_that_is_marked_as_published_comes_first() -> None:
    times = "<time datetime=2011-01-01>a</time><time class=published datetime=2012-03-05>b</time>"
    assert page_date(times) == "2012-03-05"


def test_text_near_the_headline_but_not_far_from_it() -> None:
    assert page_date("<p>Posted on March 5, 2012</p>") == "2012-03-05"
    assert page_date(f"<p>{'many words ' * 200}</p><p>March 5, 2012</p>") is None


def test_the_date_of_an_update_is_the_last_resort() -> None:
    assert page_date("<p>Updated: May 1, 2013</p><p>March 5, 2012</p>") == "2012-03-05"
    assert page_date("<p>Updated: May 1, 2013</p>") == "2013-05-01"
    assert page_date("<p>Online since May 1, 2013</p>") is None


def test_dates_in_the_future_or_before_the_web_are_ignored() -> None:
    assert page_date("<p>March 5, 2031</p>") is None
    assert page_date("<p>March 5, 2031</p><p>March 5, 2012</p>") == "2012-03-05"
    assert page_date("<p>March 5, 1989</p>") is None
    assert page_date("<p>January 2, 2026</p>") == "2026-01-02"  # it is tomorrow somewhere


def test_the_order_of_the_sources() -> None:
    url = "https://example.org/2012/03/05/a"
    meta = '<meta property="article:published_time" content="2012-03-01">'
    assert page_date("<p>2012-03-07</p>", url) == "2012-03-05"
    assert page_date("<time datetime=2012-03-09>x</time>", url) == "2012-03-09"
    assert page_date("<time datetime=2012-03-09>x</time>", url, head=meta) == "2012-03-01"


def test_a_timestamp_of_greenwich_gives_way_to_the_date_in_the_url() -> None:
    meta = '<meta property="article:published_time" content="2012-03-06T01:00:00+00:00">'
    assert page_date("", "https://example.org/2012/03/05/a", head=meta) == "2012-03-05"
    assert page_date("", "https://example.org/2012/03/01/a", head=meta) == "2012-03-06"


def test_meta_elements_of_unknown_names() -> None:
    assert page_date("", head='<meta name="x.date" content="2012-03-05">') == "2012-03-05"
    assert page_date("", head='<meta name="published-on" content="2012-03-05">') == "2012-03-05"
    assert page_date("", head='<meta name="publisher" content="2012-03-05">') is None
    assert page_date("", head='<meta name="expires" content="2012-03-05">') is None


def test_microdata_outside_reviews() -> None:
    scope = (
        "<div itemscope itemtype=https://schema.org/{}>"
        f"<p>{'many words ' * 200}</p><i itemprop=datePublished content=2012-03-05>x</i></div>"
    )
    assert page_date(scope.format("Article")) == "2012-03-05"
    assert page_date(scope.format("Review")) is None


@pytest.mark.parametrize("language", ["en-GB", "fr", "de"])
def test_the_day_comes_first_outside_america(language: str) -> None:
    html, written = f"lang={language}", "05/03/2012"
    head = f'<meta name="date" content="{written}">'
    linked = f'{{"@type": "Article", "datePublished": "{written}"}}'
    script = f'<script type="application/ld+json">{linked}</script>'
    assert page_date("", html=html, head=head) == "2012-03-05"
    assert page_date(f"<time>{written}</time>", html=html) == "2012-03-05"
    assert page_date("", html=html, head=script) == "2012-03-05"
    assert page_date("", html="lang=en-US", head=head) == "2012-05-03"


@pytest.mark.parametrize(
    "name",
    "last_modified_date page-updated-date review-date unpublish_date expiration.date "
    "birth-date".split(),
)
def test_other_dates_of_a_page_are_not_its_publication(name: str) -> None:
    assert page_date("", head=f'<meta name="{name}" content="2012-03-05">') is None


@pytest.mark.parametrize("mark", ["class=updated", "itemprop=dateModified"])
def test_a_time_of_an_update_comes_after_a_plain_one(mark: str) -> None:
    changed = f"<time {mark} datetime=2014-01-01>1 January 2014</time>"
    plain = "<time datetime=2012-03-05>5 March 2012</time>"
    assert page_date(f"<p>{changed} {plain}</p>") == "2012-03-05"
    assert page_date(f"<p>{changed}</p>") == "2014-01-01"
    both = changed.replace("<time ", "<time data-x='published' ")
    assert page_date(f"<p>{both} {plain}</p>") == "2014-01-01"


def test_dates_in_prose_and_lifespans_are_ignored() -> None:
    life = "<p>Ann Bee (10 December 1995 – 3 May 2021) was a painter.</p>"
    assert page_date(life) is None
    assert page_date(life + "<p>5 March 2012</p>") == "2012-03-05"
    prose = "It rained on the hills and on the roofs of the town. " * 5
    assert page_date(f"<p>{prose} On 10 December 1995 it stopped. {prose}</p>") is None
    assert page_date(f"<p>10 December 1995 it stopped. {prose}</p>") is None
    assert page_date(f"<p>{prose}</p><p>5 March 2012</p><p>{prose}</p>") == "2012-03-05"
