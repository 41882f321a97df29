"""Pages of a site that is made up, for whatever learns from many."""

from __future__ import annotations

from tamis.lab.studies.sites import article_page, index_page, site_pages

__all__ = ["article_page", "index_page", "site_pages"]
