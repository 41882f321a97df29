"""What all integrations do: read pages, and hand documents on whole or in chunks, with metadata.

Metadata are flat, of texts and numbers, without empty values: vector stores take nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final, Literal, TypeVar

from tamis.content import Chunk, Document, Tokenizer, count_tokens
from tamis.errors import TamisError, Unavailable, UnknownName, WrongType, check_number
from tamis.page import MAX_SOURCE_BYTES
from tamis.pipeline import extract
from tamis.source import (
    MAX_BYTES,
    Failure,
    Fetch,
    Source,
    expand_inputs,
    printable_name,
    read_pages,
)

Content = Literal["markdown", "text", "html", "page"]
Metadata = dict[str, str | int | float]
Locations = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
OnError = Callable[[str, TamisError], None]
_T = TypeVar("_T")

CONTENTS: Final = ("markdown", "text", "html", "page")
HEADING_JOINT: Final = " > "
_MISTAKES: Final = (WrongType, UnknownName, Unavailable)  # of the call, not of a page


@dataclass(frozen=True, slots=True)
class Conversion:
    """In which form documents are handed on; `max_tokens` hands them on in chunks of Markdown.

    "page" is the HTML of the page as it is, for those who extract it later.
    """

    content: Content = "markdown"
    max_tokens: int | None = None
    overlap: int = 0
    tokenizer: Tokenizer = count_tokens

    def __post_init__(self) -> None:
        if self.content not in CONTENTS:
            raise UnknownName(f"no content {self.content!r}: take one of {', '.join(CONTENTS)}")
        if self.max_tokens is None:
            return
        check_number("max_tokens", self.max_tokens, 1, whole=True)
        check_number("overlap", self.overlap, 0, self.max_tokens // 2, whole=True)
        if self.content != "markdown":
            raise UnknownName(f"no chunks of {self.content!r}: they are cut from markdown")

    def convert(self, document: Document) -> Iterator[tuple[str, Metadata]]:
        """Yield the texts of a document with their metadata: one, or one for each chunk."""
        metadata = describe_document(document)
        if self.max_tokens is None:
            yield self._render(document), metadata
            return
        numbers = count()
        for chunk in document.chunks(self.max_tokens, self.overlap, self.tokenizer):
            if text := chunk.text.strip("\n").rstrip():
                yield text, {**metadata, **_describe_chunk(chunk), "chunk": next(numbers)}

    def _render(self, document: Document) -> str:
        """Return the text of a whole document."""
        if self.content == "page":
            return document.page.source.decode()
        rendered: str = getattr(document, self.content)
        return rendered


def describe_document(document: Document) -> Metadata:
    """Return what is known of a document."""
    metadata = document.metadata
    values: dict[str, str | float | None] = {
        "url": document.page.url or metadata.url,
        "title": metadata.title,
        "author": metadata.author,
        "date": metadata.date,
        "description": metadata.description,
        "site_name": metadata.site_name,
        "language": metadata.language,
        "image": metadata.image,
        "tags": "; ".join(metadata.tags),
        "page_type": document.page_type,
        "confidence": None if document.confidence is None else round(document.confidence, 4),
        "status": document.status,
    }
    return {name: value for name, value in values.items() if value is not None and value != ""}


def _describe_chunk(chunk: Chunk) -> Metadata:
    """Return where a chunk is from."""
    headings = {"headings": HEADING_JOINT.join(chunk.headings)} if chunk.headings else {}
    return {
        **headings,
        "tokens": chunk.tokens,
        "start_index": chunk.start,
        "xpath": chunk.xpath,
        "span_start": chunk.span[0],
        "span_end": chunk.span[1],
    }


def convert_pages(
    locations: Locations,
    build: Callable[[Source, Document], Iterable[_T]],
    on_error: OnError,
    *,
    fetch: Fetch | None,
    options: Mapping[str, Any],
) -> Iterator[_T]:
    """Yield what is built from the documents of files, folders, patterns, URLs and archives.

    `on_error` is called with the name of a page that cannot be read and the reason. A mistake in
    the options is raised at once.
    """
    limit = options.get("max_bytes", MAX_BYTES)
    # A file is named by its whole path, also where it is in a folder.
    inputs = (
        replace(page_input, name=printable_name(page_input.location))
        for page_input in expand_inputs(list_locations(locations))
    )
    max_bytes = MAX_SOURCE_BYTES if limit is None else limit
    for source in read_pages(inputs, max_bytes=max_bytes, fetch=fetch):
        if isinstance(source, Failure):
            on_error(source.name, source.error)
            continue
        try:
            arguments = {"charset": source.charset, **options}
            outputs = list(build(source, extract(source.data, source.url, **arguments)))
        except _MISTAKES:
            raise
        except TamisError as error:
            on_error(source.name, error)
        else:
            yield from outputs


def list_locations(locations: Locations) -> list[str]:
    """Return files, folders, patterns and URLs as texts; a single one is a list of one."""
    if isinstance(locations, str | os.PathLike):
        return [os.fspath(locations)]
    return [os.fspath(location) for location in locations]


def raise_error(name: str, error: TamisError) -> None:
    """Raise the error of a page that cannot be read."""
    raise error


def first_url(*values: object) -> str | None:
    """Return the first of some values that is a URL of a web page."""
    for value in values:
        if isinstance(value, str) and value.lower().startswith(("http://", "https://")):
            return value
    return None
