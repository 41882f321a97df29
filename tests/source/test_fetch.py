"""Fetching from a real server on this machine; no test leaves it."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from tamis.errors import FetchError, InputError, TooLarge, Unavailable, WrongType
from tamis.source import Fetch, Input, Source, read_input

if TYPE_CHECKING:
    from .conftest import Server

PAGE = b"<html><body>A page</body></html>"
LOCAL = Fetch(timeout=5, allow_private=True)


def test_a_page(server: Server) -> None:
    url = f"{server.url}/page"
    assert LOCAL.get(url) == Source(url, url, PAGE, None)


def test_reading_an_input_keeps_the_smaller_limit(server: Server) -> None:
    url = f"{server.url}/size/1000"
    page = Input(url, "url", url)
    assert len(read_input(page, max_bytes=1000, fetch=LOCAL).data) == 1000
    with pytest.raises(TooLarge, match="999"):
        read_input(page, max_bytes=999, fetch=LOCAL)
    with pytest.raises(FetchError, match="not a public address"):
        read_input(page, max_bytes=1000)


def test_the_request_names_the_tool(server: Server) -> None:
    sent = LOCAL.get(f"{server.url}/headers").data.decode()
    assert f"User-Agent: {Fetch().user_agent}" in sent
    assert Fetch().user_agent.startswith("tamis/")
    assert "Accept-Encoding: gzip, deflate\n" in sent.replace("\r", "")


def test_passwords_are_used_but_not_shown(server: Server) -> None:
    source = LOCAL.get(f"http://me:secret@127.0.0.1:{server.port}/headers")
    assert b"Authorization: Basic" in source.data
    assert source.url == f"{server.url}/headers"
    with pytest.raises(FetchError) as raised:
        LOCAL.get(f"http://me:secret@127.0.0.1:{server.port}/status/404")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("declared", "charset"),
    [
        ("text/html", None),
        ("text/html;charset=Shift_JIS", "shift_jis"),
        ("TEXT/HTML;%20Charset='x'", "'x'"),
        ('application/xhtml+xml;charset="utf-8"', "utf-8"),
        ("text/html,text/html;charset=utf-8", "utf-8"),
        ("", None),
    ],
)
def test_types_and_charsets(server: Server, declared: str, charset: str | None) -> None:
    source = LOCAL.get(f"{server.url}/type/{declared}")
    assert source.data == PAGE
    assert source.charset == charset


@pytest.mark.parametrize(
    "declared",
    ["image/png", "application/pdf", "application/zip", "application/json", "text/plain"],
)
def test_other_types_are_refused(server: Server, declared: str) -> None:
    with pytest.raises(FetchError, match=f"is {declared}, not HTML"):
        LOCAL.get(f"{server.url}/type/{declared};x=1")


@pytest.mark.parametrize("status", [400, 403, 404, 429, 500, 503, 599, 304])
def test_statuses(server: Server, status: int) -> None:
    with pytest.raises(FetchError, match=f"HTTP status {status}.*: "):
        LOCAL.get(f"{server.url}/status/{status}")


@pytest.mark.parametrize("how", ["gzip", "deflate", "rawdeflate", "coding/identity"])
def test_codings(server: Server, how: str) -> None:
    assert LOCAL.get(f"{server.url}/{how}").data == PAGE


@pytest.mark.parametrize("how", ["br", "gzip,gzip,gzip"])
def test_codings_that_were_not_asked_for(server: Server, how: str) -> None:
    with pytest.raises(FetchError, match="is packed as"):
        LOCAL.get(f"{server.url}/coding/{how}")


@pytest.mark.parametrize("how", ["gzip", "deflate"])
def test_a_wrong_coding(server: Server, how: str) -> None:
    with pytest.raises(FetchError, match="cannot be unpacked"):
        LOCAL.get(f"{server.url}/coding/{how}")


@pytest.mark.parametrize("how", ["bomb", "nested", "endless"])
def test_bombs_cost_no_more_than_the_limit(server: Server, how: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="more than 1,000,000 bytes"):
            Fetch(timeout=5, allow_private=True, max_bytes=1_000_000).get(f"{server.url}/{how}")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_the_limit_is_the_size_that_is_still_read(server: Server) -> None:
    limited = Fetch(timeout=5, allow_private=True, max_bytes=100)
    assert len(limited.get(f"{server.url}/size/100").data) == 100
    for size in (101, 1_000_000):
        with pytest.raises(TooLarge):
            limited.get(f"{server.url}/size/{size}")


def test_a_declared_size_is_believed_at_once(server: Server) -> None:
    start = time.monotonic()
    with pytest.raises(TooLarge):
        LOCAL.get(f"{server.url}/promise/{10**12}")
    assert time.monotonic() - start < 4


def test_a_page_that_breaks_off(server: Server) -> None:
    with pytest.raises(FetchError, match="was not fetched"):
        LOCAL.get(f"{server.url}/short")


@pytest.mark.parametrize("how", ["drip", "dripheader"])
def test_a_dripping_server_meets_the_deadline(server: Server, how: str) -> None:
    start = time.monotonic()
    with pytest.raises(FetchError, match=r"took longer than 0.3 s"):
        Fetch(timeout=0.3, allow_private=True).get(f"{server.url}/{how}")
    assert time.monotonic() - start < 3


def test_redirects_are_followed(server: Server) -> None:
    url = f"{server.url}/count/10"
    assert LOCAL.get(url) == Source(url, f"{server.url}/page", PAGE, None)
    assert LOCAL.get(f"{server.url}/cookie").data == PAGE


@pytest.mark.parametrize("how", ["count/11", "loop"])
def test_too_many_redirects(server: Server, how: str) -> None:
    with pytest.raises(
        FetchError, match=r"redirects more than 10 times.*: check the URL in a browser"
    ):
        LOCAL.get(f"{server.url}/{how}")
    assert len(server.seen) == 11


def test_no_redirects_at_all(server: Server) -> None:
    nowhere = Fetch(timeout=5, allow_private=True, max_redirects=0)
    assert nowhere.get(f"{server.url}/page").data == PAGE
    with pytest.raises(FetchError, match="redirects more than 0 times"):
        nowhere.get(f"{server.url}/count/1")


@pytest.mark.parametrize("target", ["file:///etc/hosts", "ftp://127.0.0.1/x", "data:/x"])
def test_redirects_to_other_schemes(server: Server, target: str) -> None:
    with pytest.raises(FetchError, match="only http and https"):
        LOCAL.get(f"{server.url}/to/{target}")


@pytest.mark.parametrize("target", ["http://[", "http://a:b:c/", "javascript:x", "http://a:70000/"])
def test_redirects_to_nonsense(server: Server, target: str) -> None:
    with pytest.raises(FetchError, match=r"cannot be fetched|names a port|names no host"):
        LOCAL.get(f"{server.url}/to/{target}")


def test_a_redirect_to_nowhere(server: Server) -> None:
    with pytest.raises(FetchError, match="HTTP status 302"):
        LOCAL.get(f"{server.url}/nowhere")


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http:///x",
        "http://[::1",
        "http://a:99999999/",
        "http://a b/",
        "http://\udcff/",
        "http://a\n.test/",
        "http://" + "x" * 70 + ".test/",
        "http://127.0.0.1:99999/",
        "file:///etc/hosts",
        "no-url",
        "http://xn--/",
        "http://xn--\u00fc/",
        chr(0xD800),
        "http://a/" + "x" * 70_000,
    ],
)
def test_what_is_no_url(url: str, connections: list[str]) -> None:
    with pytest.raises(FetchError):
        LOCAL.get(url)
    assert connections == []


@pytest.mark.parametrize("host", ["xn--", "xn--a", "xn--i-7iq.test"])
def test_redirects_to_hosts_that_are_no_names(server: Server, host: str) -> None:
    with pytest.raises(FetchError, match="cannot be fetched"):
        LOCAL.get(f"{server.url}/to/http://{host}/")


def test_a_page_that_is_too_large_is_an_error_of_the_fetch_as_well(server: Server) -> None:
    with pytest.raises(FetchError) as raised:
        Fetch(timeout=5, allow_private=True, max_bytes=9).get(f"{server.url}/page")
    assert isinstance(raised.value, TooLarge)


def test_a_fetch_without_end(server: Server) -> None:
    patient = Fetch(timeout=float("inf"), allow_private=True)
    assert patient.get(f"{server.url}/page").data == PAGE


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("timeout", None, WrongType),
        ("timeout", "5", WrongType),
        ("timeout", float("nan"), InputError),
        ("max_bytes", None, WrongType),
        ("max_redirects", 1.5, WrongType),
        ("user_agent", None, WrongType),
        ("user_agent", "caf\u00e9", InputError),
        ("user_agent", "a\nb", InputError),
    ],
)
def test_wrong_options(option: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=option):
        Fetch(**{option: value})


@pytest.mark.parametrize("url", [None, b"http://a/", 7])
def test_addresses_are_text(url: Any) -> None:
    with pytest.raises(WrongType, match="url is of type"):
        LOCAL.get(url)


def test_without_httpx_the_message_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(Unavailable, match=r"reinstall tamis"):
        LOCAL.get("http://127.0.0.1/")


def test_importing_the_package_does_not_import_httpx() -> None:
    code = "import sys, tamis.source; assert not {'httpx', 'httpcore'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_fetch_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(LOCAL)) == LOCAL
