"""Site templates: what the pages of a site have in common, learned from a few of them."""

from tamis.site.evidence import Weights
from tamis.site.explanation import chance
from tamis.site.file import read, text
from tamis.site.learning import MOST_ONCE, Groups, templates_of
from tamis.site.sight import METHOD, Sight, sight
from tamis.site.site import Input, Site
from tamis.site.template import Template
from tamis.site.watch import Watch

__all__ = [
    "METHOD",
    "MOST_ONCE",
    "Groups",
    "Input",
    "Sight",
    "Site",
    "Template",
    "Watch",
    "Weights",
    "chance",
    "read",
    "sight",
    "templates_of",
    "text",
]
