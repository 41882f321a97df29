"""What tells posts of a thread from comments below a text, and both from entries of a list."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tamis.metadata import Markup
from tamis.page import Page, tags
from tamis.records._align import read_values
from tamis.records.date_marks import DateMarks
from tamis.records.message_parts import MessageReader, Parts
from tamis.records.messages import Group
from tamis.records.signatures import Int64s

_MIN_AUTHOR_SHARE: Final = 0.5  # of messages
_MIN_REGULARITY: Final = 0.6  # share of messages whose elements look alike
_MIN_TEXT_SHARE: Final = 0.4  # of messages that have a text
_MIN_TEXT_CHARS: Final = 12
_MAX_LINK_SHARE: Final = 0.5  # of the text of messages
MIN_OUTSIDE: Final = 250.0  # weighted characters of a text that comments belong to
_MIN_BODY: Final = 1000.0  # weighted characters of a text that is certainly one of its own
MIN_POSTS: Final = 3  # of a thread that is known by nothing but its posts
_MAX_FIRST_SHARE: Final = 0.5  # of their text in the first of them; else it is an article
_MIN_USER_SCORE: Final = 1.0  # of their authors
_MIN_DATED_SHARE: Final = 0.8  # of them that have dates
_COUNT_CHARS: Final = 400  # of text before messages in which their number may stand
_EDGE_CHARS: Final = 300  # at the beginning and the end of a message
_MIN_HEADLINE_CHARS: Final = 12
_MAX_TAG_BYTES: Final = 600

_NAMES: Final = (b'class="', b'id="', b'itemprop="', b'itemtype="')
_COMMENT_NAMES: Final = re.compile(
    rb"(?i)comment|kommentar|comentari|commento|disqus|respond|reactie|leserbrief"
)
_POST_NAMES: Final = re.compile(
    rb"(?i)\bpost(?!ed)|post[-_]?\d|message|topic|thread|forum|answer|question|reply|discussion|entry"
)
_THREAD_URL: Final = re.compile(
    r"(?i)forum|thread|topic|board|question|discuss|guest-?book|gästebuch|livre-d-or|mail(?:ing|man)"
    r"|pipermail|/msg|issues?/|showpost|viewtopic|/t/|/q/|community|answers|group|\bbbs\b"
)
# Searched for as they are: a regular expression over a whole page takes longer than all the rest.
_THREAD_TYPES: Final = (b"ForumPosting", b"QAPage", b"schema.org/Question", b"schema.org/Answer")
_ARTICLE_TYPES: Final = (b"BlogPosting", b"NewsArticle", b'"Article"', b"schema.org/Article")
_COMMENT_COUNT: Final = re.compile(
    r"(?i)\b\d{1,5}\+?\s{1,3}(?:comments?|kommentare?|commentaires?|comentarios?|commenti"
    r"|responses?|repl|thoughts on|reacties|kommentarer|комментари|条评论)"
    r"|\b(?:comments?|kommentare?)\s{0,2}\(\d"
)
_NUMBER: Final = re.compile(r"(?:#|№|nr\.? ?|reply #)\d{1,6}\b|\d{1,5} ?[楼樓]|沙发", re.I)
_USER_INFO: Final = re.compile(
    r"(?i)\b(?:posts?|messages?|beiträge|joined|join date|registered|member since|location"
    r"|reputation|likes received|threads|registriert|dabei seit|anmeldungsdatum|wohnort"
    r"|inscri\w{1,5}|enregistré|mensajes|registrado|messaggi|iscritto|berichten|mensagens|сообщени\w{0,2}"
    r"|регистрация|注册时间|帖子|积分)\s{0,2}[:：]|\b\d[\d.,k]{0,8} (?:posts|messages|beiträge)\b"
)
_IS_HEADLINE: Final = tags.tag_table(("h1", "h2", "h3", "h4"))
_BODY: Final = tags.CODE["body"]
_HTML: Final = tags.CODE["html"]


@dataclass(frozen=True, eq=False)
class ReadGroup:
    """A group of messages with their parts."""

    group: Group
    parts: list[Parts]
    author_score: float

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def page(self) -> Page:
        """The page of the messages."""
        return self.group.measures.page

    @cached_property
    def body_chars(self) -> Int64s:
        """The number of characters of the text of each message."""
        lengths = self.page.text_stop - self.page.text_start
        return np.array([int(lengths[part.body].sum()) for part in self.parts], dtype=np.int64)

    @cached_property
    def body_density(self) -> float:
        """The weight of a character of the messages' texts, by probability and links."""
        weight = np.diff(self.group.measures.weight_before)
        total = sum(float(weight[part.body].sum()) for part in self.parts)
        return total / max(1.0, float(self.body_chars.sum()))

    @cached_property
    def is_valid(self) -> bool:
        """Whether most messages have texts, which are not mostly links."""
        page = self.page
        with_text = int((self.body_chars >= _MIN_TEXT_CHARS).sum())
        if with_text < _MIN_TEXT_SHARE * len(self):
            return False
        rows = np.concatenate([part.body for part in self.parts])
        lengths = (page.text_stop - page.text_start)[rows]
        return bool(lengths[page.in_link[rows]].sum() <= _MAX_LINK_SHARE * lengths.sum())

    @cached_property
    def names(self) -> bytes:
        """The classes and ids of the messages' elements and of the elements around them."""
        page, group = self.page, self.group
        rows = group.node[: min(len(group), 3)].tolist()
        row = int(page.parent[group.node[-1]])
        while row > 0 and page.tag[row] not in (_BODY, _HTML):
            rows.append(row)
            row = int(page.parent[row])
        return b" ".join(read_names(page, row) for row in rows)

    def _have_mostly(self, pattern: re.Pattern[str]) -> bool:
        """Say whether most messages have a pattern near their beginning or end.

        Once half of them do not, the others are not looked at.
        """
        page, matches, failures = self.page, 0, 0
        for start, stop in zip(self.group.start.tolist(), self.group.stop.tolist(), strict=True):
            first, last = int(page.text_start[start]), int(page.text_stop[stop - 1])
            text = page.text[first : min(last, first + _EDGE_CHARS)]
            if pattern.search(f"{text}\n{page.text[max(first, last - _EDGE_CHARS) : last]}"):
                matches += 1
            else:
                failures += 1
            if 2 * max(matches, failures) > len(self):
                break
        return matches > failures

    @cached_property
    def is_numbered(self) -> bool:
        """Whether most messages show their number, such as #2."""
        return self._have_mostly(_NUMBER)

    @cached_property
    def has_user_info(self) -> bool:
        """Whether most messages tell about their authors: since when they are here, how active."""
        return self._have_mostly(_USER_INFO)

    @cached_property
    def has_headlines(self) -> bool:
        """Whether most messages have headings that differ, as entries of a list have."""
        page = self.page
        headings = np.flatnonzero(_IS_HEADLINE[page.tag])
        index = np.searchsorted(self.group.start, headings, side="right") - 1
        inside = (index >= 0) & (headings < self.group.stop[index])
        texts: dict[int, str] = {}
        for row, message in zip(headings[inside].tolist(), index[inside].tolist(), strict=True):
            text = page.text[page.text_start[row] : page.text_stop[row]]
            if len(text) >= _MIN_HEADLINE_CHARS and message not in texts:
                texts[message] = text.lower().removeprefix("re: ")
        return len(set(texts.values())) > len(self) / 2


