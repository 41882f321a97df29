"""Threads: the posts of a page that is a discussion, or the comments below a text.

    page ──messages──▶ groups ──message_parts──▶ parts ──▶ Threads: posts, comments

A group of messages is taken if its messages have authors and texts. It is a thread if the page is a
discussion and has no text of its own outside of it; below a text it is comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.page import UNLIMITED, Budget, Page, tags
from tamis.records.date_marks import DateMarks, find_date_marks
from tamis.records.message_parts import MessageReader, Parts
from tamis.records.messages import Group, find_groups, measure_text
from tamis.records.signatures import Floats, Int64s

_MAX_EXAMINED: Final = 8  # groups of a page
_MIN_AUTHOR_SHARE: Final = 0.5  # of messages
_MIN_TEXT_SHARE: Final = 0.4  # of messages that have a text
_MIN_TEXT_CHARS: Final = 12
_MAX_LINK_SHARE: Final = 0.5  # of the text of messages
_MIN_LEADING_CHARS: Final = 60  # of a first post that looks different from the others
_MIN_OUTSIDE: Final = 250.0  # weighted characters of a text that comments belong to

_NAMES: Final = re.compile(rb'(?i)\s(?:class|id|itemprop|itemtype)="([^"]*)"')
_COMMENT_NAMES: Final = re.compile(
    rb"(?i)comment|kommentar|comentari|commento|disqus|respond|reactie"
)
_POST_NAMES: Final = re.compile(
    rb"(?i)\bpost(?!ed)|post[-_]?\d|message|topic|thread|forum|answer|question|reply|discussion|entry"
)
_THREAD_URL: Final = re.compile(
    r"(?i)forum|thread|topic|board|question|discussion|guest-?book|gästebuch|livre-d-or|mail(?:ing|man)"
    r"|pipermail|/msg|archives?/|issues?/|showpost|viewtopic|/t/|/q/|community|answers|group"
)
_THREAD_TYPES: Final = re.compile(
    rb"DiscussionForumPosting|QAPage|schema\.org/(?:Question|Answer)\b"
)
_ARTICLE_TYPES: Final = re.compile(
    rb"(?:News|Blog|schema\.org/|\")(?:Article|Posting)\"|BlogPosting"
)
_ACCEPTED: Final = re.compile(rb"(?i)accepted|best-?answer|solution|is-?solved|chosen-?answer")
_QUESTION: Final = re.compile(rb"(?i)\bquestion|schema\.org/Question")
_COMMENT_COUNT: Final = re.compile(
    r"(?i)\b\d{1,5}\+?\s{1,3}(?:comments?|kommentare?|commentaires?|comentarios?|commenti|responses?|repl"
    r"|thoughts on|reacties|kommentarer|комментари|条评论)|\b(?:comments?|kommentare?)\s{0,2}\(\d"
)
_NEEDLES: Final = tuple(
    b"comment Comment post Post message thread topic reply answer kommentar entry msg".split()
)
_BODY: Final = tags.CODE["body"]
_HTML: Final = tags.CODE["html"]
_IS_SIDE: Final = tags.tag_table(("nav", "aside", "footer"))
_IS_FIELD: Final = tags.tag_table(("textarea",))


@dataclass(frozen=True, eq=False)
class Message:
    """A post or a comment: the rows `start` to `stop`, the element `node`, and its parts as rows.

    `post` is the index of the post that a comment on a thread belongs to, else -1.
    """

    start: int
    stop: int
    node: int
    parts: Parts
    depth: int = 0
    is_question: bool = False
    is_accepted: bool = False
    post: int = -1


@dataclass(frozen=True, eq=False)
class Threads:
    """The posts and comments of a page, in page order; the ranges of posts are disjoint.

    `is_thread` says whether the page is a discussion; then `comments` are those on its posts.
    """

    posts: tuple[Message, ...] = ()
    comments: tuple[Message, ...] = ()
    is_thread: bool = False


_NO_THREADS: Final = Threads()


def find_threads(
    page: Page,
    probabilities: Floats | None = None,
    page_type: str | None = None,
    budget: Budget = UNLIMITED,
) -> Threads:
    """Return the posts and comments of a page.

    `probabilities` has the probability of each row to be content, `page_type` is a first guess at
    the type of the page, if a method made one.
    """
    if not may_have_messages(page):
        return _NO_THREADS
    measures = measure_text(page, probabilities)
    marks = find_date_marks(page, measures.readable, budget)
    groups = find_groups(measures, marks, budget)
    taken: list[_ReadGroup] = []
    for group in groups[:_MAX_EXAMINED]:
        budget.check()
        if all(_is_apart(group, other) for other in taken):
            read = _ReadGroup(group, MessageReader(group, marks).parts())
            if read.is_valid:
                taken.append(read)
    return _decide(marks, taken, page_type) if taken else _NO_THREADS


def may_have_messages(page: Page) -> bool:
    """Say whether a page may have posts or comments, by a few searches for bytes."""
    return any(needle in page.source for needle in _NEEDLES)


@dataclass(frozen=True, eq=False)
class _ReadGroup:
    """A group of messages with their parts."""

    group: Group
    parts: list[Parts]

    def __len__(self) -> int:
        return len(self.parts)

    @cached_property
    def body_chars(self) -> Int64s:
        """The number of characters of the text of each message."""
        page = self.group.measures.page
        lengths = page.text_stop - page.text_start
        return np.array([int(lengths[part.body].sum()) for part in self.parts], dtype=np.int64)

    @cached_property
    def is_valid(self) -> bool:
        """Whether messages have authors, and texts that are not mostly links."""
        page, count = self.group.measures.page, len(self)
        with_author = sum(part.author >= 0 for part in self.parts)
        with_text = int((self.body_chars >= _MIN_TEXT_CHARS).sum())
        if with_author < _MIN_AUTHOR_SHARE * count or with_text < _MIN_TEXT_SHARE * count:
            return False
        rows = np.concatenate([part.body for part in self.parts])
        lengths = (page.text_stop - page.text_start)[rows]
        return bool(lengths[page.in_link[rows]].sum() <= _MAX_LINK_SHARE * lengths.sum())

    @cached_property
    def names(self) -> bytes:
        """The classes and ids of the messages' elements and of the elements around them."""
        page, group = self.group.measures.page, self.group
        rows = group.node[: min(len(group), 3)].tolist()
        row = int(page.parent[group.node[-1]])
        while row > 0 and page.tag[row] not in (_BODY, _HTML):
            rows.append(row)
            row = int(page.parent[row])
        return b" ".join(read_names(page, row) for row in rows)


