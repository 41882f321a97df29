from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.learned._context import FeatureContext

TABLE_OWN: Final = 0
TABLE_AROUND: Final = 1
TABLE_TEXT: Final = 2
TABLE_HEADING: Final = 3
TABLE_COUNT: Final = 4
BUCKETS: Final[int]
PAGE_BUCKETS: Final[int]
PAGE_TABLE_COUNT: Final[int]
DECAY: Final[float]
MAX_HEADING_DISTANCE: Final = 50

class Tokens:
    def __init__(self, context: FeatureContext) -> None: ...
    @property
    def names(self) -> NDArray[np.uint16]: ...
    @property
    def name_start(self) -> NDArray[np.int32]: ...
    @property
    def name_stop(self) -> NDArray[np.int32]: ...
    @property
    def words(self) -> NDArray[np.uint16]: ...
    @property
    def word_start(self) -> NDArray[np.int32]: ...

def write_token_features(
    context: FeatureContext,
    tokens: Tokens,
    weights: NDArray[np.float32],
    matrix: NDArray[np.float32],
) -> None: ...
def find_page_tokens(context: FeatureContext, tokens: Tokens) -> NDArray[np.int64]: ...
def sum_page_weights(
    weights: NDArray[np.float32], rows: NDArray[np.int64]
) -> NDArray[np.float32]: ...
