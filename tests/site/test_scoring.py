"""Scores of a site: they add where content stands, take what repeats, and leave the rest."""

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
    MIN_MATCH,
    MIN_REPEATS,
    BlockScores,
    PageProfile,
    Weights,
    build_profile,
    container_log_odds,
    score_blocks,
)


def sites(name: str, learned: int) -> tuple[Site, list[str], list[str]]:
    """The site of a shape, the pages that it was learned from, and the others."""
    pages = [page.html for page in make_shaped_pages(name)]
    drawn = set(random.Random(learned).sample(range(len(pages)), learned))
    learned_from = [page for number, page in enumerate(pages) if number in drawn]
    return (
        Site.learn(learned_from),
        learned_from,
        [page for n, page in enumerate(pages) if n not in drawn],
    )


def profile(html: str) -> PageProfile:
    return build_profile(TagSet().segment(tamis.parse(html)))


def scores(site: Site, page: PageProfile) -> BlockScores:
    template, _ = site.find_template(page)
    return score_blocks(page, template, site.knowledge, site.weights)


@pytest.mark.parametrize("name", SHAPES)
def test_no_text_that_is_the_pages_own_is_taken_away(name: str) -> None:
    for learned in (3, 5, 10):
        site, learned_from, others = sites(name, learned)
        profiles = [profile(html) for html in learned_from]
        for html in (*learned_from, *others):
            page = profile(html)
            gone = page.informative & ~scores(site, page).informative
            for block_id in {page.fingerprints[n] for n in np.flatnonzero(gone)}:
                holding = [other for other in profiles if block_id in other.fingerprints]
                assert len(holding) - (html in learned_from) >= MIN_REPEATS


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
            assert block.reason.startswith("where other pages have their content, probability 0.")
            assert "6 pages have their content in the same element" in str(site.explain(block))
            why = site.explain(block)
            assert why.page_probability < why.probability == pytest.approx(block.score)
            assert why.probability >= 0.5
        more += len(new)
    assert more >= 5


def test_a_container_says_more_of_long_blocks_and_never_speaks_against() -> None:
    site, _, others = sites("gallery", 5)
    for html in others:
        page = profile(html)
        nothing = Weights(container=0.0, length=0.0, path=0.0)
        assert not container_log_odds(page, site.knowledge, nothing, False).any()
        fixed = container_log_odds(page, site.knowledge, Weights(length=0.0, path=0.0), False)
        assert set(fixed) == {Weights().container}
        by_length = container_log_odds(page, site.knowledge, Weights(path=0.0), False)
        order = np.argsort(page.terms, kind="stable")
        assert (np.diff(by_length[order]) >= 0).all()
        assert by_length.max() < 2
        bad = Weights(container=0.0, length=9.0, path=9.0)
        assert (container_log_odds(page, site.knowledge, bad, False) >= 0).all()


def test_a_container_says_as_much_after_five_pages_as_after_ten() -> None:
    few, _, _ = sites("gallery", 5)
    many, _, _ = sites("gallery", 10)
    page = profile(make_shaped_pages("gallery", 30)[-1].html)
    odds = [
        container_log_odds(page, site.knowledge, Weights(path=0.0), False) for site in (few, many)
    ]
    assert odds[0].tolist() == odds[1].tolist()


def test_what_other_pages_have_at_a_path_counts_without_the_page_itself() -> None:
    site, learned_from, _ = sites("gallery", 5)
    for html in learned_from:
        page = profile(html)
        without = Site.learn(other for other in learned_from if other != html)
        log_odds = site.knowledge.path_log_odds(page, True)
        assert log_odds == pytest.approx(without.knowledge.path_log_odds(page, False), abs=0.02)
        assert np.abs(log_odds - site.knowledge.path_log_odds(page, False)).max() > 0.05
        path = page.paths[int(np.argmax(page.terms))]
        assert log_odds[page.paths.index(path)] > 1  # where the articles stand
    stranger = profile("<div class=other><p>Nothing stands here on other pages of the site.</div>")
    assert not site.knowledge.path_log_odds(stranger, False).any()


@pytest.mark.parametrize("name", ["article", "manual", "gallery", "one cell", "forum"])
def test_a_page_that_was_learned_from_is_judged_as_if_it_had_not_been(name: str) -> None:
    site, learned_from, others = sites(name, 9)
    assert all(site.knowledge.has_learned(profile(html)) for html in learned_from)
    assert not any(site.knowledge.has_learned(profile(html)) for html in others)
    for html in learned_from[:4]:
        without = Site.learn(other for other in learned_from if other != html)
        page = profile(html)
        both = scores(site, page), scores(without, page)
        assert both[0].informative.tolist() == both[1].informative.tolist()
        if both[0].container and both[1].container:
            assert both[0].container.pages == both[1].container.pages
            assert both[0].container.share == pytest.approx(both[1].container.share, abs=0.01)


def test_where_page_and_site_disagree_widely_the_page_wins_and_the_match_says_so() -> None:
    site, _, others = sites("slogan", 8)
    html = next(html for html in others if SLOGAN[:40] in tamis.extract(html).text)
    text = html[html.index("<h1>") : html.index("<div class=side>")]
    short = html.replace(text, "<div class=text><p>The town hall was shut on Monday.</p></div>")
    page = profile(short)
    scored = scores(site, page)
    alone = tamis.extract(short).text
    assert SLOGAN[:40] in alone
    assert scored.agreement < MIN_MATCH < site.find_template(page)[1]
    assert site.match(short) == pytest.approx(scored.agreement)
    with pytest.warns(PoorMatch, match="have their content elsewhere"):
        document = site.extract(short)
    assert document.text == alone
    assert document.verdict.page is not None
    assert document.verdict.page.match == pytest.approx(scored.agreement)
    assert not site.explain(document.blocks[0]).applied


def test_no_page_becomes_empty_whatever_repeats() -> None:
    wall = f"<html><body><nav>Home News</nav><div class=offer><p>{OFFER}</p></div></body></html>"
    site = Site.learn([wall] * 8)
    assert OFFER[:40] in tamis.extract(wall).text
    with pytest.warns(PoorMatch):
        assert site.extract(wall).text == tamis.extract(wall).text
