"""Site templates: what the pages of a site have in common, learned from a few of them."""

from tamis.site.cases import (
    Case,
    CaseOutcome,
    Mark,
    case_id,
    find_block,
    mark_block,
    mark_column,
    mark_region,
    run_case,
)
from tamis.site.document import SiteDocument
from tamis.site.file import parse_site, read_site, site_text
from tamis.site.learning import MAX_SEEN_ONCE, SiteLearner, learn_templates
from tamis.site.profile import METHOD, PageProfile, build_profile
from tamis.site.rules import (
    Reach,
    Rule,
    RuleKind,
    block_form,
    find_matches,
    make_block_rule,
    make_column_rule,
    make_region_rule,
)
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
    "Case",
    "CaseOutcome",
    "Input",
    "Mark",
    "PageProfile",
    "Reach",
    "Rule",
    "RuleKind",
    "Site",
    "SiteDocument",
    "SiteLearner",
    "Template",
    "Watch",
    "Weights",
    "block_form",
    "build_profile",
    "case_id",
    "container_log_odds",
    "find_block",
    "find_matches",
    "learn_templates",
    "make_block_rule",
    "make_column_rule",
    "make_region_rule",
    "mark_block",
    "mark_column",
    "mark_region",
    "parse_site",
    "read_site",
    "run_case",
    "score_blocks",
    "site_text",
    "to_probability",
    "url_shape",
]
