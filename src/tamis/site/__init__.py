"""Site templates: what the pages of a site have in common, learned from a few of them."""

from tamis.site.evidence import REPEATED, Evidence, Weights, container_odds, evidence
from tamis.site.explanation import chance
from tamis.site.file import read, text
from tamis.site.learning import MOST_ONCE, Groups, templates_of
from tamis.site.sight import METHOD, Sight, sight
from tamis.site.site import POOR, Input, Site
from tamis.site.template import Container, Template
from tamis.site.watch import Watch

__all__ = [
    "METHOD",
    "MOST_ONCE",
    "POOR",
    "REPEATED",
    "Container",
    "Evidence",
    "Groups",
    "Input",
    "Sight",
    "Site",
    "Template",
    "Watch",
    "Weights",
    "chance",
    "container_odds",
    "evidence",
    "read",
    "sight",
    "templates_of",
    "text",
]
