"""Addresses: what is the same page, what is in scope, what is a trap."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.crawl import (
    FULL_CREDIT,
    MAX_URL_LENGTH,
    Scope,
    ShapeBudget,
    canonical_url,
    check_start_url,
    clean_url,
    hash_word_pairs,
    is_loop,
    url_domain,
    url_host,
    url_shape,
)
from tamis.errors import InputError, UnknownName


@pytest.mark.parametrize(
    ("url", "cleaned"),
    [
        ("HTTP://Example.ORG:80/a#part", "http://example.org/a"),
        ("https://example.org:443", "https://example.org/"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://user:secret@example.org/a", "http://example.org/a"),
        ("http://example.org/a?utm_source=x&b=2&fbclid=1&a=1", "http://example.org/a?b=2&a=1"),
        ("http://example.org/a;jsessionid=0123456789ABCDEF?x=1", "http://example.org/a?x=1"),
        ("http://example.org/?PHPSESSID=0123456789abcdef0123&p=2", "http://example.org/?p=2"),
        ("http://example.org/?sid=7", "http://example.org/?sid=7"),  # a number, no session
        ("http://example.org/(S(abcdefghijklmnopqrstuvwx))/a", "http://example.org/a"),
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org/a/..", "http://example.org/"),
        ("http://example.org/../../a", "http://example.org/a"),
        ("http://bücher.example/é", "http://xn--bcher-kva.example/%C3%A9"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
        # Names that a pattern for trackers would take away with them.
        ("http://example.org/?gallery=3&keyword=tea", "http://example.org/?gallery=3&keyword=tea"),
    ],
)
def test_the_form_that_is_fetched(url: str, cleaned: str) -> None:
    assert clean_url(url) == cleaned
    assert clean_url(cleaned) == cleaned


@pytest.mark.parametrize(
    "url",
    [
        "mailto:a@example.org",
        "javascript:void(0)",
        "ftp://example.org/",
        "http://",
        "http://[",
        "/relative",
        "",
        "http://example.org:99999/",
        "http://example.org/" + "a" * MAX_URL_LENGTH,
    ],
)
def test_what_is_no_address_of_a_page(url: str) -> None:
    assert clean_url(url) is None


def test_addresses_are_compared_without_the_order_of_parameters() -> None:
    first, second = (clean_url(f"http://example.org/{query}") for query in ("?b=2&a=1", "?a=1&b=2"))
    assert first is not None
    assert second is not None
    assert first != second
    assert canonical_url(first) == canonical_url(second)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_whatever_is_written_in_a_link_nothing_raises(text: str) -> None:
    for url in (text, f"http://{text}", f"http://example.org/{text}"):
        cleaned = clean_url(url)
        if cleaned is not None:
            assert clean_url(cleaned) == cleaned
            assert url_host(cleaned)
            assert url_shape(cleaned)
            assert url_domain(cleaned)
            assert canonical_url(cleaned)
            assert Scope.around([cleaned], "folder").includes(cleaned)


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        ("page", "http://www.example.org/docs/a", "http://www.example.org/docs/b"),
        ("folder", "http://example.org/docs/x/y", "http://example.org/blog/"),
        ("host", "https://example.org/blog", "http://shop.example.org/"),
        ("domain", "http://shop.example.org:81/", "http://example.com/"),
    ],
)
def test_scope(scope: str, inside: str, outside: str) -> None:
    around = Scope.around(["http://www.example.org/docs/a"], scope)  # type: ignore[arg-type]
    assert around.includes(inside)
    assert not around.includes(outside)
    assert around.extend(outside).includes(outside)


def test_ports_are_hosts() -> None:
    scope = Scope.around(["http://127.0.0.1:8001/"], "host")
    assert not scope.includes("http://127.0.0.1:8002/")
    assert Scope.around(["http://127.0.0.1:8001/"], "domain").includes("http://127.0.0.1:8002/")


def test_domains_end_where_the_public_suffix_begins() -> None:
    assert url_domain("http://a.b.example.co.uk/") == "example.co.uk"
    assert url_domain("http://localhost/") == "localhost"


def test_a_scope_that_does_not_exist() -> None:
    with pytest.raises(UnknownName, match="folder"):
        Scope.around([], "planet")  # type: ignore[arg-type]


def test_start_addresses() -> None:
    assert check_start_url("example.org") == "https://example.org/"
    with pytest.raises(InputError, match="no address"):
        check_start_url("mailto://x")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://a/news/2024/05/old-locks", "http://a/news/1999/12/new-keys"),
        ("http://a/item?id=3&page=4", "http://a/item?page=9&id=7"),
        ("http://a/u/9f86d081884c7d65/x", "http://a/u/60303ae22b998861/y"),
        ("http://a/12", "http://a/7"),
    ],
)
def test_one_shape(first: str, second: str) -> None:
    assert url_shape(first) == url_shape(second)


def test_different_shapes() -> None:
    urls = "/ /a /a/b /a/b.html /a?x=1 /a?y=1 /b/a/c".split()
    assert len({url_shape(f"http://a{url}") for url in urls}) == len(urls)


def test_loops_of_relative_links() -> None:
    assert is_loop("http://a/" + "x/y/" * 4)
    assert is_loop("http://a/" + "/".join(map(str, range(40))))
    assert not is_loop("http://a/2024/05/05/05")


def test_a_calendar_has_an_end() -> None:
    """A page per month, for ever: all have the same words, but for the numbers."""
    months = "January February March April May June July August September October".split()
    budget, fetched = ShapeBudget(), 0
    for fetched in range(1_000):
        month, year = months[fetched % 10], 1900 + fetched // 10
        text = f"{month} {year} Mon Tue Wed Thu Fri Sat Sun " + " ".join(map(str, range(1, 31)))
        if budget.is_exhausted("http://a", "/calendar/0/0"):
            break
        budget.add_page("http://a", "/calendar/0/0", hash_word_pairs(text))
    assert fetched < 2 * FULL_CREDIT + 10
    assert not budget.is_exhausted("http://a", "/news/*")
    assert not budget.is_exhausted("http://b", "/calendar/0/0")


def test_articles_have_no_end() -> None:
    """Words of a language, the frequent ones often: what is remembered is full in between."""
    chance, budget = Random(16), ShapeBudget()
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(5_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for _ in range(700):
        text = " ".join(chance.choices(words, weights, k=450))
        assert budget.add_page("http://a", "/news/*", hash_word_pairs(text))
    assert not budget.is_exhausted("http://a", "/news/*")


def test_failures_cost_credits() -> None:
    budget = ShapeBudget()
    for _ in range(FULL_CREDIT):
        assert not budget.is_exhausted("h", "s")
        budget.add_failure("h", "s")
    assert budget.is_exhausted("h", "s")


@given(
    st.from_regex(
        r"https?://[a-z0-9.-]{1,12}(:[0-9]{1,5})?(/[A-Za-z0-9_~./%;=-]{0,20})?", fullmatch=True
    )
)
def test_addresses_that_are_taken_as_they_are_have_their_final_form(url: str) -> None:
    """The short cut for plain addresses gives what the whole way gives."""
    cleaned = clean_url(url)
    canonical = cleaned and canonical_url(cleaned)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tamis.crawl.addresses._is_plain", lambda _: False)
        assert clean_url(url) == cleaned
        assert (cleaned and canonical_url(cleaned)) == canonical
