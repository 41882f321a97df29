from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools, Ints
from tamis.verdict.learned._context import FeatureContext
from tamis.verdict.learned._features import Features
from tamis.verdict.verdict import Floats

REASON_INFORMATIVE: Final = 0
REASON_IMPROBABLE: Final = 1
REASON_IN_NAV: Final = 2
REASON_IN_HEADER: Final = 3
REASON_IN_FOOTER: Final = 4
REASON_IN_ASIDE: Final = 5
REASON_LINKS: Final = 6
REASON_HIDDEN: Final = 7
REASON_NO_FRAME: Final = 8
REASON_CONTROL: Final = 9
REASON_EMPTY: Final = 10

TRAIT_WHOLE: Final = 1
TRAIT_LIST: Final = 2
TRAIT_ITEM: Final = 4
TRAIT_PART: Final = 8
TRAIT_CONTAINER: Final = 16
TRAIT_TABLE: Final = 32
TRAIT_ROW: Final = 64
TRAIT_CELL: Final = 128

def write_stacked_features(
    features: Features, probability: Floats, matrix: NDArray[np.float32]
) -> None: ...
def compute_type_features(features: Features, probabilities: Floats) -> NDArray[np.float32]: ...
def compute_confidence_features(
    context: FeatureContext,
    score: Floats,
    informative: Bools,
    choice: tuple[float, float, float, float, float, float],
    article: float,
    types: Floats,
    type_values: NDArray[np.float32],
) -> NDArray[np.float32]: ...
def choose_reason_codes(features: Features, informative: Bools) -> NDArray[np.uint8]: ...
def find_unit_rows(
    tag: NDArray[np.uint8], end: Ints, terms: Ints, traits: NDArray[np.uint8]
) -> Ints: ...
def number_units(units: Ints, end: Ints, first: Ints) -> Ints: ...
def average_units(number: Ints, values: Floats, terms: Floats, unit_terms: Floats) -> Floats: ...
def bind_to_sections(
    blocks: Blocks, terms: Floats, openers: Ints | None, by_expert: Floats
) -> None: ...
def find_openers(
    blocks: Blocks, terms: Floats, needle: bytes, is_opener: Bools
) -> NDArray[np.int32] | None: ...
