"""Evidence of a site: it adds where content stands, takes what repeats, and leaves the rest."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tamis
from tamis import Site
from tamis.blocks import TagSet
from tamis.errors import PoorMatch
from tamis.lab.studies.sites import ABOUT, OFFER, SHAPES, SLOGAN, make_shaped_pages
from tamis.site import (
    POOR,
    REPEATED,
    Container,
    Evidence,
    Sight,
    Weights,
    container_odds,
    evidence,
    sight,
)


def sites(name: str, learned: int) -> tuple[Site, list[str], list[str]]:
    """The site of a shape, the pages that it was learned from, and the others."""
    pages = [page.html for page in make_shaped_pages(name)]
    drawn = set(random.Random(learned).sample(range(len(pages)), learned))
    known = [page for number, page in enumerate(pages) if number in drawn]
    return Site.learn(known), known, [page for n, page in enumerate(pages) if n not in drawn]


def seen(html: str) -> Sight:
    return sight(TagSet().segment(tamis.parse(html)))


def weighed(site: Site, page: Sight) -> Evidence:
    template, _ = site._nearest(page)
    return evidence(page, template, site.knowledge, site.weights)


@pytest.mark.parametrize("name", SHAPES)
def test_no_text_that_is_the_pages_own_is_taken_away(name: str) -> None:
    for learned in (3, 5, 10):
        site, known, others = sites(name, learned)
        for html in (*known, *others):
            page = seen(html)
            found = weighed(site, page)
            gone = {page.fingerprints[n] for n in np.flatnonzero(page.kept & ~found.kept)}
            for said in gone:
                holding = [n for n, one in enumerate(known) if said in seen(one).fingerprints]
                assert len(holding) - (html in known) >= REPEATED


def test_an_article_of_one_cell_is_not_pushed_out_by_the_other_cells() -> None:
    site, _, others = sites("one cell", 6)
    for html in others:
        alone = tamis.extract(html).text
        longest = max(alone.split("\n"), key=len)
        assert longest in site.extract(html).text


def test_a_text_that_repeats_as_a_whole_goes_and_a_part_of_a_text_stays() -> None:
    site, _, others = sites("slogan", 6)
    assert all(SLOGAN[:40] in tamis.extract(html).text for html in others)
    assert not any(SLOGAN[:40] in site.extract(html).text for html in others)
    site, _, others = sites("press", 6)
    for html in others:  # all releases end like this, in the element of their own text
        assert (ABOUT[:30] in tamis.extract(html).text) == (ABOUT[:30] in site.extract(html).text)
    site, _, others = sites("manual", 6)
    assert all("Return value" in site.extract(html).text for html in others)


def test_what_stands_amid_the_content_of_other_pages_is_kept_in_doubt() -> None:
    site, _, others = sites("gallery", 6)
    more = 0
    for html in others:
        document, alone = site.extract(html), tamis.extract(html)
        pairs = zip(document.blocks, alone.blocks, strict=True)
        new = [block for block, before in pairs if block.informative and not before.informative]
        for block in new:
            assert block.reason is not None
            assert block.reason.startswith("where other pages have their content, chance 0.")
            assert "6 pages have their content in the same element" in str(site.explain(block))
            said = site.explain(block)
            assert said.alone < said.chance == pytest.approx(block.score)
            assert said.chance >= 0.5
        more += len(new)
    assert more > 10


def test_a_container_says_more_the_more_pages_agree_and_never_speaks_against() -> None:
    odds = [container_odds(Container("div", pages, 0.98), Weights()) for pages in (1, 2, 5, 50)]
    assert odds == sorted(odds)
    assert odds[0] < 1 < odds[2] < 2
    assert container_odds(Container("div", 9, 0.1), Weights()) == 0.0
    assert container_odds(Container("div", 9, 1.0), Weights()) < 2


@pytest.mark.parametrize("name", ["article", "manual", "gallery", "one cell", "forum"])
def test_a_page_that_was_learned_from_is_judged_as_if_it_had_not_been(name: str) -> None:
    site, known, others = sites(name, 9)
    assert all(site.knowledge.has_learned(seen(html)) for html in known)
    assert not any(site.knowledge.has_learned(seen(html)) for html in others)
    for html in known[:4]:
        without = Site.learn(one for one in known if one != html)
        page = seen(html)
        both = weighed(site, page), weighed(without, page)
        assert both[0].kept.tolist() == both[1].kept.tolist()
        if both[0].container and both[1].container:
            assert both[0].container.pages == both[1].container.pages
            assert both[0].container.share == pytest.approx(both[1].container.share, abs=0.01)


def test_where_page_and_site_disagree_widely_the_page_wins_and_the_match_says_so() -> None:
    site, _, others = sites("slogan", 8)
    html = next(html for html in others if SLOGAN[:40] in tamis.extract(html).text)
    text = html[html.index("<h1>") : html.index("<div class=side>")]
    short = html.replace(text, "<div class=text><p>The town hall was shut on Monday.</p></div>")
    page = seen(short)
    found = weighed(site, page)
    alone = tamis.extract(short).text
    assert SLOGAN[:40] in alone
    assert found.agreement < POOR < site._nearest(page)[1]
    assert site.match(short) == pytest.approx(found.agreement)
    with pytest.warns(PoorMatch, match="have their content elsewhere"):
        document = site.extract(short)
    assert document.text == alone
    assert document.verdict.page is not None
    assert document.verdict.page.match == pytest.approx(found.agreement)
    assert not site.explain(document.blocks[0]).applied


def test_no_page_becomes_empty_whatever_repeats() -> None:
    wall = f"<html><body><nav>Home News</nav><div class=offer><p>{OFFER}</p></div></body></html>"
    site = Site.learn([wall] * 8)
    assert OFFER[:40] in tamis.extract(wall).text
    with pytest.warns(PoorMatch):
        assert site.extract(wall).text == tamis.extract(wall).text
