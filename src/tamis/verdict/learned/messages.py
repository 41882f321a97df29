"""Messages: the posts of a thread are content together, the comments below a text are not.

A forest judges block by block, so it would keep the long posts of a thread and drop the short ones,
and take a comment of three paragraphs for a part of the article. What is a message is known from
the page as a whole: see `tamis.records.find_threads`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools
from tamis.records import Message, Threads, find_threads
from tamis.verdict.learned.threshold import ExpertProbabilities
from tamis.verdict.verdict import Floats

# The probability that a page is a forum from which on its messages are posts, not comments. It and
# the factor were chosen out of fold on all sets that models are trained on; 0.3 and 0.7, and a
# factor of 0 or 1, change no set by more than 0.012.
_MIN_FORUM_PROBABILITY: Final = 0.5
_HEAD_FACTOR: Final = 0.5  # what is in a post but not its text: names, dates, buttons
_MOSTLY: Final = 0.5  # share of a block's text that decides what part of a message it is


@dataclass(frozen=True, eq=False)
class _MessageBlocks:
    """The blocks of messages: all of them, those with their texts, and with signatures."""

    inside: Bools
    body: Bools
    signature: Bools


def bind_messages(
    blocks: Blocks,
    experts: ExpertProbabilities,
    page_type: str,
    forum: float,
    *,
    comments: bool,
) -> ExpertProbabilities:
    """Return probabilities by which posts are content together, and comments only if so wished.

    `forum` is the probability that the page is a forum.
    """
    rows = np.append(experts.score, 0.0)[blocks.owner]  # rows without an owner have -1
    threads = find_threads(blocks.page, rows, page_type)
    if threads.is_thread:
        return _bind_posts(blocks, experts, threads) if _is_forum(forum) else experts
    if not threads.comments or _is_forum(forum):
        return experts
    if comments:
        return _raise_bodies(experts, _find_blocks(blocks, threads.comments))
    return experts.without(_find_blocks(blocks, threads.comments).inside)


def _is_forum(forum: float) -> bool:
    return forum >= _MIN_FORUM_PROBABILITY


def _bind_posts(
    blocks: Blocks, experts: ExpertProbabilities, threads: Threads
) -> ExpertProbabilities:
    """Return probabilities by which all posts are as probable as the most probable one."""
    parts = _find_blocks(blocks, threads.posts)
    raised = _raise_bodies(experts, parts)
    by_expert = raised.by_expert.copy()
    by_expert[:, parts.inside & ~parts.body] *= _HEAD_FACTOR
    by_expert[:, parts.signature] = 0.0
    return replace(raised, by_expert=by_expert)


def _raise_bodies(experts: ExpertProbabilities, parts: _MessageBlocks) -> ExpertProbabilities:
    """Return probabilities with the texts of all messages as probable as the most probable one."""
    if not parts.body.any():
        return experts
    by_expert = experts.by_expert.copy()
    by_expert[:, parts.body] = by_expert[:, parts.body].max(axis=1, keepdims=True)
    return replace(experts, by_expert=by_expert)


def _find_blocks(blocks: Blocks, messages: Iterable[Message]) -> _MessageBlocks:
    """Return the blocks of messages."""
    page = blocks.page
    inside = np.zeros(len(blocks), dtype=np.bool_)
    body, signature = np.zeros((2, len(page)))
    for message in messages:
        first, stop = np.searchsorted(blocks.first, (message.start, message.stop))
        inside[first:stop] = True
        body[message.parts.body] = 1.0
        signature[message.parts.signature] = 1.0
    return _MessageBlocks(inside, _holds(blocks, body), _holds(blocks, signature))


def _holds(blocks: Blocks, rows: Floats) -> Bools:
    """Return the blocks most of whose text is in these rows."""
    chars = blocks.owned(blocks.page.chars)
    return np.asarray((chars > 0) & (blocks.owned(rows * blocks.page.chars) > _MOSTLY * chars))
