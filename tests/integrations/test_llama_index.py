from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from llama_index.core import SimpleDirectoryReader
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import NodeParser
from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document, MetadataMode, NodeRelationship, TextNode

import tamis
from tamis.errors import InputError
from tamis.integrations import llama_index

from .conftest import SAMPLES, URL

DOCS = str(SAMPLES / "docs.html")


def test_a_page_is_one_document_with_markdown_and_metadata() -> None:
    reader = llama_index.TamisReader()
    assert isinstance(reader, BasePydanticReader)
    (document,) = reader.load_data(DOCS, extra_info={"shelf": 3})
    page = tamis.extract(Path(DOCS).read_bytes())
    assert document.text == page.markdown
    assert document.id_ == document.metadata["source"] == DOCS
    assert document.metadata["title"] == "Writing a recipe"
    assert document.metadata["page_type"] == page.page_type
    assert document.metadata["shelf"] == 3


def test_embeddings_see_the_title_and_not_the_xpath() -> None:
    (document,) = llama_index.TamisReader().load_data(DOCS)
    seen = document.get_content(MetadataMode.EMBED)
    assert "title: Writing a recipe" in seen
    assert "confidence" not in seen


def test_errors_are_logged_or_raised(pages: Path, caplog: pytest.LogCaptureFixture) -> None:
    documents = llama_index.TamisReader().load_data(pages)
    assert len(documents) == 2
    assert "broken.html is left out" in caplog.text
    with pytest.raises(InputError):
        llama_index.TamisReader(raise_on_error=True).load_data(pages)


def test_archives_have_a_document_for_each_page(archive: Path) -> None:
    documents = list(llama_index.TamisReader().lazy_load_data([archive]))
    assert [document.metadata["url"] for document in documents] == [
        "https://site.example/0",
        "https://site.example/1",
    ]
    assert len({document.id_ for document in documents}) == 2


def test_the_reader_reads_for_a_directory_reader(pages: Path) -> None:
    (pages / "broken.html").unlink()
    reader = llama_index.TamisReader(content="text", options={"favor": "recall"})
    documents = SimpleDirectoryReader(str(pages), file_extractor={".html": reader}).load_data()
    assert [document.metadata["title"] for document in documents] == [
        "Old canal locks become a flood alarm for the Vennel valley",
        "Writing a recipe",
    ]
    assert documents[1].metadata["file_name"] == "docs.html"


def test_the_reader_is_saved_and_restored() -> None:
    reader = llama_index.TamisReader(content="text", options={"favor": "recall"})
    restored = llama_index.TamisReader.from_dict(reader.to_dict())
    assert restored.load_data(DOCS)[0].text == reader.load_data(DOCS)[0].text


def test_html_is_parsed_to_nodes_that_know_their_document(docs_html: str) -> None:
    parser = llama_index.TamisNodeParser(max_tokens=100)
    assert isinstance(parser, NodeParser)
    document = Document(text=docs_html, metadata={"url": URL, "title": "mine"})
    nodes = parser.get_nodes_from_documents([document, Document(text="")])
    chunks = tamis.extract(docs_html, URL).chunks(100)
    assert [node.get_content() for node in nodes] == [chunk.text.strip() for chunk in chunks]
    for node, chunk in zip(nodes, chunks, strict=True):
        assert isinstance(node, TextNode)
        assert node.ref_doc_id == document.id_
        assert node.metadata["headings"] == " > ".join(chunk.headings)
        assert node.metadata["xpath"] == chunk.xpath
        assert node.metadata["title"] == "mine"
        assert "headings: " in node.get_content(MetadataMode.EMBED)
        assert "xpath: " not in node.get_content(MetadataMode.EMBED)
    assert nodes[0].relationships[NodeRelationship.NEXT].node_id == nodes[1].node_id  # type: ignore[union-attr]


def test_a_pipeline_of_reader_and_parser() -> None:
    documents = llama_index.TamisReader(content="page").load_data(DOCS)
    parser = llama_index.TamisNodeParser(max_tokens=100, overlap=20)
    nodes = IngestionPipeline(transformations=[parser]).run(documents=documents)
    page = tamis.extract(Path(DOCS).read_bytes(), documents[0].metadata["url"])
    chunks = page.chunks(100, 20)
    assert [node.metadata["tokens"] for node in nodes] == [chunk.tokens for chunk in chunks]
    assert (
        asyncio.run(parser.aget_nodes_from_documents(documents))[0].get_content().startswith("# ")
    )


def test_a_page_that_cannot_be_parsed_has_no_nodes(caplog: pytest.LogCaptureFixture) -> None:
    parser = llama_index.TamisNodeParser(options={"max_bytes": 10})
    assert parser.get_nodes_from_documents([Document(text="<p>Far too long.", id_="x")]) == []
    assert "x is left out" in caplog.text
    strict = llama_index.TamisNodeParser(options={"max_bytes": 10}, raise_on_error=True)
    with pytest.raises(InputError):
        strict.get_nodes_from_documents([Document(text="<p>Far too long.")])


def test_the_parser_is_saved_with_its_parameters() -> None:
    saved = llama_index.TamisNodeParser(max_tokens=77, options={"favor": "recall"}).to_dict()
    assert (saved["max_tokens"], saved["options"]) == (77, {"favor": "recall"})
    del saved["id_func"]  # LlamaIndex cannot restore it for its own parsers either
    assert llama_index.TamisNodeParser.from_dict(saved).max_tokens == 77


def test_the_default_count_is_near_that_of_a_model() -> None:
    from llama_index.core.utils import get_tokenizer

    from tamis.content import count_tokens

    encode = get_tokenizer()  # its vocabulary comes with the package
    for path in sorted(SAMPLES.glob("*.html")):
        document = tamis.extract(path.read_bytes())
        assert 0.6 < count_tokens(document.markdown) / len(encode(document.markdown)) < 1.5
        assert all(chunk.tokens <= 100 for chunk in document.chunks(100, 0, encode))
