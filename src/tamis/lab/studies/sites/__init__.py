"""Studies of sites: what several pages of a site are good for, on real and on made-up sites."""

from __future__ import annotations

from tamis.lab.studies.sites.domains import SiteDomainsStudy, group_by_domain
from tamis.lab.studies.sites.effect import (
    FEW_PAGES,
    Effect,
    make_shaped_sites,
    measure_effects,
    measure_site_effect,
)
from tamis.lab.studies.sites.measuring import (
    GRID,
    MEASURES,
    choose_weights,
    measure_sites,
    pages_by_site,
    score_held_out,
    split_site,
)
from tamis.lab.studies.sites.shapes import ABOUT, OFFER, SHAPES, SLOGAN, make_shaped_pages
from tamis.lab.studies.sites.study import GrowthStudy, SitesStudy
from tamis.lab.studies.sites.synthetic import article_page, index_page, site_pages, word
from tamis.lab.studies.sites.systems import RECALLS, SYSTEM_NAMES, precisions_at_recalls
from tamis.lab.studies.sites.times import measure_times

__all__ = [
    "ABOUT",
    "FEW_PAGES",
    "GRID",
    "MEASURES",
    "OFFER",
    "RECALLS",
    "SHAPES",
    "SLOGAN",
    "SYSTEM_NAMES",
    "Effect",
    "GrowthStudy",
    "SiteDomainsStudy",
    "SitesStudy",
    "article_page",
    "choose_weights",
    "group_by_domain",
    "index_page",
    "make_shaped_pages",
    "make_shaped_sites",
    "measure_effects",
    "measure_site_effect",
    "measure_sites",
    "measure_times",
    "pages_by_site",
    "precisions_at_recalls",
    "score_held_out",
    "site_pages",
    "split_site",
    "word",
]
