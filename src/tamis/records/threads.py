"""Threads: the posts of a page that is a discussion, or the comments below a text.

    page ──messages──▶ groups ──message_parts──▶ parts ──thread_evidence──▶ Threads

A group of messages is taken if its messages look alike and have authors and texts. What the page,
its markup and the text outside of the messages tell decides whether they are posts or comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tamis.page import UNLIMITED, Budget, Page, collapse_spaces
from tamis.records.date_marks import DateMarks, find_date_marks
from tamis.records.message_parts import Parts
from tamis.records.messages import (
    Group,
    TextMeasures,
    find_groups,
    find_user_groups,
    measure_text,
)
from tamis.records.signatures import Floats
from tamis.records.thread_evidence import (
    MIN_OUTSIDE,
    MIN_POSTS,
    Evidence,
    PageEvidence,
    ReadGroup,
    are_comments,
    begins_with_body,
    has_thread_url,
    is_called_comments,
    is_thread,
    read_group,
    read_names,
)

_MAX_EXAMINED: Final = 8  # groups of a page
_MAX_SINGLE: Final = 3  # dates of a page that may be that of its only post
_MIN_LEADING_CHARS: Final = 40  # of a first post that looks different from the others
_MIN_LEADING_DENSITY: Final = 0.4  # of its weight per character, compared with the others
_EXACT: Final = 1 - 1e-9  # for a comparison that roundings do not change
_MIN_PAGE_SHARE: Final = 0.7  # of the text of a page that the element of a single post holds
_THREAD_NEEDLES: Final = (b"ForumPosting", b"viewtopic", b"showthread", b"/threads/", b"/member")
# Names are in lower case.
_ACCEPTED: Final = re.compile(rb"accepted|best-?answer|solution|is-?solved|chosen-?answer")
_QUESTION: Final = re.compile(rb"\bquestion(?!s)|schema\.org/question")
_LEVEL: Final = re.compile(rb"\b(?:depth|level|indent|lvl)[-_]?(\d{1,2})\b")


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
    """The posts and comments of a page, each in page order, with disjoint ranges of rows.

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
    *,
    post_comments: bool = True,
) -> Threads:
    """Return the posts and comments of a page.

    `probabilities` has the probability of each row to be content, `page_type` is a first guess at
    the type of the page, if a method made one. Without `post_comments` a thread has posts alone.
    """
    measures = measure_text(page, probabilities)
    marks = find_date_marks(page, measures.readable, budget)
    groups = find_groups(measures, marks, budget)
    if groups and not may_be_thread(page, page_type):
        groups = [group for group in groups if _may_be_comments(group) or _may_stand_alone(group)]
    others = read_groups(groups, marks, budget)
    main = next(others, None)
    is_forum = page_type in (None, "forum")
    if main is None and is_forum:
        others = read_groups(find_user_groups(measures, budget), marks, budget)
        main = next(others, None)
    if main is None:
        return _find_single_post(measures, marks, page_type) if is_forum else _NO_THREADS
    page_evidence = PageEvidence(page, page_type)
    if is_thread(Evidence(main, page_evidence)):
        return _build_thread(marks, main, others if post_comments else ())
    comments: list[Message] = []
    for group in (main, *others):
        evidence = Evidence(group, page_evidence)
        if are_comments(evidence):
            comments += _build_messages(group)[begins_with_body(evidence) :]
    return Threads((), _sort(comments))


def may_be_thread(page: Page, page_type: str | None = None) -> bool:
    """Say whether a page may be a thread: by a first guess at its type, its URL, or its links.

    This is a cheap look at the page; where it says no, `find_threads` rarely finds one.
    """
    if page_type in (None, "forum") or has_thread_url(page):
        return True
    return any(needle in page.source for needle in _THREAD_NEEDLES)


def read_groups(groups: Sequence[Group], marks: DateMarks, budget: Budget) -> Iterator[ReadGroup]:
    """Yield the groups of messages that are apart from each other, those with most text first."""
    taken: list[ReadGroup] = []
    for group in groups[:_MAX_EXAMINED]:
        budget.check()
        if all(_is_apart(group, other) for other in taken):
            read = read_group(group, marks)
            if read is not None:
                taken.append(read)
                yield read


def _may_stand_alone(group: Group) -> bool:
    """Say whether messages may be a thread that is known by nothing but its posts."""
    first = int(group.start[0])
    return len(group) >= MIN_POSTS and group.measures.weight_before[first] < MIN_OUTSIDE


def _may_be_comments(group: Group) -> bool:
    """Say whether elements of messages, or elements around them, are called comments."""
    if group.is_named:
        return True
    page, row = group.measures.page, int(group.node[-1])
    while row > 0:
        if is_called_comments(read_names(page, row)):
            return True
        row = int(page.parent[row])
    return False


def _is_apart(group: Group, other: ReadGroup) -> bool:
    """Say whether messages lie between those of another group, or inside them beside their text."""
    start, stop = other.group.start, other.group.stop
    holders = np.searchsorted(start, group.start, side="right") - 1
    for message, holder in enumerate(holders.tolist()):
        if holder >= 0 and group.start[message] < stop[holder]:
            body = other.parts[holder].body
            if group.stop[message] > stop[holder] or not len(body):
                return False
            if group.start[message] <= body[-1] and group.stop[message] > body[0]:
                return False
        following = holder + 1
        if following < len(start) and start[following] < group.stop[message]:
            return False
    return True


