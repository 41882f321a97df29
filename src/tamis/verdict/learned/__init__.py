"""Evidence on blocks: the features of the learned method, as columns. Each file is one kind of it.

`evidence(blocks)` gives a matrix with a row a feature and a column a block; `NAMES` are the
features.
"""

from __future__ import annotations

from tamis.verdict.learned.features import BLOCK_FEATURES, Features, extract_features

__all__ = ["BLOCK_FEATURES", "Features", "extract_features"]