def read_group(group: Group, marks: DateMarks) -> ReadGroup | None:
    """Return a group with the parts of its messages, None if these are no messages.

    Messages look alike and have authors; those that the markup names have authors or dates.
    """
    if group.regularity < _MIN_REGULARITY or not _may_have_texts(group):
        return None
    reader = MessageReader(group, marks)
    count = sum(row >= 0 for row in reader.authors)
    if group.is_named:
        count = max(count, sum(mark >= 0 for mark in reader.dates))
    if count < _MIN_AUTHOR_SHARE * len(group) and not _is_row_of_comments(group):
        return None
    read = ReadGroup(group, reader.parts(), reader.author_score)
    return read if read.is_valid else None


def _is_row_of_comments(group: Group) -> bool:
    """Return whether several messages are called comments, each of them, whoever wrote them."""
    if not group.is_named or len(group) < MIN_POSTS:
        return False
    page = group.measures.page
    return all(is_called_comments(read_names(page, row)) for row in group.mark.tolist())


def _may_have_texts(group: Group) -> bool:
    """Say whether enough messages have enough characters, whatever these are."""
    has_text = group.measures.text(group.start, group.stop) >= _MIN_TEXT_CHARS
    return bool(has_text.mean() >= _MIN_TEXT_SHARE)


def read_names(page: Page, row: int) -> bytes:
    """Return the names and types in the attributes of an element."""
    return read_values(page.source, page.start, page.head, [row], _MAX_TAG_BYTES, _NAMES)[0]


@dataclass(frozen=True, eq=False)
class PageEvidence:
    """What a page tells about its messages, whatever they are; each is read on first use."""

    page: Page
    page_type: str | None

    @property
    def is_forum(self) -> bool:
        """Whether the first guess at the page type is a forum."""
        return self.page_type == "forum"

    @cached_property
    def thread_types(self) -> bool:
        """Whether schema.org's vocabulary calls something a thread."""
        return any(needle in self.page.source for needle in _THREAD_TYPES)

    @cached_property
    def article_types(self) -> bool:
        """Whether it calls something an article."""
        return any(needle in self.page.source for needle in _ARTICLE_TYPES)

    @cached_property
    def thread_url(self) -> bool:
        """Whether the URL looks like that of a thread."""
        return has_thread_url(self.page)


def is_called_comments(names: bytes) -> bool:
    """Say whether names of elements are those of comments."""
    return bool(_COMMENT_NAMES.search(names))


