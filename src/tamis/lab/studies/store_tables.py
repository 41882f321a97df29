"""The studies of the store as tables and plots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tamis.lab.report import svg
from tamis.lab.report.svg import Figure, Scale
from tamis.lab.studies.large_store import Speed
from tamis.lab.studies.search import Found, Quality
from tamis.lab.studies.storage import ALL, Room, Storage
from tamis.lab.tables import Table

WIDTH: Final = 940.0
BAR: Final = 26.0


def storage_tables(found: Storage) -> list[Table]:
    """Return the bytes of all ways to keep pages, by site or archive, and the throughput."""
    tables = [room_table(name, room) for name, room in found.rooms.items()]
    if found.puts_per_second is not None and found.puts_per_cpu_second is not None:
        rates = (found.puts_per_second, found.puts_per_cpu_second)
        row = [f"{found.puts:,}", *(f"{rate:,.0f}" for rate in rates)]
        heads = ["pages put", "puts/s", "puts per second of processor"]
        tables.append(Table("Throughput of one process", heads, [row]))
    return tables


def room_table(name: str, room: Room) -> Table:
    """Return the bytes of the pages of a set."""
    names = list(room.bytes[ALL])
    rows = [
        [place, str(room.pages[place]), *(f"{own[name] / 1000:,.0f}" for name in names)]
        for place, own in room.bytes.items()
    ]
    total = room.bytes[ALL]
    rows.append(["share of raw", "", *(f"{total[name] / total['raw']:.3f}" for name in names)])
    return Table(f"Storage of {name}, in thousands of bytes", ["", "pages", *names], rows)


def search_tables(found: Found) -> list[Table]:
    """Return what each index takes and finds, of all queries and of those that both can find."""
    arms = found.arms.values()
    kinds = next(iter(arms)).found
    heads = ["index"]
    for kind, known in kinds.items():
        heads += [f"MRR, {kind} ({known.queries})", "P@1"]
    times = [f"ms, {part}" for part in next(iter(arms)).milliseconds]
    rows = [
        [
            name,
            *(f"{size:,.0f}" for size in (arm.index_bytes / 1000, arm.informative)),
            *qualities(arm.found.values()),
            *(f"{took:.1f}" for took in arm.milliseconds.values()),
        ]
        for name, arm in found.arms.items()
    ]
    held = next(iter(arms)).held
    held_heads = ["index"]
    for kind, known in held.items():
        held_heads += [f"MRR, {kind} ({known.queries})", "P@1"]
    tables = [
        Table(
            f"Search in {found.dataset}, {found.pages:,} pages",
            [heads[0], "kB", "blocks", *heads[1:], *times],
            rows,
        ),
        Table(
            "The same, of queries whose words the informative blocks have",
            held_heads,
            [[name, *qualities(arm.held.values())] for name, arm in found.arms.items()],
        ),
    ]
    return [*tables, speed_table(found.speed)] if found.speed else tables


def speed_table(found: Speed) -> Table:
    """Return how long searches take in a store of many pages, by what they are for."""
    quantiles = next(iter(found.milliseconds.values()))
    return Table(
        f"{found.queries:,} searches each in a store of {found.pages:,} pages",
        ["for", *(f"ms, {name}" for name in quantiles)],
        [
            [kind, *(f"{took:.1f}" for took in times.values())]
            for kind, times in found.milliseconds.items()
        ],
    )


def qualities(found: Iterable[Quality]) -> list[str]:
    """Return how well pages were found as cells."""
    return [cell for kind in found for cell in (f"{kind.mrr:.3f}", f"{kind.first:.3f}")]


def storage_figures(found: Storage) -> list[Figure]:
    """Return the bytes of all pages as bars, as 004's Figure 8 has them."""
    return [room_figure(name, room) for name, room in found.rooms.items()]


def room_figure(name: str, room: Room) -> Figure:
    """Return the bytes of the pages of a set as bars."""
    total = room.bytes[ALL]
    left = max(map(svg.text_width, total)) + 16
    scale = Scale(0, max(total.values()) / 1e6, left, WIDTH - 90)
    bottom = BAR * len(total) + 12
    parts = [svg.x_axis(scale, 8, bottom, "megabytes")]
    for number, (way, count) in enumerate(total.items()):
        y = 12 + BAR * number
        said = f"{count / 1e6:.2f} MB"
        end = scale(count / 1e6)
        parts += [
            svg.words(left - 8, y + 15, way, "label", "end"),
            svg.bar(left, y, end - left, BAR - 8, f"c{number % svg.COLOURS} solid", said),
            svg.words(end + 6, y + 15, said, "tick"),
        ]
    title = f"Bytes of all pages of {name}, kept in different ways (004, Figure 8)"
    caption = (
        f"{room.pages[ALL]} pages. Raw and normalised pages, shingle, ibdf and pieces are not "
        "compressed; a store is an SQLite file with all but the index of words."
    )
    return Figure(title, caption, svg.canvas(WIDTH, bottom + 44, parts, title))
