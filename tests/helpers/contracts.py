"""What every segmenter and every identifier promises, as checks on what it returned."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Block, Blocks, Segmenter, leaf_rows
from tamis.page import Page, find_row
from tamis.verdict import Identifier, Verdict

BLOCK_COLUMNS = ("node", "first", "stop", "parent")


def arrays(thing: Page | Blocks | Verdict) -> dict[str, NDArray[Any]]:
    """Return the columns of a page, of blocks or of a verdict, by name."""
    found = {field.name: getattr(thing, field.name) for field in fields(thing)}
    return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}


def letters(text: str) -> str:
    """Return a text without its white space."""
    return "".join(text.split())


def shown_text(page: Page, rows: NDArray[np.integer[Any]]) -> str:
    """Return what text rows say, in the order given, without white space."""
    return letters("".join(page.text[page.text_start[r] : page.text_stop[r]] for r in rows))


def check_segmenter(segmenter: Segmenter, page: Page, *, places: int = 1000) -> Blocks:
    """Check all that a segmenter promises on a page; XPaths of at most so many blocks."""
    before = {name: array.tobytes() for name, array in arrays(page).items()}
    blocks = segmenter.segment(page)
    check_columns(blocks)
    check_partition(blocks)
    check_forest(blocks)
    for index in np.linspace(0, len(blocks) - 1, min(len(blocks), places)).astype(int).tolist():
        check_block(blocks[index])
    again = segmenter.segment(page)
    for name, array in arrays(blocks).items():
        np.testing.assert_array_equal(array, getattr(again, name), f"a second run: {name}")
    assert {name: array.tobytes() for name, array in arrays(page).items()} == before
    return blocks


def check_columns(blocks: Blocks) -> None:
    """Lengths, types and bounds of the columns."""
    page = blocks.page
    for name, array in arrays(blocks).items():
        assert array.dtype == np.int32, name
        assert not array.flags.writeable, name
        assert len(array) == (len(page) if name == "owner" else len(blocks)), name
    assert set(arrays(blocks)) == {*BLOCK_COLUMNS, "owner"}
    assert (blocks.node <= blocks.first).all()
    assert (blocks.first < blocks.stop).all()
    assert (blocks.stop <= page.end[blocks.node]).all()
    assert ((blocks.owner >= -1) & (blocks.owner < len(blocks))).all()


def check_partition(blocks: Blocks) -> None:
    """Each visible text row is owned by one block; owned text in document order is the page's."""
    page = blocks.page
    visible = np.flatnonzero(page.visible)
    owned = np.concatenate([np.zeros(0, dtype=np.int32), *blocks.text_rows])
    np.testing.assert_array_equal(np.sort(owned), visible)
    for index, rows in enumerate(blocks.text_rows):
        assert (blocks.owner[rows] == index).all()
        assert (np.diff(rows) > 0).all()
        assert letters(blocks.text(index)) == shown_text(page, rows)
    in_order = [(int(row), index) for index, rows in enumerate(blocks.text_rows) for row in rows]
    assert shown_text(page, np.array([row for row, _ in sorted(in_order)])) == shown_text(
        page, visible
    )
    # A leaf is owned by the innermost block around it: blocks come outer ones first.
    innermost = np.full(len(page), -1)
    for index, (first, stop) in enumerate(zip(blocks.first, blocks.stop, strict=True)):
        innermost[first:stop] = index
    shown = leaf_rows(page)
    np.testing.assert_array_equal(innermost[shown], blocks.owner[shown])
    assert (blocks.inside(shown) > 0).all(), "a block shows nothing"
    begins_alone = np.diff(blocks.first, append=-1) != 0
    np.testing.assert_array_equal(
        blocks.owner[blocks.first[begins_alone]], np.flatnonzero(begins_alone)
    )


def check_forest(blocks: Blocks) -> None:
    """Document order, parents before children, ranges nested, siblings apart."""
    order = list(zip(blocks.first.tolist(), (-blocks.stop).tolist(), strict=True))
    assert order == sorted(order)
    around: list[int] = []
    for index, (first, stop) in enumerate(zip(blocks.first, blocks.stop, strict=True)):
        while around and blocks.stop[around[-1]] <= first:
            around.pop()
        assert blocks.parent[index] == (around[-1] if around else -1)
        assert not around or stop <= blocks.stop[around[-1]], "two blocks overlap"
        around.append(index)


def check_block(block: Block) -> None:
    """Place, source and texts of one block."""
    blocks, index = block.blocks, block.index
    page, node = blocks.page, int(blocks.node[index])
    assert find_row(page, block.xpath) == node
    assert block.tag == page.name(node)
    start, stop = block.span
    assert page.start[node] <= start < stop <= page.stop[node]
    assert block.html == page.source[start:stop].decode()
    rows = blocks.text_rows[index]
    assert (page.start[rows] >= start).all()
    assert (page.stop[rows] <= stop).all()
    if (blocks.first[index], blocks.stop[index]) == (node, page.end[node]):
        assert block.html == page.html(node)
    inside = np.arange(blocks.first[index], blocks.stop[index])
    assert letters(block.full_text) == shown_text(page, inside[page.visible[inside]])
    if index not in blocks.parent:
        assert block.full_text == block.text
    above = blocks.parent[index]
    assert (block.parent.index if block.parent else -1) == above
    assert block.label.rpartition("-")[0] == (blocks[above].label if above >= 0 else "B")
    assert json.loads(json.dumps(block.as_dict()))["text"] == block.text


def check_identifier(identifier: Identifier, blocks: Blocks) -> Verdict:
    """Check all that an identifier promises on the blocks of a page."""
    columns = {**arrays(blocks.page), **arrays(blocks)}
    before = {name: array.tobytes() for name, array in columns.items()}
    verdict = identifier.identify(blocks)
    for name, array in arrays(verdict).items():
        assert len(array) == len(blocks.page if name == "not_rendered" else blocks), name
        assert not array.flags.writeable, name
        assert np.isfinite(array).all(), name
    assert verdict.score.dtype == np.float64
    assert verdict.informative.dtype == np.bool_
    for index in range(len(blocks)):
        reason = verdict.reason(index)
        assert isinstance(reason, str)
        assert reason.strip()
        block = Block(blocks, index, verdict)
        assert (block.score, block.informative, block.reason) == (
            verdict.score[index],
            verdict.informative[index],
            reason,
        )
    again = identifier.identify(blocks)
    for name, array in arrays(verdict).items():
        np.testing.assert_array_equal(array, getattr(again, name), f"a second run: {name}")
    assert verdict.templates == again.templates
    assert {name: array.tobytes() for name, array in columns.items()} == before
    return verdict
