from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools
from tamis.verdict.verdict import Floats

LEAVES: Final[int]
NODES: Final[int]
POWERS: Final[Mapping[str | None, float]]
MIN_PROBABILITY: Final[float]
MIN_SHELL_TERMS: Final[float]
MIN_BEST_PROBABILITY: Final[float]
MIN_EXPECTED_TERMS: Final[float]
ONE_TEXT_SHARE: Final[float]

class Trees:
    def __init__(
        self,
        threshold: NDArray[np.float32],
        feature: NDArray[np.int32],
        crossed: NDArray[np.uint32],
        value: NDArray[np.float32],
        trees: NDArray[np.int32],
        outputs: int,
    ) -> None: ...
    def sums(self, features: NDArray[np.float32]) -> Floats: ...
    def sums_of(self, features: NDArray[np.float32], columns: NDArray[np.int64]) -> Floats: ...

def leaf_slots() -> NDArray[np.uint32]: ...
def choose(
    by_expert: Floats, weights: Floats, score: Floats, terms: Floats, power: float
) -> tuple[Bools, tuple[float, float, float, float, float, float]]: ...
