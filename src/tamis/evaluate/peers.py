"""Peers: other extractors, called as their documentation says, behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final

from tamis.errors import Unavailable, unavailable
from tamis.evaluate import node
from tamis.evaluate.cache import peer_version
from tamis.evaluate.datasets import Item
from tamis.evaluate.systems import Answer, Extractor, System
from tamis.pipeline import named

# The languages of stop word lists that jusText has, by code; others are read as English.
STOPLISTS: Final = {
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
NO_STOPWORDS: Final = {"stopwords_low": 0, "stopwords_high": 0}

Function = Callable[[str, Item], str]


@dataclass(frozen=True)
class Peer:
    """An extractor in Python: the package it is in, and what makes a function of it."""

    package: str
    function: Callable[[], Function]


def trafilatura(**settings: Any) -> Callable[[], Function]:
    """Return what makes trafilatura with some settings."""

    def made() -> Function:
        from trafilatura import extract

        return lambda html, _: extract(html, **settings) or ""

    return made


def resiliparse() -> Function:
    """Return resiliparse's plain text of the main content."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _: str(extract_plain_text(html, main_content=True))


def readability_lxml() -> Function:
    """Return the text of readability-lxml's summary."""
    from readability import Document

    return lambda html, _: html_text(Document(html).summary(html_partial=True))


def newspaper4k() -> Function:
    """Return newspaper4k's text of an article."""
    from newspaper import Article

    def text(html: str, _: Item) -> str:
        article = Article("https://page.example/", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        return str(article.text)

    return text


def justext() -> Function:
    """Return jusText's good paragraphs, by the stop words of the page's language."""
    import justext as library

    lists = {code: library.get_stoplist(name) for code, name in STOPLISTS.items()}

    def text(html: str, item: Item) -> str:
        code = item.lang or "en"
        if code in ("zh", "ja"):
            paragraphs = library.justext(html, frozenset(), **NO_STOPWORDS)
        else:
            paragraphs = library.justext(html, lists.get(code, lists["en"]))
        return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

    return text


def boilerpy3() -> Function:
    """Return the text of boilerpy3's ArticleExtractor."""
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor()
    return lambda html, _: str(extractor.get_content(html))


def goose3() -> Function:
    """Return goose3's cleaned text."""
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})
    return lambda html, _: goose.extract(raw_html=html).cleaned_text or ""


PEERS: Final[Mapping[str, Peer]] = {
    "trafilatura": Peer("trafilatura", trafilatura()),
    "trafilatura-recall": Peer("trafilatura", trafilatura(favor_recall=True)),
    "trafilatura-precision": Peer("trafilatura", trafilatura(favor_precision=True)),
    "resiliparse": Peer("Resiliparse", resiliparse),
    "readability-lxml": Peer("readability-lxml", readability_lxml),
    "newspaper4k": Peer("newspaper4k", newspaper4k),
    "justext": Peer("jusText", justext),
    "boilerpy3": Peer("boilerpy3", boilerpy3),
    "goose3": Peer("goose3", goose3),
}
USUAL: Final = ("resiliparse", "trafilatura")
ALL_NAMES: Final = (*PEERS, *node.PEERS)
GIVE_HTML: Final = ("readability-lxml", *node.PEERS)


def html_text(html: str) -> str:
    """Return the text of HTML that a peer gives, blocks on lines of their own."""
    from tamis.page import parse

    return parse(html).text if html.strip() else ""


def peer_system(name: str) -> System:
    """Return a peer as a system; raises Unavailable where it is not installed."""
    named(dict.fromkeys(ALL_NAMES), name, "peer")
    version = peer_version(from_html=name in GIVE_HTML)
    if name in node.PEERS:
        return node_system(name, version)
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


def node_system(name: str, version: str) -> System:
    """Return a peer that runs in Node as a system; the time is taken in there."""
    found = node.installed(name)

    @contextmanager
    def started() -> Iterator[Extractor]:
        with node.Process(found).running() as ask:

            def answer(html: str, _: Item) -> Answer:
                content, seconds = ask(html)
                return Answer(html_text(content), seconds)

            yield answer

    return System(name, f"{found.version} {version}", started, is_peer=True)


def peers(names: Sequence[str]) -> tuple[list[System], list[str]]:
    """Return peers as systems, and why some of them are left out."""
    systems: list[System] = []
    missing: list[str] = []
    for name in names:
        try:
            systems.append(peer_system(name))
        except Unavailable as error:
            missing.append(str(error))
    return systems, missing
