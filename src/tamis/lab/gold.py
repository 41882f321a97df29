"""Alignment: gold text → the blocks of a page that hold it.

Data sets give the text of the content, identifiers decide on blocks. Alignment turns the text into
decisions on blocks: labels to learn from, and the best answer that blocks allow.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.errors import unavailable
from tamis.page import Bools, join_text

_HAN: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_WORD: Final = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+")

# A subsequence is found in a table of one bit for each pair of words. A longer pair of texts is
# aligned in pieces: 10⁹ bits are 125 MB and a twentieth of a second.
_MAX_CELLS: Final = 10**9
_ANCHOR_WORDS: Final = 8  # a run of so many words that occurs once in both texts matches
_MAX_ROUNDS: Final = 3  # of improvement; the third hardly changes a block
MIN_SHARE: Final = 0.5

_Pairs = list[tuple[int, int]]
_Indices = NDArray[np.int64]


def words(text: str) -> list[str]:
    r"""Return the lower-case `\w+` words of a text, each Han character a word of its own."""
    return _WORD.findall(text.lower())


def informative_blocks(blocks: Blocks, gold: str) -> Bools:
    """Return the blocks that an ideal identifier keeps, those that give the best word F1.

    Blocks with at least half of their words in the gold, then single blocks are taken in or left
    out as long as that makes the F1 of the multisets of words greater. (This also finds content
    that stands in another order in the gold, which the alignment misses.)
    """
    page_words, wanted = owned_words(blocks), words(gold)
    if not wanted:
        return np.zeros(len(blocks), dtype=np.bool_)
    return improve_blocks(page_words, wanted, matched_shares(page_words, wanted) >= MIN_SHARE)


def segment_blocks(blocks: Blocks, texts: Sequence[str], wanted: Sequence[bool]) -> Bools:
    """Return the blocks that hold wanted segments, of all the segments of a page in order.

    A block goes with the greater part of those of its words that are found in the segments.
    """
    page_words = owned_words(blocks)
    segments = [words(text) for text in texts]
    gold = [word for segment in segments for word in segment]
    in_page, in_gold = align_words(page_words.words, gold)
    vote = np.repeat(np.where(wanted, 1, -1), [len(segment) for segment in segments])
    return np.bincount(page_words.owner[in_page], weights=vote[in_gold], minlength=len(blocks)) > 0


@dataclass(frozen=True, eq=False)
class OwnedWords:
    """The words of a page in document order, with the block that owns each."""

    words: list[str]
    owner: NDArray[np.int64]
    blocks: int  # how many there are

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of words of each block."""
        return np.bincount(self.owner, minlength=self.blocks)


def owned_words(blocks: Blocks) -> OwnedWords:
    """Return the words of the blocks in document order; a block may own several pieces of text."""
    rows = np.flatnonzero(blocks.page.visible)
    owner = blocks.owner[rows]
    edges = [0, *(np.flatnonzero(np.diff(owner)) + 1).tolist(), len(rows)]
    page_words: list[str] = []
    counts: list[int] = []
    for start, stop in pairwise(edges):
        piece = words(join_text(blocks.page, rows[start:stop]))
        page_words += piece
        counts.append(len(piece))
    firsts = owner[edges[:-1]] if len(rows) else owner
    owners = np.repeat(firsts, counts[: len(firsts)]).astype(np.int64)
    return OwnedWords(page_words, owners, len(blocks))


def matched_shares(page_words: OwnedWords, wanted: Sequence[str]) -> NDArray[np.float64]:
    """Return for each block the share of its words that are aligned with the wanted ones.

    Words of the page in document order and wanted ones are aligned by their longest common
    subsequence. So text that the page has twice counts once, and words that only happen to occur
    in the wanted text mostly do not count. A block without words has a share of 0.
    """
    matched = mark_common_words(page_words.words, wanted)
    hits = np.bincount(page_words.owner, weights=matched, minlength=page_words.blocks)
    return hits / np.maximum(page_words.sizes, 1)


def mark_common_words(sequence: Sequence[str], other: Sequence[str]) -> Bools:
    """Return which words of a sequence are in its longest common subsequence with another."""
    matched = np.zeros(len(sequence), dtype=np.bool_)
    matched[align_words(sequence, other)[0]] = True
    return matched


def align_words(sequence: Sequence[str], other: Sequence[str]) -> tuple[_Indices, _Indices]:
    """Return the indices of a longest common subsequence in both sequences.

    Where the two are too long for that, they are aligned piece by piece.
    """
    codes = {word: code for code, word in enumerate(dict.fromkeys(other))}
    indices = [index for index, word in enumerate(sequence) if word in codes]
    left = [codes[sequence[index]] for index in indices]  # the other words cannot match
    right = [codes[word] for word in other]
    opcodes = _opcodes()
    here: list[int] = []
    there: list[int] = []
    for (low, bottom), (high, top) in pairwise(cut_sequences(left, right)):
        for step in opcodes(left[low:high], right[bottom:top]):
            if step.tag == "equal":
                here += indices[low + step.src_start : low + step.src_end]
                there += range(bottom + step.dest_start, bottom + step.dest_end)
    return np.array(here, dtype=np.int64), np.array(there, dtype=np.int64)


