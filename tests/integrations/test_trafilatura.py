from __future__ import annotations

import csv
import gzip
import json
import logging
import os
import subprocess
import sys
from configparser import ConfigParser
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trafilatura as original

import tamis
from tamis.errors import UnknownName, WrongType
from tamis.integrations import trafilatura

from .conftest import SAMPLES, URL

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "build" / f"trafilatura-{version('trafilatura')}"
# Tests of trafilatura on what its functions promise, apart from its own choice of text and form.
APPLICABLE = """
    unit_tests: test_xmltocsv test_tojson test_python_output test_markdown_metadata_yaml_safe
        test_include_formatting_markdown test_markdown_empty_sup_sub_are_dropped
        test_extract_restored_subtree_not_extracted_twice test_url_blacklist test_wrapper_form_kept
        test_no_duplicate_paragraph_from_lb_tail test_extract_deep_caller_supplied_tree
        test_extract_leaves_caller_tree_intact test_text_after_block_is_kept
        test_text_after_inline_code_not_duplicated test_table_huge_or_bad_colspan_no_crash
        test_table_cell_keeps_nested_formatting test_include_images_does_not_truncate
        test_no_duplicate_content test_short_document_keeps_structure
        test_no_duplicate_content_nonadjacent test_no_duplicate_content_short_elements
        test_recover_wild_text_inline_formatting_dedup test_recall_escalation
        test_dfp_precision_keeps_posts
        test_recall_escalation_justext test_recall_escalation_no_comment_doubling
        test_escalation_retry_no_comment_capture test_math_recovery
        test_loose_text_tail_not_squished test_table_caption_image_kept
        test_image_tail_not_duplicated test_markdown_escaping test_mixed_content_extraction
        test_nonstd_html_entities
    metadata_tests: test_description
    json_metadata_tests: test_json_metadata_robustness
    filters_tests: test_prune_xpath
    repeated_output_tests: test_inline_only_frame_kept test_frame_lead_text_kept
"""


@pytest.fixture
def article() -> str:
    return (SAMPLES / "article.html").read_text()


@pytest.mark.slow
@pytest.mark.skipif(not SOURCE.is_dir(), reason="not there: tools/fetch_trafilatura_tests gets it")
def test_the_tests_of_trafilatura_that_apply_pass(tmp_path: Path) -> None:
    files: dict[str, list[str]] = {}
    for word in APPLICABLE.split():
        if word.endswith(":"):
            names = files.setdefault(word[:-1], [])
        else:
            names.append(word)
    report = tmp_path / "report.json"
    paths = [os.path.dirname(__file__), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "TAMIS_REPORT": str(report)}
    for file, names in files.items():
        chosen = [f"tests/{file}.py::{name}" for name in names]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "trafilatura_plugin"]
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", *chosen],
            cwd=SOURCE,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        outcomes = json.loads(report.read_text())
        assert {name.split("::")[1].split("[")[0] for name in outcomes} == set(names)
        assert set(outcomes.values()) == {"passed"}, done.stdout


def test_arguments_are_those_of_trafilatura() -> None:
    import inspect

    for name in ("extract", "extract_with_metadata", "bare_extraction"):
        function = getattr(trafilatura, name)
        for parameter in inspect.signature(getattr(original, name)).parameters.values():
            if parameter.name in ("filecontent", "options"):
                continue
            assert function("", **{parameter.name: parameter.default}) is None
    fields = set(original.settings.Document.__slots__)
    assert set(trafilatura.Document().as_dict()) == fields


def test_text_is_what_tamis_extracts_with_a_paragraph_a_line(article: str) -> None:
    lines = tamis.extract(article).text.split("\n")
    assert trafilatura.extract(article) == "\n".join(filter(None, lines))


def test_links_and_images_are_there_if_wanted(article: str) -> None:
    doc = tamis.extract(article, URL)
    plain = trafilatura.extract(article, URL, output_format="markdown")
    assert plain == doc.to_markdown(title=False, links=False, images=False)
    full = trafilatura.extract(
        article, URL, output_format="markdown", include_links=True, include_images=True
    )
    assert full == doc.markdown
    assert trafilatura.extract(article, include_links=True) != trafilatura.extract(article)


def test_tables_can_be_left_out() -> None:
    html = (SAMPLES / "docs.html").read_text()
    assert "number of cores" in str(trafilatura.extract(html))
    assert "number of cores" not in str(trafilatura.extract(html, include_tables=False))


def test_comments_are_below_the_text_or_apart_or_left_out() -> None:
    html = (SAMPLES / "threads" / "comments.html").read_text()
    doc = tamis.extract(html)
    assert len(doc.comments) == 3
    alone = trafilatura.extract(html, include_comments=False)
    assert alone == "\n".join(filter(None, doc.text.split("\n")))
    full = str(trafilatura.extract(html))
    assert full.startswith(f"{alone}\n")
    for comment in doc.comments:
        assert comment.text not in str(alone)
        assert comment.text in full
        assert str(comment.author) in full
    marked = trafilatura.extract(html, output_format="markdown")
    assert marked == doc.to_markdown(title=False, links=False, images=False, comments=True)
    document = trafilatura.bare_extraction(html)
    assert isinstance(document, trafilatura.Document)
    assert document.text == alone
    assert full == f"{alone}\n{document.comments}"
    row = json.loads(str(trafilatura.extract(html, output_format="json")))
    assert row == {"text": alone, "comments": document.comments}
    assert json.loads(
        str(trafilatura.extract(html, output_format="json", include_comments=False))
    ) == {"text": alone, "comments": ""}


