"""Records: the table that a list page shows.

page ──regions──▶ Region ──columns──▶ columns ──fields──▶ Records
"""

from tamis.content.records.field import Field
from tamis.content.records.pattern.pattern import Pattern
from tamis.content.records.records import Records, main_records, region_records

__all__ = ["Field", "Pattern", "Records", "main_records", "region_records"]
