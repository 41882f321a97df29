"""The worst pages of a method, each with its blocks, the truth and the output side by side.

The text of pages is hostile: whatever comes from a page goes through `escape`.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final

from tamis.content import Document
from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.metrics.blocks import wanted_blocks
from tamis.lab.results import PageResult, SystemResult
from tamis.lab.systems.methods import fold_method
from tamis.page import collapse_spaces
from tamis.pipeline import extract

PAGES: Final = 30
BLOCKS: Final = 400  # of a page
BLOCK_CHARACTERS: Final = 240
TEXT_CHARACTERS: Final = 20_000

_PRINTABLE: Final = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def worst_pages(result: SystemResult, dataset: Dataset) -> str:
    """Return the worst pages of a method of tamis as HTML."""
    items = {item.id: item for item in dataset.items}
    ranked = sorted(result.pages, key=lambda page: (page.f1, page.id))[:PAGES]
    return "".join(
        page_section(page, items[page.id], result.system.name, dataset) for page in ranked
    )


def page_section(page: PageResult, item: Item, name: str, dataset: Dataset) -> str:
    """Return a page that can be opened to see its blocks, the truth and the output."""
    measures = page.measures
    figures = " · ".join(
        f"{shown} {measures[key]:.2f}"
        for key, shown in (("f1", "F1"), ("precision", "P"), ("recall", "R"))
        if key in measures
    )
    place = f"{item.kind} · {item.group}" if item.group != item.id else item.kind
    address = f'<p class="address">{shown_text(item.url)}</p>' if item.url else ""
    failure = f'<p class="failure">{shown_text(page.error)}</p>' if page.error else ""
    gold = gold_text(item)
    return (
        f"<details><summary><b>{shown_text(page.id)}</b> {shown_text(place)}"
        f'<span class="figures">{figures}</span></summary>{address}{failure}'
        f'<div class="sides"><div><h4>Truth</h4>{cut_text(gold)}</div>'
        f"<div><h4>Output</h4>{cut_text(page.text)}</div></div>"
        f"{blocks_table(item, name, dataset, gold)}</details>"
    )


def gold_text(item: Item) -> str:
    """Return the text of the content in truth."""
    if "segments" in item.gold:
        return "\n".join(s["text"] for s in item.gold["segments"] if s["label"] in (1, 2))
    return str(item.gold.get("main_content") or "")


def cut_text(text: str) -> str:
    """Return text for a box of its own."""
    more = len(text) - TEXT_CHARACTERS
    tail = f"<i>… {more:,} more characters</i>" if more > 0 else ""
    return f"<pre>{shown_text(text[:TEXT_CHARACTERS]) or '<i>nothing</i>'}{tail}</pre>"


def shown_text(text: str | None) -> str:
    """Return text of a page, harmless in HTML: escaped, and without control characters."""
    return escape(_PRINTABLE.sub("�", text or ""))


def blocks_table(item: Item, name: str, dataset: Dataset, gold: str) -> str:
    """Return the blocks of a page with what the method and the truth say of each."""
    try:
        document = extract(item.html, method=fold_method(name, dataset, item))
    except TamisError as error:
        return f'<p class="failure">{shown_text(str(error))}</p>'
    rows = block_rows(document, gold)
    more = f"<p>… {len(rows) - BLOCKS:,} more blocks</p>" if len(rows) > BLOCKS else ""
    return (
        '<table class="blocks"><thead><tr><th>block</th><th>kept</th><th>truth</th><th>score</th>'
        f"<th>reason</th><th>text</th></tr></thead><tbody>{''.join(rows[:BLOCKS])}</tbody></table>"
        f"{more}"
    )


def block_rows(document: Document, gold: str) -> list[str]:
    """Return a row of the table for each block with text."""
    wanted = wanted_blocks(document.segments, gold)
    rows = []
    for block in document.blocks:
        text = collapse_spaces(block.text)
        if not text:
            continue
        kept, right = bool(block.informative), bool(wanted[block.index])
        style = {(True, True): "hit", (True, False): "extra", (False, True): "lost"}
        score = "" if block.score is None else f"{block.score:.2f}"
        rows.append(
            f'<tr class="{style.get((kept, right), "noise")}"><td>{shown_text(block.label)} '
            f"<small>{shown_text(block.tag)}</small></td><td>{'kept' if kept else 'dropped'}</td>"
            f"<td>{'content' if right else 'noise'}</td><td>{score}</td>"
            f"<td>{shown_text(block.reason)}</td><td>{shown_text(text[:BLOCK_CHARACTERS])}</td></tr>"
        )
    return rows
