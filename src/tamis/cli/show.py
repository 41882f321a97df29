"""Blocks of one page, for the terminal or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tamis.blocks import Block
from tamis.errors import InputError
from tamis.page import parse
from tamis.page.limits import MAX_BYTES
from tamis.page.reading import one_line
from tamis.pipeline import extract, segment
from tamis.source import Fetch, locate, read

WIDE = 160  # columns where there is no terminal to ask


def found_blocks(
    argument: str, segmenter: str | None, fetch: Fetch, settings: Mapping[str, Any]
) -> Sequence[Block]:
    """Return the blocks of the page that an argument names."""
    places = list(locate([argument]))
    if len(places) != 1:
        raise InputError(f"{argument} stands for {len(places)} pages; name one of them")
    source = read(places[0], max_bytes=settings.get("max_bytes", MAX_BYTES), fetch=fetch)
    given = dict(settings)
    url = given.pop("url", None) or source.url
    charset = given.pop("charset", None) or source.charset
    if segmenter is None:
        return extract(source.data, url, charset=charset, **given).blocks
    return list(segment(parse(source.data, url, charset=charset, **given), segmenter))


def blocks_json(blocks: Sequence[Block]) -> str:
    """Return blocks as a JSON array."""
    return json.dumps([block.as_dict() for block in blocks], ensure_ascii=False, indent=2)


def block_table(blocks: Sequence[Block]) -> None:
    """Print blocks as a table on standard output: verdict, score, place, reason and text."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    judged = any(block.informative is not None for block in blocks)
    label = max((len(block.label) for block in blocks), default=5)
    place_width = 30 if console.width >= 110 else 16
    table = Table(box=None, padding=(0, 1), header_style="bold", pad_edge=False)
    table.add_column("block", no_wrap=True, min_width=label)
    if judged:
        table.add_column("", width=1)
        table.add_column("score", justify="right", no_wrap=True, min_width=5)
    table.add_column("place", width=place_width, overflow="ellipsis", no_wrap=True)
    table.add_column("text", overflow="ellipsis", no_wrap=True, ratio=3, min_width=16)
    if judged:
        table.add_column("reason", overflow="ellipsis", no_wrap=True, ratio=2, min_width=16)
    for block in blocks:
        mark = Text("✓", "green") if block.informative else Text("·", "dim")
        place = Text(tail(block.xpath, place_width), "cyan")
        text = Text(one_line(block.text)[:400], "dim" if block.informative is False else "")
        cells = [block.label, mark, f"{block.score:.2f}"] if judged else [block.label]
        table.add_row(*cells, place, text, *([Text(block.reason or "", "dim")] if judged else []))
    console.print(table)


def tail(xpath: str, width: int) -> str:
    """Return an XPath shortened at its beginning, where it says least."""
    return xpath if len(xpath) <= width else "…" + xpath[1 - width :]
