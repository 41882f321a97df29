"""Messages: the posts of a thread are content together, the comments below a text are not.

A forest judges block by block, so it would keep the long posts of a thread and drop the short ones,
and take a comment of three paragraphs for a part of the article. What is a message is known from
the page as a whole: see `tamis.records.find_threads`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools
from tamis.verdict.learned._features import Features
from tamis.verdict.learned.feature_names import BLOCK_FEATURES
from tamis.verdict.learned.threshold import ExpertProbabilities
from tamis.verdict.verdict import Floats

if TYPE_CHECKING:
    from tamis.records import Message, Threads

# All of these were chosen out of fold on the sets that models are trained on, where half and twice
# of each hardly matter.
_MIN_FORUM_PROBABILITY: Final = 0.5  # from which on a page is looked at for posts
_MIN_THREAD_PROBABILITY: Final = 0.05  # the same if its URL or its links are those of a thread
_PULL: Final = 0.75  # of the most probable post on the others: a weight in their geometric mean
_HEAD_FACTOR: Final = 0.75  # for what is in a post but not its text: names, dates, buttons
_OUTSIDE_FACTOR: Final = 0.5  # for what is in no post
# The share of the expected content that is in containers named for comments, from which on it is
# worth while to look for comments.
_MIN_COMMENT_SHARE: Final = 0.01
_MIN_SCORE: Final = 0.2  # of a block that may be chosen
_MOSTLY: Final = 0.5  # share of a block's text that decides what part of a message it is
_IN_COMMENT: Final = BLOCK_FEATURES.index("in_comment")


@dataclass(frozen=True, eq=False)
class _MessageBlocks:
    """The blocks of messages: all of them, those with their texts, and with signatures."""

    inside: Bools
    body: Bools
    signature: Bools


@dataclass(frozen=True, eq=False)
class BoundMessages:
    """Probabilities with messages bound, and whether the page turned out to be a thread."""

    experts: ExpertProbabilities
    is_thread: bool = False


def bind_messages(
    features: Features,
    experts: ExpertProbabilities,
    page_type: str,
    forum: float,
    *,
    comments: bool,
) -> BoundMessages:
    """Return probabilities by which posts are content together, and comments only if so wished.

    `page_type` is the first guess at the type of the page, `forum` the probability that it is a
    forum. Messages are looked for only where that is probable, or where content seems to be in what
    is named for comments.
    """
    blocks = features.context.blocks
    may_be_forum = _may_be_forum(features, forum)
    if not may_be_forum and not comments and not _has_comment_names(features, experts):
        return BoundMessages(experts)
    rows = np.append(experts.score, 0.0)[blocks.owner]  # rows without an owner have -1
    from tamis.records import find_threads  # most pages do without

    threads = find_threads(blocks.page, rows, page_type, post_comments=False)
    if threads.is_thread and may_be_forum:
        return BoundMessages(_bind_posts(blocks, experts, threads), is_thread=True)
    is_asked_for = comments or forum < _MIN_FORUM_PROBABILITY
    if threads.is_thread or not threads.comments or not is_asked_for:
        return BoundMessages(experts)
    parts = _find_blocks(blocks, threads.comments)
    return BoundMessages(
        _take_bodies(experts, parts) if comments else experts.without(parts.inside)
    )


def _may_be_forum(features: Features, forum: float) -> bool:
    """Say whether a page may be a thread, by its probability, its URL and its links."""
    if forum >= _MIN_FORUM_PROBABILITY:
        return True
    if forum < _MIN_THREAD_PROBABILITY:
        return False
    from tamis.records import may_be_thread

    return may_be_thread(features.context.page, "")


def _has_comment_names(features: Features, experts: ExpertProbabilities) -> bool:
    """Say whether some of the probable content is in containers named for comments."""
    is_named = features.matrix[_IN_COMMENT] > 0
    if not is_named.any():
        return False
    expected = np.where(experts.score < _MIN_SCORE, 0.0, experts.score * features.context.terms)
    return bool(expected[is_named].sum() > _MIN_COMMENT_SHARE * expected.sum())


def _bind_posts(
    blocks: Blocks, experts: ExpertProbabilities, threads: Threads
) -> ExpertProbabilities:
    """Return probabilities by which the texts of posts stand out from what is around them."""
    parts = _find_blocks(blocks, threads.posts)
    pulled = _pull_bodies(experts, parts)
    by_expert = pulled.by_expert.copy()
    by_expert[:, parts.inside & ~parts.body] *= _HEAD_FACTOR
    by_expert[:, ~parts.inside] *= _OUTSIDE_FACTOR
    by_expert[:, parts.signature] = 0.0
    return replace(pulled, by_expert=by_expert)


def _pull_bodies(experts: ExpertProbabilities, parts: _MessageBlocks) -> ExpertProbabilities:
    """Return probabilities with the texts of all messages pulled to the most probable one."""
    if not parts.body.any():
        return experts
    by_expert = experts.by_expert.copy()
    bodies = by_expert[:, parts.body]
    by_expert[:, parts.body] = bodies ** (1 - _PULL) * bodies.max(axis=1, keepdims=True) ** _PULL
    return replace(experts, by_expert=by_expert)


def _take_bodies(experts: ExpertProbabilities, parts: _MessageBlocks) -> ExpertProbabilities:
    """Return probabilities with the texts of messages as probable as the rest of the content."""
    by_expert = experts.by_expert.copy()
    by_expert[:, parts.body] = by_expert.max(axis=1, keepdims=True)
    return replace(experts, by_expert=by_expert)


def _find_blocks(blocks: Blocks, messages: Iterable[Message]) -> _MessageBlocks:
    """Return the blocks of messages.

    A quote is no part of the text of a post: the page has it already, in the post that it is from.
    """
    page = blocks.page
    inside = np.zeros(len(blocks), dtype=np.bool_)
    body, signature = np.zeros((2, len(page)))
    for message in messages:
        first, stop = np.searchsorted(blocks.first, (message.start, message.stop))
        inside[first:stop] = True
        body[message.parts.body] = 1.0
        body[message.parts.quote] = 0.0
        signature[message.parts.signature] = 1.0
    return _MessageBlocks(inside, _holds(blocks, body), _holds(blocks, signature))


def _holds(blocks: Blocks, rows: Floats) -> Bools:
    """Return the blocks most of whose text is in these rows."""
    chars = blocks.owned(blocks.page.chars)
    return np.asarray((chars > 0) & (blocks.owned(rows * blocks.page.chars) > _MOSTLY * chars))