def _opcodes() -> Any:
    """Return rapidfuzz's alignment of two sequences."""
    try:
        from rapidfuzz.distance import LCSseq
    except ImportError as error:
        raise unavailable("aligning needs rapidfuzz", "evaluate", "train") from error
    return LCSseq.opcodes


def cut_sequences(left: Sequence[int], right: Sequence[int]) -> _Pairs:
    """Return where to cut two sequences so that no pair of pieces has too many cells.

    Cuts are made at anchors, as in a patience diff; between anchors that are too far apart both
    sequences are cut in equal parts.
    """
    end = (len(left), len(right))
    cuts = [(0, 0)]
    if _cells((0, 0), end) > _MAX_CELLS:
        anchors = _anchors(left, right)
        for anchor, after in pairwise([*anchors, end]):
            if _cells(cuts[-1], after) > _MAX_CELLS:
                cuts.append(anchor)
    return [cut for pair in pairwise([*cuts, end]) for cut in _even_cuts(*pair)] + [end]


def _even_cuts(start: tuple[int, int], stop: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the start, and cuts after it, of equal parts that are small enough."""
    parts = int(np.ceil(np.sqrt(_cells(start, stop) / _MAX_CELLS))) or 1
    for part in range(parts):
        low, bottom = (a + (b - a) * part // parts for a, b in zip(start, stop, strict=True))
        yield low, bottom


def _cells(start: tuple[int, int], stop: tuple[int, int]) -> int:
    return (stop[0] - start[0]) * (stop[1] - start[1])


def _anchors(left: Sequence[int], right: Sequence[int]) -> _Pairs:
    """Return pairs of indices that match for sure, none crossing another."""
    there = _single_runs(right)
    both = [(index, there[run]) for run, index in _single_runs(left).items() if run in there]
    # The longest increasing chain: `last[n]` is the least end of a chain of n + 1 pairs.
    last: list[int] = []
    before: dict[int, tuple[int, int] | None] = {}
    at: dict[int, tuple[int, int]] = {}
    for pair in both:
        length = bisect_left(last, pair[1])
        last[length : length + 1] = [pair[1]]
        before[pair[1]] = at.get(last[length - 1]) if length else None
        at[pair[1]] = pair
    chain: _Pairs = []
    step = at.get(last[-1]) if last else None
    while step is not None:
        chain.append(step)
        step = before[step[1]]
    return chain[::-1]


def _single_runs(sequence: Sequence[int]) -> dict[tuple[int, ...], int]:
    """Return the runs of words that a sequence holds only once, with their indices."""
    shifted = (sequence[n:] for n in range(_ANCHOR_WORDS))
    all_runs = list(zip(*shifted, strict=False))
    counts = Counter(all_runs)
    return {run: index for index, run in enumerate(all_runs) if counts[run] == 1}


def improve_blocks(page_words: OwnedWords, gold: Sequence[str], kept: Bools) -> Bools:
    """Return kept blocks, changed one by one as long as the word F1 against the gold grows."""
    wanted = Counter(gold)
    sizes = page_words.sizes.tolist()
    bags: list[dict[str, int]] = [{} for _ in sizes]  # of each block, what the gold has too
    for word, owner in zip(page_words.words, page_words.owner.tolist(), strict=True):
        if word in wanted:
            bags[owner][word] = bags[owner].get(word, 0) + 1
    inside = [bool(keep and size) for keep, size in zip(kept.tolist(), sizes, strict=True)]
    spare = dict(wanted)  # how many of each word the kept blocks lack; below 0: too many
    for bag in compress(bags, inside):
        _move(bag, 1, spare)
    common = sum(count - max(spare[word], 0) for word, count in wanted.items())
    total = wanted.total() + sum(compress(sizes, inside))
    for _ in range(_MAX_ROUNDS):
        before = inside.copy()
        for block, (bag, size) in enumerate(zip(bags, sizes, strict=True)):
            sign = -1 if inside[block] else 1
            gain = _gain(bag, sign, spare)
            # F1 is 2 · common / total: compared without division, so that ties are ties.
            if size and (common + gain) * total > common * (total + sign * size):
                inside[block] = not inside[block]
                common, total = common + gain, total + sign * size
                _move(bag, sign, spare)
        if inside == before:
            break
    return np.array(inside, dtype=np.bool_)


def _move(bag: dict[str, int], sign: int, spare: dict[str, int]) -> None:
    """Take the words of a block in (or, with -1, leave them out)."""
    for word, count in bag.items():
        spare[word] -= sign * count


def _gain(bag: dict[str, int], sign: int, spare: dict[str, int]) -> int:
    """Return how many more words are common when a block is taken in (or, with -1, left out)."""
    gain = 0
    for word, count in bag.items():
        lacking = spare[word]
        after = lacking - sign * count
        gain += (lacking if lacking > 0 else 0) - (after if after > 0 else 0)
    return gain
