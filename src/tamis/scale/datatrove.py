"""datatrove: steps of its pipelines, on any of its executors.

    TamisReader      pages of inputs as documents, whose text is HTML
    TamisExtractor   documents of HTML → documents of text, in our workers instead of its sandbox
    TamisJob         inputs into an output folder, exactly once: reader, extractor and writer in one

Inputs are shared out among ranks. A rank that is started again does what is missing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from tamis.errors import SourceError, unavailable

try:
    from datatrove.data import Document, DocumentsPipeline
    from datatrove.pipeline.base import PipelineStep
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints
except ImportError as error:
    raise unavailable("the steps for datatrove need it", "datatrove") from error

from tamis.scale.batches import shared_pool
from tamis.scale.columns import repair_text
from tamis.scale.inputs import find_inputs
from tamis.scale.job import process_input
from tamis.scale.options import Options
from tamis.scale.output import OutputFolder
from tamis.scale.pages import PageInput, pages_ahead
from tamis.scale.reading import InputReader
from tamis.scale.schema import computed_schema


class TamisReader(PipelineStep):  # type: ignore[misc]
    """Reads the pages of inputs; what cannot be read is counted and left out.

    An input that is missing, damaged or nothing of the kind is logged, and does not end the rank.
    A table without the column of HTML is an InputError.
    """

    name = "tamis reader"
    type = "📖 - READER"

    def __init__(self, inputs: Sequence[str], options: Options | None = None) -> None:
        super().__init__()
        self.inputs = tuple(inputs)
        self.options = options or Options()

    def run(
        self, data: DocumentsPipeline = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield the pages of this rank's inputs, after those of the steps before."""
        yield from data or ()
        for source in find_inputs(self.inputs, self.options.base)[rank::world_size]:
            reader = InputReader(source, self.options)
            problem = None
            try:
                yield from self._read(reader)
            except SourceError as error:
                problem = str(error)
            if problem := reader.problem or problem:
                self.stat_update("inputs_with_problems")
                logger.warning(problem)

    def _read(self, reader: InputReader) -> Iterator[Document]:
        """Yield the pages of an input."""
        number = 0
        for batch in reader.batches():
            columns = [repair_text(column).to_pylist() for column in batch.columns]
            for values in zip(*columns, strict=True):
                row = dict(zip(batch.schema.names, values, strict=True))
                number += 1
                document = self._build_document(row, f"{reader.source.location}#{number}")
                self.stat_update(StatHints.total if document else "unreadable")
                if document:
                    yield document

    def _build_document(self, row: dict[str, Any], identifier: str) -> Document | None:
        """Return a page as a document: its bytes as latin-1, which any bytes are."""
        html = row.pop(self.options.html_column)
        if html is None:
            return None
        metadata = {name: value for name, value in row.items() if value is not None}
        if isinstance(html, bytes):
            metadata["html_bytes"] = True
            html = html.decode("latin-1")
        return Document(html, row.get("record_id") or identifier, metadata=metadata)


class TamisExtractor(PipelineStep):  # type: ignore[misc]
    """Replaces the HTML of documents by their text, and adds what is known to their metadata.

    A page that fails is counted by kind and left out, as datatrove's extractors do; with
    `keep_failed` it stays, with an empty text and its error in the metadata.
    """

    name = "tamis"
    type = "🛢 - EXTRAC"

    def __init__(self, options: Options | None = None, *, keep_failed: bool = False) -> None:
        super().__init__()
        self.options = options or Options()
        self.keep_failed = keep_failed

    def run(
        self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield the documents in their order."""
        names = computed_schema(self.options).names
        pool = shared_pool(self.options)
        waiting: deque[Document] = deque()

        def pages() -> Iterator[PageInput]:
            for document in data:
                waiting.append(document)
                yield _page_input(document)

        for outcome in pool.map(pages(), ahead=pages_ahead(pool)):
            document = waiting.popleft()
            self.stat_update(StatHints.total)
            values = outcome.value or (*[None] * (len(names) - 2), outcome.error, outcome.kind)
            row = dict(zip(names, values, strict=True))
            document.text = row.pop("text") or ""
            row.pop("minhash")
            if row["error_kind"] is not None:
                self.stat_update("failed", f"failed_{row['error_kind']}")
            document.metadata |= {name: value for name, value in row.items() if value is not None}
            if document.text or (self.keep_failed and row["error_kind"] is not None):
                self.stat_update(StatHints.forwarded)
                self.update_doc_stats(document)
                yield document
            else:
                self.stat_update(StatHints.dropped)


def _page_input(document: Document) -> PageInput:
    """Return the page of a document."""
    html: str | bytes = document.text
    if document.metadata.pop("html_bytes", False):
        html = document.text.encode("latin-1")
    metadata = document.metadata
    return PageInput(html, metadata.get("url"), metadata.get("charset"))


class TamisJob(PipelineStep):  # type: ignore[misc]
    """Extracts inputs into an output folder: one Parquet file each, exactly once."""

    name = "tamis job"
    type = "💽 - WRITER"

    def __init__(self, inputs: Sequence[str], output: str, options: Options | None = None) -> None:
        super().__init__()
        self.inputs = tuple(inputs)
        self.output = output
        self.options = options or Options()

    def run(self, data: DocumentsPipeline = None, rank: int = 0, world_size: int = 1) -> None:
        """Process this rank's inputs."""
        folder = OutputFolder.open(self.output, self.options)
        for source in find_inputs(self.inputs, self.options.base)[rank::world_size]:
            report = process_input(source, folder, self.options, shared_pool(self.options))
            self.stat_update("inputs")
            self.stat_update(StatHints.total, value=report.rows)
            for kind, count in report.failures.items():
                self.stat_update(f"failed_{kind}", value=count)
            if report.problem:
                self.stat_update("inputs_with_problems")
                logger.warning(report.problem)
