"""LangChain: a document loader, a blob parser, and a transformer of documents with HTML."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from tamis.content import MAX_TOKENS, Tokenizer, count_tokens
from tamis.content import Document as TamisDocument
from tamis.errors import TamisError, unavailable
from tamis.integrations.conversion import (
    Content,
    Conversion,
    Locations,
    convert_pages,
    first_url,
    raise_error,
)
from tamis.pipeline import extract
from tamis.source import Fetch, Source

try:
    from langchain_core.document_loaders import BaseBlobParser, BaseLoader
    from langchain_core.documents import BaseDocumentTransformer, Document
    from langchain_core.documents.base import Blob
except ModuleNotFoundError as error:
    raise unavailable("LangChain's loader needs langchain-core", "langchain") from error

__all__ = ["TamisLoader", "TamisParser", "TamisTransformer"]

_logger = logging.getLogger(__name__)


class TamisLoader(BaseLoader):
    """Loads the content of web pages: of files, folders, patterns, URLs and web archives.

    A page is a document with Markdown (or the text, the HTML, or the page as it is: `content`), or
    with `max_tokens` a document for each chunk. `fetch` says how URLs are fetched. Of a page that
    cannot be read the error is raised, or logged with `continue_on_failure`. The options are those
    of `tamis.extract`.
    """

    def __init__(
        self,
        sources: Locations,
        *,
        content: Content = "markdown",
        max_tokens: int | None = None,
        overlap: int = 0,
        tokenizer: Tokenizer = count_tokens,
        continue_on_failure: bool = False,
        fetch: Fetch | None = None,
        **options: Any,
    ) -> None:
        self._conversion = Conversion(content, max_tokens, overlap, tokenizer)
        self._on_error = _log_error if continue_on_failure else raise_error
        self._sources, self._fetch, self._options = sources, fetch, options

    def lazy_load(self) -> Iterator[Document]:
        """Yield the documents one by one; each page is read when its turn comes."""
        return convert_pages(
            self._sources, self._build, self._on_error, fetch=self._fetch, options=self._options
        )

    def _build(self, source: Source, document: TamisDocument) -> Iterator[Document]:
        """Yield the documents of a page."""
        for text, metadata in self._conversion.convert(document):
            yield Document(text, metadata={"source": source.name, **metadata})


class TamisParser(BaseBlobParser):
    """Parses blobs with HTML, such as those of LangChain's blob loaders.

    The parameters are those of `TamisLoader`.
    """

    def __init__(
        self,
        *,
        content: Content = "markdown",
        max_tokens: int | None = None,
        overlap: int = 0,
        tokenizer: Tokenizer = count_tokens,
        **options: Any,
    ) -> None:
        self._conversion = Conversion(content, max_tokens, overlap, tokenizer)
        self._options = options

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yield the documents of a blob; its source, if it is a URL, is that of the page."""
        document = extract(blob.as_bytes(), first_url(blob.source), **self._options)
        for text, metadata in self._conversion.convert(document):
            source = {"source": blob.source} if blob.source else {}
            yield Document(text, metadata={**source, **metadata, **blob.metadata})


class TamisTransformer(BaseDocumentTransformer):
    """Turns documents with HTML, as other loaders give them, into chunks of their content.

    `max_tokens=None` gives one document for each instead. Metadata of a document stay; those of its
    page come on top where there is none of that name. The other parameters are those of
    `TamisLoader`.
    """

    def __init__(
        self,
        *,
        content: Content = "markdown",
        max_tokens: int | None = MAX_TOKENS,
        overlap: int = 0,
        tokenizer: Tokenizer = count_tokens,
        continue_on_failure: bool = False,
        **options: Any,
    ) -> None:
        self._conversion = Conversion(content, max_tokens, overlap, tokenizer)
        self._on_error = _log_error if continue_on_failure else raise_error
        self._options = options

    def transform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> Sequence[Document]:
        """Return the documents of all pages, in their order."""
        return [output for document in documents for output in self._transform(document)]

    def _transform(self, document: Document) -> list[Document]:
        """Return the documents of one page."""
        given = document.metadata
        url = first_url(given.get("url"), given.get("source"))
        try:
            page = extract(document.page_content, url, **self._options)
            return [
                Document(text, metadata={**metadata, **given})
                for text, metadata in self._conversion.convert(page)
            ]
        except TamisError as error:
            self._on_error(str(given.get("source", document.id)), error)
            return []


def _log_error(name: str, error: TamisError) -> None:
    """Log that a page is left out."""
    _logger.warning("%s is left out: %s", name, error)
