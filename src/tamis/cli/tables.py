"""Tables that commands show: blocks, records, regions, sites, stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tamis.cli.messages import count_things
from tamis.printing import printable
from tamis.terminal import Column, Table, find_console

if TYPE_CHECKING:
    from tamis.blocks import Block
    from tamis.records import Records
    from tamis.site import Site, Template
    from tamis.store import SiteStats, Stats, Version
    from tamis.values import Value

_MAX_XPATH_WIDTH: Final = 30
_MIN_WIDTH_FOR_XPATH: Final = 110  # of a terminal
_MIN_TEXT_WIDTH: Final = 12
_MAX_TEXT_CHARS: Final = 400  # more than any terminal shows
_MAX_FIELD_WIDTH: Final = 40
_MAX_SITES: Final = 20  # of a store, the largest ones


def render_blocks(blocks: Sequence[Block], *, numbered: bool = False) -> str:
    """Return blocks as a table: verdict, score, XPath, text and reason.

    A narrow terminal gets the tag instead of the XPath. With `numbered`, each row begins with the
    number of its block on a screenshot.
    """
    with_xpath = find_console().width >= _MIN_WIDTH_FOR_XPATH
    has_verdict = any(block.informative is not None for block in blocks)
    columns = [
        Column("block", min_width=None),
        Column("", min_width=None, style="green"),
        Column(" score", min_width=None),
        Column("xpath" if with_xpath else "tag", min_width=None, style="cyan"),
        Column("text", min_width=_MIN_TEXT_WIDTH),
        Column("reason", min_width=_MIN_TEXT_WIDTH, style="dim"),
    ]
    if not has_verdict:
        columns = [columns[0], *columns[3:5]]
    table = Table(columns)
    digits = len(str(len(blocks)))
    for number, block in enumerate(blocks, start=1):
        cells = _block_cells(block, with_xpath=with_xpath, has_verdict=has_verdict)
        if numbered:
            cells[0] = f"{number:{digits}}  {cells[0]}"
        table.add_row(*cells, style="dim" if block.informative is False else "")
    return table.render()


def _block_cells(block: Block, *, with_xpath: bool, has_verdict: bool) -> list[str]:
    from tamis.page import collapse_spaces

    xpath = _shorten_xpath(block.xpath, _MAX_XPATH_WIDTH) if with_xpath else block.tag
    text = collapse_spaces(block.text)[:_MAX_TEXT_CHARS]
    if not has_verdict:
        return [block.label, xpath, text]
    mark = "✓" if block.informative else "·"
    return [block.label, mark, f"{block.score:6.2f}", xpath, text, block.reason or ""]


def render_records(names: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Return records as a table that fits the terminal."""
    if not names:
        return ""
    columns = [Column(name, max_width=_MAX_FIELD_WIDTH) for name in names]
    return Table(columns, [[_value_text(value) for value in row] for row in rows]).render()


def render_regions(regions: Sequence[Records]) -> str:
    """Return the regions of a page as a table: what each is, and its XPath."""
    if not regions:
        return ""
    names = ("records", "score", "share", "what", "xpath", "fields")
    table = Table([Column(name, max_width=_MAX_FIELD_WIDTH) for name in names])
    for region in regions:
        table.add_row(
            str(len(region)),
            f"{region.score:.1f}",
            f"{region.share:.2f}",
            region.reason,
            _shorten_xpath(region.xpath or "", _MAX_FIELD_WIDTH),
            ", ".join(field.name for field in region.fields),
        )
    return table.render()


def _value_text(value: Value) -> str:
    if value is None or value is False:
        return ""
    return "✓" if value is True else str(value)


def _shorten_xpath(xpath: str, width: int) -> str:
    """Return an XPath shortened at its beginning, which says least."""
    return xpath if len(xpath) <= width else "…" + xpath[1 - width :]


