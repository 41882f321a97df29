"""What all segmenters have in common."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.contracts import check_segmenter
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.layouts import laid_out
from helpers.samples import SAMPLES, sample
from tamis.blocks import Segmenter
from tamis.page import Page

each_segmenter = pytest.mark.parametrize("name", SEGMENTER_NAMES)


def test_the_segmenters_of_the_papers_are_there() -> None:
    assert {"tagset", "keypattern", "chunks", "tables", "fragments"} <= set(tamis.SEGMENTERS)


@each_segmenter
@pytest.mark.parametrize("page", SAMPLES)
def test_a_sample_page_is_cut_by_the_contract(name: str, page: str) -> None:
    least = 1 if name == "tables" else 2  # a page without tables is one block, by design
    assert len(check_segmenter(segmenter(name), sample(page))) >= least


@each_segmenter
@patient
@given(page=pages())
def test_any_tree_is_cut_by_the_contract(name: str, page: Page) -> None:
    blocks = check_segmenter(segmenter(name), page)
    assert len(blocks) > 0 or not page.visible.any()


@needs_bench
@each_segmenter
@pytest.mark.parametrize("part", range(5))
def test_real_pages_are_cut_by_the_contract(name: str, part: int) -> None:
    for path in bench_files(100)[part::5]:
        _check_real_page(name, path)


def _check_real_page(name: str, path: Path) -> None:
    try:
        check_segmenter(segmenter(name), bench_page(path), places=25)
    except AssertionError as error:
        raise AssertionError(f"{name} on {path}: {error}") from error


@each_segmenter
@pytest.mark.parametrize("html", ["", " \n", "<p></p>", "<script>x</script>", "<!-- c --><br>"])
def test_a_page_that_shows_nothing_has_no_blocks(name: str, html: str) -> None:
    assert len(check_segmenter(segmenter(name), tamis.parse(html))) == 0


@each_segmenter
def test_equal_parameters_make_equal_objects(name: str) -> None:
    one, other = segmenter(name), segmenter(name)
    assert one == other
    assert hash(one) == hash(other)
    assert {one, other} == {one}
    assert isinstance(one, Segmenter)


@each_segmenter
def test_parameters_cannot_be_changed(name: str) -> None:
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        setattr(segmenter(name), "tags", ("p",))  # noqa: B010


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("tagset", {"tags": "classic"}),
        ("tagset", {"tables": "whole"}),
        ("chunks", {"tags": ("p",)}),
        ("fragments", {"min_size": 10}),
    ],
)
def test_other_parameters_make_other_objects(name: str, other: dict[str, Any]) -> None:
    segmenter_class: Any = tamis.SEGMENTERS[name]
    assert segmenter_class(**other) != segmenter_class()
    assert segmenter_class(**other) == segmenter_class(**other)


@each_segmenter
def test_segment_takes_a_name_or_a_segmenter(name: str) -> None:
    page = laid_out(sample("article"))
    by_name, by_object = tamis.segment(page, name), tamis.segment(page, segmenter(name))
    assert by_name.first.tolist() == by_object.first.tolist()


def test_an_unknown_segmenter_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(tamis.TamisError, match="tagset, keypattern, chunks"):
        tamis.segment("<p>a</p>", "scissors")
