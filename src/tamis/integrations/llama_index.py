"""LlamaIndex: a reader of web pages, and a parser that cuts HTML into nodes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Final

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
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.node_utils import build_nodes_from_splits
    from llama_index.core.readers.base import BasePydanticReader
    from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode
    from llama_index.core.utils import get_tqdm_iterable
except ModuleNotFoundError as error:
    raise unavailable("LlamaIndex's reader needs llama-index-core", "llama-index") from error

__all__ = ["TamisNodeParser", "TamisReader"]

_logger = logging.getLogger(__name__)

# What neither an embedding nor a language model should see.
_HIDDEN: Final = (
    *"source url image page_type confidence status".split(),
    *"chunk tokens start_index xpath span_start span_end".split(),
)


class TamisReader(BasePydanticReader):
    """Reads the content of web pages: of files, folders, patterns, URLs and web archives.

    A page is a document with Markdown (or the text, the HTML, or with `content="page"` the page as
    it is, for `TamisNodeParser`). `options` are arguments of `tamis.extract`. A page that cannot be
    read is logged, or its error is raised with `raise_on_error`.
    """

    is_remote: bool = True
    content: Content = "markdown"
    raise_on_error: bool = False
    options: dict[str, Any] = Field(default_factory=dict)
    _fetch: Fetch | None = PrivateAttr(default=None)

    def __init__(self, *, fetch: Fetch | None = None, **values: Any) -> None:
        super().__init__(**values)
        self._fetch = fetch

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which the reader is saved."""
        return "TamisReader"

    def lazy_load_data(
        self, sources: Locations, extra_info: dict[str, Any] | None = None, **_: Any
    ) -> Iterator[Document]:
        """Yield the documents of all pages; `extra_info` is added to their metadata.

        The ID of a document is the name of its source, so that an index can be refreshed.
        """
        conversion = Conversion(self.content)

        def build(source: Source, page: TamisDocument) -> Iterator[Document]:
            for text, metadata in conversion.convert(page):
                yield Document(
                    id_=source.name,
                    text=text,
                    metadata={"source": source.name, **metadata, **(extra_info or {})},
                    excluded_embed_metadata_keys=list(_HIDDEN),
                    excluded_llm_metadata_keys=list(_HIDDEN),
                )

        on_error = raise_error if self.raise_on_error else _log_error
        return convert_pages(sources, build, on_error, fetch=self._fetch, options=self.options)


class TamisNodeParser(NodeParser):
    """Cuts documents with HTML into nodes: chunks of the content, with their headings.

    Documents with HTML come from other readers, or from `TamisReader(content="page")`. `options`
    are arguments of `tamis.extract`. A page that cannot be read is logged and has no nodes, or its
    error is raised with `raise_on_error`.
    """

    max_tokens: int = MAX_TOKENS
    overlap: int = 0
    tokenizer: Tokenizer = Field(default=count_tokens, exclude=True)
    raise_on_error: bool = False
    options: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which the parser is saved."""
        return "TamisNodeParser"

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Return the nodes of all pages, in their order."""
        watched = get_tqdm_iterable(nodes, show_progress, "Parsing nodes")
        return [output for node in watched for output in self._parse_node(node)]

    def _parse_node(self, node: BaseNode) -> list[TextNode]:
        """Return the nodes of one page."""
        conversion = Conversion("markdown", self.max_tokens, self.overlap, self.tokenizer)
        url = first_url(node.metadata.get("url"), node.metadata.get("source"), node.node_id)
        try:
            page = extract(node.get_content(MetadataMode.NONE), url, **self.options)
            parts = list(conversion.convert(page))
        except TamisError as error:
            (raise_error if self.raise_on_error else _log_error)(node.node_id, error)
            return []
        outputs = build_nodes_from_splits([text for text, _ in parts], node, id_func=self.id_func)
        for output, (_, metadata) in zip(outputs, parts, strict=True):
            output.metadata = {**metadata, **node.metadata} if self.include_metadata else {}
            for hidden in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
                setattr(output, hidden, list(dict.fromkeys((*getattr(output, hidden), *_HIDDEN))))
        return outputs


def _log_error(name: str, error: TamisError) -> None:
    """Log that a page is left out."""
    _logger.warning("%s is left out: %s", name, error)
