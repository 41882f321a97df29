"""Measures of blocks: counts of tags and features (Debnath et al. 2005 §3.1 and §5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks
from tamis.errors import UnknownName
from tamis.page import Bools, tags

TEXT: Final = "text"  # the feature that counts terms
_GROUPS: Final[dict[str, tuple[str, ...]]] = {
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

_IS_TABLE_PART: Final = tags.tag_table(tuple(name for name in tags.TABLES if name != "table"))
# The index of the group that a tag code belongs to, or -1.
_GROUP_INDEX: Final = np.full(256, -1)
for _index, _names in enumerate(_GROUPS.values()):
    _GROUP_INDEX[[tags.CODE[name] for name in _names]] = _index


def count_tags(blocks: Blocks) -> NDArray[np.float64]:
    """Return how many elements a block owns: one row per block, one column per tag code."""
    return count_kinds(blocks, np.arange(256), 256)


def count_kinds(
    blocks: Blocks, kinds: NDArray[np.int64], kind_count: int, ignored: Bools | None = None
) -> NDArray[np.float64]:
    """Return how many elements of each kind a block owns; `kinds` gives the kind of a tag code.

    The element that a block consists of is not counted, as in Debnath et al. 2005 §3.1, nor are
    `ignored` rows.
    """
    owner = blocks.owner.astype(np.int64)
    rows = owner >= 0
    rows[blocks.node[blocks.node == blocks.first]] = False
    if ignored is not None:
        rows &= ~ignored
    cells = owner[rows] * kind_count + kinds[blocks.page.tag[rows]]
    counts = np.bincount(cells, minlength=kind_count * len(blocks))
    return counts.reshape(-1, kind_count).astype(np.float64)


def count_features(
    blocks: Blocks, desired: tuple[str, ...], weighed: tuple[str, ...] = ()
) -> dict[str, NDArray[np.float64]]:
    """Return the counts of all features of the blocks, by feature.

    A feature is "text" (the number of terms), a group of tags or a single tag. A tag that is
    desired or weighed by itself does not count in its group. Rows and cells of a table that is a
    block are the block, not features of it (Debnath et al. 2005 §3.1), unless they are desired.
    """
    requested = dict.fromkeys((*desired, *weighed))
    check_features(requested)
    single = [name for name in requested if name != TEXT and name not in _GROUPS]
    names = [*_GROUPS, *single]
    kinds = np.where(_GROUP_INDEX < 0, len(names), _GROUP_INDEX)
    for kind, name in enumerate(single, start=len(_GROUPS)):
        kinds[tags.CODE[name]] = kind
    counts = count_kinds(blocks, kinds, len(names) + 1, _table_parts(blocks, desired))
    features = {name: counts[:, kind] for kind, name in enumerate(names)}
    return {TEXT: blocks.owned(blocks.page.terms), **features}


def check_features(names: Iterable[str]) -> None:
    """Raise UnknownName for a name that is no feature of blocks."""
    for name in names:
        if name != TEXT and name not in _GROUPS and name not in tags.CODE:
            raise UnknownName(
                f"no feature {name!r}: take text, {', '.join(_GROUPS)} or the name of a tag"
            )


def scale_to_maximum(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return v_F: counts over the page's greatest count, or 0; one row per feature."""
    greatest = counts.max(axis=-1, keepdims=True, initial=0.0)
    return counts / np.where(greatest > 0, greatest, 1.0)


def _table_parts(blocks: Blocks, desired: tuple[str, ...]) -> Bools:
    """Return the table rows, cells and bodies of blocks that are tables, but not desired ones."""
    if "table" in desired:
        return np.zeros(len(blocks.page), dtype=np.bool_)
    is_part = _IS_TABLE_PART.copy()
    is_part[[tags.CODE[name] for name in desired if name in tags.TABLES]] = False
    # A row without a block has owner -1, which looks up the last entry.
    is_table = np.append(blocks.page.tag[blocks.node] == tags.CODE["table"], False)
    parts: Bools = is_part[blocks.page.tag] & is_table[blocks.owner]
    return parts
