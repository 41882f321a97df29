"""Posts and comments: the messages of a page with their texts and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tamis.content.selection import Selection
from tamis.page import Ints, Page, collapse_spaces, join_text, row_attributes, row_xpath, tags
from tamis.records import Message, Threads, is_profile_url
from tamis.values import find_dates, is_month_name, page_locale, parse_timestamp

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_DATE_CHARS: Final = 60
_MAX_PLAIN_CHARS: Final = 40  # of a text that is shown as it is
_EDGES: Final = " ,:;|·•»«-–—"
_MAX_LINKS: Final = 60  # of a message that may be its own
_A: Final = tags.CODE["a"]
_BY: Final = re.compile(
    r"(?i)^(?:posted |written |comment )?(?:by|von|par|por|di|от|作者)\b[:\s]{1,3}"
)
_SAYS: Final = re.compile(
    r"(?i)[\s,]{1,2}(?:says?|said|wrote|writes|schrieb|schreibt|sagt|a écrit|dit|dice|escribió|says"
    r"|meint|sagte)\s?(?:\.\.\.|…)?[:\s]{0,3}$"
)
_WEEKDAY: Final = re.compile(
    r"(?i)(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|mié|jue|vie"
    r"|sáb|dom|seg|ter|qua|qui|sex|gio|sab|пн|вт|ср|чт|пт|сб|вс)\w{0,8}\.?,?\s{1,2}(?:(?:den|the)\s)?$"
)
_CLOCK: Final = re.compile(
    r"(?i)[\s,]{0,3}(?:at|um|à|a las|alle|om|kl\.?|@|[-–—|·»])?[\s,]{0,2}"
    r"[012]?\d[:.h][0-5]\d(?::[0-5]\d)?"
    r"(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:uhr|h|utc|gmt|[ecmp][ds]?t)\b)?(?:\s?[+-]\d{2}:?\d{2}\b)?"
)
_EPOCH: Final = re.compile(r"(1\d{9})(?:\d{3})?")
_LETTERS_OR_DIGITS: Final = re.compile(r"[^\W\d_]{1,20}|\d{1,20}")
_OWN_TEXT: Final = re.compile(r"(?i)(?:#|№|nr\.? ?)?\d{1,9}|permalink|link|direct ?link|share|¶|§")
_NOT_OWN_URL: Final = re.compile(
    r"(?i)repl|quot|report|login|register|javascript:|edit|vote|mailto:"
)


@dataclass(frozen=True)
class Comment:
    """A comment on a text, or on a post of a thread.

    `date` is in the form 2024-03-05 if it can be told, `date_text` as the page shows it (in a
    tooltip if the text is relative), and `timestamp` as an attribute states it. `depth` is 0 for a
    comment that is no reply. `post` is the index of the post that a comment on a thread belongs to.
    """

    author: str | None
    author_url: str | None
    date: str | None
    date_text: str | None
    timestamp: str | None
    text: str
    depth: int
    url: str | None
    xpath: str
    post: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the comment as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Post:
    """A post of a thread: of a forum, of questions and answers, of a mailing list.

    Fields have the meaning that they have in comments. `text` has the quotes, which `quote`
    repeats, but not the signature.
    """

    author: str | None
    author_url: str | None
    date: str | None
    date_text: str | None
    timestamp: str | None
    text: str
    quote: str | None
    signature: str | None
    depth: int
    url: str | None
    is_question: bool
    is_accepted: bool
    xpath: str

    def as_dict(self) -> dict[str, Any]:
        """Return the post as plain data."""
        return asdict(self)


def arrow_type(kind: type[Post] | type[Comment]) -> pa.DataType:
    """Return the Arrow type of a column of posts or comments; needs pyarrow."""
    import pyarrow as pa

    types = {"depth": pa.int32(), "post": pa.int32()}
    types |= dict.fromkeys(("is_question", "is_accepted"), pa.bool_())
    members = [(field.name, types.get(field.name, pa.string())) for field in fields(kind)]
    return pa.list_(pa.struct(members))


def build_posts(selection: Selection, threads: Threads) -> tuple[Post, ...]:
    """Return the posts of a thread with their values."""
    reader = _MessageValues(selection)
    posts = []
    for message in selection.budget.watch(threads.posts):
        parts = message.parts
        posts.append(
            Post(
                **reader.common(message),
                quote=reader.text(parts.quote) or None,
                signature=reader.text(parts.signature) or None,
                is_question=message.is_question,
                is_accepted=message.is_accepted,
            )
        )
    return tuple(posts)


def build_comments(selection: Selection, threads: Threads) -> tuple[Comment, ...]:
    """Return the comments of a page with their values."""
    reader = _MessageValues(selection)
    return tuple(
        Comment(**reader.common(message), post=message.post if message.post >= 0 else None)
        for message in selection.budget.watch(threads.comments)
    )


@dataclass(frozen=True, eq=False)
class _MessageValues:
    """Reads the values of messages."""

    selection: Selection

    @property
    def page(self) -> Page:
        """The page of the messages."""
        return self.selection.page

    @cached_property
    def _links(self) -> Ints:
        return np.flatnonzero(self.page.tag == _A)

    @cached_property
    def _month_first(self) -> bool:
        return page_locale(self.page).month_first

    def common(self, message: Message) -> dict[str, Any]:
        """Return the fields that posts and comments have."""
        shown, stamp = self._date_texts(message)
        day = self._parse_date(shown, stamp)
        return {
            "author": self._author(message),
            "author_url": self._author_url(message),
            "date": day.isoformat() if day else None,
            "date_text": shown,
            "timestamp": stamp,
            "text": self.text(message.parts.body),
            "depth": message.depth,
            "url": self._own_url(message),
            "xpath": row_xpath(self.page, message.node),
        }

    def text(self, rows: Ints) -> str:
        """Return the text of rows."""
        return join_text(self.page, rows).strip()

    # Authors --------------------------------------------------------------------------------------

    def _author(self, message: Message) -> str | None:
        """Return the name of the author, without words such as "by" and "says"."""
        row = message.parts.author
        if row < 0:
            return None
        name = collapse_spaces(self.page.text[self.page.text_start[row] : self.page.text_stop[row]])
        name = _SAYS.sub("", _BY.sub("", name)).strip(_EDGES)
        return name or None

    def _author_url(self, message: Message) -> str | None:
        """Return the URL of the author: of the link around the name, else of a link to a user."""
        page, row = self.page, message.parts.author
        while row >= message.start:
            if page.tag[row] == _A:
                return self._resolve(row)
            row = int(page.parent[row])
        for link, href in self._message_links(message):
            if is_profile_url(href):
                return self._resolve(link)
        return None

    # Dates ----------------------------------------------------------------------------------------

    def _date_texts(self, message: Message) -> tuple[str | None, str | None]:
        """Return the date as the page shows it, and as an attribute states it."""
        page, parts = self.page, message.parts
        if parts.date < 0:
            return None, None
        shown = None
        if parts.date_text >= 0:
            text = page.text[page.text_start[parts.date_text] : page.text_stop[parts.date_text]]
            shown = self._trim_date(collapse_spaces(text) + self._clock_after(message)) or None
            if _CLOCK.fullmatch(shown or ""):
                shown = self._date_around(parts.date) or shown
        attributes = row_attributes(page, parts.date)
        title = collapse_spaces(attributes.get("title", ""))[:_MAX_DATE_CHARS]
        if not _names_day(shown) and _has_day(title):
            shown = title  # a relative date, whose tooltip is the date itself
        names = ("datetime", "title", "data-time", "data-timestamp", "content")
        stamps = (attributes.get(name, "").strip() for name in names)
        stamp = next((stamp for stamp in stamps if any(char.isdigit() for char in stamp)), None)
        return shown, stamp[:_MAX_DATE_CHARS] if stamp else None

    def _date_around(self, element: int) -> str | None:
        """Return the text around a time of day if it is short and names a day."""
        page, above = self.page, int(self.page.parent[element])
        text = collapse_spaces(page.text[page.text_start[above] : page.text_stop[above]])
        text = text.strip(_EDGES)
        return text if len(text) <= _MAX_PLAIN_CHARS and _names_day(text) else None

    def _clock_after(self, message: Message) -> str:
        """Return the time of day in a text of its own after that of the date."""
        page, row = self.page, message.parts.date_text
        start = int(page.text_stop[row])
        following = page.text[start : start + 14].partition("\n")[0]
        clock = _CLOCK.match(following.lstrip())
        return f" {clock[0].strip()}" if clock and clock.end() == len(following.strip()) else ""

    def _trim_date(self, text: str) -> str:
        """Return a text that is a date; of a long one the date, its day of the week and time."""
        if len(text) <= _MAX_PLAIN_CHARS:
            return text.strip(_EDGES)
        match = next(find_dates(text, month_first=self._month_first), None)
        if match is None:
            return text[:_MAX_DATE_CHARS].strip(_EDGES)
        _, start, stop = match
        weekday, clock = _WEEKDAY.search(text, 0, start), _CLOCK.match(text, stop)
        start = weekday.start() if weekday else start
        return text[start : clock.end() if clock else stop].strip()

    def _parse_date(self, shown: str | None, stamp: str | None) -> date | None:
        """Return the day of a message."""
        if stamp and (epoch := _EPOCH.fullmatch(stamp)):
            return datetime.fromtimestamp(int(epoch[1]), UTC).date()
        for text in (stamp, shown):
            if text and (day := parse_timestamp(text, month_first=self._month_first)):
                return day
        return None

    # Links ----------------------------------------------------------------------------------------

    def _message_links(self, message: Message) -> Iterator[tuple[int, str]]:
        """Yield the first links of a message, outside of its text, and their URLs."""
        low, high = np.searchsorted(self._links, (message.start, message.stop))
        body = message.parts.body
        first, last = (int(body[0]), int(body[-1])) if len(body) else (-1, -1)
        count = 0
        for row in self._links[low:high].tolist():
            if first <= row <= last or count > _MAX_LINKS:
                continue
            count += 1
            if href := row_attributes(self.page, row).get("href"):
                yield row, href

    def _own_url(self, message: Message) -> str | None:
        """Return the URL of the message itself.

        It is that of the link around the date, of a link to an anchor, of a link that is a number,
        or the anchor that the message's element is.
        """
        page, date_row = self.page, message.parts.date
        best, best_rank = None, 9
        node_id = row_attributes(page, message.node).get("id", "")
        for row, href in self._message_links(message):
            if _NOT_OWN_URL.search(href) or is_profile_url(href):
                continue
            fragment = href.partition("#")[2]
            text = collapse_spaces(page.text[page.text_start[row] : page.text_stop[row]])
            if date_row >= 0 and (row <= date_row < page.end[row] or page.parent[row] == date_row):
                rank = 0
            elif fragment and (fragment == node_id or any(char.isdigit() for char in fragment)):
                rank = 1
            elif _OWN_TEXT.fullmatch(text):
                rank = 2
            else:
                continue
            if rank < best_rank:
                best, best_rank = row, rank
        if best is not None:
            return self._resolve(best)
        return self.selection.resolve_url(f"#{node_id}") if node_id else None

    def _resolve(self, row: int) -> str | None:
        """Return the URL of a link."""
        return self.selection.resolve_url(row_attributes(self.page, row).get("href", ""))


def _has_day(text: str | None) -> bool:
    """Say whether a text has a date of the calendar."""
    return bool(text) and next(find_dates(text or ""), None) is not None


def _names_day(text: str | None) -> bool:
    """Say whether a text has a date of the calendar, or a day and a month without the year."""
    if _has_day(text):
        return True
    words = _LETTERS_OR_DIGITS.findall(text or "")
    return any(map(is_month_name, words)) and any(word.isdigit() for word in words)
