"""What workers do for the service: a page in, an answer out, encoded already.

Tasks travel to workers and are plain data; answers are the bytes that a client gets, so that the
process that talks to clients does little more than hand them on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, Protocol

from tamis.content import Document
from tamis.errors import InputError, PoorMatch
from tamis.page import Page, parse
from tamis.pipeline import DEFAULT_METHOD, Favor, extract
from tamis.printing import encode_url
from tamis.records import Records
from tamis.site import Site, parse_site

_MAX_SITES: Final = 32  # that a worker keeps
_WARM_UP: Final = "<title>Warm-up</title><p>" + "A page with some words to begin with. " * 5


class PageInput(NamedTuple):
    """A page as it came: its HTML and what is declared about it."""

    html: bytes | str
    url: str | None = None
    charset: str | None = None
    site: str | None = None  # the text of the file of its site, if it is to be read with one


class Task(Protocol):
    """The work on one request."""

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer; `limits` are those of `extract`."""
        ...


def build_runner(limits: Mapping[str, Any]) -> Callable[[Task], bytes]:
    """Return what a worker calls for each task; models are loaded."""
    document = extract(_WARM_UP, "https://example.org/")
    _ = (document.markdown, document.metadata, document.records)
    return partial(_run_task, limits=limits)


def _run_task(task: Task, limits: Mapping[str, Any]) -> bytes:
    return task.run(limits)


def read_page(page: PageInput, method: str, favor: Favor | None, limits: Mapping[str, Any]) -> Any:
    """Return the document of a page, read by a method or with what is known of its site."""
    charset = page.charset if isinstance(page.html, bytes) else None
    if page.site is None:
        return extract(page.html, page.url, method=method, favor=favor, charset=charset, **limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)  # the answer has how well it matches
        return load_site(page.site).extract(page.html, page.url, charset=charset, **limits)


def parse_page(page: PageInput, limits: Mapping[str, Any]) -> Page:
    """Return a page, parsed."""
    charset = page.charset if isinstance(page.html, bytes) else None
    return parse(page.html, page.url, charset=charset, **limits)


@lru_cache(_MAX_SITES)
def load_site(text: str) -> Site:
    """Return the site that the text of a file holds."""
    return parse_site(text, "the site file")


def encode_json(value: Any) -> bytes:
    """Return plain data as JSON; halves of characters, which UTF-8 cannot hold, become `?`."""
    return json.dumps(value, ensure_ascii=False, default=_plain).encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    """Return objects of documents as plain data."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: entry for name, entry in asdict(value).items() if not name.startswith("_")}
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


# Extraction -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rendering:
    """How a document is rendered: what it has and leaves out, and how its chunks are cut."""

    title: bool = True
    front_matter: bool = False
    links: bool = True
    images: bool = True
    tables: bool = True
    comments: bool = False
    max_tokens: int = 512
    overlap: int = 0


def _text(document: Document, rendering: Rendering) -> Any:
    return document.to_text(tables=rendering.tables, comments=rendering.comments)


def _markdown(document: Document, rendering: Rendering) -> Any:
    return document.to_markdown(
        title=rendering.title,
        front_matter=rendering.front_matter,
        links=rendering.links,
        images=rendering.images,
        tables=rendering.tables,
        comments=rendering.comments,
    )


def _html(document: Document, rendering: Rendering) -> Any:
    return document.to_html(links=rendering.links, images=rendering.images, tables=rendering.tables)


def _chunks(document: Document, rendering: Rendering) -> Any:
    chunks = document.chunks(rendering.max_tokens, rendering.overlap)
    return [asdict(chunk) for chunk in chunks]


def _from_property(name: str, document: Document, _: Rendering) -> Any:
    """Return what a document has under a name, as plain data."""
    if not hasattr(type(document), name):
        raise InputError(f"this version of tamis gives no {name}: leave the format out")
    return [as_plain(entry) for entry in getattr(document, name)]


def as_plain(entry: Any) -> Any:
    """Return a part of a document as plain data."""
    if isinstance(entry, dict):
        return entry
    return entry.as_dict() if hasattr(entry, "as_dict") else _plain(entry)


FORMATS: Final[Mapping[str, Callable[[Document, Rendering], Any]]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": lambda document, _: document.json,
    "records": lambda document, _: describe_records(document),
    "metadata": lambda document, _: describe_metadata(document),
    "chunks": _chunks,
    "posts": partial(_from_property, "posts"),
    "comments": partial(_from_property, "comments"),
}


def describe_metadata(document: Document) -> dict[str, Any]:
    """Return what a page says about itself."""
    return {**asdict(document.metadata), "tags": list(document.metadata.tags)}


def describe_records(document: Document) -> dict[str, Any]:
    """Return the main records of a page, and the address of the page that goes on with them."""
    return {**document.records.as_dict(), "next_page": document.next_page}


def describe_document(document: Document) -> dict[str, Any]:
    """Return what an answer says about a document, whatever its formats."""
    url, page = document.page.url, document.verdict.page
    return {
        "url": None if url is None else encode_url(url),
        "method": document.method,
        "page_type": document.page_type,
        "confidence": None if document.confidence is None else round(document.confidence, 4),
        "status": document.status,
        "match": round(page.match, 4) if page is not None and page.match is not None else None,
        "truncated": list(document.page.truncated),
    }


@dataclass(frozen=True)
class ExtractTask:
    """A page into formats; with `plain` into a single one, as it is."""

    page: PageInput
    formats: tuple[str, ...]
    method: str = DEFAULT_METHOD
    favor: Favor | None = None
    rendering: Rendering = field(default_factory=Rendering)
    plain: bool = False

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = read_page(self.page, self.method, self.favor, limits)
        if self.plain:
            text: str = FORMATS[self.formats[0]](document, self.rendering)
            return text.encode("utf-8", "replace")
        answer = describe_document(document)
        for name in self.formats:
            answer[name] = FORMATS[name](document, self.rendering)
        return encode_json(answer)


@dataclass(frozen=True)
class BlocksTask:
    """A page into its blocks, each with its verdict."""

    page: PageInput
    method: str = DEFAULT_METHOD
    favor: Favor | None = None
    only_informative: bool = False

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = read_page(self.page, self.method, self.favor, limits)
        blocks = [
            block.as_dict()
            for block in document.blocks
            if block.informative or not self.only_informative
        ]
        return encode_json({**describe_document(document), "blocks": blocks})


@dataclass(frozen=True)
class RecordsTask:
    """A page into its records: those of its main list, or of all regions."""

    page: PageInput
    regions: str = "main"

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = read_page(self.page, DEFAULT_METHOD, None, limits)
        if self.regions == "all":
            listed: list[Records] = list(document.regions)
        else:
            listed = [document.records] if document.records else []
        return encode_json(
            {
                **describe_document(document),
                "reason": document.records.reason,
                "next_page": document.next_page,
                "regions": [records.as_dict() for records in listed],
            }
        )


@dataclass(frozen=True)
class LearnTask:
    """Pages into the file of their site."""

    pages: tuple[PageInput, ...]
    host: str
    before: str | None = None  # the file of the site so far, whose rules are kept
    update: bool = False  # whether its templates are kept as well

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the text of the file."""
        from tamis.site import site_text

        pages = (parse_page(page, limits) for page in self.pages)
        before = None if self.before is None else load_site(self.before)
        if before is not None and self.update:
            site = before.update(pages)
        else:
            site = Site.learn(pages, host=self.host)
            if before is not None:
                rules, cases = before.rules, before.cases
                site = replace(site, patterns=before.patterns, rules=rules, cases=cases)
        return site_text(site).encode()
