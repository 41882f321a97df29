"""robots.txt after RFC 9309, and the directives of pages."""

from __future__ import annotations

import pytest

from tamis.crawl import (
    Directives,
    Robots,
    parse_directives,
    parse_robots_headers,
    product_token,
)

AGENT = "tamis/1.0 (+https://example.org/)"
RULES = b"""User-agent: *
Disallow: /private
Crawl-delay: 7
User-agent: tamis
Disallow: /secret
Allow: /secret/open$
Crawl-delay: 2.5
Sitemap: /sitemap.xml
Sitemap: https://other.example/map.xml
"""


def parse(status: int | None, body: bytes = b"") -> Robots:
    return Robots.from_response(status, body, AGENT)


def test_rules_for_this_crawler_count_and_not_those_for_all() -> None:
    robots = parse(200, RULES)
    assert robots.allows("http://a/private")
    assert not robots.allows("http://a/secret/x")
    assert robots.allows("http://a/secret/open")
    assert robots.delay == 2.5
    assert Robots.from_response(200, RULES, "other/2").delay == 7
    sitemaps = ["http://a/sitemap.xml", "https://other.example/map.xml"]
    assert robots.sitemaps("http://a/robots.txt") == sitemaps


@pytest.mark.parametrize("status", [None, 500, 503, 599, 429])
def test_an_unreachable_robots_txt_forbids_all_for_now(status: int | None) -> None:
    robots = parse(status, b"User-agent: *\nAllow: /")
    assert not robots.is_reachable
    assert not robots.allows("http://a/")
    assert robots.sitemaps("http://a/robots.txt") == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 302])
def test_an_unavailable_robots_txt_allows_all(status: int) -> None:
    robots = parse(status, b"User-agent: *\nDisallow: /")
    assert robots.is_reachable
    assert robots.allows("http://a/")
    assert robots.delay == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\xff\xfe" * 100,
        b"<!doctype html><p>Not found",
        b"Disallow: /",  # without a crawler's name it is for none
        b"User-agent: *\nDisallow:\nCrawl-delay: soon",
    ],
)
def test_what_is_no_robots_txt_allows_all(body: bytes) -> None:
    robots = parse(200, body)
    assert robots.allows("http://a/x")
    assert robots.delay == 0


def test_a_byte_order_mark_and_the_limit_on_size() -> None:
    assert not parse(200, b"\xef\xbb\xbfUser-agent: *\nDisallow: /").allows("http://a/")
    filler = b"# comment\n" * 60_000
    assert parse(200, filler + b"User-agent: *\nDisallow: /").allows("http://a/")


def test_delays_are_bounded() -> None:
    assert parse(200, b"User-agent: *\nCrawl-delay: 999999999").delay == 600
    assert parse(200, b"User-agent: *\nRequest-rate: 1/10").delay == 10


@pytest.mark.parametrize(
    ("value", "directives"),
    [
        ("", Directives()),
        ("all", Directives()),
        ("NOINDEX,NoFollow", Directives(index=False, follow=False)),
        ("none", Directives(index=False, follow=False)),
        ("noindex, max-snippet:-1", Directives(index=False, follow=True)),
    ],
)
def test_directives(value: str, directives: Directives) -> None:
    assert parse_directives(value) == directives
    assert parse_robots_headers([value], AGENT) == directives


def test_headers_may_name_a_crawler() -> None:
    assert parse_robots_headers(["otherbot: noindex"], AGENT) == Directives()
    assert not parse_robots_headers(["otherbot: all", "Tamis: nofollow"], AGENT).follow
    assert not parse_robots_headers(["unavailable_after: 1 Jan 2020, noindex"], AGENT).index


def test_the_name_of_a_crawler() -> None:
    assert product_token(AGENT) == "tamis"
    assert product_token("Mozilla/5.0") == "Mozilla"
    assert product_token("123") == "*"


def test_sitemaps_that_are_no_addresses_are_left_out() -> None:
    robots = Robots.from_response(200, b"Sitemap: http://[\nSitemap: /map.xml", "tamis/1.0")
    assert robots.sitemaps("https://a.example/robots.txt") == ["https://a.example/map.xml"]
