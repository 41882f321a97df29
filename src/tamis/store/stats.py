"""How much a store holds, and how much it saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tamis.store.columns import NUMBER, TEXT
from tamis.store.database import Connection, Query
from tamis.store.hashes import count_pieces
from tamis.store.index import WordIndex
from tamis.store.schema import database_size

_SITES: Final = Query(
    """
    SELECT
        site.host,
        coalesce(pages.count, 0),
        coalesce(versions.count, 0),
        coalesce(versions.raw_bytes, 0),
        coalesce(versions.source_bytes, 0),
        coalesce(versions.list_bytes, 0) + coalesce(packs.bytes, 0)
    FROM site
    LEFT JOIN (
        SELECT site_id, count(*) AS count FROM page GROUP BY site_id
    ) AS pages ON pages.site_id = site.id
    LEFT JOIN (
        SELECT
            page.site_id,
            count(*) AS count,
            sum(version.raw_bytes) AS raw_bytes,
            sum(version.source_bytes) AS source_bytes,
            sum(length(version.pieces)) AS list_bytes
        FROM page JOIN version ON version.page_id = page.id
        GROUP BY page.site_id
    ) AS versions ON versions.site_id = site.id
    LEFT JOIN (
        SELECT site_id, sum(length(data)) AS bytes FROM pack GROUP BY site_id
    ) AS packs ON packs.site_id = site.id
    """,
    (TEXT, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER),
)


@dataclass(frozen=True)
class SiteStats:
    """What a store holds of a site."""

    site: str
    pages: int
    versions: int
    raw_bytes: int  # of the pages as they were given
    source_bytes: int  # of their normalised sources
    stored_bytes: int  # of packs and lists; shared pieces count for the site that had them first

    @property
    def saving(self) -> float:
        """The share of the raw bytes that is saved."""
        return 1 - self.stored_bytes / self.raw_bytes if self.raw_bytes else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return vars(self) | {"saving": self.saving}


@dataclass(frozen=True)
class Stats:
    """What a store holds."""

    sites: tuple[SiteStats, ...]  # the largest first
    pieces: int
    index_bytes: int  # of the index of words
    total_bytes: int  # of the database, with all indexes

    @property
    def total(self) -> SiteStats:
        """What it holds of all sites."""
        names = ("pages", "versions", "raw_bytes", "source_bytes", "stored_bytes")
        return SiteStats(
            "all sites", *(sum(getattr(site, name) for site in self.sites) for name in names)
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "pieces": self.pieces,
            "index_bytes": self.index_bytes,
            "total_bytes": self.total_bytes,
            "sites": [site.as_dict() for site in self.sites],
            "total": self.total.as_dict(),
        }


def compute_stats(connection: Connection, index: WordIndex) -> Stats:
    """Return what a store holds."""
    sites = [SiteStats(*row) for row in connection.rows(_SITES)]
    sites.sort(key=lambda site: (-site.stored_bytes, site.site))
    return Stats(
        tuple(sites),
        count_pieces(connection),
        index.size(connection),
        database_size(connection),
    )
