"""Weights of tokens: linear models whose sums are features of blocks (see `_tokens`) and of pages.

What kind of page it is, its names and words say best: `single-post`, `product_title`, "Add to
cart".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError
from tamis.verdict.learned._features import Features
from tamis.verdict.learned._tokens import (
    BUCKETS,
    PAGE_BUCKETS,
    PAGE_TABLE_COUNT,
    TABLE_COUNT,
    find_page_tokens,
    sum_page_weights,
)
from tamis.verdict.verdict import Floats

_SCALE: Final = 5.0


@dataclass(frozen=True, eq=False)
class TokenWeights:
    """The weight of each hashed token for the log odds of content, one row per table."""

    tables: NDArray[np.float32]

    def __post_init__(self) -> None:
        """Raise InputError for tables that tokens would be looked up beyond the ends of."""
        tables = self.tables
        is_table = isinstance(tables, np.ndarray) and tables.shape == (TABLE_COUNT, BUCKETS)
        if not is_table or tables.dtype != np.float32 or not np.isfinite(tables).all():
            raise InputError(
                f"the token weights of the model are damaged, not {TABLE_COUNT} tables of "
                f"{BUCKETS} finite numbers: make the model with tamis train"
            )
        tables = np.array(tables, order="C")
        tables.setflags(write=False)
        object.__setattr__(self, "tables", tables)

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the weights as an array to save. They are of 16 bits: see `round_weights`."""
        return {f"{prefix}.tables": self.tables.astype(np.float16)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Self:
        """Return the weights that were saved with a prefix."""
        tables = arrays[f"{prefix}.tables"]
        if tables.dtype != np.float16:
            raise InputError("the token weights of the model are no numbers of 16 bits")
        return cls(tables.astype(np.float32))


@dataclass(frozen=True, eq=False)
class PageTokenWeights:
    """The weights of hashed tokens of a page for the log odds of each page type.

    `weights` has one row per bucket of each table, one column per page type; `bias` is what holds
    for a page without tokens.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def __post_init__(self) -> None:
        """Raise InputError for weights that tokens would be looked up beyond the ends of."""
        rows = PAGE_TABLE_COUNT * PAGE_BUCKETS
        for name, shape in (("weights", (rows, *np.shape(self.bias))), ("bias", self.bias.shape)):
            array = getattr(self, name)
            is_whole = array.shape == shape and array.dtype == np.float32
            if self.bias.ndim != 1 or not is_whole or not np.isfinite(array).all():
                raise InputError(
                    "the page token weights of the model are damaged: make it with tamis train"
                )
            array = np.array(array, order="C")
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def sums(self, features: Features) -> NDArray[np.float32]:
        """Return what the tokens of a page say for each page type, in log odds."""
        tokens = read_page_tokens(features)
        sums = sum_page_weights(self.weights, tokens)
        return np.asarray(self.bias + sums * page_token_weight(tokens))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the weights as arrays to save, of 16 bits."""
        return {
            f"{prefix}.weights": self.weights.astype(np.float16),
            f"{prefix}.bias": self.bias.astype(np.float16),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Self:
        """Return the weights that were saved with a prefix."""
        weights, bias = arrays[f"{prefix}.weights"], arrays[f"{prefix}.bias"]
        if weights.dtype != np.float16 or bias.dtype != np.float16:
            raise InputError("the page token weights of the model are no numbers of 16 bits")
        return cls(weights.astype(np.float32), bias.astype(np.float32))


def page_token_weight(tokens: NDArray[np.int64]) -> np.float32:
    """Return how much each token of a page counts: the less the more there are."""
    return np.float32(_SCALE / np.sqrt(max(len(tokens), 1)))


def read_page_tokens(features: Features) -> NDArray[np.int64]:
    """Return the tokens of a page, each once, as rows of `PageTokenWeights`."""
    return find_page_tokens(features.context, features.tokens)


def round_weights(tables: NDArray[Any]) -> TokenWeights:
    """Return weights that are the same after they were saved."""
    return TokenWeights(tables.astype(np.float16).astype(np.float32))


def round_page_weights(weights: Floats, bias: Floats) -> PageTokenWeights:
    """Return weights for page types that are the same after they were saved."""
    rounded = (array.astype(np.float16).astype(np.float32) for array in (weights, bias))
    return PageTokenWeights(*rounded)


def empty_page_weights(types: int) -> PageTokenWeights:
    """Return weights by which no token of a page says anything."""
    rows = PAGE_TABLE_COUNT * PAGE_BUCKETS
    return PageTokenWeights(np.zeros((rows, types), np.float32), np.zeros(types, np.float32))


def empty_weights() -> TokenWeights:
    """Return weights by which no token says anything."""
    return TokenWeights(np.zeros((TABLE_COUNT, BUCKETS), dtype=np.float32))
