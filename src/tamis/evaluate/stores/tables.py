"""The studies of the store as tables and as a page."""

from __future__ import annotations

import json
from typing import Any, Final

from tamis.evaluate.report import svg
from tamis.evaluate.report.svg import Figure, Scale
from tamis.evaluate.stores.search import Found
from tamis.evaluate.stores.storage import Storage
from tamis.evaluate.tables import Table

WIDTH: Final = 940.0
BAR: Final = 26.0


def storage_tables(found: Storage) -> list[Table]:
    """Return the bytes of all ways to keep pages, by site, and the throughput."""
    names = list(next(iter(found.bytes.values())))
    rows = [
        [site, str(found.pages[site]), *(f"{own[name] / 1000:,.0f}" for name in names)]
        for site, own in found.bytes.items()
    ]
    total = found.bytes["all sites"]
    rows.append(["share of raw", "", *(f"{total[name] / total['raw']:.3f}" for name in names)])
    tables = [Table("Storage, in thousands of bytes", ["site", "pages", *names], rows)]
    if found.puts_per_second is not None and found.puts_per_cpu_second is not None:
        rates = (found.puts_per_second, found.puts_per_cpu_second)
        row = [f"{found.puts:,}", *(f"{rate:,.0f}" for rate in rates)]
        heads = ["pages put", "puts/s", "puts per second of processor"]
        tables.append(Table("Throughput of one process", heads, [row]))
    return tables


def search_tables(found: Found) -> list[Table]:
    """Return what each index takes and finds."""
    rows = []
    for name, arm in found.arms.items():
        quality = (
            cell for kind in arm.found.values() for cell in (f"{kind.mrr:.3f}", f"{kind.first:.3f}")
        )
        times = (f"{arm.milliseconds[part]:.1f}" for part in arm.milliseconds)
        sizes = (f"{arm.index_bytes / 1000:,.0f}", f"{arm.informative:,}")
        rows.append([name, *sizes, *quality, *times])
    kinds = next(iter(found.arms.values())).found
    heads = ["index", "kB", "blocks"]
    for kind, known in kinds.items():
        heads += [f"MRR, {kind} ({known.queries})", "P@1"]
    title = f"Search in {found.dataset}, {found.pages:,} pages"
    heads += [f"ms, {part}" for part in next(iter(found.arms.values())).milliseconds]
    return [Table(title, heads, rows)]


def json_text(found: Any) -> str:
    """Return a study as JSON."""
    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2) + "\n"


def storage_figure(found: Storage) -> Figure:
    """Return the bytes of all sites as bars, as 004's Figure 8 has them."""
    total = found.bytes["all sites"]
    left = max(map(svg.text_width, total)) + 16
    scale = Scale(0, max(total.values()) / 1e6, left, WIDTH - 90)
    bottom = BAR * len(total) + 12
    parts = [svg.x_axis(scale, 8, bottom, "megabytes")]
    for number, (name, count) in enumerate(total.items()):
        y = 12 + BAR * number
        said = f"{count / 1e6:.2f} MB"
        end = scale(count / 1e6)
        parts += [
            svg.words(left - 8, y + 15, name, "label", "end"),
            svg.bar(left, y, end - left, BAR - 8, f"c{number} solid", said),
            svg.words(end + 6, y + 15, said, "tick"),
        ]
    title = "Bytes of all pages, kept in different ways"
    caption = (
        f"{found.pages['all sites']} pages. Raw and normalised pages are not compressed; a store "
        "is an SQLite file with all but the index of words."
    )
    return Figure(title, caption, svg.canvas(WIDTH, bottom + 44, parts, title))
