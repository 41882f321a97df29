"""The page as the inspector shows it without a browser: sanitised, with its blocks marked.

It is written anew from the page's rows: known elements without attributes but a few, text escaped,
nothing that loads, links or runs. Each text has the number of its block, and a class by its score.
"""

from __future__ import annotations

from html import escape
from typing import Final

from tamis.blocks import Blocks
from tamis.page import row_attributes, tags
from tamis.verdict import Verdict

_KEPT: Final = frozenset(
    (
        *"address article aside b blockquote br caption code col colgroup dd del details".split(),
        *"div dl dt em fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins".split(),
        *"kbd label li main mark nav ol p pre q s samp section small span strong sub".split(),
        *"summary sup table tbody td tfoot th thead tr u ul var".split(),
    )
)
_EMPTY: Final = frozenset({"br", "hr", "col"})
_RENAMED: Final = {"a": "span", "button": "span", "center": "div", "form": "div"}
_SPANS: Final = ("colspan", "rowspan")
_MAX_SPAN: Final = 1_000
_SCORE_STEPS: Final = 10


def render_frame(blocks: Blocks, verdict: Verdict) -> str:
    """Return the body of a page as safe HTML, in which texts have the numbers of their blocks."""
    page, parts, open_rows = blocks.page, [], [(len(blocks.page), "")]
    visible, owner = page.visible, blocks.owner.tolist()
    classes = [
        f"{'k' if is_content else 'n'} s{min(max(round(score * _SCORE_STEPS), 0), _SCORE_STEPS)}"
        for score, is_content in zip(
            verdict.score.tolist(), verdict.informative.tolist(), strict=True
        )
    ]
    is_text = (page.tag == tags.TEXT).tolist()
    ends, last = page.end.tolist(), 0
    for row in range(len(page)):
        while row >= open_rows[-1][0]:
            parts.append(open_rows.pop()[1])
        if is_text[row]:
            if visible[row]:
                start, stop = int(page.text_start[row]), int(page.text_stop[row])
                if start > last:  # the space between two texts of a line
                    parts.append(" ")
                text, last = escape(page.text[start:stop]), stop
                parts.append(_mark(text, owner[row], classes))
            continue
        name = page.name(row)
        if name == "img":
            alt = escape(row_attributes(page, row).get("alt", "")[:200]) or "image"
            parts.append(_mark(f'<span class="img">{alt}</span>', owner[row], classes))
            continue
        name = _RENAMED.get(name, name)
        if name not in _KEPT:
            continue
        parts.append(_start_tag(blocks, row, name))
        if name not in _EMPTY:
            open_rows.append((ends[row], f"</{name}>"))
    parts.extend(closing for _, closing in reversed(open_rows))
    return "".join(parts)


def _mark(html: str, block: int, classes: list[str]) -> str:
    if block < 0:
        return html
    return f'<span data-b="{block}" class="{classes[block]}">{html}</span>'


def _start_tag(blocks: Blocks, row: int, name: str) -> str:
    if name not in ("td", "th"):
        return f"<{name}>"
    attributes = row_attributes(blocks.page, row)
    spans = "".join(
        f' {span}="{value}"'
        for span in _SPANS
        if (value := attributes.get(span, "")).isdecimal() and 0 < int(value) <= _MAX_SPAN
    )
    return f"<{name}{spans}>"
