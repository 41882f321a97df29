"""Units: tables, lists, code and figures as a whole, and sections with their headings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.samples import SAMPLES, sample
from page.soup import patient, soups
from tamis.blocks import Blocks, TagSet
from tamis.page import Page, row_attributes, tags
from tamis.verdict import Floats
from tamis.verdict.learned import bind_sections, find_further_articles, find_units

HEADINGS = [tags.CODE[name] for name in tags.HEADINGS]
OPENERS = [tags.CODE[name] for name in ("button", "a", "div", "span")]


def segment(page: Page | str) -> tuple[Blocks, Floats]:
    blocks = TagSet().segment(tamis.parse(page) if isinstance(page, str) else page)
    return blocks, blocks.owned(blocks.page.terms).astype(float)


def unit_texts(html: str) -> list[str]:
    """Return the texts of the units of a page, those of one block included."""
    blocks, terms = segment(html)
    units = find_units(blocks, terms)
    number = np.arange(len(blocks)) if units is None else units.number
    return [
        " ".join(
            filter(None, (blocks.text(block) for block in np.flatnonzero(number == unit).tolist()))
        )
        for unit in np.unique(number)
    ]


@pytest.mark.parametrize(
    ("html", "unit"),
    [
        ("<table><tr><th>a<th>b<tr><td>c<td>d</table>", "a b c d"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "a b c d"),
        ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a b c d"),
        ("<figure><p>a<figcaption>b</figcaption></figure>", "a b"),
        ("<details><summary>a</summary><p>b<p>c</details>", "a b c"),
    ],
)
def test_what_a_reader_sees_as_one_is_a_unit(html: str, unit: str) -> None:
    assert unit in unit_texts(f"<p>before</p>{html}<p>after</p>")


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td><p>a<table><tr><td>b</table><td>c<tr><td>d<td>e</table>",  # layout
        "<table><tr><td>a<td><p>" + "word " * 200 + "<tr><td>b<td>c</table>",
        "<ul><li><h2>a</h2><p>b<li><h2>c</h2><p>d</ul>",  # a list of sections
        "<ul><li><form>a</form><li>b</ul>",
    ],
)
def test_layout_and_lists_of_sections_are_no_units(html: str) -> None:
    blocks, terms = segment(html)
    units = find_units(blocks, terms)
    assert units is None or len(units.terms) > 1


def find_openers(blocks: Blocks, terms: Floats) -> dict[int, int]:
    """Return the blocks that are the text of an element which opens a panel, with the element."""
    page, openers = blocks.page, {}
    for row in reversed(range(len(page))):
        if page.tag[row] not in OPENERS or "aria-expanded" not in row_attributes(page, row):
            continue
        texts = [r for r in range(row, int(page.end[row])) if page.terms[r]]
        block = int(blocks.owner[texts[0]]) if texts else -1
        if block >= 0 and sum(page.terms[texts]) == terms[block] <= 40:
            openers[block] = row
    return openers


def bind_slowly(blocks: Blocks, probability: Floats, terms: Floats) -> Floats:
    """Bind the headings of a page without code one by one, the last one first."""
    page, bound = blocks.page, probability.copy()
    tag = page.tag[blocks.node]
    openers = find_openers(blocks, terms)
    level = [HEADINGS.index(t) if t in HEADINGS else 6 for t in tag.tolist()]
    headings = [b for b in range(len(blocks)) if terms[b] > 0 and (level[b] < 6 or b in openers)]
    title = next((b for b in headings if tag[b] == tags.CODE["h1"]), None)
    below = page.below(page.terms)
    for heading in reversed(headings):
        row = container = openers.get(heading, int(blocks.node[heading]))
        container = int(page.parent[row])
        while container > 0 and below[container] == below[row]:
            container = int(page.parent[container])
        end = int(np.searchsorted(blocks.first, page.end[container]))
        later = [b for b in headings if b > heading]
        following = min([end, *later[:1]])
        stop = min([end, *[b for b in later if level[b] <= level[heading]][:1]])
        inside = range(heading + 1, stop)
        if heading == title or not sum(terms[b] for b in inside):
            continue
        own = [b for b in range(heading + 1, following) if terms[b] > 0]
        greatest = max(bound[b] for b in inside)
        least = np.average(bound[own], weights=terms[own]) if own else greatest
        bound[heading] = min(max(bound[heading], least), greatest)
    return bound


def check_headings(page: Page | str, seed: int) -> None:
    blocks, terms = segment(page)
    if not len(blocks) or tags.CODE["pre"] in blocks.page.tag:
        return
    probability = np.random.default_rng(seed).random((2, len(blocks)))
    bound = bind_sections(blocks, probability, terms)
    for row, slow in zip(bound, probability, strict=True):
        np.testing.assert_allclose(row, bind_slowly(blocks, slow, terms))


@pytest.mark.parametrize("name", SAMPLES)
def test_headings_of_samples_are_bound_as_one_by_one(name: str) -> None:
    check_headings(sample(name), 1)


@given(soups(), st.integers(0, 99))
@patient
def test_headings_of_soup_are_bound_as_one_by_one(html: str, seed: int) -> None:
    check_headings(html, seed)


def test_a_button_is_the_heading_of_the_panel_that_it_opens() -> None:
    blocks, terms = segment(
        "<div><button aria-expanded=false>May I wash it?</button><div><p>In cold water.</p></div>"
        "</div><div><button>Buy</button><p>Now or never.</p></div>"
    )
    bound = bind_sections(blocks, np.array([[0.1, 0.9, 0.1, 0.9]]), terms)
    np.testing.assert_allclose(bound, [[0.9, 0.9, 0.1, 0.9]])


def test_a_heading_is_no_more_probable_than_the_list_below_it() -> None:
    blocks, terms = segment("<h2>a</h2><ul><li>b<li>c<li>d<li>e</ul>")
    probability = np.array([[0.9, 0.8, 0.0, 0.0, 0.0]])
    assert bind_sections(blocks, probability, terms, find_units(blocks, terms))[0, 0] == 0.2


def test_a_second_article_is_no_part_of_the_first() -> None:
    words = "<p>" + "The river rose and the bridge was closed to all carts. " * 10 + "</p>"
    first, second = (f"<article><h1>{title}</h1>{words}</article>" for title in ("Flood", "Fair"))
    blocks, _ = segment(f"<body>{first}{second}</body>")
    further = find_further_articles(blocks, "Flood - The Valley")
    assert further is not None
    assert [blocks.text(block)[:4] for block in np.flatnonzero(further).tolist()][:1] == ["Fair"]
    assert find_further_articles(blocks, "All news of the valley") is None
    assert find_further_articles(segment(first)[0], "Flood") is None


def test_code_is_as_probable_as_the_text_of_its_section() -> None:
    blocks, terms = segment("<h2>a</h2><p>b c</p><pre>d</pre><h2>e</h2><p>f g</p>")
    probability = np.array([[0.5, 0.9, 0.1, 0.5, 0.2]])
    assert bind_sections(blocks, probability, terms)[0, 2] == 0.9


def test_code_is_not_as_probable_as_code_without_text() -> None:
    blocks, terms = segment("<h2>a</h2><p>b c</p><pre><p>d</p><p><img src=x></p></pre>")
    assert terms.tolist() == [1, 2, 1, 0]
    bound = bind_sections(blocks, np.array([[0.5, 0.4, 0.1, 0.9]]), terms)
    np.testing.assert_allclose(bound, [[0.5, 0.4, 0.5, 0.9]])


def test_a_table_is_kept_whole_or_not_at_all() -> None:
    rows = "".join(f"<tr><td><a href=/{n}>Part {n}</a><td>{n} kg<td>}}</tr>" for n in range(8))
    text = "<p>" + "The parts of the machine are listed here with their weights. " * 6
    table = f"<table><tr><th>Name<th>Weight<th>Sign</tr>{rows}</table>"
    document = tamis.extract(f"<nav><a href=/>home</a></nav><article><h1>Parts</h1>{text}{table}")
    cells = ("Name", "Weight", "Part 0", "Part 7", "7 kg")
    assert all(cell in document.text for cell in cells) or not any(
        cell in document.text for cell in cells
    )
