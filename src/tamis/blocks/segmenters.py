"""The segmenters by name."""

from __future__ import annotations

from typing import Final

from tamis.blocks.blocks import Segmenter
from tamis.blocks.by_layout import ByLayout
from tamis.blocks.fragments import Fragments
from tamis.blocks.keypattern import KeyPattern
from tamis.blocks.tagset import Chunks, Tables, TagSet
from tamis.blocks.vips import Vips
from tamis.blocks.visual import Visual

SEGMENTERS: Final[dict[str, type[Segmenter]]] = {
    "tagset": TagSet,
    "keypattern": KeyPattern,
    "chunks": Chunks,
    "tables": Tables,
    "fragments": Fragments,
    "visual": Visual,
    "vips": Vips,
    "layout": ByLayout,
}
