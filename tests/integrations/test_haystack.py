from __future__ import annotations

import logging
from pathlib import Path

import pytest
from haystack import Document, Pipeline
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ByteStream
from haystack.document_stores.in_memory import InMemoryDocumentStore

import tamis
from tamis.errors import UnknownName
from tamis.integrations import haystack

from .conftest import SAMPLES, URL

DOCS = SAMPLES / "docs.html"


def count_words(text: str) -> int:
    return len(text.split())


def bare(text: str) -> str:
    return text.strip("\n").rstrip()


def convert(
    converter: haystack.TamisConverter, *sources: object, **inputs: object
) -> list[Document]:
    documents: list[Document] = converter.run(sources=list(sources), **inputs)["documents"]  # type: ignore[arg-type]
    return documents


def test_a_file_is_one_document_with_markdown_and_metadata() -> None:
    (document,) = convert(haystack.TamisConverter(), DOCS, meta={"shelf": 3})
    page = tamis.extract(DOCS.read_bytes())
    assert document.content == page.markdown
    assert document.meta["file_path"] == "docs.html"
    assert document.meta["title"] == "Writing a recipe"
    assert document.meta["page_type"] == page.page_type
    assert document.meta["shelf"] == 3
    (full,) = convert(haystack.TamisConverter(store_full_path=True), str(DOCS))
    assert full.meta["file_path"] == str(DOCS)


def test_a_byte_stream_keeps_its_metadata(docs_html: str) -> None:
    stream = ByteStream(docs_html.encode(), meta={"url": URL, "title": "mine", "file_path": "/a/b"})
    (document,) = convert(haystack.TamisConverter(content="text"), stream)
    assert document.content == tamis.extract(docs_html, URL).text
    assert (document.meta["url"], document.meta["title"]) == (URL, "mine")
    assert document.meta["file_path"] == "b"


def test_metadata_may_be_one_for_each_source() -> None:
    converter = haystack.TamisConverter(max_tokens=200)
    documents = convert(converter, DOCS, SAMPLES / "forum.html", meta=[{"n": 1}, {"n": 2}])
    assert {document.meta["n"] for document in documents} == {1, 2}
    with pytest.raises(ValueError, match="length"):
        convert(converter, DOCS, meta=[{}, {}])


def test_chunks_have_headings() -> None:
    documents = convert(haystack.TamisConverter(max_tokens=100, overlap=10), DOCS)
    chunks = tamis.extract(DOCS.read_bytes()).chunks(100, 10)
    assert [document.content for document in documents] == [bare(chunk.text) for chunk in chunks]
    assert [document.meta["headings"] for document in documents] == [
        " > ".join(chunk.headings) for chunk in chunks
    ]


def test_what_cannot_be_read_is_left_out(pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    empty = ByteStream(b"<script>app()</script>", meta={"url": URL})
    large = ByteStream(b"<p>" + b"word " * 99_999)
    with caplog.at_level(logging.WARNING):
        documents = convert(
            haystack.TamisConverter(extraction_kwargs={"max_bytes": 100_000}),
            pages / "missing.html",
            pages,
            empty,
            large,
        )
    assert [document.meta["file_path"] for document in documents] == ["article.html", "docs.html"]
    for name in ("missing.html", "broken.html", URL, "a byte stream"):
        assert any(name in record.getMessage() for record in caplog.records)


def test_archives_have_a_document_for_each_page(archive: Path) -> None:
    documents = convert(haystack.TamisConverter(), archive)
    assert [document.meta["url"] for document in documents] == [
        "https://site.example/0",
        "https://site.example/1",
    ]


def test_options_of_a_run_go_before_those_of_the_converter() -> None:
    converter = haystack.TamisConverter(extraction_kwargs={"favor": "precision"})
    (document,) = convert(converter, DOCS, extraction_kwargs={"favor": "recall"})
    assert document.content == tamis.extract(DOCS.read_bytes(), favor="recall").markdown
    with pytest.raises(UnknownName):
        convert(converter, DOCS, extraction_kwargs={"method": "magic"})


def test_the_converter_works_in_a_pipeline_that_was_saved() -> None:
    pipeline = Pipeline()
    converter = haystack.TamisConverter(max_tokens=60, tokenizer=count_words)
    pipeline.add_component("converter", converter)
    pipeline.add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    pipeline.connect("converter", "writer")
    modules = ["tamis.*", f"{__name__}.*"]  # Haystack loads no others than its own unless told
    copy = Pipeline.loads(pipeline.dumps(), allowed_modules=modules)
    assert vars(copy.get_component("converter"))["conversion"] == converter.conversion
    written = copy.run({"converter": {"sources": [DOCS]}})["writer"]["documents_written"]
    chunks = tamis.extract(DOCS.read_bytes()).chunks(60, 0, count_words)
    assert written == len(chunks)
    plain = haystack.TamisConverter().to_dict()
    assert haystack.TamisConverter.from_dict(plain).to_dict() == plain
