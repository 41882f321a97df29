"""Pictures of blocks: the page as it looks, with its blocks drawn over it."""

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

Spots = NDArray[np.float64]  # left, top, right and bottom, a row each

LEGEND_HEIGHT: Final = 56  # pixels of the legend above the page
SAID: Final = 160  # characters of a block's text that are shown
LABEL: Final = (17, 8)  # pixels of a number: height, and width of a character with some room
OUTLINE_WIDTH: Final = 2  # pixels of the line around a block
FURTHER: Final = 6  # so many widths of a number away from the corner it is looked for
# What a block is, its colour, and what the legend calls it.
KINDS: Final = {
    True: ("kept", "#0a7d33", "informative"),
    False: ("noise", "#c2410c", "noise"),
    None: ("plain", "#1d4ed8", "block"),
}
# Nothing is loaded, and nothing that a page smuggled in could run.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE: Final = """
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
""".replace("BAR", str(LEGEND_HEIGHT)).replace("HIGH", str(LABEL[0]))


@dataclass(frozen=True)
class Drawn:
    """A block with its place on the picture and that of its number."""

    number: int
    block: Block
    box: Box
    label: tuple[float, float, int]  # from the corner of the box, and its width
    inside: bool  # whether the line around it is drawn inside the box


def blocks_page(blocks: Sequence[Block], screenshot: bytes, title: str) -> str:
    """Return the picture as an HTML page that needs nothing but itself.

    Blocks are coloured by their verdict and numbered; pointing at one shows score, reason and text.
    """
    width, height = png_size(screenshot)
    drawn = list(place_blocks(blocks, width, height))
    around = {one.block.parent.index for one in drawn if one.block.parent}
    marks = "".join(mark(one, width, height, one.block.index in around) for one in drawn)
    image = b64encode(screenshot).decode()
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f'<body style="width:{width}px">{legend(drawn, title)}<main>'
        f'<img src="data:image/png;base64,{image}" width="{width}" height="{height}" '
        f'alt="the page">{marks}</main></body></html>\n'
    )


def blocks_png(page: str, browser: Browser) -> bytes:
    """Return the picture as PNG: a browser draws it."""
    drawn = browser.visit(page, screenshot=True).screenshot
    assert drawn is not None
    return drawn


def png_size(image: bytes) -> tuple[int, int]:
    """Return width and height of a PNG image."""
    return int.from_bytes(image[16:20]), int.from_bytes(image[20:24])


def place_blocks(blocks: Sequence[Block], width: int, height: int) -> Iterator[Drawn]:
    """Yield the blocks that are on the picture, each with a place for its number of its own."""
    texts = text_boxes(blocks[0].blocks.page) if blocks else np.zeros((0, 4))
    numbers = np.zeros((0, 4))
    for number, block in enumerate(blocks, start=1):
        x, y, w, h = block.box or (0.0, 0.0, 0.0, 0.0)
        x, right, bottom = max(x, 0.0), min(x + w, width), min(y + h, height)
        y = max(y, 0.0)
        if right <= x or bottom <= y:
            continue
        size = len(str(number)) * LABEL[1] + 8
        spots = [(left, y, left + size, y + LABEL[0]) for left in lefts(x, right, size, width)]
        free = [spot for spot in spots if not covers(spot, numbers)] or spots[:1]
        spot = next((spot for spot in free if not covers(spot, texts)), free[0])
        numbers = np.vstack((numbers, spot))
        sides = (x, y, right, bottom)
        cut = min(x, y, width - right, height - bottom) < OUTLINE_WIDTH
        inside = cut or (
            crosses_boxes(sides, texts, OUTLINE_WIDTH)
            and not crosses_boxes(sides, texts, -OUTLINE_WIDTH)
        )
        box = (x, y, right - x, bottom - y)
        yield Drawn(number, block, box, (spot[0] - x, 0.0, size), inside)


def text_boxes(page: Page) -> Spots:
    """Return the boxes of all text that is shown: left, top, right and bottom."""
    layout = page.layout
    if layout is None:
        return np.zeros((0, 4))
    rows = np.flatnonzero((page.tag == tags.TEXT) & layout.shown & (page.chars > 0))
    x, y = layout.x[rows], layout.y[rows]
    return np.stack((x, y, x + layout.width[rows], y + layout.height[rows]), axis=1)


def lefts(x: float, right: float, size: int, width: int) -> list[float]:
    """Return where the number of a block may begin, the best first.

    At the right, where lines of text rarely reach, beside the block, or further in.
    """
    inside = [right - size * (step / 2 + 1) for step in range(2 * FURTHER)]
    wanted = [
        inside[0],
        right + OUTLINE_WIDTH,
        *inside[1:FURTHER],
        x - size - OUTLINE_WIDTH,
        *inside[FURTHER:],
    ]
    return [left for left in wanted if 0 <= left <= width - size] or [0.0]


def covers(spot: Sequence[float], boxes: Spots) -> bool:
    """Say whether a place covers part of one of the boxes."""
    left, top, right, bottom = boxes.T
    apart = (left >= spot[2]) | (right <= spot[0]) | (top >= spot[3]) | (bottom <= spot[1])
    return not bool(apart.all())


def crosses_boxes(sides: Sequence[float], boxes: Spots, line: float) -> bool:
    """Say whether a line around a place, outside it (or inside: < 0), covers part of a box."""
    left, top, right, bottom = sides
    strips = (
        *((left - line, top, left, bottom), (right, top, right + line, bottom)),
        *((left, top - line, right, top), (left, bottom, right, bottom + line)),
    )
    upright = ((min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in strips)
    return any(covers(strip, boxes) for strip in upright)


def mark(drawn: Drawn, width: int, height: int, holds_others: bool) -> str:
    """Return a block as it is drawn, with what is told of it."""
    block, (x, y, w, h) = drawn.block, drawn.box
    sides = (
        *(" around" * holds_others, " edge" * drawn.inside),
        *(" right" * (x + 380 > width), " low" * (y + 200 > height > 400)),
    )
    said = [f"{drawn.number} · {block.label} · <{block.tag}>"]
    if block.score is not None:
        said.append(f"score {block.score:.2f}: {block.reason}")
    said.append(block.xpath)
    text = collapse_spaces(block.text)
    said.append(text if len(text) <= SAID else f"{text[:SAID]}…")
    told = "<br>".join(escape(line) for line in said if line)
    left, top, size = drawn.label
    spot = f"left:{left:.0f}px;top:{top:.0f}px;width:{size}px"
    return (
        f'<div class="block {KINDS[block.informative][0]}{"".join(sides)}" '
        f'style="left:{x:.0f}px;top:{y:.0f}px;width:{w:.0f}px;height:{h:.0f}px">'
        f'<b style="{spot}">{drawn.number}</b><p>{told}</p></div>'
    )


def legend(drawn: Sequence[Drawn], title: str) -> str:
    """Return the bar above the picture: what it shows, and what the colours mean."""
    parts = []
    for kind, (_, colour, name) in KINDS.items():
        count = sum(one.block.informative is kind for one in drawn)
        if count:
            many = "s" * (kind is None and count != 1)
            parts.append(f'<span><i style="border-color:{colour}"></i>{count} {name}{many}</span>')
    return f"<header><b>{escape(title)}</b>{''.join(parts)}</header>"
