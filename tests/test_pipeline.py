"""The public interface: what users type, and what they get."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tamis
from helpers.instances import PLAIN_METHODS
from tamis.blocks import Blocks, TagSet
from tamis.errors import (
    DeadlineExceeded,
    InputError,
    TamisError,
    TooLarge,
    UnknownName,
    WrongType,
)
from tamis.page import MAX_BYTES, MAX_NODES
from tamis.pipeline import DEFAULT_METHOD, needs_layout
from tamis.verdict import KFeature, Verdict, build_verdict

SAMPLES = sorted((Path(__file__).parents[1] / "samples").glob("*.html"))
ARTICLE = next(path for path in SAMPLES if path.stem == "article")
HTML = "<nav><a href=/>Home</a></nav><p>" + "A sentence of a few words. " * 10 + "</p>"


# Names ----------------------------------------------------------------------------------------


def test_the_public_names_are_those_of_the_design() -> None:
    assert set(tamis.__all__) == {
        "IDENTIFIERS", "METHODS", "SEGMENTERS", "Document", "Method", "Page", "Site",
        "TamisError", "extract", "fetch", "parse", "segment",
    }  # fmt: skip
    assert all(getattr(tamis, name) is not None for name in tamis.__all__)
    folders = {
        "blocks", "content", "crawl", "errors", "integrations", "metadata", "page", "records",
        "render", "scale", "serve", "site", "source", "store", "values", "verdict", "workers",
    }  # fmt: skip
    assert set(dir(tamis)) == {*tamis.__all__, *folders, "__version__"}
    assert all(getattr(tamis, name).__name__ == f"tamis.{name}" for name in folders)


def test_help_works_without_the_libraries_of_the_store() -> None:
    hidden = "import inspect, sys; sys.modules['datasketch'] = None; import tamis; "
    modules_after(f"{hidden}assert 'store' not in dict(inspect.getmembers(tamis))")


def test_a_type_checker_is_told_of_every_name() -> None:
    tree = ast.parse(Path(tamis.__file__).read_text(encoding="utf-8"))
    type_checking = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        name.asname
        for node in type_checking.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert {*imported, "__version__"} == set(dir(tamis))


def test_the_version_is_that_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"1.2 of {name}")
    assert tamis.__version__ == "1.2 of tamis"

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert tamis.__version__ == "unknown"


def test_the_methods_are_those_of_the_design() -> None:
    assert list(tamis.METHODS) == [
        "feature",
        "kfeature",
        "optimum",
        "tagwindow",
        "keypattern",
        "coreex",
        "svm",
        "eifce",
        "learned",
    ]
    assert list(tamis.SEGMENTERS) == [
        "tagset",
        "keypattern",
        "chunks",
        "tables",
        "fragments",
        "visual",
        "vips",
        "layout",
    ]
    assert sorted(tamis.IDENTIFIERS) == [
        "coreex",
        "eifce",
        "entropy",
        "feature",
        "ibdf",
        "importance",
        "kfeature",
        "learned",
        "optimum",
        "shingle",
        "sitestyle",
        "svm",
        "tagwindow",
    ]
    for method in tamis.METHODS.values():
        assert type(method.segmenter) in tamis.SEGMENTERS.values()
        assert type(method.identifier) in tamis.IDENTIFIERS.values()


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'tamis' has no attribute 'extrakt'"):
        getattr(tamis, "extrakt")  # noqa: B009


def test_a_document_has_the_attributes_of_the_design() -> None:
    document = tamis.extract(HTML, url="https://example.org/")
    assert isinstance(document, tamis.Document)
    assert isinstance(document.page, tamis.Page)
    for name in ("text", "markdown", "html"):
        assert getattr(document, name).count("A sentence of a few words.") == 10
    assert json.dumps(document.json)
    for name in ("text", "full_text", "html", "tag", "xpath", "span", "parent", "score",
                 "informative", "reason"):  # fmt: skip
        assert hasattr(document.blocks[0], name)


def modules_after(code: str) -> set[str]:
    """The top-level modules that some code has loaded."""
    code = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def test_importing_tamis_loads_nothing_else() -> None:
    loaded = modules_after("import tamis; dir(tamis)")
    assert not loaded & {"numpy", "selectolax", "click", "rich", "httpx", "cchardet"}
    assert "numpy" in modules_after("import tamis; tamis.extract")


def test_extracting_loads_neither_the_command_line_nor_a_client() -> None:
    loaded = modules_after("import tamis; tamis.extract('<p>x</p>').markdown")
    assert not loaded & {"click", "rich", "httpx", "httpcore", "concurrent.futures"}


# What extract() takes -------------------------------------------------------------------------


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.stem))
@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_text_bytes_and_page_give_the_same_document(sample: Path, method: str) -> None:
    data = sample.read_bytes()
    url = "https://example.org/x"
    page = tamis.parse(data, url)
    documents = [
        tamis.extract(data, url, method=method),
        tamis.extract(page, method=method),
        tamis.extract(data.decode(page.encoding), url, method=method),
    ]
    for name in ("text", "markdown", "html"):
        assert len({getattr(document, name) for document in documents}) == 1
    assert documents[0].json == documents[1].json


def test_a_page_keeps_its_url_unless_another_is_given() -> None:
    page = tamis.parse("<p>Some <a href=a>words</a> to keep here.</p>", "https://one.example/")
    everything = tamis.Method(TagSet(), Everything())
    first, second = (
        tamis.extract(page, method=everything),
        tamis.extract(page, "https://two.example/", method=everything),
    )
    assert first.page is page
    assert "(https://one.example/a)" in first.markdown
    assert "(https://two.example/a)" in second.markdown
    assert page.url == "https://one.example/"


def test_the_charset_that_http_declared_counts() -> None:
    data = HTML.replace("sentence", "phrase élégante").encode("cp1252")
    assert "phrase élégante" in tamis.extract(data, charset="windows-1252").text
    assert "phrase élégante" not in tamis.extract(data, charset="utf-8").text


def test_the_default_is_a_method_of_its_own_name() -> None:
    assert tamis.extract(HTML).method == DEFAULT_METHOD
    assert tamis.extract(HTML).json == tamis.extract(HTML, method=DEFAULT_METHOD).json


@dataclass(frozen=True)
class Everything:
    """An identifier of a user's own, which takes all blocks."""

    def identify(self, blocks: Blocks) -> Verdict:
        ones = np.ones(len(blocks))
        return build_verdict(ones, ones > 0, np.zeros(len(blocks), dtype=np.int64), ones, "kept")


