"""Verdicts on blocks. `IDENTIFIERS` maps names to the classes that identify informative blocks."""

from __future__ import annotations

from typing import Final

from tamis.verdict.eifce import Eifce
from tamis.verdict.entropy import Entropy
from tamis.verdict.feature import Feature
from tamis.verdict.ibdf import Ibdf
from tamis.verdict.importance import Importance
from tamis.verdict.kfeature import KFeature
from tamis.verdict.learned.learned import Learned
from tamis.verdict.optimum import Optimum
from tamis.verdict.shingle import Shingle
from tamis.verdict.svm import Svm
from tamis.verdict.tagwindow import TagWindow
from tamis.verdict.verdict import Identifier, PageVerdict, Verdict

IDENTIFIERS: Final[dict[str, type[Identifier]]] = {
    "feature": Feature,
    "kfeature": KFeature,
    "importance": Importance,
    "optimum": Optimum,
    "tagwindow": TagWindow,
    "svm": Svm,
    "eifce": Eifce,
    "learned": Learned,
    "ibdf": Ibdf,
    "entropy": Entropy,
    "shingle": Shingle,
}

__all__ = [
    "IDENTIFIERS",
    "Eifce",
    "Entropy",
    "Feature",
    "Ibdf",
    "Identifier",
    "Importance",
    "KFeature",
    "Learned",
    "Optimum",
    "PageVerdict",
    "Shingle",
    "Svm",
    "TagWindow",
    "Verdict",
]