def has_thread_url(page: Page) -> bool:
    """Say whether the URL of a page looks like that of a thread."""
    return bool(_THREAD_URL.search(page.url or Markup(page).link("canonical") or ""))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What tells a thread from comments below a text; each is read on first use."""

    group: ReadGroup
    page: PageEvidence

    @cached_property
    def comment_names(self) -> bool:
        """Whether containers are called comments."""
        return is_called_comments(self.group.names)

    @cached_property
    def post_names(self) -> bool:
        """Whether they are called posts."""
        return bool(_POST_NAMES.search(self.group.names))

    @cached_property
    def comment_count(self) -> bool:
        """Whether something like "12 comments" stands before the messages."""
        page = self.group.page
        offset = int(page.text_start[self.group.group.start[0]])
        return bool(_COMMENT_COUNT.search(page.text, max(0, offset - _COUNT_CHARS), offset + 100))

    @cached_property
    def outside(self) -> float:
        """The weighted characters of text before the messages."""
        messages = self.group.group
        return float(messages.measures.weight_before[messages.start[0]])

    @cached_property
    def first_share(self) -> float:
        """The share of the messages' text that is in the first one."""
        chars = self.group.body_chars
        return float(chars[0] / max(1, chars.sum()))

    @cached_property
    def dated_share(self) -> float:
        """The share of the messages that have dates."""
        return sum(part.date >= 0 for part in self.group.parts) / len(self.group)


def is_thread(evidence: Evidence) -> bool:
    """Say whether messages are posts of a discussion.

    The sum of all evidence decides, unless all says that they are comments. Messages of users that
    nothing calls comments are posts as well if there is no text outside that they could belong to,
    and none of them is that text.
    """
    if not evidence.group.author_score and not evidence.dated_share:
        return False
    group, page = evidence.group, evidence.page
    seem_comments = evidence.outside >= _MIN_BODY and evidence.comment_names
    if seem_comments and evidence.comment_count and not (page.thread_url or page.thread_types):
        return False
    if _sums_to_thread(evidence):
        return True
    is_apart = not evidence.comment_names and evidence.outside < MIN_OUTSIDE
    is_even = len(group) >= MIN_POSTS and evidence.first_share < _MAX_FIRST_SHARE
    has_users = group.author_score >= _MIN_USER_SCORE
    return (
        is_apart
        and is_even
        and has_users
        and not group.has_headlines
        and evidence.dated_share >= _MIN_DATED_SHARE
    )


# Rounded weights of a logistic regression on pages with and without threads (docs/documents.md).
_OUTSIDE_WEIGHT: Final = -0.8  # for the logarithm of the text outside
_FIRST_WEIGHT: Final = -0.9  # for the share of the first message
_AUTHOR_WEIGHT: Final = 0.6
_MAX_AUTHOR_SCORE: Final = 3.0  # that counts
# What is true or not; first what takes little time to read, or weighs much.
_FACTS: Final[tuple[tuple[float, Callable[[Evidence], bool]], ...]] = (
    (1.0, lambda evidence: evidence.page.is_forum),
    (2.4, lambda evidence: evidence.page.thread_url),
    (0.5, lambda evidence: evidence.comment_names),
    (0.6, lambda evidence: evidence.post_names),
    (-1.5, lambda evidence: evidence.group.has_headlines),
    (0.4, lambda evidence: evidence.group.is_numbered),
    (1.2, lambda evidence: evidence.page.thread_types),
    (1.3, lambda evidence: evidence.group.has_user_info),
    (-0.5, lambda evidence: evidence.page.article_types),
)
_THRESHOLD: Final = 1.8


def _sums_to_thread(evidence: Evidence) -> bool:
    """Say whether the sum of all evidence is that of a thread.

    Facts that cannot change the answer any more are not read.
    """
    total = (
        _OUTSIDE_WEIGHT * math.log1p(evidence.outside / MIN_OUTSIDE)
        + _FIRST_WEIGHT * evidence.first_share
        + _AUTHOR_WEIGHT * min(evidence.group.author_score, _MAX_AUTHOR_SCORE)
    )
    least = sum(weight for weight, _ in _FACTS if weight < 0)
    most = sum(weight for weight, _ in _FACTS if weight > 0)
    for weight, holds in _FACTS:
        if total + least > _THRESHOLD or total + most <= _THRESHOLD:
            break
        if weight < 0:
            least -= weight
        else:
            most -= weight
        total += weight * holds(evidence)
    return total + least > _THRESHOLD


def are_comments(evidence: Evidence) -> bool:
    """Say whether messages are comments on a text before them: by their names or their number."""
    has_body = evidence.outside >= MIN_OUTSIDE or begins_with_body(evidence)
    return has_body and (evidence.comment_names or evidence.comment_count)


def begins_with_body(evidence: Evidence) -> bool:
    """Say whether the first message is the text that the others are comments on."""
    is_first = evidence.outside < MIN_OUTSIDE and evidence.first_share >= _MAX_FIRST_SHARE
    return is_first and len(evidence.group) > 1
