"""Fits the weights of tokens: logistic regressions over hashed names and words.

One tells content from noise, block by block, the other tells the type of a page. A regression over
many thousands of tokens learns its pages by heart, and forests that saw its sums on these pages
would trust them too much. So the regression of each fold is fitted by itself, and a page gets the
mean of the weights of other folds. That is also what makes the weights robust: a name that means
the same on the sites of all folds keeps its weight, one that is of a few sites loses it. Of page
types there are too few examples for that, so their regression is fitted to all other folds
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.lab.systems.methods import domain_key
from tamis.lab.train.examples import Example, Floats
from tamis.lab.train.shared import import_library
from tamis.page import tags
from tamis.verdict.learned import (
    BUCKETS,
    DECAY,
    MAX_HEADING_DISTANCE,
    PAGE_BUCKETS,
    PAGE_TABLE_COUNT,
    PAGE_TYPES,
    TABLE_COUNT,
    PageTokenWeights,
    TokenWeights,
    page_token_weight,
    read_page_tokens,
    round_page_weights,
    round_weights,
)

# What is fitted, as model cards have it.
TOKEN_SETTINGS: Final = {
    "regularisation": 6.0,  # of the squared weights
    "min_domains": 3,  # that a hashed token is on, in a fold, to have a weight
    "rounds": 35,
}
PAGE_TOKEN_SETTINGS: Final = {"regularisation": 1.0, "min_domains": 5, "rounds": 40}
_MAX_DEPTH: Final = 40  # of the elements around a block that count
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)

_Ints = NDArray[np.int64]
_Entries = tuple[_Ints, _Ints, Floats]  # blocks, columns and values of a matrix


def token_matrix(example: Example, blocks: _Ints) -> Any:
    """Return what the weights of tokens are multiplied with to get the sums of some blocks.

    It is a sparse matrix with one row per block, and one column per bucket and table.
    """
    sparse = import_library("scipy.sparse", "SciPy")
    entries = [
        *_own_names(example, blocks),
        *_names_around(example, blocks),
        *_words(example, blocks),
    ]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    shape = (len(blocks), TABLE_COUNT * BUCKETS)
    return sparse.csr_matrix((values.astype(np.float32), (rows, columns)), shape=shape)


def fit_fold_weights(
    examples: Sequence[Example], draws: Sequence[tuple[_Ints, Floats]]
) -> NDArray[np.float64]:
    """Return the weights of tokens that are fitted to drawn blocks of examples, one row per table.

    Each draw has the indices and the weights of blocks.
    """
    sparse = import_library("scipy.sparse", "SciPy")
    pairs = [pair for pair in zip(examples, draws, strict=True) if len(pair[1][0])]
    tables = np.zeros(TABLE_COUNT * BUCKETS)
    if not pairs:
        return tables.reshape(TABLE_COUNT, BUCKETS)
    matrix = sparse.vstack([token_matrix(example, blocks) for example, (blocks, _) in pairs])
    domains = [np.full(len(blocks), domain_key(example.group)) for example, (blocks, _) in pairs]
    used = _common_columns(matrix, np.concatenate(domains), TOKEN_SETTINGS["min_domains"])
    target = np.concatenate([example.target[blocks] for example, (blocks, _) in pairs])
    weight = np.concatenate([weight for _, (_, weight) in pairs])
    tables[used] = _fit_regression(matrix.tocsc()[:, used].tocsr(), target, weight)
    return tables.reshape(TABLE_COUNT, BUCKETS)


def average_weights(parts: Sequence[NDArray[np.float64]]) -> TokenWeights:
    """Return the mean of the weights that were fitted to several folds."""
    return round_weights(np.mean(parts, axis=0))


def fit_page_weights(examples: Sequence[Example]) -> PageTokenWeights:
    """Return the weights of tokens for each page type, fitted to the pages that have one."""
    sparse = import_library("scipy.sparse", "SciPy")
    typed = [example for example in examples if example.page_type in PAGE_TYPES]
    weights = np.zeros((PAGE_TABLE_COUNT * PAGE_BUCKETS, len(PAGE_TYPES)))
    if not typed:
        return round_page_weights(weights, np.zeros(len(PAGE_TYPES)))
    tokens = [read_page_tokens(example.features) for example in typed]
    counts = [len(page) for page in tokens]
    values = np.repeat([page_token_weight(page) for page in tokens], counts)
    ends = np.concatenate(([0], np.cumsum(counts)))
    shape = (len(typed), len(weights))
    matrix = sparse.csr_matrix((values, np.concatenate(tokens), ends), shape=shape)
    domains = np.array([domain_key(example.group) for example in typed])
    used = _common_columns(matrix, domains, PAGE_TOKEN_SETTINGS["min_domains"])
    number = [PAGE_TYPES.index(str(example.page_type)) for example in typed]
    target = np.eye(len(PAGE_TYPES))[number]
    fitted = _fit_types(matrix.tocsc()[:, used].tocsr(), target)
    weights[used] = fitted[1:]
    return round_page_weights(weights, fitted[0])


def _common_columns(matrix: Any, domains: _Ints, min_domains: float) -> _Ints:
    """Return the columns that are on enough domains, so that no weight is about a single site."""
    sparse = import_library("scipy.sparse", "SciPy")
    number = np.unique(domains, return_inverse=True)[1]
    ones = np.ones(len(number), dtype=np.float32)
    blocks_of = sparse.csr_matrix((ones, (number, np.arange(len(number)))))
    counts = np.asarray(((blocks_of @ (matrix > 0)) > 0).sum(axis=0)).ravel()
    return np.flatnonzero(counts >= min_domains)


def _fit_regression(matrix: Any, target: Floats, weight: Floats) -> Floats:
    """Return the weights of a logistic regression without the intercept, by L-BFGS."""
    optimize = import_library("scipy.optimize", "SciPy")
    weight = weight * (len(weight) / max(weight.sum(), 1e-9))
    mean = np.clip(np.average(target, weights=weight), 1e-3, 1 - 1e-3)
    transposed = matrix.T.tocsr()

    def loss(parameters: Floats) -> tuple[float, Floats]:
        sums = parameters[0] + matrix @ parameters[1:]
        error = weight * (1.0 / (1.0 + np.exp(-sums)) - target)
        penalty = TOKEN_SETTINGS["regularisation"] * parameters[1:]
        value = weight @ (np.logaddexp(0.0, sums) - target * sums) + penalty @ parameters[1:] / 2
        return float(value), np.concatenate(([error.sum()], transposed @ error + penalty))

    start = np.zeros(matrix.shape[1] + 1)
    start[0] = np.log(mean / (1 - mean))
    options = {"maxiter": TOKEN_SETTINGS["rounds"]}
    fitted = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fitted.x[1:])


def _fit_types(matrix: Any, target: Floats) -> Floats:
    """Return the bias and weights of a multinomial regression, one column per page type."""
    optimize = import_library("scipy.optimize", "SciPy")
    transposed = matrix.T.tocsr()
    shape = (matrix.shape[1] + 1, target.shape[1])

    def loss(parameters: Floats) -> tuple[float, Floats]:
        weights = parameters.reshape(shape)
        sums = weights[0] + matrix @ weights[1:]
        sums -= sums.max(axis=1, keepdims=True)
        log_odds = sums - np.log(np.exp(sums).sum(axis=1, keepdims=True))
        error = np.exp(log_odds) - target
        penalty = PAGE_TOKEN_SETTINGS["regularisation"] * weights[1:]
        value = (penalty * weights[1:]).sum() / 2 - (target * log_odds).sum()
        slope = np.concatenate((error.sum(axis=0)[None], transposed @ error + penalty))
        return float(value), slope.ravel()

    options = {"maxiter": PAGE_TOKEN_SETTINGS["rounds"]}
    start = np.zeros(shape[0] * shape[1])
    fitted = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fitted.x.reshape(shape))


# Where tokens stand ------------------------------------------------------------------------------


def _own_names(example: Example, blocks: _Ints) -> list[_Entries]:
    """Return the names of the row that a block begins with, and of the element that it lies in."""
    columns = example.features.context.blocks
    first, node = columns.first[blocks], columns.node[blocks]
    differ = np.flatnonzero(node != first)
    rows = (np.arange(len(blocks)), differ)
    return [
        _list_names(example, block, row, 0, 1.0)
        for block, row in zip(rows, (first, node[differ]), strict=True)
    ]


def _names_around(example: Example, blocks: _Ints) -> list[_Entries]:
    """Return the names of the row that a block begins with, and of all elements around it."""
    context = example.features.context
    parent = context.page.parent
    block, row, weight = np.arange(len(blocks)), context.blocks.first[blocks], 1.0
    entries = []
    for _ in range(_MAX_DEPTH):
        entries.append(_list_names(example, block, row, 1, weight))
        is_inside = row > 0
        block, row, weight = block[is_inside], parent[row[is_inside]], weight * DECAY
    return entries


def _words(example: Example, blocks: _Ints) -> list[_Entries]:
    """Return the first words of blocks, and those of the last heading before each of them."""
    heading = _find_headings(example)[blocks]
    has_heading = np.flatnonzero(heading >= 0)
    return [
        _list_words(example, np.arange(len(blocks)), blocks, 2),
        _list_words(example, has_heading, heading[has_heading], 3),
    ]


def _find_headings(example: Example) -> _Ints:
    """Return for each block the last heading before it, -1 if there is none near it."""
    context = example.features.context
    is_heading = _IS_HEADING[context.page.tag[context.blocks.node]] & (context.terms > 0)
    index = np.arange(len(is_heading))
    last = np.maximum.accumulate(np.where(is_heading, index, -1))
    before = np.concatenate(([-1], last[:-1]))
    return np.where(index - before <= MAX_HEADING_DISTANCE, before, -1)


def _list_names(
    example: Example, blocks: _Ints, rows: _Ints, table: int, weight: float
) -> _Entries:
    tokens = example.features.tokens
    owner, index = _join_ranges(tokens.name_start[rows], tokens.name_stop[rows])
    columns = tokens.names[index].astype(np.int64) + table * BUCKETS
    return blocks[owner], columns, np.full(len(columns), weight)


def _list_words(example: Example, blocks: _Ints, sources: _Ints, table: int) -> _Entries:
    tokens = example.features.tokens
    owner, index = _join_ranges(tokens.word_start[sources], tokens.word_start[sources + 1])
    columns = tokens.words[index].astype(np.int64) + table * BUCKETS
    return blocks[owner], columns, np.ones(len(columns))


def _join_ranges(starts: NDArray[Any], stops: NDArray[Any]) -> tuple[_Ints, _Ints]:
    """Return the numbers of all ranges in a row, each with the index of its range."""
    sizes = (stops - starts).astype(np.int64)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return owner, np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
