"""Site templates: what the pages of a site have in common, learned from a few of them."""

from tamis.site.site import Site
from tamis.site.watch import Watch

__all__ = ["Site", "Watch"]
