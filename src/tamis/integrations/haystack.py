"""Haystack: a converter of web pages to documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tamis.content import Document as TamisDocument
from tamis.content import Tokenizer, count_tokens
from tamis.errors import TamisError, unavailable
from tamis.integrations.conversion import Content, Conversion, convert_pages, first_url
from tamis.pipeline import extract
from tamis.source import Source

try:
    from haystack import Document, component, default_from_dict, default_to_dict, logging
    from haystack.components.converters.utils import normalize_metadata
    from haystack.dataclasses import ByteStream
    from haystack.utils import deserialize_callable, serialize_callable
except ModuleNotFoundError as error:
    raise unavailable("Haystack's converter needs haystack-ai", "haystack") from error

__all__ = ["TamisConverter"]

_logger = logging.getLogger(__name__)


@component
class TamisConverter:
    """Converts web pages to documents with Markdown and metadata, whole or in chunks.

    `content` is the form of the content (markdown, text, html, page); `max_tokens` gives a document
    for each chunk. `extraction_kwargs` are arguments of `tamis.extract`. As with Haystack's own
    converters, a source that cannot be read, or has no content, is logged and left out.
    """

    def __init__(
        self,
        content: Content = "markdown",
        max_tokens: int | None = None,
        overlap: int = 0,
        tokenizer: Tokenizer | None = None,
        extraction_kwargs: dict[str, Any] | None = None,
        store_full_path: bool = False,
    ) -> None:
        self.conversion = Conversion(content, max_tokens, overlap, tokenizer or count_tokens)
        self.extraction_kwargs = extraction_kwargs or {}
        self.store_full_path = store_full_path

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data."""
        tokenizer = self.conversion.tokenizer
        data: dict[str, Any] = default_to_dict(
            self,
            content=self.conversion.content,
            max_tokens=self.conversion.max_tokens,
            overlap=self.conversion.overlap,
            tokenizer=None if tokenizer is count_tokens else serialize_callable(tokenizer),
            extraction_kwargs=self.extraction_kwargs,
            store_full_path=self.store_full_path,
        )
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TamisConverter:
        """Return the component that `to_dict` described."""
        parameters = data.get("init_parameters", {})
        if isinstance(parameters.get("tokenizer"), str):
            tokenizer = deserialize_callable(parameters["tokenizer"])
            data = {**data, "init_parameters": {**parameters, "tokenizer": tokenizer}}
        converter: TamisConverter = default_from_dict(cls, data)
        return converter

    @component.output_types(documents=list[Document])
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
        extraction_kwargs: dict[str, Any] | None = None,
    ) -> dict[str, list[Document]]:
        """Convert files, folders, patterns, URLs, web archives, and byte streams of pages.

        `meta` is added to the metadata of all documents, or as a list to those of each source. The
        metadata of a byte stream are kept; its `url` is that of the page.
        """
        options = {**self.extraction_kwargs, **(extraction_kwargs or {})}
        documents: list[Document] = []
        metas = normalize_metadata(meta=meta, sources_count=len(sources))
        for source, given in zip(sources, metas, strict=True):
            if isinstance(source, ByteStream):
                documents += self._convert_stream(source, {**source.meta, **given}, options)
            else:
                documents += self._convert_location(source, given, options)
        return {"documents": documents}

    def _convert_stream(
        self, stream: ByteStream, given: dict[str, Any], options: dict[str, Any]
    ) -> list[Document]:
        """Return the documents of a byte stream."""
        url = first_url(given.get("url"), given.get("source"))
        if not self.store_full_path and given.get("file_path"):
            given = {**given, "file_path": os.path.basename(given["file_path"])}
        name = str(url or given.get("file_path") or "a byte stream")
        try:
            return list(self._build(name, extract(stream.data, url, **options), given))
        except TamisError as error:
            _log_error(name, error)
            return []

    def _convert_location(
        self, location: str | Path, given: dict[str, Any], options: dict[str, Any]
    ) -> Iterator[Document]:
        """Yield the documents of a file, folder, pattern, URL or archive."""

        def build(source: Source, page: TamisDocument) -> Iterator[Document]:
            path = source.name if self.store_full_path else os.path.basename(source.name)
            file = {} if source.url else {"file_path": path}
            return self._build(source.name, page, {**file, **given})

        return convert_pages(location, build, _log_error, fetch=None, options=options)

    def _build(self, name: str, page: TamisDocument, given: dict[str, Any]) -> Iterator[Document]:
        """Yield the documents of a page with the given metadata, which go before its own."""
        if not page.markdown:
            _logger.warning(
                "{source} has no content and is left out: its status is {status}",
                source=name,
                status=page.status,
            )
            return
        for text, metadata in self.conversion.convert(page):
            yield Document(content=text, meta={**metadata, **given})


def _log_error(name: str, error: TamisError) -> None:
    """Log that a page is left out."""
    _logger.warning("{source} is left out: {error}", source=name, error=error)
