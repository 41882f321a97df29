"""Images that stand alone: included between informative texts, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from tamis.blocks import Blocks, TagSet
from tamis.content import is_between_texts
from tamis.page import Page, tags
from tamis.verdict import Verdict, build_verdict

ONE, TWO = "<p>One text that is kept.</p>", "<p>Two texts that are kept.</p>"
NOISE = "<p>This is noise.</p>"
IMAGE = "<img src=p.png alt=P>"


@dataclass(frozen=True)
class Kept:
    """Keeps every block whose text has the word kept."""

    def identify(self, blocks: Blocks) -> Verdict:
        ones = np.ones(len(blocks))
        kept = np.array(["kept" in block.text for block in blocks], dtype=np.bool_)
        return build_verdict(ones, kept, np.zeros(len(blocks), dtype=np.int64), ones, "by its text")


def extracted(html: str | Page) -> tamis.Document:
    return tamis.extract(html, method=tamis.Method(TagSet(), Kept()))


def image_urls(html: str) -> list[str]:
    """Return the images of a page's Markdown, which are those of its HTML."""
    document = extracted(html)
    urls = re.findall(r"!\[.*?\]\((.*?)\)", document.markdown)
    assert re.findall(r'<img src="(.*?)"', document.html) == urls
    bare = re.sub(r"<img[^>]*>", "", html)
    assert document.text == extracted(bare).text
    return urls


@pytest.mark.parametrize(
    "alone",
    [
        f"<p>{IMAGE}</p>",
        f"<figure>{IMAGE}</figure>",
        f"<div>{IMAGE}</div>",
        f"<div><a href=/big.png>{IMAGE}</a></div>",
        f"<figure>{IMAGE}<figcaption>Photo: somebody</figcaption></figure>",
        f"<figure><figcaption>Photo</figcaption><figure>{IMAGE}</figure></figure>",
        f"<p>***</p><p>{IMAGE}</p><p>&nbsp;</p>",
    ],
)
@pytest.mark.parametrize("around", ["{}", "<main>{}</main>", "<body><div><div>{}</div></div>"])
def test_an_image_between_kept_texts_is_kept(alone: str, around: str) -> None:
    html = around.format(ONE + alone + TWO)
    assert image_urls(html) == ["p.png"]
    document = extracted(html)
    assert document.markdown.index("One") < document.markdown.index("p.png")
    assert document.markdown.index("p.png") < document.markdown.index("Two")


def test_texts_in_wrappers_of_their_own_have_an_element_around_them() -> None:
    html = f"<main><div>{ONE}</div><div><p>{IMAGE}</p></div><div>{TWO}</div></main>"
    assert image_urls(html) == ["p.png"]


@pytest.mark.parametrize(
    "html",
    [
        f"<header>{IMAGE}</header>{ONE}{TWO}",  # a logo
        f"{ONE}{TWO}<div>{IMAGE}</div>",
        f"{ONE}{NOISE}<p>{IMAGE}</p>{TWO}",
        f"{ONE}<div>{IMAGE}</div><p>A teaser of another page.</p>{TWO}",
        f"{ONE}<p>{IMAGE} noise</p>{TWO}",
        f"<main>{ONE}</main><div>{IMAGE}</div><footer>{TWO}</footer>",  # two elements
        f"{ONE}<p hidden>{IMAGE}</p>" + NOISE,
        f"{ONE}<p><img src=p.png width=1></p>{TWO}",  # a counter
        f"{ONE}<p><img alt=P></p>{TWO}",
        f"<p>{IMAGE}</p>",
    ],
)
def test_other_images_that_stand_alone_are_not(html: str) -> None:
    assert image_urls(html) == []


def test_a_copy_for_those_without_scripts_is_not_kept_beside_its_image() -> None:
    lazy = "<img src='data:image/gif;base64,R0' data-src=p.png>"
    copy = f"<noscript>{IMAGE}</noscript>"
    for both in (lazy + copy, copy + lazy):
        assert image_urls(f"{ONE}<p>{both}</p>{TWO}") == ["p.png"]
        assert image_urls(f"<p>kept {both}</p>") == ["p.png"]
    assert image_urls(f"{ONE}<p><img data-srcset=x>{copy}</p>{TWO}") == ["p.png"]
    assert image_urls(f"{ONE}<p>{IMAGE}{IMAGE}</p>{TWO}") == ["p.png", "p.png"]


def outermost_figure(page: Page, row: int) -> int:
    figure, above = row, row
    while above >= 0:
        if page.tag[above] == tags.CODE["figure"]:
            figure = above
        above = int(page.parent[above])
    return figure


def path(page: Page, row: int) -> list[int]:
    """Return the rows from the root down to a row."""
    rows = [row]
    while page.parent[rows[0]] >= 0:
        rows.insert(0, int(page.parent[rows[0]]))
    return rows


def is_between(blocks: Blocks, informative: np.ndarray, image: int) -> bool:
    """Look at the page row by row."""
    page = blocks.page
    span = outermost_figure(page, image)
    texts = [row for row in range(len(page)) if page.chars[row] > 0 and page.terms[row] > 0]
    before = [row for row in texts if row < span]
    after = [row for row in texts if row >= page.end[span]]
    if not before or not after:
        return False
    first, second = before[-1], after[0]
    mine, other = int(blocks.owner[first]), int(blocks.owner[second])
    if not informative[mine] or not informative[other]:
        return False
    common = [
        row
        for row, other in zip(path(page, first), path(page, second), strict=False)
        if row == other
    ]
    below_body = any(
        page.parent[row] >= 0 and page.tag[page.parent[row]] == tags.CODE["body"] for row in common
    )
    siblings = page.parent[blocks.node[mine]] == page.parent[blocks.node[other]]
    return below_body or bool(siblings)


def check_page(page: Page, seed: int) -> None:
    blocks = TagSet().segment(page)
    informative = np.random.default_rng(seed).random(len(blocks)) < 0.8
    images = np.flatnonzero(page.tag == tags.CODE["img"]).astype(np.int32)
    actual = is_between_texts(blocks, informative, images)
    expected = [is_between(blocks, informative, row) for row in images.tolist()]
    assert actual.tolist() == expected


@pytest.mark.parametrize("name", SAMPLES)
def test_images_of_samples_are_those_that_a_look_at_every_row_finds(name: str) -> None:
    page = sample(name)
    html = page.source.decode().replace("</p>", f"</p><figure>{IMAGE}</figure>")
    for seed in range(3):
        check_page(tamis.parse(html), seed)


@patient
@given(pages(), st.integers(0, 99))
def test_images_of_any_page_are_those_that_a_look_at_every_row_finds(page: Page, seed: int) -> None:
    html = page.source.decode("utf-8", "replace").replace("<p", f"<div>{IMAGE}</div><p")
    check_page(tamis.parse(html), seed)


def test_time_grows_linearly() -> None:
    def work(size: int) -> Callable[[], object]:
        blocks = TagSet().segment(tamis.parse(f"{ONE}<figure>{IMAGE}</figure>" * size))
        images = np.flatnonzero(blocks.page.tag == tags.CODE["img"]).astype(np.int32)
        kept = np.ones(len(blocks), dtype=np.bool_)
        return lambda: is_between_texts(blocks, kept, images)

    assert growth(work(2_000), work(16_000)) < LINEAR
