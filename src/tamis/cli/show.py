"""Blocks of one page, for the terminal or as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tamis.blocks import Block
from tamis.cli.choice import extraction_settings
from tamis.cli.rendering import Rendering
from tamis.content import Document
from tamis.errors import InputError
from tamis.page import DEADLINE, MAX_BYTES, Budget, Page, collapse_spaces, parse
from tamis.pipeline import extract, segment
from tamis.printing import printable
from tamis.source import Fetch, Input, Source, expand_inputs, read_input

WIDE = 160  # columns where there is no terminal to ask
ROOMY = 110  # columns that have room for an XPath
PLACE = 30  # columns of an XPath
LEAST = 12  # columns of text and reason even where there are none left
HEADS = ("block", "", " score", "place", "text", "reason")
LONG = 400  # characters of a block's text, more than any terminal shows


def found_blocks(
    argument: str,
    segmenter: str | None,
    fetch: Fetch,
    settings: Mapping[str, Any],
    look: tuple[Rendering | None, bool] = (None, False),
) -> tuple[Sequence[Block], bytes | None]:
    """Return the blocks of the page that an argument names, and a picture of it if asked for.

    `look` says how the page is rendered, if it is, and whether with a picture.
    """
    place, source, given = one_source(argument, fetch, settings)
    html: bytes | Page = source.data
    rendering, with_picture = look
    picture = None
    if rendering is not None:
        seen = rendering.rendered(source, place, given, picture=with_picture)
        html, picture = seen.page, seen.screenshot
        given = {name: given[name] for name in ("method", "deadline") if name in given}
    if segmenter is None:
        return extract(html, **given).blocks, picture
    page = html if isinstance(html, Page) else parse(html, **given)
    found, budget = segment(page, segmenter), Budget(settings.get("deadline", DEADLINE))
    return [Block(found, number, budget=budget) for number in range(len(found))], picture


def extracted_page(argument: str, fetch: Fetch, settings: Mapping[str, Any]) -> Document:
    """Return the document of the page that an argument names."""
    _, source, given = one_source(argument, fetch, settings)
    return extract(source.data, **given)


def one_source(
    argument: str, fetch: Fetch, settings: Mapping[str, Any]
) -> tuple[Input, Source, dict[str, Any]]:
    """Read the page that an argument names; return its place and it, with the settings for it."""
    places = list(expand_inputs([argument]))
    if len(places) != 1:
        raise InputError(f"{argument} stands for {len(places)} pages; name one of them")
    if places[0].kind == "archive":
        raise InputError(f"{argument} is an archive of many pages; tamis extract reads them all")
    source = read_input(places[0], max_bytes=settings.get("max_bytes", MAX_BYTES), fetch=fetch)
    given = extraction_settings(settings)
    given["url"] = given.get("url") or source.url
    given["charset"] = given.get("charset") or source.charset
    return places[0], source, given


def blocks_json(blocks: Sequence[Block]) -> str:
    """Return blocks as a JSON array."""
    return json.dumps([block.as_dict() for block in blocks], ensure_ascii=False, indent=2)


def block_table(blocks: Sequence[Block], *, numbered: bool = False) -> str:
    """Return blocks as a table: verdict, score, place, text and reason.

    Text and reason share the width that the others leave. A narrow terminal gets the tag in the
    place of the XPath. With numbers each row begins with the one that its block has on a picture.
    """
    from rich.console import Console
    from rich.text import Text

    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if asked else WIDE, highlight=False)
    judged = any(block.informative is not None for block in blocks)
    rows = [cells(block, roomy=console.width >= ROOMY, judged=judged) for block in blocks]
    if numbered:
        wide = len(str(len(rows)))
        rows = [(f"{n:{wide}}  {row[0]}", *row[1:]) for n, row in enumerate(rows, start=1)]
    heads = HEADS if judged else (HEADS[0], *HEADS[3:5])
    widths = column_widths([heads, *rows], console.width)
    styles = ("", "green", "", "cyan", "", "dim") if judged else ("", "cyan", "")
    with console.capture() as capture:
        console.print(Text(line(heads, widths), "bold"), soft_wrap=True)
        for block, row in zip(blocks, rows, strict=True):
            text = Text()
            for cell, width, style in zip(row, widths, styles, strict=True):
                text.append(
                    f"{fitted(cell, width)}  ", "dim" if block.informative is False else style
                )
            text.rstrip()
            console.print(text, soft_wrap=True)
    return capture.get()


def cells(block: Block, *, roomy: bool, judged: bool) -> tuple[str, ...]:
    """Return what a row of the table says of a block."""
    said: tuple[str, ...] = (tail(block.xpath, PLACE) if roomy else block.tag,)
    said += (collapse_spaces(block.text)[:LONG],)
    verdict: tuple[str, ...] = ()
    if judged:
        verdict = ("✓" if block.informative else "·", f"{block.score:6.2f}")
        said += (block.reason or "",)
    return (block.label, *verdict, *map(printable, said))


def column_widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of columns: what the first ones need, and the rest for text and reason."""
    from rich.cells import cell_len

    needed = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    text = 4 if len(needed) > 3 else 2
    left = max(width - sum(needed[:text]) - 2 * (len(needed) - 1), 2 * LEAST)
    reason = min(sum(needed[text + 1 :]), max(left * 2 // 5, left - needed[text]))
    return [
        *needed[:text],
        min(needed[text], left - reason),
        *([reason] * (len(needed) - text - 1)),
    ]


def tail(xpath: str, width: int) -> str:
    """Return an XPath shortened at its beginning, where it says least."""
    return xpath if len(xpath) <= width else "…" + xpath[1 - width :]


def line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row of the table."""
    return "  ".join(map(fitted, row, widths)).rstrip()


def fitted(text: str, width: int) -> str:
    """Return text in just so many columns, of which a Chinese character takes two."""
    from rich.cells import cell_len, set_cell_size

    return (
        set_cell_size(text, width)
        if cell_len(text) <= width
        else set_cell_size(text, width - 1) + "…"
    )