def test_a_method_may_be_a_pair_of_a_users_own() -> None:
    document = tamis.extract(HTML, method=tamis.Method(TagSet(), Everything()))
    assert document.method == "tagset+everything"
    assert document.text.startswith("Home")
    assert {block.reason for block in document.blocks} == {"kept"}


def test_equal_parameters_make_equal_methods_which_nobody_changes() -> None:
    assert tamis.Method(TagSet(), KFeature()) == tamis.METHODS["kfeature"]
    with pytest.raises(FrozenInstanceError):
        tamis.METHODS["kfeature"].segmenter = TagSet()  # type: ignore[misc]


def test_a_segmenter_goes_by_name_or_as_an_object() -> None:
    page = tamis.parse(HTML)
    for name, kind in tamis.SEGMENTERS.items():
        if needs_layout(kind()):
            continue
        texts = [block.text for block in tamis.segment(page, name)]
        assert texts == [block.text for block in tamis.segment(page, kind())]
        assert texts == [block.text for block in tamis.segment(HTML, name)]
    assert [block.text for block in tamis.segment(page)] == [
        block.text for block in tamis.segment(page, "tagset")
    ]


# Mistakes and limits --------------------------------------------------------------------------


def test_an_unknown_method_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(UnknownName) as caught:
        tamis.extract(HTML, method="magic")
    assert str(caught.value) == (
        "no method 'magic': take one of feature, kfeature, optimum, tagwindow, keypattern, "
        "coreex, svm, eifce, learned"
    )
    assert isinstance(caught.value, TamisError)
    assert isinstance(caught.value, ValueError)


def test_an_unknown_segmenter_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(UnknownName, match="no segmenter 'magic': take one of tagset, keypattern"):
        tamis.segment(HTML, "magic")