def test_answers_to_posts_are_there_once() -> None:
    html = (SAMPLES / "threads" / "questions.html").read_text()
    assert {comment.post for comment in tamis.extract(html).comments} != {None}
    assert trafilatura.extract(html) == trafilatura.extract(html, include_comments=False)


def test_favoring_precision_and_recall(article: str) -> None:
    for favor in ("precision", "recall"):
        text = tamis.extract(article, favor=favor).to_markdown(
            title=False, links=False, images=False
        )
        arguments: dict[str, Any] = {f"favor_{favor}": True}
        assert trafilatura.extract(article, output_format="markdown", **arguments) == text


def test_output_with_metadata(article: str) -> None:
    row = json.loads(
        trafilatura.extract(article, URL, "7", output_format="json", with_metadata=True) or ""
    )
    theirs = json.loads(
        original.extract(article, URL, "7", output_format="json", with_metadata=True) or ""
    )
    assert row.keys() == theirs.keys()
    for name in ("title", "author", "date", "source", "id", "source-hostname"):
        assert row[name] == theirs[name], name
    header = str(trafilatura.extract(article, with_metadata=True)).split("---\n")[1]
    assert "author: Tamsin Aldoury\n" in header
    page = str(trafilatura.extract(article, output_format="html", with_metadata=True))
    assert '<meta name="author" content="Tamsin Aldoury">' in page
    table = str(trafilatura.extract(article, output_format="csv", with_metadata=True))
    (cells,) = csv.reader(table.splitlines(keepends=True), delimiter="\t")
    assert len(cells) == 11
    assert cells[4] == row["title"]


def test_bare_extraction_and_extract_with_metadata_give_documents(article: str) -> None:
    document = trafilatura.bare_extraction(article, URL, with_metadata=True)
    assert isinstance(document, trafilatura.Document)
    assert document.title == tamis.extract(article).metadata.title
    assert document.text == trafilatura.extract(article)
    assert trafilatura.bare_extraction(article, as_dict=True)["title"] is None  # type: ignore[index]
    full = trafilatura.extract_with_metadata(article, record_id="7")
    assert full is not None
    assert (full.id, full.author) == ("7", "Tamsin Aldoury")


def test_an_extractor_of_trafilatura_is_understood(article: str) -> None:
    options = original.settings.Extractor(output_format="markdown", links=True, url=URL)
    doc = tamis.extract(article, URL)
    assert trafilatura.extract(article, options=options) == doc.to_markdown(
        title=False, images=False
    )


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"target_language": "en"}, True),
        ({"target_language": "de"}, False),
        ({"only_with_metadata": True}, True),
        ({"url_blacklist": {"https://courier.example.org/x"}}, True),
        ({"config": {"MIN_OUTPUT_SIZE": "999999"}}, False),
        ({"config": {"MAX_FILE_SIZE": "100"}}, False),
    ],
)
def test_pages_that_are_not_wanted_give_none(
    article: str, arguments: dict[str, Any], wanted: bool
) -> None:
    if "config" in arguments:
        config = ConfigParser()
        config.read_dict({"DEFAULT": arguments["config"]})
        arguments = {"config": config}
    assert (trafilatura.extract(article, **arguments) is not None) == wanted


def test_pages_without_metadata_and_authors_are_filtered() -> None:
    html = "<p>It rained all day, and all night too, they said.</p>"
    assert trafilatura.extract(html) is not None
    assert trafilatura.extract(html, only_with_metadata=True) is None
    named = f"<meta name=author content='Ann Bee'><title>Rain</title>{html}"
    document = trafilatura.extract_metadata(named, author_blacklist={"ann bee"})
    assert document is not None
    assert (document.title, document.author) == ("Rain", None)


@pytest.mark.parametrize("nothing", [None, "", b"", 7, [], b"\x1f\x8b no gzip"])
def test_what_is_no_page_gives_none(nothing: object, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert trafilatura.extract(nothing) is None
    assert "is discarded" in caplog.text
    assert trafilatura.extract_metadata(nothing) is None
    assert trafilatura.html2txt(nothing) == ""


def test_responses_trees_and_packed_pages_are_input(article: str) -> None:
    from lxml import html

    expected = trafilatura.extract(article)
    packed = gzip.compress(article.encode())
    assert trafilatura.extract(SimpleNamespace(data=packed)) == expected
    assert trafilatura.extract(html.document_fromstring(article)) == expected


def test_elements_are_pruned() -> None:
    html = "<p>It rained all day, and all night too.</p><p class=x>Nobody minded it much.</p>"
    pruned = trafilatura.extract(html, prune_xpath="//p[@class='x']")
    assert pruned == "It rained all day, and all night too."


def test_all_text_of_a_page() -> None:
    assert trafilatura.html2txt("<nav>Menu</nav><p>One<p>Two") == "Menu One Two"


def test_mistakes_are_errors() -> None:
    for output_format in ("xml", "xmltei", "python", "pdf"):
        with pytest.raises(UnknownName) as caught:
            trafilatura.extract("<p>Rain", output_format=output_format)
        assert isinstance(caught.value, AttributeError)
    with pytest.raises(WrongType, match="no such argument"):
        trafilatura.extract("<p>Rain", favour_recall=True)


def test_urls_are_fetched_with_the_limits_of_tamis(site: str) -> None:
    assert trafilatura.fetch_url(f"{site}/docs.html") is None  # a private address
