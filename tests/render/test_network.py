"""The network: none by default, and then by the rules of fetching."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from helpers.chromium import needs_chromium
from tamis.errors import FetchError
from tamis.page import tags
from tamis.render import Browser
from tamis.source import Fetch

pytestmark = needs_chromium

RUN = b"<script src=a.js></script>"
MOVED = {"/away": "/a.css"}
ANSWERS = {
    "/": ("text/html", b"<body id=body><link rel=stylesheet href=a.css><p>live" + RUN),
    "/a.css": ("text/css", b"p { height: 66px }"),
    "/a.js": ("text/javascript", b"fetch('/data').then(r => r.text()).then(t => body.append(t))"),
    "/data": ("text/plain", b"and data"),
    "/moved": ("text/html", b"<link rel=stylesheet href=/away><p>moved"),
}  # fmt: skip


class Site:
    """A server on this machine that remembers requests, and connections as such."""

    def __init__(self) -> None:
        self.requested: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requested.append(self.path)
                kind, body = ANSWERS.get(self.path, ("text/plain", b""))
                self.send_response(200 if self.path in ANSWERS else 302)
                self.send_header("Location", MOVED.get(self.path, "/nowhere/"))
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_OPTIONS = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def verify_request(self, request: object, client_address: object) -> bool:
                site.requested.append("connection")
                return True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    yield server
    server.server.shutdown()
    server.server.server_close()


LEAKS = """<link rel=preconnect href={0}><link rel=dns-prefetch href={0}>
<link rel=prefetch href={0}/p>
<link rel=stylesheet href={0}/s><img src={0}/i><iframe src={0}/f></iframe><video src={0}/v></video>
<object data={0}/o></object><style>@import "{0}/c"; p {{ background: url({0}/b) }}
@font-face {{ font-family: x; src: url({0}/t) }} p {{ font-family: x }}</style><p>text
<a ping={0}/ping href={0}/a id=a>link</a><form action={0}/form id=f method=post></form>
<meta http-equiv=refresh content="0;url={0}/r">"""
SCRIPTED = """<script>const at = "{0}", socket = at.replace("http", "ws");
const tries = [() => fetch(at + "/fetch", {{mode: "no-cors"}}), () => new WebSocket(socket),
 () => navigator.sendBeacon(at + "/beacon", "x"), () => new EventSource(at + "/events"),
 () => {{ const x = new XMLHttpRequest(); x.open("GET", at + "/xhr"); x.send() }},
 () => new Worker(URL.createObjectURL(new Blob([`fetch("${{at}}/worker")`]))),
 () => open(at + "/popup"), () => document.getElementById("a").click(),
 () => {{ const stun = "stun:127.0.0.1:" + at.split(":")[2];
   const c = new RTCPeerConnection({{iceServers: [{{urls: stun}}]}});
   c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o)) }},
 () => document.getElementById("f").submit(), () => {{ new Image().src = at + "/image" }}];
for (const one of tries) try {{ one() }} catch (error) {{}}
</script>"""


@pytest.mark.parametrize("javascript", [False, True])
def test_nothing_gets_out(
    browser: Browser, site: Site, javascript: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tamis.render.session._LOAD_SECONDS", 2.0)  # it is on its way to elsewhere
    html = LEAKS.format(site.url) + (SCRIPTED.format(site.url) if javascript else "")
    assert "text" in browser.render(html, javascript=javascript).text
    assert site.requested == []


def test_a_live_page_gets_what_it_links_to(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tamis.render.session._SETTLE_SECONDS", 30.0)  # on a busy machine
    fetch = Fetch(allow_private=True)
    page = browser.render(f"{site.url}/", live=fetch)
    assert page.url == f"{site.url}/"
    assert page.text == "live"
    assert page.layout is not None
    assert 66 in page.layout.height
    assert {"/", "/a.css"} <= set(site.requested)
    assert "/data" not in site.requested
    scripted = browser.render(f"{site.url}/", live=fetch, javascript=True)
    assert scripted.text == "live\n\nand data"


def test_redirects_and_fragments_are_followed(browser: Browser, site: Site) -> None:
    page = browser.render(f"{site.url}/moved#part", live=Fetch(allow_private=True))
    assert page.text == "moved"
    assert page.layout is not None
    assert 66 in page.layout.height


def test_a_live_page_reaches_no_private_address(browser: Browser, site: Site) -> None:
    with pytest.raises(FetchError, match="not a public address"):
        browser.render(f"{site.url}/", live=True)
    html = f"<p>x<img src={site.url}/i><script>fetch('{site.url}/f')</script>"
    page = browser.render(html, "http://example.invalid/", live=True, javascript=True)
    assert page.text == "x"
    assert site.requested == []


def test_pages_at_one_url_with_other_fragments_are_distinguished(browser: Browser) -> None:
    fetch = Fetch(allow_private=True)
    first = "<div style='height: 500px'>first page</div>"
    browser.render(first, "http://example.invalid/a#top", live=fetch)
    page = browser.render("<p>second</p>", "http://example.invalid/a#end", live=fetch)
    assert page.layout is not None
    assert 0 < page.layout.height[page.tag == tags.CODE["p"]].min() < 100
