"""What tells posts of a thread from comments below a text, and both from entries of a list."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.metadata import Markup
from tamis.page import Page, tags
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

_NAMES: Final = re.compile(rb'(?i)\s(?:class|id|itemprop|itemtype)="([^"]*)"')
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
    start = int(page.start[row])
    stop = min(int(page.head[row]), start + _MAX_TAG_BYTES)
    return b" ".join(_NAMES.findall(page.source, start, stop))


class PageEvidence(NamedTuple):
    """What a page tells about its messages, whatever they are."""

    is_forum: bool  # by the first guess at the page type
    thread_types: bool  # in schema.org's vocabulary
    article_types: bool
    thread_url: bool


def gather_page_evidence(page: Page, page_type: str | None) -> PageEvidence:
    """Return what a page tells about its messages."""
    source = page.source
    return PageEvidence(
        page_type == "forum",
        any(needle in source for needle in _THREAD_TYPES),
        any(needle in source for needle in _ARTICLE_TYPES),
        has_thread_url(page),
    )


def is_called_comments(names: bytes) -> bool:
    """Say whether names of elements are those of comments."""
    return bool(_COMMENT_NAMES.search(names))


def has_thread_url(page: Page) -> bool:
    """Say whether the URL of a page looks like that of a thread."""
    return bool(_THREAD_URL.search(page.url or Markup(page).link("canonical") or ""))


class Evidence(NamedTuple):
    """What tells a thread from comments below a text."""

    page: PageEvidence
    comment_names: bool  # of containers
    post_names: bool
    is_numbered: bool
    has_user_info: bool
    has_headlines: bool
    comment_count: bool  # "12 comments" before the messages
    outside: float  # weighted characters of text before the messages
    first_share: float  # of the messages' text in the first one
    author_score: float
    messages: int
    dated_share: float  # of messages


def gather_evidence(group: ReadGroup, page_evidence: PageEvidence) -> Evidence:
    """Return what tells whether a group of messages is a thread."""
    measures = group.group.measures
    page, first = measures.page, int(group.group.start[0])
    offset, outside = int(page.text_start[first]), float(measures.weight_before[first])
    return Evidence(
        page_evidence,
        is_called_comments(group.names),
        bool(_POST_NAMES.search(group.names)),
        group.is_numbered,
        group.has_user_info,
        group.has_headlines,
        bool(_COMMENT_COUNT.search(page.text, max(0, offset - _COUNT_CHARS), offset + 100)),
        outside,
        float(group.body_chars[0] / max(1, group.body_chars.sum())),
        group.author_score,
        len(group),
        sum(part.date >= 0 for part in group.parts) / len(group),
    )


def is_thread(evidence: Evidence) -> bool:
    """Say whether messages are posts of a discussion.

    The sum of all evidence decides, unless all says that they are comments. Messages of users that
    nothing calls comments are posts as well if there is no text outside that they could belong to,
    and none of them is that text.
    """
    if not evidence.author_score and not evidence.dated_share:
        return False
    values, page = thread_features(evidence), evidence.page
    has_body = evidence.outside >= _MIN_BODY and not (page.thread_types or page.thread_url)
    if has_body and evidence.comment_names and evidence.comment_count:
        return False
    if sum(a * b for a, b in zip(values, _WEIGHTS, strict=True)) > _THRESHOLD:
        return True
    is_apart = not evidence.comment_names and evidence.outside < MIN_OUTSIDE
    is_even = evidence.messages >= MIN_POSTS and evidence.first_share < _MAX_FIRST_SHARE
    has_users = evidence.author_score >= _MIN_USER_SCORE and not evidence.has_headlines
    return is_apart and is_even and has_users and evidence.dated_share >= _MIN_DATED_SHARE


def thread_features(evidence: Evidence) -> tuple[float, ...]:
    """Return the evidence as the numbers that `_WEIGHTS` belong to."""
    return (
        *map(float, evidence.page),
        *map(float, evidence[1:6]),
        math.log1p(evidence.outside / MIN_OUTSIDE),
        evidence.first_share,
        min(evidence.author_score, 3.0),
    )


# Rounded weights of a logistic regression on pages with and without threads (docs/documents.md).
_WEIGHTS: Final = (1.0, 1.2, -0.5, 2.4, 0.5, 0.6, 0.4, 1.3, -1.5, -0.8, -0.9, 0.6)
_THRESHOLD: Final = 1.8


def are_comments(evidence: Evidence) -> bool:
    """Say whether messages are comments on a text before them: by their names or their number."""
    has_body = evidence.outside >= MIN_OUTSIDE or begins_with_body(evidence)
    return has_body and (evidence.comment_names or evidence.comment_count)


def begins_with_body(evidence: Evidence) -> bool:
    """Say whether the first message is the text that the others are comments on."""
    is_first = evidence.outside < MIN_OUTSIDE and evidence.first_share >= _MAX_FIRST_SHARE
    return is_first and evidence.messages > 1
