"""coreex: the counts, the sets and the score, against the definition in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet
from tamis.page import Page, tags
from tamis.verdict import CoreEx, count_text_and_links

Node = tuple[int, int, int, int]  # words, links, words of the set, links of the set


def count_literally(page: Page, row: int, nodes: dict[int, Node]) -> Node:
    """Count bottom-up, as the paper does; `nodes` gets the counts of all rows below."""
    children = [child for child in range(row + 1, len(page)) if page.parent[child] == row]
    below = [count_literally(page, child, nodes) for child in children]
    if page.name(row) == "#text":
        counts = (int(page.terms[row]), 0, 0, 0)
    else:
        text = sum(node[0] for node in below)
        is_link = page.name(row) == "a" and not page.flags[row] & tags.INVISIBLE
        links = 1 if is_link else sum(node[1] for node in below)
        members = [node for node in below if node[0] and (node[0] - node[1]) / node[0] > 0.9]
        counts = (text, links, sum(n[0] for n in members), sum(n[1] for n in members))
    nodes[row] = counts
    return counts


def score_literally(node: Node, words: int) -> float:
    text, links = node[2:]
    return 0.99 * (text - links) / text + 0.01 * text / words if text else 0.0


def check(page: Page) -> None:
    nodes: dict[int, Node] = {}
    if not len(page):
        return
    count_literally(page, 0, nodes)
    counts = count_text_and_links(page, 0.9)
    scores = CoreEx().node_scores(page, counts)
    for row, node in nodes.items():
        assert counts.text[row] == node[0]
        if not page.in_link[row]:
            assert counts.links[row] == node[1]
            assert scores[row] == pytest.approx(score_literally(node, max(nodes[0][0], 1)))


@patient
@given(pages())
def test_counts_and_scores_are_those_of_the_definition(page: Page) -> None:
    check(page)


@pytest.mark.parametrize("name", SAMPLES)
def test_counts_and_scores_of_samples(name: str) -> None:
    page = sample(name)
    if len(page) < 2000:
        check(page)


def kept(html: str, **parameters: float) -> str:
    return tamis.extract(html, method=tamis.Method(TagSet(), CoreEx(**parameters))).text


PARAGRAPH = "<p>" + "word " * 30 + "end.</p>"


def test_the_set_of_the_best_node_is_the_content() -> None:
    menu = "<ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a></li>" for n in range(8)) + "</ul>"
    text = kept(f"<body>{menu}<div>{PARAGRAPH}{PARAGRAPH}</div><div>{menu}</div>")
    assert text.count("end.") == 2
    assert "Menu" not in text


def test_a_link_counts_one_whatever_it_holds() -> None:
    page = tamis.parse("<body><p>one two three <a href=/>four <b>five</b> six</a> seven</p>")
    counts = count_text_and_links(page, 0.9)
    row = next(row for row in range(len(page)) if page.name(row) == "p")
    assert (counts.text[row], counts.links[row]) == (7, 1)
    assert (counts.set_text[row], counts.set_links[row]) == (4, 0)


def test_a_child_at_the_ratio_is_not_in_the_set() -> None:
    ten = tamis.parse("<body><p>1 2 3 4 5 6 7 8 9 <a>10</a></p>")  # 9 of 10 are not links
    eleven = tamis.parse("<body><p>1 2 3 4 5 6 7 8 9 10 <a>11</a></p>")
    for page, member in ((ten, False), (eleven, True)):
        row = next(row for row in range(len(page)) if page.name(row) == "p")
        assert count_text_and_links(page, 0.9).in_set[row] == member


def test_more_text_wins_between_nodes_without_links() -> None:
    text = kept(f"<body><div>{PARAGRAPH}</div><a href=/>x</a>" * 1 + f"<div>{PARAGRAPH * 3}</div>")
    assert text.count("end.") >= 3


def test_a_page_of_links_has_no_content_and_no_error() -> None:
    blocks = TagSet().segment(tamis.parse("<body><p><a href=/>one</a></p><p><a href=/>two</a></p>"))
    verdict = CoreEx().identify(blocks)
    assert not verdict.informative.any()
    assert np.isfinite(verdict.score).all()


def test_reasons_name_the_node() -> None:
    document = tamis.extract(f"<body><div>{PARAGRAPH * 2}</div>", method="coreex")
    reasons = [block.reason or "" for block in document.blocks]
    assert any(reason.startswith("in the set of ") for reason in reasons)
