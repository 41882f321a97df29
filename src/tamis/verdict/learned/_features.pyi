from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.verdict.learned._context import FeatureContext
from tamis.verdict.learned._tokens import Tokens
from tamis.verdict.verdict import Floats

class Features:
    def __init__(
        self, blocks: Blocks, title: str, declared: Sequence[float], extra_rows: int
    ) -> None: ...
    @property
    def context(self) -> FeatureContext: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def matrix(self) -> NDArray[np.float32]: ...
    @property
    def buffer(self) -> NDArray[np.float32]: ...
    @property
    def page_features(self) -> Floats: ...
    @property
    def plain(self) -> bool: ...
    @property
    def headline(self) -> int: ...
