from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from langchain_core.document_loaders import BaseBlobParser, BaseLoader
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.base import Blob

import tamis
from tamis.errors import FetchError, InputError, SourceError, UnknownName
from tamis.integrations import langchain
from tamis.source import Fetch

from .conftest import SAMPLES, URL

DOCS = str(SAMPLES / "docs.html")


def count_words(text: str) -> int:
    return len(text.split())


def test_a_page_is_one_document_with_markdown_and_metadata() -> None:
    loader = langchain.TamisLoader(DOCS)
    assert isinstance(loader, BaseLoader)
    (document,) = loader.load()
    page = tamis.extract(Path(DOCS).read_bytes())
    assert document.page_content == page.markdown
    assert document.metadata["source"] == DOCS
    assert document.metadata["title"] == "Writing a recipe"
    assert document.metadata["language"] == "en"
    assert document.metadata["page_type"] == page.page_type
    assert document.metadata["confidence"] == pytest.approx(page.confidence, abs=1e-4)
    assert document.metadata["status"] == "good"


def test_metadata_are_what_vector_stores_take_and_langchain_saves() -> None:
    for document in langchain.TamisLoader(SAMPLES, max_tokens=100).lazy_load():
        assert all(type(value) in (str, int, float) for value in document.metadata.values())
        assert "" not in document.metadata.values()
    assert Document.model_validate_json(document.model_dump_json()) == document


@pytest.mark.parametrize("content", ["text", "html", "markdown"])
def test_content_is_in_the_form_that_is_chosen(content: str) -> None:
    loader = langchain.TamisLoader(DOCS, content=content, favor="recall")  # type: ignore[arg-type]
    page = tamis.extract(Path(DOCS).read_bytes(), favor="recall")
    assert [document.page_content for document in loader.load()] == [getattr(page, content)]


def test_chunks_have_headings_and_where_they_are_from() -> None:
    documents = langchain.TamisLoader(DOCS, max_tokens=80, tokenizer=count_words).load()
    page = tamis.extract(Path(DOCS).read_bytes())
    assert [document.metadata["chunk"] for document in documents] == [*range(len(documents))]
    for document in documents:
        text, metadata = document.page_content, document.metadata
        assert count_words(text) <= 80
        assert page.markdown[metadata["start_index"] :].startswith(text)
        assert metadata["title"] == "Writing a recipe"
        assert 0 < metadata["span_start"] < metadata["span_end"] <= len(page.page.source)
        assert metadata["xpath"].startswith("/html/body")
    headings = {document.metadata["headings"] for document in documents}
    assert "Writing a recipe > Anatomy of a recipe > Options at a glance" in headings


def test_pages_are_read_when_their_turn_comes(pages: Path) -> None:
    loaded = langchain.TamisLoader([pages / "article.html", pages / "docs.html"]).lazy_load()
    assert next(loaded).metadata["source"] == str(pages / "article.html")
    (pages / "docs.html").unlink()
    with pytest.raises(SourceError):
        next(loaded)


def test_an_error_is_raised_or_logged(pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    sources = [pages, pages / "missing.html"]
    with pytest.raises(InputError):
        langchain.TamisLoader(sources).load()
    documents = langchain.TamisLoader(sources, continue_on_failure=True).load()
    assert [Path(document.metadata["source"]).name for document in documents] == [
        "article.html",
        "docs.html",
    ]
    # LangChain's own packages may log, too.
    messages = [each.message for each in caplog.records if each.name.startswith("tamis")]
    assert [message.split(" is left out: ")[0] for message in messages] == [
        str(pages / "broken.html"),
        str(pages / "missing.html"),
    ]


def test_mistakes_in_the_call_are_never_skipped(pages: Path) -> None:
    with pytest.raises(UnknownName):
        langchain.TamisLoader(pages, content="pdf")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        langchain.TamisLoader(pages, max_tokens=10, overlap=8)
    with pytest.raises(UnknownName):
        langchain.TamisLoader(pages, continue_on_failure=True, method="magic").load()


def test_archives_have_the_url_of_each_page(archive: Path) -> None:
    documents = langchain.TamisLoader(archive).load()
    assert [document.metadata["url"] for document in documents] == [
        "https://site.example/0",
        "https://site.example/1",
    ]


def test_urls_are_fetched_within_limits(site: str) -> None:
    url = f"{site}/docs.html"
    (document,) = langchain.TamisLoader(url, fetch=Fetch(allow_private=True)).load()
    assert document.metadata["source"] == document.metadata["url"] == url
    assert document.page_content.startswith("# Writing a recipe")
    with pytest.raises(FetchError):
        langchain.TamisLoader(url).load()


def test_documents_are_loaded_asynchronously() -> None:
    async def load() -> list[Document]:
        return [document async for document in langchain.TamisLoader(DOCS).alazy_load()]

    assert asyncio.run(load()) == langchain.TamisLoader(DOCS).load()


def test_blobs_are_parsed(docs_html: str) -> None:
    parser = langchain.TamisParser()
    assert isinstance(parser, BaseBlobParser)
    blob = Blob.from_data(docs_html, path=URL, metadata={"shelf": 3})
    (document,) = parser.lazy_parse(blob)
    assert document.page_content == tamis.extract(docs_html, URL).markdown
    assert document.metadata["source"] == document.metadata["url"] == URL
    assert document.metadata["shelf"] == 3


def test_documents_with_html_are_transformed_to_chunks(docs_html: str) -> None:
    transformer = langchain.TamisTransformer(max_tokens=100)
    assert isinstance(transformer, BaseDocumentTransformer)
    raw = [Document(docs_html, metadata={"source": URL, "title": "mine"}), Document("")]
    chunks = transformer.transform_documents(raw)
    expected = [chunk.text.strip() for chunk in tamis.extract(docs_html, URL).chunks(100)]
    assert [chunk.page_content for chunk in chunks] == expected
    assert {chunk.metadata["title"] for chunk in chunks} == {"mine"}
    assert {chunk.metadata["url"] for chunk in chunks} == {URL}
    assert asyncio.run(transformer.atransform_documents(raw)) == chunks


def test_a_document_that_cannot_be_transformed_is_left_out(docs_html: str) -> None:
    raw = [Document(docs_html, metadata={"source": URL}), Document("<p>Short.</p>")]
    kept = langchain.TamisTransformer(
        max_tokens=None, continue_on_failure=True, max_bytes=100
    ).transform_documents(raw)
    assert len(kept) == 1
    with pytest.raises(InputError):
        langchain.TamisTransformer(max_bytes=100).transform_documents(raw)
