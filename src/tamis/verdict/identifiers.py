"""The identifiers by name."""

from __future__ import annotations

from typing import Final

from tamis.verdict.coreex import CoreEx
from tamis.verdict.eifce import Eifce
from tamis.verdict.entropy import Entropy
from tamis.verdict.feature import Feature
from tamis.verdict.ibdf import Ibdf
from tamis.verdict.importance import Importance
from tamis.verdict.kfeature import KFeature
from tamis.verdict.learned import Learned
from tamis.verdict.optimum import Optimum
from tamis.verdict.shingle import Shingle
from tamis.verdict.sitestyle import SiteStyle
from tamis.verdict.svm import Svm
from tamis.verdict.tagwindow import TagWindow
from tamis.verdict.verdict import Identifier

IDENTIFIERS: Final[dict[str, type[Identifier]]] = {
    "feature": Feature,
    "kfeature": KFeature,
    "importance": Importance,
    "optimum": Optimum,
    "tagwindow": TagWindow,
    "coreex": CoreEx,
    "svm": Svm,
    "eifce": Eifce,
    "learned": Learned,
    "ibdf": Ibdf,
    "entropy": Entropy,
    "shingle": Shingle,
    "sitestyle": SiteStyle,
}
