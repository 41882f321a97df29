"""SiteDocument: a document whose records are those of the region that a person chose."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from tamis.content import Document
from tamis.records import Pattern, Records


@dataclass(frozen=True, eq=False)
class SiteDocument(Document):
    """A document of a page of a site with rules on records."""

    patterns: tuple[Pattern, ...] = ()

    @classmethod
    def from_document(cls, document: Document, patterns: tuple[Pattern, ...]) -> SiteDocument:
        """Return a document that reads its records by patterns, the first that fits."""
        values = {field.name: getattr(document, field.name) for field in fields(Document)}
        return cls(**values, patterns=patterns)

    @cached_property
    def records(self) -> Records:
        """The records that the rules of the site choose; where none fit, those of the page."""
        with self.budget.spending("finding the records"):
            for pattern in self.patterns:
                records = pattern.apply(self.page)
                if records:
                    return records
        return super().records
