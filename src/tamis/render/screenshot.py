"""Screenshots with the blocks of a page drawn over them, as an HTML page or as PNG."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Block
from tamis.page import Box, Page, collapse_spaces, tags
from tamis.render.browser import Browser

_Rectangles = NDArray[np.float64]  # left, top, right and bottom, one row each

LEGEND_HEIGHT: Final = 56  # pixels of the legend above the page
_MAX_TEXT: Final = 160  # characters of a block's text that are shown
_LABEL_HEIGHT: Final = 17  # pixels of the number of a block
_DIGIT_WIDTH: Final = 8  # pixels of a digit, with some space
_LABEL_PADDING: Final = 8
OUTLINE_WIDTH: Final = 2  # pixels of the line around a block
_MAX_LABEL_STEPS: Final = 6  # widths of a number by which it may stand away from the corner
# Decision → class in the style sheet, colour, and name in the legend.
_KINDS: Final = {
    True: ("kept", "#0a7d33", "informative"),
    False: ("noise", "#c2410c", "noise"),
    None: ("plain", "#1d4ed8", "block"),
}
# Nothing is loaded, and no script that a page smuggled in could run.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE: Final = """
* { box-sizing: border-box; margin: 0; }
body { background: #fff; font: 14px/1.35 "DejaVu Sans", "Noto Sans", system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 9999; height: BARpx; padding: 8px 14px; display: flex;
  gap: 22px; align-items: center; background: #16181d; color: #f4f4f5; white-space: nowrap; }
header b { font-size: 16px; overflow: hidden; text-overflow: ellipsis; }
header i { display: inline-block; width: 16px; height: 16px; margin-right: 7px;
  vertical-align: -2px; border: 3px solid; }
main { position: relative; } main img { display: block; }
/* Outlines stand around the letters of a block, or inside it where others' letters begin. */
.block { position: absolute; outline: 2px solid; } .edge { outline-offset: -2px; }
.kept { outline-color: #0a7d33; background: #0a7d3318; }
.noise { outline-color: #c2410c; background: #c2410c0d; }
.plain { outline-color: #1d4ed8; background: #1d4ed80d; }
.block > b { position: absolute; z-index: 9; height: HIGHpx; color: #fff; font-size: 12px;
  line-height: HIGHpx; text-align: center; outline: 1px solid #fff; }
.kept > b { background: #0a7d33; } .noise > b { background: #c2410c; }
.plain > b { background: #1d4ed8; }
.block > p { display: none; position: absolute; left: 0; top: 22px; z-index: 999; width: 360px;
  padding: 8px 10px; background: #16181d; color: #f4f4f5; font-size: 13px; pointer-events: none;
  overflow-wrap: anywhere; }
.around { background: none; } /* or blocks in blocks in blocks would darken the page */
.block:hover { background: #fde04755; z-index: 99; } .block:hover > p { display: block; }
.block.right > p { left: auto; right: 0; } .block.low > p { top: auto; bottom: 100%; }
""".replace("BAR", str(LEGEND_HEIGHT)).replace("HIGH", str(_LABEL_HEIGHT))


@dataclass(frozen=True)
class _DrawnBlock:
    """A block with its box on the screenshot and the position of its number."""

    number: int
    block: Block
    box: Box
    label: tuple[float, float, int]  # left and top from the corner of the box, and width
    inside: bool  # whether the outline is drawn inside the box


def blocks_page(blocks: Sequence[Block], screenshot: bytes, title: str) -> str:
    """Return a screenshot with the blocks drawn over it, as an HTML page that loads nothing.

    Blocks are coloured by their verdict and numbered; pointing at one shows score, reason and text.
    """
    width, height = png_size(screenshot)
    drawn = list(place_blocks(blocks, width, height))
    parents = {drawn_block.block.parent.index for drawn_block in drawn if drawn_block.block.parent}
    overlay = "".join(
        _render_block(drawn_block, width, height, holds_others=drawn_block.block.index in parents)
        for drawn_block in drawn
    )
    image = b64encode(screenshot).decode()
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f'<body style="width:{width}px">{_render_legend(drawn, title)}<main>'
        f'<img src="data:image/png;base64,{image}" width="{width}" height="{height}" '
        f'alt="the page">{overlay}</main></body></html>\n'
    )


def blocks_png(page: str, browser: Browser) -> bytes:
    """Return the HTML page of `blocks_page` as PNG, drawn by a browser."""
    screenshot = browser.visit(page, screenshot=True).screenshot
    assert screenshot is not None
    return screenshot


def png_size(image: bytes) -> tuple[int, int]:
    """Return width and height of a PNG image."""
    return int.from_bytes(image[16:20]), int.from_bytes(image[20:24])


# Where blocks and their numbers stand -------------------------------------------------------------


def place_blocks(blocks: Sequence[Block], width: int, height: int) -> Iterator[_DrawnBlock]:
    """Yield the blocks that are on a screenshot, with positions for their numbers.

    Numbers do not cover each other where possible, nor text.
    """
    texts = _text_boxes(blocks[0].blocks.page) if blocks else np.zeros((0, 4))
    labels = np.zeros((0, 4))
    for number, block in enumerate(blocks, start=1):
        x, y, w, h = block.box or (0.0, 0.0, 0.0, 0.0)
        x, right, bottom = max(x, 0.0), min(x + w, width), min(y + h, height)
        y = max(y, 0.0)
        if right <= x or bottom <= y:
            continue
        size = len(str(number)) * _DIGIT_WIDTH + _LABEL_PADDING
        candidates = [
            (left, y, left + size, y + _LABEL_HEIGHT)
            for left in _label_positions(x, right, size, width)
        ]
        free = [label for label in candidates if not _overlaps(label, labels)] or candidates[:1]
        label = next((label for label in free if not _overlaps(label, texts)), free[0])
        labels = np.vstack((labels, label))
        sides = (x, y, right, bottom)
        at_edge = min(x, y, width - right, height - bottom) < OUTLINE_WIDTH
        inside = at_edge or (
            crosses_boxes(sides, texts, OUTLINE_WIDTH)
            and not crosses_boxes(sides, texts, -OUTLINE_WIDTH)
        )
        box = (x, y, right - x, bottom - y)
        yield _DrawnBlock(number, block, box, (label[0] - x, 0.0, size), inside)


def _text_boxes(page: Page) -> _Rectangles:
    """Return the boxes of all text that is shown."""
    layout = page.layout
    if layout is None:
        return np.zeros((0, 4))
    rows = np.flatnonzero((page.tag == tags.TEXT) & layout.shown & (page.chars > 0))
    x, y = layout.x[rows], layout.y[rows]
    return np.stack((x, y, x + layout.width[rows], y + layout.height[rows]), axis=1)


def _label_positions(x: float, right: float, size: int, width: int) -> list[float]:
    """Return where the number of a block may begin, the best position first.

    At the right, where lines of text rarely reach, beside the block, or further in.
    """
    inside = [right - size * (step / 2 + 1) for step in range(2 * _MAX_LABEL_STEPS)]
    near, far = inside[1:_MAX_LABEL_STEPS], inside[_MAX_LABEL_STEPS:]
    lefts = [inside[0], right + OUTLINE_WIDTH, *near, x - size - OUTLINE_WIDTH, *far]
    return [left for left in lefts if 0 <= left <= width - size] or [0.0]


def _overlaps(rectangle: Sequence[float], boxes: _Rectangles) -> bool:
    """Return whether a rectangle overlaps one of the boxes."""
    left, top, right, bottom = boxes.T
    apart = (
        (left >= rectangle[2])
        | (right <= rectangle[0])
        | (top >= rectangle[3])
        | (bottom <= rectangle[1])
    )
    return not bool(apart.all())


def crosses_boxes(sides: Sequence[float], boxes: _Rectangles, line: float) -> bool:
    """Return whether a line around a rectangle overlaps one of the boxes.

    `line` is the width of the line: outside the rectangle, or inside it if it is negative.
    """
    left, top, right, bottom = sides
    strips = (
        *((left - line, top, left, bottom), (right, top, right + line, bottom)),
        *((left, top - line, right, top), (left, bottom, right, bottom + line)),
    )
    upright = ((min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in strips)
    return any(_overlaps(strip, boxes) for strip in upright)


# HTML ---------------------------------------------------------------------------------------------


def _render_block(drawn: _DrawnBlock, width: int, height: int, *, holds_others: bool) -> str:
    """Return a block as HTML: outline, number, and the text that is shown on pointing at it."""
    block, (x, y, w, h) = drawn.block, drawn.box
    classes = (
        *(" around" * holds_others, " edge" * drawn.inside),
        *(" right" * (x + 380 > width), " low" * (y + 200 > height > 400)),
    )
    lines = [f"{drawn.number} · {block.label} · <{block.tag}>"]
    if block.score is not None:
        lines.append(f"score {block.score:.2f}: {block.reason}")
    lines.append(block.xpath)
    text = collapse_spaces(block.text)
    lines.append(text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…")
    description = "<br>".join(escape(line) for line in lines if line)
    left, top, size = drawn.label
    label_style = f"left:{left:.0f}px;top:{top:.0f}px;width:{size}px"
    return (
        f'<div class="block {_KINDS[block.informative][0]}{"".join(classes)}" '
        f'style="left:{x:.0f}px;top:{y:.0f}px;width:{w:.0f}px;height:{h:.0f}px">'
        f'<b style="{label_style}">{drawn.number}</b><p>{description}</p></div>'
    )


def _render_legend(drawn: Sequence[_DrawnBlock], title: str) -> str:
    """Return the bar above the screenshot: its title, and what the colours mean."""
    entries = []
    for kind, (_, colour, name) in _KINDS.items():
        count = sum(drawn_block.block.informative is kind for drawn_block in drawn)
        if count:
            plural = "s" * (kind is None and count != 1)
            swatch = f'<i style="border-color:{colour}"></i>'
            entries.append(f"<span>{swatch}{count} {name}{plural}</span>")
    return f"<header><b>{escape(title)}</b>{''.join(entries)}</header>"
