"""What a store holds, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tamis.cli.names import counted
from tamis.cli.show import fitted
from tamis.printing import printable
from tamis.store import Difference, Hit, Piece, SiteStats, Stats, Version

SITES = 20  # that are shown, the largest ones


def stats_table(stats: Stats) -> str:
    """Return what a store holds of each site as a table."""
    heads = ("site", "pages", "versions", "raw", "stored", "saving")
    shown = [*stats.sites[:SITES], stats.total] if len(stats.sites) != 1 else [*stats.sites]
    rows = [heads, *map(stats_cells, shown)]
    left = len(stats.sites) - SITES
    lines = [table(rows)]
    if left > 0:
        lines.append(f"(and {counted(left, 'more site')})\n")
    lines.append(
        f"{counted(stats.pieces, 'piece')}, {size(stats.index_bytes)} of index, "
        f"{size(stats.total_bytes)} on disk\n"
    )
    return "".join(lines)


def stats_cells(site: SiteStats) -> tuple[str, ...]:
    """Return the row of a site."""
    return (
        site.site or "(files)",
        f"{site.pages:,}",
        f"{site.versions:,}",
        size(site.raw_bytes),
        size(site.stored_bytes),
        f"{site.saving:.0%}",
    )


def history_table(versions: Sequence[Version]) -> str:
    """Return the versions of a page as a table, with what each changed."""
    rows = [("version", "fetched", "keep", "pieces", "new", "gone", "title")]
    before: set[int] = set()
    for number, version in enumerate(versions, 1):
        now = set(version.piece_ids)
        rows.append(
            (
                str(number),
                f"{version.fetched_at:%Y-%m-%d %H:%M:%S}",
                version.keep,
                str(len(version.piece_ids)),
                str(len(now - before)),
                str(len(before - now)),
                version.title or "",
            )
        )
        before = now
    return table(rows, texts=(1, 2, 6))


def diff_lines(found: Difference) -> str:
    """Return what changed, a line for each informative block and a sum of the rest."""
    lines = []
    for sign, pieces in (("-", found.removed), ("+", found.added)):
        lines += [f"{sign} {printable(piece.text)}\n" for piece in pieces if piece.informative]
    noise = [count_noise(found.removed), count_noise(found.added)]
    lines.append(f"{found.kept} pieces are in both; of noise {noise[0]} went, {noise[1]} came\n")
    return "".join(lines)


def diff_dict(found: Difference) -> dict[str, Any]:
    """Return what changed as plain data, noise included."""
    return {
        "before": found.before.as_dict(),
        "after": found.after.as_dict(),
        "removed": [piece_dict(piece) for piece in found.removed],
        "added": [piece_dict(piece) for piece in found.added],
        "kept": found.kept,
    }


def piece_dict(piece: Piece) -> dict[str, Any]:
    """Return a piece as plain data."""
    return {"id": piece.id, "informative": piece.informative, "text": piece.text}


def count_noise(pieces: Sequence[Piece]) -> int:
    """Return how many pieces are noise."""
    return sum(not piece.informative for piece in pieces)


def hit_lines(number: int, hit: Hit) -> str:
    """Return a hit: its title, its address and day, the snippet and its copies."""
    day = hit.published or hit.fetched_at.date()
    about = "  ".join(filter(None, (hit.url, str(day), hit.page_type)))
    lines = [f"{number}. {hit.title or hit.url}", f"   {about}", f"   {hit.snippet}"]
    lines += [f"   also at {url}" for url in hit.copies]
    return "".join(f"{printable(line)}\n" for line in lines)


def hit_dict(hit: Hit) -> dict[str, Any]:
    """Return a hit as plain data."""
    return asdict(hit) | {
        "fetched_at": hit.fetched_at.isoformat(),
        "published": hit.published.isoformat() if hit.published else None,
    }


def size(count: float) -> str:
    """Return a number of bytes in words."""
    if count < 1000:
        return f"{count:,.0f} B"
    for unit in ("KB", "MB"):
        count /= 1000
        if count < 1000:
            return f"{count:,.1f} {unit}"
    return f"{count / 1000:,.1f} GB"


def table(rows: Sequence[Sequence[str]], *, texts: Sequence[int] = (0,)) -> str:
    """Return rows of cells as lines; columns of texts stand to the left, others to the right."""
    from rich.cells import cell_len

    rows = [list(map(printable, row)) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = (
            fitted(cell, width) if place in texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)
