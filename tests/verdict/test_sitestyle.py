"""sitestyle: the tree and its importance, against the definition in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import pages, patient
from tamis.blocks import Blocks, TagSet, leaf_rows, term_pattern
from tamis.errors import InputError
from tamis.lab.studies.sites import site_pages
from tamis.page import Page, row_attributes
from tamis.verdict import DISPLAY_ATTRIBUTES, SiteStyle, StyleTree


@dataclass
class Element:
    """An element node as the paper draws it."""

    pages: list[int] = field(default_factory=list)
    styles: dict[tuple[str, ...], list[Element]] = field(default_factory=dict)
    uses: Counter[tuple[str, ...]] = field(default_factory=Counter)
    features: list[tuple[int, list[str]]] = field(default_factory=list)


def merge(element: Element, page: Page, row: int, number: int) -> None:
    """Merge what is below a row into an element node, depth first."""
    element.pages.append(number)
    shown = page.below(leaf_rows(page)) > 0
    rows = [child for child in range(row + 1, len(page)) if page.parent[child] == row]
    rows = [child for child in rows if shown[child]]
    if not rows:
        element.features.append((number, features(page, row)))
        return
    key = tuple(describe(page, child) for child in rows)
    element.uses[key] += 1
    nodes = element.styles.setdefault(key, [Element() for _ in rows])
    for node, child in zip(nodes, rows, strict=True):
        merge(node, page, child, number)


def describe(page: Page, row: int) -> str:
    if page.name(row) == "#text":
        return "#text"
    attributes = sorted(row_attributes(page, row).items())
    pairs = [f' {name}="{value}"' for name, value in attributes if name in DISPLAY_ATTRIBUTES]
    return page.name(row) + "".join(pairs)


def features(page: Page, row: int) -> list[str]:
    words: list[str] = []
    if page.name(row) == "#text":
        text = page.text[page.text_start[row] : page.text_stop[row]]
        words += term_pattern().findall(text.casefold())
    if page.name(row) == "img" and (source := row_attributes(page, row).get("src")):
        words.append("image " + source.split("/")[-1])
    while page.in_link[row] and page.name(row) != "a":
        row = int(page.parent[row])
    if page.name(row) == "a" and (target := row_attributes(page, row).get("href")):
        words.append("link " + target.strip())
    return words


def entropy(counts: list[int], base: int) -> float:
    total = sum(counts)
    return -sum(n / total * math.log(n / total, base) for n in counts if n)


def leaf_importance(element: Element) -> float:
    pages = len(element.pages)
    names = {name for _, words in element.features for name in words}
    if pages == 1 or not names:
        return 1.0
    spread = [[words.count(name) for _, words in element.features] for name in names]
    return 1 - sum(entropy(counts, pages) for counts in spread) / len(names)


def importance(element: Element, gamma: float = 0.9) -> float:
    pages = len(element.pages)
    if not element.styles:
        return leaf_importance(element)
    if pages == 1:
        return 1.0
    shares = [element.uses[key] / pages for key in element.styles]
    means = [
        sum(importance(node, gamma) for node in nodes) / len(nodes)
        for nodes in element.styles.values()
    ]
    if element.features:
        shares.append(len(element.features) / pages)
        means.append(leaf_importance(element))
    styles = -sum(share * math.log(share, pages) for share in shares)
    inner = sum(share * mean for share, mean in zip(shares, means, strict=True))
    weight = gamma ** len(shares)
    return (1 - weight) * styles + weight * inner


def compare(element: Element, tree: StyleTree, node: int) -> None:
    assert tree.importance[node] == pytest.approx(importance(element), abs=1e-9)
    for key, nodes in element.styles.items():
        first = tree.children[node, key]
        for offset, below in enumerate(nodes):
            compare(below, tree, first + offset)


def cut(html: str) -> Blocks:
    return TagSet().segment(tamis.parse(html))


def fit(*htmls: str, **parameters: float) -> SiteStyle:
    return SiteStyle(**parameters).fit(map(cut, htmls))  # type: ignore[arg-type]


@patient
@given(st.lists(pages(), min_size=1, max_size=4))
def test_the_tree_is_that_of_the_definition(made: list[Page]) -> None:
    root = Element()
    for number, page in enumerate(page for page in made if len(page)):
        merge(root, page, 0, number)
    fitted = SiteStyle().fit([TagSet().segment(page) for page in made])
    assert fitted.template is not None
    if root.pages:
        compare(root, fitted.template, 0)


def node_of(fitted: SiteStyle, html: str, tag: str) -> int:
    """The element node of the first element of a tag."""
    page = tamis.parse(html)
    row = next(row for row in range(len(page)) if page.name(row) == tag)
    return int(fitted._walk(page)[row])


def test_what_is_the_same_everywhere_has_no_importance_down_to_its_leaves() -> None:
    html = [f"<body><nav><a href=/>Home</a> <b>News</b></nav><p>{text}</p>" for text in "abc"]
    fitted = fit(*html)
    assert fitted.template is not None
    for tag in ("nav", "a", "b"):
        assert fitted.template.importance[node_of(fitted, html[0], tag)] == pytest.approx(0.0)
    leaf = node_of(fitted, html[0], "a") + 1
    assert leaf < len(fitted.template.importance)


def test_what_differs_on_every_page_has_all_importance() -> None:
    inner = ("<p>one</p>", "<ul><li>two</ul>", "<b>three</b>")
    html = [f"<body><nav>same</nav><div>{part}</div>" for part in inner]
    fitted = fit(*html)
    assert fitted.template is not None
    node = node_of(fitted, html[0], "div")
    # Three styles, each on one page: NodeImp is 1, and below all is 1 as m = 1.
    assert fitted.template.importance[node] == pytest.approx(1.0)
    worded = fit("<body><p>one two</p>", "<body><p>three four</p>")
    assert worded.template is not None
    assert worded.template.importance[node_of(worded, "<body><p>x</p>", "p")] == pytest.approx(0.9)


def test_attenuation_follows_the_number_of_styles() -> None:
    html = ["<body><div><p>a</p></div>", "<body><div><p>a</p></div>", "<body><div><b>a</b></div>"]
    fitted = fit(*html, gamma=0.5)
    assert fitted.template is not None
    styles = -(2 / 3 * math.log(2 / 3, 3) + 1 / 3 * math.log(1 / 3, 3))
    expected = 0.75 * styles + 0.25 * (2 / 3 * 0.0 + 1 / 3 * 1.0)
    assert fitted.template.importance[node_of(fitted, html[0], "div")] == pytest.approx(expected)


def test_noise_of_a_site_is_dropped_on_pages_that_were_not_learned_from() -> None:
    made = [html for _, html in site_pages(7)]
    fitted = fit(*made[:6], threshold=0.5)  # the words of this site are few
    blocks = cut(made[6])
    verdict = fitted.identify(blocks)
    texts = {
        kept: " ".join(blocks.text(n) for n in range(len(blocks)) if verdict.informative[n] == kept)
        for kept in (True, False)
    }
    assert "All rights reserved" in texts[False]
    assert "Politics" in texts[False]
    page = tamis.parse(made[6])
    paragraphs = [page.html(row) for row in range(len(page)) if page.name(row) == "article"]
    assert paragraphs
    assert len(texts[True]) > len(texts[False])


def test_what_the_tree_does_not_know_stays() -> None:
    fitted = fit("<body><p>same</p>", "<body><p>same</p>")
    verdict = fitted.identify(cut("<body><p>same</p><table><tr><td>new</td></tr></table>"))
    assert verdict.informative.all()
    assert verdict.reason(0) == "not in the style tree"
    assert not fitted.identify(cut("<body><p>same</p>")).informative.any()


def test_display_attributes_part_elements_and_others_do_not() -> None:
    one, other = "<body><p align=left>same</p>", "<body><p align=right>same</p>"
    assert fit(one, other).identify(cut(one)).informative.all()
    one, other = "<body><p id=a>same</p>", "<body><p id=b>same</p>"
    assert not fit(one, other).identify(cut(one)).informative.any()


def test_it_needs_pages() -> None:
    with pytest.raises(InputError, match=r"call fit\(pages\) first"):
        SiteStyle().identify(cut("<p>x</p>"))
    with pytest.raises(InputError, match="there is no page to learn from"):
        SiteStyle().fit([])


def test_learning_is_deterministic_and_equal() -> None:
    made = [html for _, html in site_pages(4)]
    assert fit(*made) == fit(*made)
    assert hash(fit(*made)) == hash(fit(*made))
    assert fit(*made) != fit(*made[:3])
