"""Records: the table that a list page shows.

page ──regions──▶ Region ──columns──▶ columns ──fields──▶ Records

Patterns: what the records of one page look like, applied to further pages of its site.

`places` tells where fields stand, `fitting` which field of a page is which of the pattern.

Regions of records: where a page repeats itself (002 §3.1, without layout).

    page ──cells──▶ Cells ──candidates──▶ groups of elements ──region──▶ Region

A cell is a run of text that a reader takes as one, or a picture. A candidate is a group of
elements that may each begin a record; a region is a candidate with its records cut and its cells
aligned. All of it is near-linear in the page and needs no verdict.

The next page: the address of the page that goes on where this one ends.
"""

from __future__ import annotations

from tamis.records.cells import Cells, cells_of
from tamis.records.fields import Field
from tamis.records.next_page import next_page
from tamis.records.pattern import Pattern
from tamis.records.records import Records, main_records, region_records
from tamis.records.regions import Region, best_region, regions, regions_at

__all__ = ["Field", "Pattern", "Records", "main_records", "region_records"]


__all__ = ["Cells", "Region", "best_region", "cells_of", "regions", "regions_at"]


__all__ = ["next_page"]