def read_names(page: Page, row: int) -> bytes:
    """Return the names and types in the attributes of an element."""
    start = int(page.start[row])
    return b" ".join(_NAMES.findall(page.source, start, min(int(page.head[row]), start + 600)))


def _is_apart(group: Group, other: _ReadGroup) -> bool:
    """Say whether messages lie between those of another group, or inside them beside their text."""
    start, stop = other.group.start, other.group.stop
    index = np.searchsorted(start, group.start, side="right") - 1
    for message, holder in zip(range(len(group)), index.tolist(), strict=True):
        if holder >= 0 and group.start[message] < stop[holder]:
            body = other.parts[holder].body
            is_inside = group.stop[message] <= stop[holder] and len(body)
            if not is_inside or body[0] <= group.mark[message] <= body[-1]:
                return False
            if group.start[message] <= body[0] and group.stop[message] > body[-1]:
                return False
        following = holder + 1
        if following < len(start) and start[following] < group.stop[message]:
            return False
    return True


# Thread or comments -------------------------------------------------------------------------------


class Evidence(NamedTuple):
    """What tells a thread from comments below a text."""

    is_forum: bool  # by the first guess at the page type
    is_other: bool  # another type is the first guess
    thread_types: bool  # in schema.org's vocabulary
    article_types: bool
    thread_url: bool
    comment_names: bool  # of containers
    post_names: bool
    comment_count: bool  # "12 comments" before the messages
    outside: float  # weighted characters of text before the messages
    inside: float  # of the messages
    first_share: float  # of the messages' text in the first one