def _sort(messages: list[Message]) -> tuple[Message, ...]:
    """Return messages in page order, without those that lie in others."""
    apart: list[Message] = []
    for message in sorted(messages, key=lambda message: message.start):
        if not apart or message.start >= apart[-1].stop:
            apart.append(message)
    return tuple(apart)


# Posts that look different from each other --------------------------------------------------------


def _build_thread(marks: DateMarks, main: ReadGroup, others: Iterable[ReadGroup]) -> Threads:
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
    return Threads(tuple(posts), _sort(comments), is_thread=True)


def _find_leading(marks: DateMarks, main: ReadGroup) -> ReadGroup | None:
    """Return the first post of a thread that stands before the others and looks different."""
    candidates = _list_leading(marks, main)
    # Whatever the text of one is, it may be less dense than a post: then it leads nowhere.
    while candidates and _may_not_lead(candidates[-1], main):
        candidates.pop()
    for group in candidates:
        read = read_group(group, marks)
        if read is not None and read.body_chars[0] >= _MIN_LEADING_CHARS:
            return None if _is_head(read, main) else read
    return None


def _list_leading(marks: DateMarks, main: ReadGroup) -> list[Group]:
    """Return the elements before a thread that have dates, each as a group of a single message."""
    measures = main.group.measures
    page, first = measures.page, int(main.group.start[0])
    earlier = marks.element[page.end[marks.element] <= first]
    groups: list[Group] = []
    for mark in earlier[::-1][:_MAX_EXAMINED].tolist():
        node = mark
        while page.parent.item(node) > 0 and page.end.item(page.parent.item(node)) <= first:
            node = page.parent.item(node)
        if not groups or node != groups[-1].node[0]:
            groups.append(_single_group(measures, mark, node))
    return groups


def _may_not_lead(group: Group, main: ReadGroup) -> bool:
    """Say whether no text in an element is dense enough for a post, whichever is its body."""
    measures, page = group.measures, group.measures.page
    low, high = np.searchsorted(measures.readable, (group.start[0], group.stop[0]))
    rows = measures.readable[low:high]
    weight = measures.weight_before[rows + 1] - measures.weight_before[rows]
    most = (weight / np.maximum(1, (page.text_stop - page.text_start)[rows])).max(initial=0.0)
    return bool(most < _MIN_LEADING_DENSITY * main.body_density * _EXACT)


def _is_head(leading: ReadGroup, main: ReadGroup) -> bool:
    """Say whether what stands before the posts of a thread is its head, or a box of links.

    A head names the author and the date of the first post. Text that is less probable as content
    than the posts, or has more links, is no post.
    """
    page, first, head = main.page, main.parts[0], leading.parts[0]
    if first.author >= 0 and head.author >= 0 and leading.body_chars[0] < main.body_chars[0]:
        names = [
            collapse_spaces(page.text[page.text_start[row] : page.text_stop[row]])
            for row in (first.author, head.author)
        ]
        if names[0] == names[1]:
            return True
    return leading.body_density < _MIN_LEADING_DENSITY * main.body_density


def _find_single_post(measures: TextMeasures, marks: DateMarks, page_type: str | None) -> Threads:
    """Return the only post of a thread, where the page is certainly one."""
    page = measures.page
    least = _MIN_PAGE_SHARE * float(measures.weight_before[-1])
    for mark in marks.element[:_MAX_SINGLE].tolist():
        node = mark
        while (
            node > 0
            and measures.weight_before[page.end[node]] - measures.weight_before[node] < least
        ):
            node = int(page.parent[node])
        if node <= 0:
            continue
        read = read_group(_single_group(measures, mark, node), marks)
        if read is not None and read.body_chars[0] >= _MIN_LEADING_CHARS:
            if is_thread(Evidence(read, PageEvidence(page, page_type))):
                return Threads(tuple(_build_messages(read)), is_thread=True)
            break
    return _NO_THREADS


def _single_group(measures: TextMeasures, mark: int, node: int) -> Group:
    """Return the group of a single message."""
    rows = np.array([node], dtype=np.int64)
    stop = measures.page.end[rows].astype(np.int64)
    return Group(measures, np.array([mark], dtype=np.int64), rows, rows, stop)


# Messages -----------------------------------------------------------------------------------------


def _build_messages(group: ReadGroup) -> list[Message]:
    """Return the messages of a group."""
    page, rows = group.page, group.group
    names = [read_names(page, row).lower() for row in rows.node.tolist()]
    depths = _find_depths(group, names)
    return [
        Message(
            int(rows.start[index]),
            int(rows.stop[index]),
            int(rows.node[index]),
            part,
            depths[index],
            bool(_QUESTION.search(names[index])),
            bool(_ACCEPTED.search(names[index])),
        )
        for index, part in enumerate(group.parts)
    ]


def _find_depths(group: ReadGroup, names: Sequence[bytes]) -> list[int]:
    """Return how deep each message is among replies, from 0: as classes say, else by nesting."""
    levels = [match and int(match[1]) for match in map(_LEVEL.search, names)]
    stated = [level for level in levels if level is not None]
    if len(stated) == len(names):
        return [level - min(stated) for level in stated]
    depth = group.page.depth[group.group.mark]
    nested: list[int] = np.unique(depth, return_inverse=True)[1].tolist()
    return nested