def render_site(site: Site, *, with_paths: bool, limit: int | None) -> str:
    """Return what is learned of a site as tables, one per template."""
    host = f"{site.host}: " if site.host else ""
    summary = f"{host}{count_things(site.pages, 'page')}, learned {site.learned.isoformat()}"
    parts = [f"{printable(summary)}\n"]
    for number, template in enumerate(site.templates, 1):
        pages = count_things(template.pages, "page")
        title = f"template {number} of {len(site.templates)}: {pages}"
        table = _path_table(template, limit) if with_paths else _block_table(template, limit)
        table.title, table.rule = title, True
        parts += ["\n", table.render() if table.row_count else f"{title}\nnothing repeats\n"]
    return "".join(parts)


def _block_table(template: Template, limit: int | None) -> Table:
    """Return the repeated blocks of a template, the most frequent first, and declared noise."""
    table = Table([*_number_columns("pages", "share"), Column("text"), Column("XPath")])
    for block in template.blocks[:limit]:
        share = "noise" if block.noise else f"{block.pages / template.pages:.0%}"
        table.add_row(
            f"{block.pages:,}",
            share,
            block.text[:_MAX_TEXT_CHARS],
            block.xpath[:_MAX_TEXT_CHARS],
        )
    return table


def _path_table(template: Template, limit: int | None) -> Table:
    """Return the paths of a template, with the mean probability of content and what repeats."""
    from tamis.site import to_probability

    numbers = _number_columns("pages", "blocks", "probability", "repeats")
    table = Table([*numbers, Column("path")])
    for path in template.paths[:limit]:
        table.add_row(
            f"{path.pages:,}",
            f"{path.blocks:,}",
            f"{to_probability(path.log_odds):.2f}",
            f"{template.repetition.get(path.path, 0.0):.0%}",
            path.path[:_MAX_TEXT_CHARS],
        )
    return table


def render_stats(stats: Stats) -> str:
    """Return what a store has of each site as a table."""
    numbers = _number_columns("pages", "versions", "raw", "stored", "saving")
    table = Table([Column("site", min_width=None), *numbers])
    shown = [*stats.sites[:_MAX_SITES], stats.total] if len(stats.sites) != 1 else stats.sites
    for site in shown:
        table.add_row(*_stats_cells(site))
    lines = [table.render()]
    left = len(stats.sites) - _MAX_SITES
    if left > 0:
        lines.append(f"(and {count_things(left, 'more site')})\n")
    lines.append(
        f"{count_things(stats.pieces, 'piece')}, {_byte_size(stats.index_bytes)} of index, "
        f"{_byte_size(stats.total_bytes)} on disk\n"
    )
    return "".join(lines)


def _stats_cells(site: SiteStats) -> tuple[str, ...]:
    return (
        site.site or "(files)",
        f"{site.pages:,}",
        f"{site.versions:,}",
        _byte_size(site.raw_bytes),
        _byte_size(site.stored_bytes),
        f"{site.saving:.0%}",
    )


def render_history(versions: Sequence[Version]) -> str:
    """Return the versions of a page as a table, with what each changed."""
    table = Table(
        [
            *_number_columns("version"),
            Column("fetched", min_width=None),
            Column("keep", min_width=None),
            *_number_columns("pieces", "new", "gone"),
            Column("title", min_width=None),
        ]
    )
    before: set[int] = set()
    for number, version in enumerate(versions, 1):
        now = set(version.piece_ids)
        table.add_row(
            str(number),
            f"{version.fetched_at:%Y-%m-%d %H:%M:%S}",
            version.keep,
            str(len(version.piece_ids)),
            str(len(now - before)),
            str(len(before - now)),
            version.title or "",
        )
        before = now
    return table.render()


def _number_columns(*headers: str) -> list[Column]:
    return [Column(header, "right", min_width=None) for header in headers]


def _byte_size(count: float) -> str:
    """Return a number of bytes in units that people read."""
    if count < 1000:
        return f"{count:,.0f} B"
    for unit in ("KB", "MB"):
        count /= 1000
        if count < 1000:
            return f"{count:,.1f} {unit}"
    return f"{count / 1000:,.1f} GB"
