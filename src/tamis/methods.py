"""The methods by name: pairs of a segmenter and an identifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tamis.blocks import Chunks, Fragments, KeyPattern, Tables, TagSet, Visual
from tamis.method import Method
from tamis.verdict import (
    CoreEx,
    Eifce,
    Entropy,
    Feature,
    Ibdf,
    Importance,
    KFeature,
    Learned,
    Optimum,
    Shingle,
    SiteStyle,
    Svm,
    TagWindow,
)

METHODS: Final[Mapping[str, Method]] = {
    "feature": Method(TagSet(tables="whole"), Feature()),
    "kfeature": Method(TagSet(), KFeature()),
    "optimum": Method(TagSet(), Optimum()),
    "tagwindow": Method(Chunks(), TagWindow()),
    "keypattern": Method(KeyPattern(), Importance()),
    "coreex": Method(TagSet(), CoreEx()),
    "svm": Method(TagSet("classic"), Svm()),
    "eifce": Method(Visual(), Eifce()),  # needs a page with layout
    "learned": Method(TagSet(), Learned()),
}

# Methods that compare the pages of one site: fit(pages) of the identifier comes first.
MULTI_PAGE_METHODS: Final[Mapping[str, Method]] = {
    "ibdf": Method(TagSet(), Ibdf()),
    "entropy": Method(Tables(), Entropy()),
    "shingle": Method(Fragments(), Shingle()),
    "sitestyle": Method(TagSet(), SiteStyle()),
}
