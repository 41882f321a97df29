"""Peers: other extractors, called as their documentation says, behind one interface.

Those that run in Node have one long-lived process that answers line by line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from tamis.errors import TamisError, Unavailable, unavailable
from tamis.lab.datasets import Item
from tamis.lab.systems.methods import Answer, Extractor, System
from tamis.lab.versions import peer_version
from tamis.pipeline import look_up

_SCRIPT: Final = Path(__file__).with_name("peers.mjs")
# Peers, and the packages that they need. The first has the version that counts.
NODE_PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "readability.js": ("@mozilla/readability", "jsdom"),
    "defuddle": ("defuddle", "jsdom"),
}
_INSTALL: Final = (
    "npm install @mozilla/readability defuddle jsdom, and set TAMIS_NODE_MODULES to the "
    "node_modules folder unless it is in the current folder"
)

_Ask = Callable[[str], tuple[str, float]]


class PeerFailed(TamisError):
    """A peer could not read a page."""


@dataclass(frozen=True)
class NodePeer:
    """A peer that can be run."""

    name: str
    node: str
    modules: Path
    version: str


def find_node_peer(name: str) -> NodePeer:
    """Return where Node and the packages of a peer are; raises Unavailable where they are not."""
    program = shutil.which("node")
    if program is None:
        raise Unavailable(f"{name} runs in Node: install Node 20 or newer, then {_INSTALL}")
    modules = Path(os.environ.get("TAMIS_NODE_MODULES") or "node_modules").resolve()
    versions = []
    for package in NODE_PEERS[name]:
        try:
            about = json.loads((modules / package / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Unavailable(f"{name} is not installed ({package} is missing): {_INSTALL}") from (
                error
            )
        versions.append(f"{package} {about.get('version')}")
    versions.append("linkedom" if (modules / "linkedom").is_dir() else "no linkedom")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return NodePeer(name, program, modules, f"{', '.join(versions)}, node {done.stdout.strip()}")


class NodeProcess:
    """A peer at work. A process that was cut off in the middle of a page is started anew."""

    def __init__(self, peer: NodePeer) -> None:
        self.peer = peer
        self.process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[_Ask]:
        """Give a function from HTML to the HTML of its content and the seconds it took."""
        try:
            yield self.ask
        finally:
            self.stop()

    def ask(self, html: str) -> tuple[str, float]:
        """Send a page and wait for the answer."""
        process = self.process or self.start()
        try:
            answer = _exchange(process, {"html": html})
        except BaseException:  # also a time-out: the answer would come to the next question
            self.stop()
            raise
        if "error" in answer:
            raise PeerFailed(str(answer["error"]))
        return str(answer["html"]), float(str(answer["seconds"]))

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process, and wait until it has loaded everything."""
        self.process = subprocess.Popen(
            [self.peer.node, str(_SCRIPT), self.peer.name, str(self.peer.modules)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, who then end it
        )
        _exchange(self.process, {"html": "<p>Hello</p>"})
        return self.process

    def stop(self) -> None:
        """End the process."""
        process, self.process = self.process, None  # first: ending it may be cut off as well
        if process is not None:
            process.kill()
            process.communicate()


def _exchange(process: subprocess.Popen[bytes], question: dict[str, str]) -> dict[str, object]:
    """Send a line and return the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(question).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise PeerFailed("the Node process ended")
    answer: dict[str, object] = json.loads(line)
    return answer


# The languages of stop word lists that jusText has, by code; others are read as English.
_STOP_LISTS: Final = {
    "en": "English",
    "el": "Greek",
    "pl": "Polish",
    "ru": "Russian",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "cs": "Czech",
}
# Scripts without spaces have no stop words that jusText could count; these are its own defaults
# for languages without a list.
_NO_STOPWORDS: Final = {"stopwords_low": 0, "stopwords_high": 0}

_Function = Callable[[str, Item], str]


@dataclass(frozen=True)
class _Peer:
    """An extractor in Python: the package it is in, and what makes a function of it."""

    package: str
    function: Callable[[], _Function]


def _trafilatura(**settings: Any) -> Callable[[], _Function]:
    """Return what makes trafilatura with some settings."""

    def build() -> _Function:
        from trafilatura import extract

        return lambda html, _: extract(html, **settings) or ""

    return build


def _resiliparse() -> _Function:
    """Return resiliparse's plain text of the main content."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _: str(extract_plain_text(html, main_content=True))


def _readability_lxml() -> _Function:
    """Return the text of readability-lxml's summary."""
    from readability import Document

    return lambda html, _: _html_text(Document(html).summary(html_partial=True))


def _newspaper4k() -> _Function:
    """Return newspaper4k's text of an article."""
    from newspaper import Article

    def text(html: str, _: Item) -> str:
        article = Article("https://page.example/", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        return str(article.text)

    return text


def _justext() -> _Function:
    """Return jusText's good paragraphs, by the stop words of the page's language."""
    import justext as library

    lists = {code: library.get_stoplist(name) for code, name in _STOP_LISTS.items()}

    def text(html: str, item: Item) -> str:
        code = item.lang or "en"
        if code in ("zh", "ja"):
            paragraphs = library.justext(html, frozenset(), **_NO_STOPWORDS)
        else:
            paragraphs = library.justext(html, lists.get(code, lists["en"]))
        return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

    return text


def _boilerpy3() -> _Function:
    """Return the text of boilerpy3's ArticleExtractor."""
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor()
    return lambda html, _: str(extractor.get_content(html))


def _goose3() -> _Function:
    """Return goose3's cleaned text."""
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})
    return lambda html, _: goose.extract(raw_html=html).cleaned_text or ""


