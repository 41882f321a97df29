"""Pictures that stand alone: kept between kept texts, and nowhere else."""

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
PICTURE = "<img src=p.png alt=P>"


@dataclass(frozen=True)
class Kept:
    """Keeps every block that says so."""

    def identify(self, blocks: Blocks) -> Verdict:
        ones = np.ones(len(blocks))
        kept = np.array(["kept" in block.text for block in blocks], dtype=np.bool_)
        return build_verdict(ones, kept, np.zeros(len(blocks), dtype=np.int64), ones, "as told")


def extracted(html: str | Page) -> tamis.Document:
    return tamis.extract(html, method=tamis.Method(TagSet(), Kept()))


def addresses(html: str) -> list[str]:
    """Return the pictures of a page's Markdown, which are those of its HTML."""
    document = extracted(html)
    found = re.findall(r"!\[.*?\]\((.*?)\)", document.markdown)
    assert re.findall(r'<img src="(.*?)"', document.html) == found
    bare = re.sub(r"<img[^>]*>", "", html)
    assert document.text == extracted(bare).text
    return found


@pytest.mark.parametrize(
    "alone",
    [
        f"<p>{PICTURE}</p>",
        f"<figure>{PICTURE}</figure>",
        f"<div>{PICTURE}</div>",
        f"<div><a href=/big.png>{PICTURE}</a></div>",
        f"<figure>{PICTURE}<figcaption>Photo: somebody</figcaption></figure>",
        f"<figure><figcaption>Photo</figcaption><figure>{PICTURE}</figure></figure>",
        f"<p>***</p><p>{PICTURE}</p><p>&nbsp;</p>",
    ],
)
@pytest.mark.parametrize("around", ["{}", "<main>{}</main>", "<body><div><div>{}</div></div>"])
def test_a_picture_between_kept_texts_is_kept(alone: str, around: str) -> None:
    html = around.format(ONE + alone + TWO)
    assert addresses(html) == ["p.png"]
    document = extracted(html)
    assert document.markdown.index("One") < document.markdown.index("p.png")
    assert document.markdown.index("p.png") < document.markdown.index("Two")


def test_texts_in_wrappers_of_their_own_have_an_element_around_them() -> None:
    html = f"<main><div>{ONE}</div><div><p>{PICTURE}</p></div><div>{TWO}</div></main>"
    assert addresses(html) == ["p.png"]


@pytest.mark.parametrize(
    "html",
    [
        f"<header>{PICTURE}</header>{ONE}{TWO}",  # a logo
        f"{ONE}{TWO}<div>{PICTURE}</div>",
        f"{ONE}{NOISE}<p>{PICTURE}</p>{TWO}",
        f"{ONE}<div>{PICTURE}</div><p>A teaser of another page.</p>{TWO}",
        f"{ONE}<p>{PICTURE} noise</p>{TWO}",
        f"<main>{ONE}</main><div>{PICTURE}</div><footer>{TWO}</footer>",  # two elements
        f"{ONE}<p hidden>{PICTURE}</p>" + NOISE,
        f"{ONE}<p><img src=p.png width=1></p>{TWO}",  # a counter
        f"{ONE}<p><img alt=P></p>{TWO}",
        f"<p>{PICTURE}</p>",
    ],
)
def test_other_pictures_that_stand_alone_are_not(html: str) -> None:
    assert addresses(html) == []


def test_a_copy_for_those_without_scripts_is_not_kept_beside_its_picture() -> None:
    lazy = "<img src='data:image/gif;base64,R0' data-src=p.png>"
    copy = f"<noscript>{PICTURE}</noscript>"
    for both in (lazy + copy, copy + lazy):
        assert addresses(f"{ONE}<p>{both}</p>{TWO}") == ["p.png"]
        assert addresses(f"<p>kept {both}</p>") == ["p.png"]
    assert addresses(f"{ONE}<p><img data-srcset=x>{copy}</p>{TWO}") == ["p.png"]
    assert addresses(f"{ONE}<p>{PICTURE}{PICTURE}</p>{TWO}") == ["p.png", "p.png"]


def outermost_figure(page: Page, row: int) -> int:
    found, above = row, row
    while above >= 0:
        if page.tag[above] == tags.CODE["figure"]:
            found = above
        above = int(page.parent[above])
    return found


def path(page: Page, row: int) -> list[int]:
    """Return the rows from the root down to a row."""
    found = [row]
    while page.parent[found[0]] >= 0:
        found.insert(0, int(page.parent[found[0]]))
    return found


def is_between(blocks: Blocks, informative: np.ndarray, picture: int) -> bool:
    """Look at the page row by row."""
    page = blocks.page
    span = outermost_figure(page, picture)
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
        one for one, two in zip(path(page, first), path(page, second), strict=False) if one == two
    ]
    below_body = any(
        page.parent[row] >= 0 and page.tag[page.parent[row]] == tags.CODE["body"] for row in common
    )
    siblings = page.parent[blocks.node[mine]] == page.parent[blocks.node[other]]
    return below_body or bool(siblings)


def check_page(page: Page, seed: int) -> None:
    blocks = TagSet().segment(page)
    informative = np.random.default_rng(seed).random(len(blocks)) < 0.8
    pictures = np.flatnonzero(page.tag == tags.CODE["img"]).astype(np.int32)
    found = is_between_texts(blocks, informative, pictures)
    wanted = [is_between(blocks, informative, row) for row in pictures.tolist()]
    assert found.tolist() == wanted


@pytest.mark.parametrize("name", SAMPLES)
def test_pictures_of_samples_are_those_that_a_look_at_every_row_finds(name: str) -> None:
    page = sample(name)
    html = page.source.decode().replace("</p>", f"</p><figure>{PICTURE}</figure>")
    for seed in range(3):
        check_page(tamis.parse(html), seed)


@patient
@given(pages(), st.integers(0, 99))
def test_pictures_of_any_page_are_those_that_a_look_at_every_row_finds(
    page: Page, seed: int
) -> None:
    html = page.source.decode("utf-8", "replace").replace("<p", f"<div>{PICTURE}</div><p")
    check_page(tamis.parse(html), seed)


def test_time_grows_linearly() -> None:
    def work(size: int) -> Callable[[], object]:
        blocks = TagSet().segment(tamis.parse(f"{ONE}<figure>{PICTURE}</figure>" * size))
        pictures = np.flatnonzero(blocks.page.tag == tags.CODE["img"]).astype(np.int32)
        kept = np.ones(len(blocks), dtype=np.bool_)
        return lambda: is_between_texts(blocks, kept, pictures)

    assert growth(work(2_000), work(16_000)) < LINEAR
