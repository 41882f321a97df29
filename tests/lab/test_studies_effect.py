"""Templates never hurt: what they may cost, on sites that are made up and on real ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest

from helpers.bench import needs_bench
from tamis.errors import PoorMatch
from tamis.lab.studies.sites import (
    FEW_PAGES,
    SHAPES,
    Effect,
    make_shaped_pages,
    make_shaped_sites,
    measure_effects,
    measure_site_effect,
)
from tamis.site import Weights

SITE_LOSS = 0.003  # that the mean of no site may exceed
LOSING = 0.01  # share of pages that may lose more than 0.02


def check_harmless(found: Sequence[Effect]) -> None:
    """Check that no site, hardly a page and no page much is worse with templates."""
    for effect in found:
        assert effect.gain > -SITE_LOSS, effect
        assert not effect.losing_much, effect
        assert not effect.emptied, effect
    for is_few in (True, False):
        some = [effect for effect in found if (effect.learned == FEW_PAGES) == is_few]
        assert sum(effect.losing for effect in some) <= LOSING * sum(e.pages for e in some)


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore", PoorMatch)


def test_templates_do_not_hurt_sites_of_any_shape() -> None:
    found = measure_effects(make_shaped_sites())
    assert {effect.site for effect in found} == set(SHAPES)
    assert {effect.learned for effect in found} == {5, 10}
    check_harmless(found)
    gains = {(effect.site, effect.learned): effect.gain for effect in found}
    assert gains["slogan", 5] > 0.05
    assert gains["gallery", 5] > 0.02


def test_what_hurts_is_noticed() -> None:
    pages = make_shaped_sites()["comments"]
    wild = Weights(container=1.0, doubt=1e-9)  # keeps all that stands amid the content
    assert measure_site_effect("comments", pages, 5, wild).losing > 10


@needs_bench
def test_templates_help_and_do_not_hurt_on_real_sites() -> None:
    from tamis.lab.datasets import load
    from tamis.lab.studies.sites import pages_by_site

    found = measure_effects(pages_by_site(load("sites-dev")))
    check_harmless(found)
    few = [effect.gain for effect in found if effect.learned == 5]
    many = [effect.gain for effect in found if effect.learned != 5]
    assert len(few) == len(many) == 9
    assert sum(few) / 9 > 0.0035
    assert sum(many) / 9 > 0.005


def test_pages_of_a_shape_are_the_same_every_time_and_no_two_are() -> None:
    for name in SHAPES:
        pages = make_shaped_pages(name)
        assert pages == make_shaped_pages(name)
        assert len({page.html for page in pages if page.gold}) == sum(bool(p.gold) for p in pages)
