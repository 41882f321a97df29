"""Addresses: fetch() takes them, extract() and parse() say so, and favor weighs what is kept."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from click.testing import CliRunner

import tamis
from helpers.samples import sample_bytes
from tamis.blocks import TagSet
from tamis.cli import tamis as command
from tamis.errors import FetchError, InputError, TooLarge, UnknownName, WrongType
from tamis.pipeline import Favor
from tamis.verdict import KFeature, Learned

ADDRESS = "https://example.org/news/1.html"
FORUM = sample_bytes("forum")
PRICE = "<p>Café au lait, one cup, two euros, served until noon on the terrace.</p>"


class Handler(BaseHTTPRequestHandler):
    """Serves a sample, a page in Latin-1 that does not say so itself, and a redirect."""

    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/moved" else 200)
        self.send_header("Location", "/forum")
        kind = "text/html; charset=latin-1" if self.path == "/latin" else "text/html"
        self.send_header("Content-Type", kind)
        self.end_headers()
        bodies = {"/latin": PRICE.encode("latin-1"), "/link": ADDRESS.encode()}
        self.wfile.write(bodies.get(self.path, FORUM))

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


# fetch() --------------------------------------------------------------------------------------


def test_a_page_is_fetched_and_extracted(site: str) -> None:
    document = tamis.fetch(f"{site}/forum", allow_private=True)
    assert document.text == tamis.extract(FORUM, f"{site}/forum").text
    assert document.page.url == f"{site}/forum"


def test_the_address_is_that_which_redirects_end_at(site: str) -> None:
    assert tamis.fetch(f"{site}/moved", allow_private=True).page.url == f"{site}/forum"
    with pytest.raises(FetchError, match="redirects more than 0 times"):
        tamis.fetch(f"{site}/moved", allow_private=True, max_redirects=0)


def test_the_charset_of_http_counts_unless_another_is_given(site: str) -> None:
    assert "Café" in tamis.fetch(f"{site}/latin", allow_private=True).text
    other = tamis.fetch(f"{site}/latin", allow_private=True, charset="cp866")
    assert "Café" not in other.text


def test_private_addresses_are_refused_unless_they_are_allowed(site: str) -> None:
    with pytest.raises(FetchError, match="not a public address: allow_private"):
        tamis.fetch(f"{site}/forum")


def test_limits_hold_for_what_is_fetched(site: str) -> None:
    with pytest.raises(TooLarge, match="more than 100 bytes"):
        tamis.fetch(f"{site}/forum", allow_private=True, max_bytes=100)
    assert tamis.fetch(f"{site}/forum", allow_private=True, max_bytes=None).text
    with pytest.raises(TooLarge, match="nodes"):
        tamis.fetch(f"{site}/forum", allow_private=True, max_nodes=10)


def test_options_of_extract_are_options_of_fetch(site: str) -> None:
    def keywords(function: Callable[..., object]) -> set[str]:
        parameters = inspect.signature(function).parameters.values()
        return {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}

    own = {"timeout", "max_redirects", "allow_private"}
    set_by_fetch = {"fetched"}  # the day, which it knows
    assert keywords(tamis.fetch) == keywords(tamis.extract) - set_by_fetch | own
    by_method = tamis.fetch(f"{site}/forum", allow_private=True, method="optimum")
    assert by_method.text == tamis.extract(FORUM, method="optimum").text
    more = tamis.fetch(f"{site}/forum", allow_private=True, favor="recall")
    assert more.text == tamis.extract(FORUM, favor="recall").text


def test_a_mistake_is_told_before_anything_is_fetched() -> None:
    with pytest.raises(UnknownName, match="no method 'magic'"):
        tamis.fetch("http://127.0.0.1:1/", method="magic")
    with pytest.raises(InputError, match="cannot favor"):
        tamis.fetch("http://127.0.0.1:1/", method="optimum", favor="recall")
    url: Any = None
    with pytest.raises(WrongType, match="url is of type NoneType"):
        tamis.fetch(url)


# URLs instead of pages ------------------------------------------------------------------------


@pytest.mark.parametrize("call", [tamis.extract, tamis.parse, tamis.segment])
@pytest.mark.parametrize(
    "html",
    [
        ADDRESS,
        ADDRESS.encode(),
        bytearray(ADDRESS.encode()),
        f"  {ADDRESS}\n",
        f"\ufeff{ADDRESS}",
        "HTTP://EXAMPLE.ORG",
        "http://example.org/?q=日本",
        "https://example.org/" + "x" * 5000,
    ],
)
def test_an_address_is_no_page(call: Callable[[Any], object], html: Any) -> None:
    with pytest.raises(InputError, match=r"is a URL, .*: tamis\.fetch\(url\)") as caught:
        call(html)
    assert len(str(caught.value)) < 300


def test_the_address_of_a_file_is_no_page_either() -> None:
    with pytest.raises(InputError, match=r"file:///tmp/a\.html, not a page: read the file"):
        tamis.extract("file:///tmp/a.html")


@pytest.mark.parametrize(
    "html",
    [f"See {ADDRESS}", f"{ADDRESS} and more", f"<p>{ADDRESS}", f"{ADDRESS}<br>", "https:", "", "x"],
)
def test_text_with_an_address_in_it_is_a_page(html: str) -> None:
    assert tamis.parse(html).source.startswith(b"<html>")


def test_a_page_with_an_address_of_its_own_may_be_a_link(site: str) -> None:
    assert tamis.parse(ADDRESS, "https://example.org/links").text.strip() == ADDRESS
    assert tamis.fetch(f"{site}/link", allow_private=True).page.text.strip() == ADDRESS
    with pytest.raises(InputError, match="is a URL"):
        tamis.extract(ADDRESS, ADDRESS)


def test_an_address_on_standard_input_is_told() -> None:
    done = CliRunner().invoke(command, ["extract", "-"], input=f"{ADDRESS}\n")
    assert done.exit_code == 1
    assert "give the URL itself as input" in done.stderr


# favor ----------------------------------------------------------------------------------------


def kept(name: str) -> list[int]:
    """The blocks of a sample that are kept in favor of precision, of neither and of recall."""
    favors: tuple[Favor | None, ...] = ("precision", None, "recall")
    data = sample_bytes(name)
    return [int(tamis.extract(data, favor=favor).verdict.informative.sum()) for favor in favors]


def test_favoring_keeps_more_or_fewer_blocks() -> None:
    few, some, many = kept("shop")  # doubtful blocks are in few samples of a single text
    assert few < some < many


@pytest.mark.parametrize("name", ["article", "forum", "product", "table2004"])
def test_favoring_never_turns_the_other_way(name: str) -> None:
    assert kept(name) == sorted(kept(name))


def test_favoring_is_that_of_the_identifier() -> None:
    recall = tamis.Method(TagSet(), Learned(favor="recall"))
    assert tamis.extract(FORUM, favor="recall").text == tamis.extract(FORUM, method=recall).text
    own = tamis.Method(TagSet(), Learned())
    assert tamis.extract(FORUM, favor="recall").text == (
        tamis.extract(FORUM, method=own, favor="recall").text
    )
    assert tamis.extract(FORUM, favor="recall").method == "learned"


@pytest.mark.parametrize(
    "method",
    [name for name in tamis.METHODS if name != "learned"] + [tamis.Method(TagSet(), KFeature())],
)
def test_a_method_that_has_no_choice_says_so(method: str | tamis.Method) -> None:
    with pytest.raises(InputError, match=r"cannot favor 'recall': leave favor out, or method"):
        tamis.extract(FORUM, method=method, favor="recall")


def test_what_cannot_be_favored_is_told() -> None:
    other: Any = "speed"
    with pytest.raises(InputError, match="cannot favor 'speed': take precision, recall or None"):
        tamis.extract(FORUM, favor=other)
