"""Peers: other extractors, called as their documentation says, behind one interface.

Those that run in processes of their own are in `processes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final

from tamis.errors import Unavailable, unavailable
from tamis.lab.datasets import Item
from tamis.lab.systems.methods import Answer, Extractor, System
from tamis.lab.systems.processes import (
    NODE_PEERS,
    PROCESS_PEERS,
    PeerProcess,
    find_process_peer,
)
from tamis.lab.versions import peer_version
from tamis.pipeline import look_up

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


def _resiliparse(**settings: Any) -> Callable[[], _Function]:
    """Return what makes resiliparse's plain text of the main content with some settings."""

    def build() -> _Function:
        from resiliparse.extract.html2text import extract_plain_text

        return lambda html, _: str(extract_plain_text(html, main_content=True, **settings))

    return build


def _turbohtml() -> _Function:
    """Return turbohtml's text of the main content."""
    from turbohtml import parse

    return lambda html, _: parse(html).main_text()


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
    "resiliparse": _Peer("Resiliparse", _resiliparse()),
    "resiliparse-no-alt": _Peer("Resiliparse", _resiliparse(alt_texts=False)),
    "turbohtml": _Peer("turbohtml", _turbohtml),
    "readability-lxml": _Peer("readability-lxml", _readability_lxml),
    "newspaper4k": _Peer("newspaper4k", _newspaper4k),
    "justext": _Peer("jusText", _justext),
    "boilerpy3": _Peer("boilerpy3", _boilerpy3),
    "goose3": _Peer("goose3", _goose3),
}
USUAL_PEERS: Final = ("resiliparse", "trafilatura")
PEER_NAMES: Final = (*PEERS, *PROCESS_PEERS)
_HTML_PEERS: Final = ("readability-lxml", *NODE_PEERS)


def _html_text(html: str) -> str:
    """Return the text of HTML that a peer gives, blocks on lines of their own."""
    from tamis.page import parse

    return parse(html).text if html.strip() else ""


def find_peer(name: str) -> System:
    """Return a peer as a system; raises Unavailable where it is not installed."""
    look_up(dict.fromkeys(PEER_NAMES), name, "peer")
    version = peer_version(from_html=name in _HTML_PEERS)
    if name in PROCESS_PEERS:
        return _process_system(name, version)
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


def _process_system(name: str, version: str) -> System:
    """Return a peer with a process of its own as a system; the time is taken in there."""
    peer = find_process_peer(name)
    is_html = name in NODE_PEERS

    @contextmanager
    def started() -> Iterator[Extractor]:
        with PeerProcess(peer).running() as ask:

            def answer(html: str, item: Item) -> Answer:
                content, seconds = ask(html, item.url)
                return Answer(_html_text(content) if is_html else content, seconds)

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
