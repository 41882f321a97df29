"""Keys → groups of equal ones.

Measures of blocks: how many of what they hold (004 §3.1 and §5.1).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks
from tamis.blocks.kernel.aligned import number_keys
from tamis.errors import UnknownName
from tamis.page import Bools, tags


def group_equal(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], int]:
    """Return the number of the group of equal keys that each key is in, and of how many groups.

    Groups are numbered in the order in which they begin.
    """
    table = np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int64)
    groups = np.empty(len(keys), dtype=np.int64)
    return groups, number_keys(keys, table, groups)


TEXT: Final = "text"
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "text-tag": tags.HEADINGS + tags.TEXT_LEVEL,
    "list": tags.LISTS,
    "table": tags.TABLES,
    "link": ("a",),
    "object": tags.OBJECTS,
    "frame": tags.FRAMES,
    "form": tags.FORMS,
    "script": ("script", "noscript"),
    "style-sheet": ("style", "link"),
}


_IS_PART: Final = tags.tag_table(tuple(name for name in tags.TABLES if name != "table"))
# The number of the group that a tag code belongs to, or -1.
_GROUP_OF: Final = np.full(256, -1)
for _number, _names in enumerate(GROUPS.values()):
    _GROUP_OF[[tags.CODE[name] for name in _names]] = _number


def count_tags(blocks: Blocks) -> NDArray[np.float64]:
    """Return how many elements of each tag a block owns: a row a block, a column a tag code."""
    return counts_by(blocks, np.arange(256), 256)


def counts_by(
    blocks: Blocks, kinds: NDArray[np.int64], count: int, ignored: Bools | None = None
) -> NDArray[np.float64]:
    """Return how many elements of each kind a block owns; `kinds` gives the kind of a tag code.

    The element that a block is (a tag of the cutting set) is not among them, as in 004 §3.1, nor
    are `ignored` rows.
    """
    owner = blocks.owner.astype(np.int64)
    rows = owner >= 0
    rows[blocks.node[blocks.node == blocks.first]] = False
    if ignored is not None:
        rows &= ~ignored
    cells = owner[rows] * count + kinds[blocks.page.tag[rows]]
    return np.bincount(cells, minlength=count * len(blocks)).reshape(-1, count).astype(np.float64)


def count_features(
    blocks: Blocks, desired: tuple[str, ...], weighed: tuple[str, ...] = ()
) -> dict[str, NDArray[np.float64]]:
    """Return the counts of all features of the blocks, by feature.

    A feature is "text" (the number of terms), a group of tags or a single tag; a tag that is
    asked for or weighed by itself does not count in its group. Rows and cells of a table that is
    a block are no features of it, they are the block (004 §3.1), unless they are asked for.
    """
    named = dict.fromkeys((*desired, *weighed))
    single = [name for name in named if name != TEXT and name not in GROUPS]
    names = [*GROUPS, *single]
    kinds = np.where(_GROUP_OF < 0, len(names), _GROUP_OF)
    for kind, name in enumerate(single, start=len(GROUPS)):
        if name not in tags.CODE:
            raise UnknownName(
                f"no feature {name!r}: take text, {', '.join(GROUPS)} or the name of a tag"
            )
        kinds[tags.CODE[name]] = kind
    counts = counts_by(blocks, kinds, len(names) + 1, _table_parts(blocks, desired))
    features = {name: counts[:, kind] for kind, name in enumerate(names)}
    return {TEXT: blocks.owned(blocks.page.terms), **features}


def _table_parts(blocks: Blocks, desired: tuple[str, ...]) -> Bools:
    """Return the rows, cells and bodies that belong to a block that is a table; none if desired."""
    if "table" in desired:
        return np.zeros(len(blocks.page), dtype=np.bool_)
    is_part = _IS_PART.copy()
    is_part[[tags.CODE[name] for name in desired if name in tags.TABLES]] = False
    # Of a row without a block, owner -1, the last entry is looked up.
    is_table = np.append(blocks.page.tag[blocks.node] == tags.CODE["table"], False)
    parts: Bools = is_part[blocks.page.tag] & is_table[blocks.owner]
    return parts


def scale_to_maximum(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return v_F: counts over the page's greatest count, 0 where that is 0; a row a feature."""
    greatest = counts.max(axis=-1, keepdims=True, initial=0.0)
    return counts / np.where(greatest > 0, greatest, 1.0)
