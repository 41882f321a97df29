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
from tamis.lab.results import PageResult, Results
from tamis.lab.systems.methods import find_fold_method
from tamis.page import collapse_spaces
from tamis.pipeline import extract

_MAX_PAGES: Final = 30
_MAX_BLOCKS: Final = 400  # of a page
_MAX_BLOCK_CHARACTERS: Final = 240
_MAX_TEXT_CHARACTERS: Final = 20_000

_UNPRINTABLE: Final = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_worst_pages(results: Results, name: str | None) -> str:
    """Return the worst pages of a method of tamis as a section of a page, or nothing."""
    result = next((s for s in results.systems if s.system.name == name), None)
    if result is None:
        return ""
    items = {item.id: item for item in results.dataset.items}
    worst = sorted(result.pages, key=lambda page: (page.f1, page.id))[:_MAX_PAGES]
    pages = "".join(
        _render_page(page, items[page.id], result.system.name, results.dataset) for page in worst
    )
    title = _escape_text(f"The worst pages of {result.system.label}")
    return (
        f'<section><h2>{title}</h2><p class="key"><span class="hit">kept, rightly</span> '
        '<span class="extra">kept, but noise</span> <span class="lost">dropped, but content</span> '
        f'<span class="noise">dropped, rightly</span></p>{pages}</section>'
    )


def _render_page(page: PageResult, item: Item, name: str, dataset: Dataset) -> str:
    """Return a page that can be opened to show its blocks, the truth and the output."""
    measures = page.measures
    figures = " · ".join(
        f"{shown} {measures[key]:.2f}"
        for key, shown in (("f1", "F1"), ("precision", "P"), ("recall", "R"))
        if key in measures
    )
    kind = f"{item.kind} · {item.group}" if item.group != item.id else item.kind
    url = f'<p class="url">{_escape_text(item.url)}</p>' if item.url else ""
    failure = f'<p class="failure">{_escape_text(page.error)}</p>' if page.error else ""
    gold = _gold_text(item)
    return (
        f"<details><summary><b>{_escape_text(page.id)}</b> {_escape_text(kind)}"
        f'<span class="figures">{figures}</span></summary>{url}{failure}'
        f'<div class="sides"><div><h4>Truth</h4>{_render_text(gold)}</div>'
        f"<div><h4>Output</h4>{_render_text(page.text)}</div></div>"
        f"{_render_blocks(item, name, dataset, gold)}</details>"
    )


def _gold_text(item: Item) -> str:
    """Return the text of the content in truth."""
    if "segments" in item.gold:
        return "\n".join(s["text"] for s in item.gold["segments"] if s["label"] in (1, 2))
    if "main_content" in item.gold:
        return str(item.gold["main_content"] or "")
    parts = {"wanted": "with", "not wanted": "without", "comments": "comments"}
    snippets = {label: item.gold.get(name) or () for label, name in parts.items()}
    return "\n".join(f"{label}: {text}" for label, texts in snippets.items() for text in texts)


def _render_text(text: str) -> str:
    """Return text for a box of its own."""
    more = len(text) - _MAX_TEXT_CHARACTERS
    tail = f"<i>… {more:,} more characters</i>" if more > 0 else ""
    return f"<pre>{_escape_text(text[:_MAX_TEXT_CHARACTERS]) or '<i>nothing</i>'}{tail}</pre>"


def _escape_text(text: str | None) -> str:
    """Return text of a page, harmless in HTML: escaped, and without control characters."""
    return escape(_UNPRINTABLE.sub("�", text or ""))


def _render_blocks(item: Item, name: str, dataset: Dataset, gold: str) -> str:
    """Return the blocks of a page with what the method and the truth say of each."""
    try:
        document = extract(item.html, method=find_fold_method(name, dataset, item))
    except TamisError as error:
        return f'<p class="failure">{_escape_text(str(error))}</p>'
    rows = _render_rows(document, gold)
    more = f"<p>… {len(rows) - _MAX_BLOCKS:,} more blocks</p>" if len(rows) > _MAX_BLOCKS else ""
    return (
        '<table class="blocks"><thead><tr><th>block</th><th>kept</th><th>truth</th><th>score</th>'
        f"<th>reason</th><th>text</th></tr></thead><tbody>{''.join(rows[:_MAX_BLOCKS])}</tbody></table>"
        f"{more}"
    )


def _render_rows(document: Document, gold: str) -> list[str]:
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
            f'<tr class="{style.get((kept, right), "noise")}"><td>{_escape_text(block.label)} '
            f"<small>{_escape_text(block.tag)}</small></td><td>{'kept' if kept else 'dropped'}</td>"
            f"<td>{'content' if right else 'noise'}</td><td>{score}</td>"
            f"<td>{_escape_text(block.reason)}</td><td>{_escape_text(text[:_MAX_BLOCK_CHARACTERS])}</td></tr>"
        )
    return rows
