"""The whole flow: bytes → page → blocks → verdict → document."""
from __future__ import annotations
from dataclasses import dataclass
from typing import Final
from tamis.blocks import Chunks, KeyPattern, Segmenter, TagSet
from tamis.verdict import Feature, Identifier, Importance, KFeature, Optimum, TagWindow

@dataclass(frozen=True)
class Method:
    segmenter: Segmenter
    identifier: Identifier

METHODS: Final[dict[str, Method]] = {
    "feature": Method(TagSet(tables="whole"), Feature()),
    "kfeature": Method(TagSet(), KFeature()),
    "optimum": Method(TagSet(), Optimum()),
    "tagwindow": Method(Chunks(), TagWindow()),
    "keypattern": Method(KeyPattern(), Importance()),
}
