"""The work on one page, as it is done in a worker: HTML in, the values of a row out."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any, Final, NamedTuple

from tamis.content import Comment, Document, Post
from tamis.errors import PoorMatch
from tamis.pipeline import METHODS, extract
from tamis.printing import encodable
from tamis.records import Records
from tamis.scale.options import Options
from tamis.site import Site, parse_site
from tamis.store import Tokenizer, compute_minhash, detect_language
from tamis.verdict import Learned, Svm
from tamis.workers import Pool

_DIGITS: Final = 4  # of confidence
_MAX_SITES: Final = 32  # that a worker keeps
_AHEAD: Final = 8  # pages per worker that are read ahead
_MODEL_FILES: Final = {Learned: "learned", Svm: "svm"}

Values = tuple[Any, ...]  # of the columns of `computed_schema`; None for a page without HTML


class PageInput(NamedTuple):
    """One page: its HTML, or why it could not be read."""

    html: bytes | str | None
    url: str | None = None
    charset: str | None = None
    site: str | None = None  # the text of a site's file
    error: str | None = None
    error_kind: str | None = None


PagePool = Pool[PageInput, Values | None]


@dataclass(frozen=True)
class _PageExtractor:
    """Computes the values of a row; made once in each worker."""

    options: Options
    tokenizer: Tokenizer

    def __call__(self, page: PageInput) -> Values | None:
        options = self.options
        if page.html is None:
            return None
        limits: dict[str, Any] = {
            "charset": page.charset if isinstance(page.html, bytes) else None,
            "max_bytes": options.max_bytes,
            "max_nodes": options.max_nodes,
            "deadline": options.deadline,
        }
        if page.site is None:
            method, favor = options.method, options.favor
            document = extract(page.html, page.url, method=method, favor=favor, **limits)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PoorMatch)  # it is read without the template
                document = _load_site(page.site).extract(page.html, page.url, **limits)
        metadata, text = document.metadata, document.text
        language = detect_language(text, metadata.language)
        confidence = document.confidence
        line = self.tokenizer.token_line(text, language).encode()
        formats = [_FORMATS[name](document) for name in _FORMATS if name in options.formats]
        return (
            document.page.encoding,
            language,
            encodable(metadata.title),
            encodable(metadata.author),
            metadata.date,
            document.page_type,
            None if confidence is None else round(float(confidence), _DIGITS),
            document.status,
            encodable(text),
            *formats,
            compute_minhash(line),
            None,
            None,
        )


@lru_cache(_MAX_SITES)
def _load_site(text: str) -> Site:
    return parse_site(text, "a template")


def build_extractor(options: Options) -> Callable[[PageInput], Values | None]:
    """Return the task of a worker, ready for its first page: models are loaded."""
    extractor = _PageExtractor(options, Tokenizer())
    warm_up = "<title>Warm-up</title><p>" + "A page with some words to begin with. " * 5
    extractor(PageInput(warm_up, "https://example.org/"))
    return extractor


def open_pool(options: Options, workers: int) -> PagePool:
    """Return a pool of workers for pages."""
    return Pool(
        partial(build_extractor, options),
        workers=workers,
        deadline=options.hard_deadline,
        memory=options.memory,
    )


def pages_ahead(pool: PagePool) -> int:
    """Return how many pages are read ahead: few, as each can be large."""
    return _AHEAD * pool.workers


def model_name(options: Options) -> str | None:
    """Return the name of the shipped model that a method uses, with its date and a hash."""
    method = METHODS[options.method] if isinstance(options.method, str) else options.method
    name = _MODEL_FILES.get(type(method.identifier))
    if name is None or getattr(method.identifier, "model", None) is not None:
        return None
    folder = files("tamis.verdict").joinpath("models")
    card = json.loads(folder.joinpath(f"{name}.json").read_text())
    data = folder.joinpath(f"{name}.{'npz' if isinstance(method.identifier, Learned) else 'json'}")
    digest = hashlib.blake2b(data.read_bytes(), digest_size=4).hexdigest()
    return "-".join(filter(None, (name, card.get("date"), digest)))


def _markdown(document: Document) -> str | None:
    return encodable(document.markdown)


def _records(document: Document) -> dict[str, Any] | None:
    """Return the main records with the types of their fields; None if the page has no list."""
    records: Records = document.records
    if not len(records):
        return None
    fields = [{"name": encodable(field.name), "type": field.type} for field in records.fields]
    rows = [
        [(encodable(name), _text_value(value)) for name, value in row.items()] for row in records
    ]
    return {"fields": fields, "rows": rows}


def _messages(messages: Sequence[Post | Comment]) -> list[dict[str, Any]]:
    """Return posts or comments as plain data that UTF-8 can hold."""
    return [
        {
            name: encodable(value) if isinstance(value, str) else value
            for name, value in message.as_dict().items()
        }
        for message in messages
    ]


def _text_value(value: Any) -> str | None:
    """Return a value of a record as text."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return encodable(str(value))


_FORMATS: Final[dict[str, Callable[[Document], Any]]] = {
    "markdown": _markdown,
    "records": _records,
    "posts": lambda document: _messages(document.posts),
    "comments": lambda document: _messages(document.comments),
}