PEERS: Final[Mapping[str, _Peer]] = {
    "trafilatura": _Peer("trafilatura", _trafilatura()),
    "trafilatura-recall": _Peer("trafilatura", _trafilatura(favor_recall=True)),
    "trafilatura-precision": _Peer("trafilatura", _trafilatura(favor_precision=True)),
    "resiliparse": _Peer("Resiliparse", _resiliparse),
    "readability-lxml": _Peer("readability-lxml", _readability_lxml),
    "newspaper4k": _Peer("newspaper4k", _newspaper4k),
    "justext": _Peer("jusText", _justext),
    "boilerpy3": _Peer("boilerpy3", _boilerpy3),
    "goose3": _Peer("goose3", _goose3),
}
USUAL_PEERS: Final = ("resiliparse", "trafilatura")
PEER_NAMES: Final = (*PEERS, *NODE_PEERS)
_HTML_PEERS: Final = ("readability-lxml", *NODE_PEERS)


def _html_text(html: str) -> str:
    """Return the text of HTML that a peer gives, blocks on lines of their own."""
    from tamis.page import parse

    return parse(html).text if html.strip() else ""


def find_peer(name: str) -> System:
    """Return a peer as a system; raises Unavailable where it is not installed."""
    look_up(dict.fromkeys(PEER_NAMES), name, "peer")
    version = peer_version(from_html=name in _HTML_PEERS)
    if name in NODE_PEERS:
        return _node_system(name, version)
    peer = PEERS[name]
    try:
        installed = metadata.version(peer.package)
    except metadata.PackageNotFoundError as error:
        raise unavailable(f"{name} is not installed ({peer.package})", "evaluate") from error

    @contextmanager
    def started() -> Iterator[Extractor]:
        try:
            function = peer.function()
        except ImportError as error:
            raise unavailable(f"{name} cannot be imported ({error})", "evaluate") from error
        yield lambda html, item: Answer(function(html, item))

    return System(name, f"{peer.package} {installed} {version}", started, is_peer=True)


def _node_system(name: str, version: str) -> System:
    """Return a peer that runs in Node as a system; the time is taken in there."""
    peer = find_node_peer(name)

    @contextmanager
    def started() -> Iterator[Extractor]:
        with NodeProcess(peer).running() as ask:

            def answer(html: str, _: Item) -> Answer:
                content, seconds = ask(html)
                return Answer(_html_text(content), seconds)

            yield answer

    return System(name, f"{peer.version} {version}", started, is_peer=True)


def peer_systems(names: Sequence[str]) -> tuple[list[System], list[str]]:
    """Return peers as systems, and why some of them are left out."""
    systems: list[System] = []
    missing: list[str] = []
    for name in names:
        try:
            systems.append(find_peer(name))
        except Unavailable as error:
            missing.append(str(error))
    return systems, missing