@pytest.mark.parametrize(
    ("call", "html", "options", "message"),
    [
        (
            tamis.extract,
            ARTICLE,
            {},
            r"html is of type \w+Path: give .*; read a file .* read_bytes",
        ),
        (tamis.extract, None, {}, "html is of type NoneType: give str, bytes or a Page$"),
        (tamis.parse, 3, {}, "html is of type int: give str, bytes or a Page$"),
        (tamis.segment, ["x"], {}, "html is of type list: give str, bytes or a Page$"),
        (tamis.extract, "", {"method": 3}, "method is of type int: give a name of feature, .*, or"),
        (tamis.extract, "", {"method": None}, r"or a Method\(segmenter, identifier\)"),
        (tamis.segment, "", {"segmenter": 3}, "segmenter is of type int: give a name of tagset, "),
        (tamis.segment, "", {"segmenter": TagSet}, r"or a segmenter such as TagSet\(\)"),
        (tamis.extract, "", {"url": b"x"}, "url is of type bytes: give the URL of the page"),
        (tamis.extract, tamis.parse(""), {"url": 5}, "url is of type int: give the URL"),
        (tamis.parse, "", {"url": b"x"}, "url is of type bytes: give the URL of the page"),
        (tamis.extract, b"", {"charset": 5}, "charset is of type int: give the name of an enc"),
        (tamis.extract, "", {"charset": b"utf-8"}, "charset is of type bytes: give the name"),
        (tamis.extract, "", {"max_bytes": "9"}, "max_bytes is of type str: give a number, or None"),
        (tamis.extract, "", {"max_nodes": "9"}, "max_nodes is of type str: give a number, or None"),
        (tamis.extract, "", {"deadline": "9"}, "deadline is of type str: give seconds, or None"),
        (tamis.parse, "", {"deadline": "9"}, "deadline is of type str: give seconds, or None"),
    ],
)
def test_an_argument_of_another_type_is_an_error_that_says_what_to_give(
    call: Callable[..., object], html: object, options: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        call(html, **options)
    assert isinstance(caught.value, TamisError)


@pytest.mark.parametrize(
    ("segmenter", "identifier", "message"),
    [
        ("tagset", "learned", r"'tagset' is no segmenter: give one such as TagSet\(\)"),
        (TagSet(), "learned", r"'learned' is no identifier: give one such as Learned\(\)"),
        (KFeature(), TagSet(), r"KFeature\(.*\) is no segmenter"),
        (TagSet, KFeature(), "the class TagSet is no segmenter"),
        (TagSet(), KFeature, "the class KFeature is no identifier"),
        (None, KFeature(), "None is no segmenter"),
    ],
)
def test_a_method_is_made_of_a_segmenter_and_an_identifier(
    segmenter: Any, identifier: Any, message: str
) -> None:
    with pytest.raises(WrongType, match=message):
        tamis.Method(segmenter, identifier)


def test_a_site_takes_no_method() -> None:
    site = tamis.Site.learn([HTML, HTML])
    with pytest.raises(InputError, match="a site is a method of its own: leave method out"):
        site.extract(HTML, method="learned")
    assert site.extract(HTML, max_nodes=None).method == "site"


def test_none_lifts_a_limit() -> None:
    html = "<p>x" * (MAX_NODES + 1) + " " * MAX_BYTES
    limits: dict[str, None] = {"max_bytes": None, "max_nodes": None, "deadline": None}
    for lacking in ("max_bytes", "max_nodes"):
        with pytest.raises(TooLarge, match=lacking):
            tamis.parse(html, **{name: None for name in limits if name != lacking})
    assert len(tamis.parse(html, **limits)) > MAX_NODES


def test_a_mistake_in_a_name_is_found_before_a_page_is_parsed() -> None:
    with pytest.raises(UnknownName):
        tamis.extract("x" * (MAX_BYTES + 1), method="magic")


def test_a_page_of_too_many_bytes_is_refused_unless_the_limit_is_raised() -> None:
    data = HTML.encode()
    with pytest.raises(TooLarge, match=r"max_bytes= \(--max-bytes\)") as caught:
        tamis.extract(data, max_bytes=len(data) - 1)
    assert isinstance(caught.value, InputError)
    assert tamis.extract(data, max_bytes=len(data)).text
    with pytest.raises(TooLarge, match=f"{MAX_BYTES:,}"):
        tamis.extract(b"x" * (MAX_BYTES + 1))


def test_a_page_of_too_many_nodes_is_refused_unless_the_limit_is_raised() -> None:
    html = "<p>x" * (MAX_NODES + 1)
    with pytest.raises(TooLarge, match=r"max_nodes= \(--max-nodes\)"):
        tamis.extract(html)
    with pytest.raises(TooLarge, match=r"max_nodes="):
        tamis.extract(HTML, max_nodes=3)
    assert tamis.extract(HTML, max_nodes=100).text


def test_a_deadline_that_has_passed_is_an_error_at_every_step() -> None:
    with pytest.raises(DeadlineExceeded, match=r"\(--deadline\); deadline=None"):
        tamis.extract(HTML, deadline=0.0)
    page = tamis.parse(HTML)
    with pytest.raises(DeadlineExceeded, match="segmenting"):
        tamis.extract(page, deadline=0.0)
    assert tamis.extract(page, deadline=None).text


def test_the_deadline_is_looked_at_between_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, late = time.monotonic, 0.0
    monkeypatch.setattr("tamis.limits.time.monotonic", lambda: clock() + late)

    class Slow(Everything):
        def identify(self, blocks: Blocks) -> Verdict:
            nonlocal late
            late = 1e6
            return super().identify(blocks)

    method = tamis.Method(TagSet(), Slow())
    with pytest.raises(DeadlineExceeded, match="building the document"):
        tamis.extract(HTML, method=method, deadline=1e5)
    late = 0.0
    assert tamis.extract(HTML, method=method, deadline=1e7).text


def test_broken_html_is_never_an_error() -> None:
    for html in ("", "<", "<p", "</p>", "<!--", "\x00", "<p></p" * 5, "<a href='x", "&#xfffffff;"):
        assert isinstance(tamis.extract(html).text, str)


# Threads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_threads_give_what_one_thread_gives(method: str) -> None:
    pages = [path.read_bytes() for path in SAMPLES] * 6

    def all_forms(data: bytes) -> tuple[str, ...]:
        document = tamis.extract(data, "https://example.org/", method=method)
        return document.text, document.markdown, document.html, json.dumps(document.json)

    expected = [all_forms(data) for data in pages[: len(SAMPLES)]] * 6
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(all_forms, pages)) == expected


def test_threads_may_share_a_document() -> None:
    document = tamis.extract(ARTICLE.read_bytes())
    with ThreadPoolExecutor(4) as pool:
        outputs = set(
            pool.map(lambda _: (document.text, document.markdown, document.html), range(8))
        )
    fresh = tamis.extract(ARTICLE.read_bytes())
    assert outputs == {(fresh.text, fresh.markdown, fresh.html)}
