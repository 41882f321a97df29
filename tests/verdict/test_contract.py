"""What all identifiers have in common."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.contracts import check_identifier
from helpers.html_strategies import pages, patient
from helpers.instances import IDENTIFIER_NAMES, SEGMENTER_NAMES, identifier, segmenter
from helpers.layouts import laid_out
from helpers.samples import SAMPLES, sample
from tamis.page import Page
from tamis.pipeline import METHODS
from tamis.verdict import Identifier, LinearModel

each_identifier = pytest.mark.parametrize("name", IDENTIFIER_NAMES)
each_segmenter = pytest.mark.parametrize("cut_by", SEGMENTER_NAMES)

# They promise an answer on every page with text.
NEVER_EMPTY = ("optimum", "tagwindow")


def check(name: str, cut_by: str, page: Page) -> None:
    blocks = segmenter(cut_by).segment(page)
    verdict = check_identifier(identifier(name), blocks)
    if name in NEVER_EMPTY and page.visible.any():
        assert blocks.owned(page.visible)[verdict.informative].any(), "an empty answer"


def test_the_identifiers_of_the_papers_are_there() -> None:
    papers = {"feature", "kfeature", "importance", "optimum", "tagwindow", "svm"}
    papers |= {"ibdf", "entropy", "shingle", "sitestyle", "coreex"}
    assert papers <= set(tamis.IDENTIFIERS)


@each_identifier
@each_segmenter
@pytest.mark.parametrize("page", SAMPLES)
def test_a_sample_page_is_judged_by_the_contract(name: str, cut_by: str, page: str) -> None:
    check(name, cut_by, sample(page))


@each_identifier
@each_segmenter
@patient
@given(page=pages())
def test_any_tree_is_judged_by_the_contract(name: str, cut_by: str, page: Page) -> None:
    check(name, cut_by, page)


@pytest.mark.slow
@needs_bench
@each_identifier
@pytest.mark.parametrize("part", range(2))
def test_real_pages_are_judged_by_the_contract(name: str, part: int) -> None:
    for path in bench_files(100)[part::2]:
        for cut_by in SEGMENTER_NAMES:
            try:
                check(name, cut_by, bench_page(path))
            except AssertionError as error:
                raise AssertionError(f"{name} after {cut_by} on {path}: {error}") from error


@each_identifier
@each_segmenter
@pytest.mark.parametrize("html", ["", "<p></p>", "<script>x</script>"])
def test_no_blocks_get_an_empty_verdict(name: str, cut_by: str, html: str) -> None:
    blocks = segmenter(cut_by).segment(tamis.parse(html))
    assert len(check_identifier(identifier(name), blocks).score) == 0


@each_identifier
@each_segmenter
@pytest.mark.parametrize(
    "html", ["<img src=x>", "<p><img></p><form><input></form>", "<p>。</p>", "x"]
)
def test_blocks_with_hardly_anything_are_judged(name: str, cut_by: str, html: str) -> None:
    check(name, cut_by, tamis.parse(html))


@each_identifier
def test_equal_parameters_make_equal_objects(name: str) -> None:
    one, other = identifier(name), identifier(name)
    assert one == other
    assert hash(one) == hash(other)
    assert isinstance(one, Identifier)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("feature", {"desired": ("img",)}),
        ("feature", {"weights": (("text", 2.0),)}),
        ("kfeature", {"ks": (2,)}),
        ("importance", {"threshold": 3.0}),
        ("optimum", {"max_link": 0.5}),
        ("tagwindow", {"as_printed": True}),
        ("svm", {"model": LinearModel((("text", 1.0),), -2.0)}),
        ("ibdf", {"theta": 0.3}),
        ("entropy", {"threshold": 0.5}),
        ("shingle", {"window": 5}),
        ("sitestyle", {"gamma": 0.5}),
        ("coreex", {"min_ratio": 0.8}),
    ],
)
def test_other_parameters_make_other_objects(name: str, other: dict[str, Any]) -> None:
    made: Any = tamis.IDENTIFIERS[name]
    assert made(**other) == made(**other)
    assert hash(made(**other)) == hash(made(**other))
    assert made(**other) != made()


@each_identifier
def test_parameters_cannot_be_changed(name: str) -> None:
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        setattr(identifier(name), "desired", ("img",))  # noqa: B010


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("page", ["article", "chinese"])
def test_every_method_finds_part_of_an_article(method: str, page: str) -> None:
    looked_at = sample(page) if not METHODS[method].needs_layout else laid_out(sample(page))
    text = tamis.extract(looked_at, method=method).text
    assert text
    # All that this page shows is one run of div: a virtual node, and kept with all that it holds.
    if (method, page) != ("keypattern", "chinese"):
        assert len(text) < len(sample(page).text)