def gather_evidence(group: _ReadGroup, page_type: str | None) -> Evidence:
    """Return what tells whether a group of messages is a thread."""
    measures = group.group.measures
    page, first = measures.page, int(group.group.start[0])
    zero = np.zeros(1, dtype=np.int64)
    outside = float(measures.weight(zero, zero + first)[0])
    inside = float(measures.weight(group.group.start, group.group.stop).sum())
    offset = int(page.text_start[first])
    before = page.text[max(0, offset - 400) : offset + 100]
    return Evidence(
        page_type == "forum",
        page_type not in (None, "forum"),
        bool(_THREAD_TYPES.search(page.source)),
        bool(_ARTICLE_TYPES.search(page.source)),
        bool(_THREAD_URL.search(page.url or "")),
        bool(_COMMENT_NAMES.search(group.names)),
        bool(_POST_NAMES.search(group.names)),
        bool(_COMMENT_COUNT.search(before)),
        outside,
        inside,
        float(group.body_chars[0] / max(1, group.body_chars.sum())),
    )


def is_thread(evidence: Evidence) -> bool:
    """Say whether messages are posts of a discussion."""
    has_body = evidence.outside >= max(_MIN_OUTSIDE, 0.2 * evidence.inside)
    score = 1.5 * evidence.is_forum - 0.5 * evidence.is_other
    score += 1.5 * evidence.thread_types - 1.0 * evidence.article_types
    score += 1.0 * evidence.thread_url + 0.5 * evidence.post_names
    score -= 1.5 * evidence.comment_names + 0.5 * evidence.comment_count
    score += -0.5 if has_body else 1.0
    return score > 0


def _decide(marks: DateMarks, taken: list[_ReadGroup], page_type: str | None) -> Threads:
    """Return the groups of a page as posts and comments."""
    main = taken[0]
    evidence = gather_evidence(main, page_type)
    if is_thread(evidence):
        return _build_thread(marks, main, taken[1:])
    comments = [
        message
        for group in taken
        if _are_comments(group, page_type)
        for message in _build_messages(group)
    ]
    return Threads((), tuple(sorted(comments, key=lambda message: message.start)))


def _are_comments(group: _ReadGroup, page_type: str | None) -> bool:
    """Say whether messages are comments on a text before them."""
    evidence = gather_evidence(group, page_type)
    if evidence.outside < _MIN_OUTSIDE:
        return False
    return evidence.comment_names or evidence.comment_count


def _build_thread(marks: DateMarks, main: _ReadGroup, others: list[_ReadGroup]) -> Threads:
    """Return the posts of a thread, with a first one that looks different, and their comments."""
    posts = _build_messages(main)
    leading = _find_leading(marks, main)
    if leading is not None:
        posts = [*_build_messages(leading), *posts]
    starts = np.array([post.start for post in posts])
    comments = []
    for group in others:
        for message in _build_messages(group):
            post = int(np.searchsorted(starts, message.start, side="right")) - 1
            if post >= 0 and message.stop <= posts[post].stop:
                comments.append(replace(message, post=post))
    return Threads(tuple(posts), tuple(sorted(comments, key=lambda message: message.start)), True)


def _find_leading(marks: DateMarks, main: _ReadGroup) -> _ReadGroup | None:
    """Return the first post of a thread that stands before the others and looks different."""
    measures = main.group.measures
    page, first = measures.page, int(main.group.start[0])
    earlier = marks.element[marks.element < first]
    for mark in earlier[::-1][:_MAX_EXAMINED].tolist():
        node = mark
        while page.parent[node] > 0 and page.end[page.parent[node]] <= first:
            node = int(page.parent[node])
        rows = np.array([node], dtype=np.int64)
        group = Group(measures, np.array([mark]), rows, rows, page.end[rows].astype(np.int64))
        read = _ReadGroup(group, MessageReader(group, marks).parts())
        if read.is_valid and read.body_chars[0] >= _MIN_LEADING_CHARS:
            return read
    return None


def _build_messages(group: _ReadGroup) -> list[Message]:
    """Return the messages of a group."""
    page, node = group.group.measures.page, group.group.node
    depths = np.unique(page.depth[group.group.mark], return_inverse=True)[1].tolist()
    messages = []
    for index, part in enumerate(group.parts):
        row = int(node[index])
        names = read_names(page, row)
        messages.append(
            Message(
                int(group.group.start[index]),
                int(group.group.stop[index]),
                row,
                part,
                depths[index],
                bool(_QUESTION.search(names)),
                bool(_ACCEPTED.search(names)),
            )
        )
    return messages
