"""Site templates: what the pages of a site have in common, learned from a few of them."""

from tamis.site.file import parse_site, read_site, site_text
from tamis.site.learning import MAX_SEEN_ONCE, SiteLearner, learn_templates
from tamis.site.profile import METHOD, PageProfile, build_profile
from tamis.site.scoring import (
    MIN_REPEATS,
    BlockScores,
    Weights,
    container_log_odds,
    score_blocks,
    to_probability,
)
from tamis.site.shapes import url_shape
from tamis.site.site import MIN_MATCH, Input, Site, Watch
from tamis.site.template import Template

__all__ = [
    "MAX_SEEN_ONCE",
    "METHOD",
    "MIN_MATCH",
    "MIN_REPEATS",
    "BlockScores",
    "Input",
    "PageProfile",
    "Site",
    "SiteLearner",
    "Template",
    "Watch",
    "Weights",
    "build_profile",
    "container_log_odds",
    "learn_templates",
    "parse_site",
    "read_site",
    "score_blocks",
    "site_text",
    "to_probability",
    "url_shape",
]
