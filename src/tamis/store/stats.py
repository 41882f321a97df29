"""How much a store holds, and how much it saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Subquery, func, select, text

from tamis.store.hashes import count
from tamis.store.index import WordIndex
from tamis.store.tables import PACK, PAGE, SITE, VERSION, Number

_PAGES: Final = select(PAGE.c.site_id, func.count().label("pages")).group_by(PAGE.c.site_id)
_VERSIONS: Final = (
    select(
        PAGE.c.site_id,
        func.count().label("versions"),
        func.sum(VERSION.c.raw_bytes, type_=Number).label("raw"),
        func.sum(VERSION.c.source_bytes, type_=Number).label("source"),
        func.sum(func.length(VERSION.c.pieces)).label("lists"),
    )
    .join_from(PAGE, VERSION, VERSION.c.page_id == PAGE.c.id)
    .group_by(PAGE.c.site_id)
)
_PACKS: Final = select(PACK.c.site_id, func.sum(func.length(PACK.c.data)).label("packs")).group_by(
    PACK.c.site_id
)


@dataclass(frozen=True)
class SiteStats:
    """What a store holds of a site."""

    site: str
    pages: int
    versions: int
    raw_bytes: int  # of the pages as they were given
    source_bytes: int  # of the pages when they are normalised
    stored_bytes: int  # of packs and lists; what sites share is with the one that had it first

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
    total_bytes: int  # that the database takes, with all indexes

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


def stats(connection: Connection, index: WordIndex) -> Stats:
    """Return what a store holds."""
    pages, versions, packs = _PAGES.subquery(), _VERSIONS.subquery(), _PACKS.subquery()
    rows = connection.execute(
        select(
            SITE.c.host,
            value(pages, "pages"),
            value(versions, "versions"),
            value(versions, "raw"),
            value(versions, "source"),
            value(versions, "lists") + value(packs, "packs"),
        )
        .outerjoin(pages, pages.c.site_id == SITE.c.id)
        .outerjoin(versions, versions.c.site_id == SITE.c.id)
        .outerjoin(packs, packs.c.site_id == SITE.c.id)
    ).all()
    sites = [SiteStats(row[0], *map(int, row[1:])) for row in rows]
    sites.sort(key=lambda site: (-site.stored_bytes, site.site))
    return Stats(tuple(sites), count(connection), index.size(connection), total_bytes(connection))


def value(table: Subquery, name: str) -> Any:
    """Return a column in which nothing counts as 0."""
    return func.coalesce(table.c[name], 0)


def total_bytes(connection: Connection) -> int:
    """Return the bytes that the database takes."""
    if connection.dialect.name == "sqlite":
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        return int(pages * connection.execute(text("PRAGMA page_size")).scalar_one())
    tables = ("site", "page", "content", "version", "piece", "fresh", "pack", "word_index")
    sums = " + ".join(f"pg_total_relation_size('{table}')" for table in tables)
    return int(connection.execute(text(f"SELECT {sums}")).scalar_one())
