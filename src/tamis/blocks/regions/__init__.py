"""Regions of records: where a page repeats itself (002 §3.1, without layout).

    page ──cells──▶ Cells ──candidates──▶ groups of elements ──region──▶ Region

A cell is a run of text that a reader takes as one, or a picture. A candidate is a group of
elements that may each begin a record; a region is a candidate with its records cut and its cells
aligned. All of it is near-linear in the page and needs no verdict.
"""

from tamis.blocks.regions.cells import Cells, cells_of
from tamis.blocks.regions.region import Region
from tamis.blocks.regions.search import best_region, regions, regions_at

__all__ = ["Cells", "Region", "best_region", "cells_of", "regions", "regions_at"]
