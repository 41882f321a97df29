"""Measures of posts: which posts of a thread were extracted whole, with their author and date.

A gold post is whole when one extracted post holds at least 90 % of its words and has at most 30 %
other words. It is partial when one holds at least half of its words, else it is lost. An author or
a date is right when it stands in the fields of that post, letters and digits compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tamis.content import Post
from tamis.lab.metrics.text import Counts, plain_words, word_counts

_MIN_WHOLE: Final = 0.9  # of a gold post's words
_MAX_OTHER: Final = 0.3  # of an extracted post's words
_MIN_PARTIAL: Final = 0.5  # of a gold post's words

POST_MEASURES: Final = (
    "posts_f1",
    *(f"{name}_recall" for name in ("whole", "partial", "lost", "author", "date")),
    "all_whole",
)


@dataclass(frozen=True)
class PostMatch:
    """The extracted post that is most like a gold post; None if that is lost."""

    index: int | None
    is_whole: bool


def match_posts(predicted: Sequence[str], wanted: Sequence[str]) -> list[PostMatch]:
    """Return a match for each wanted text; each predicted one is used once.

    Of equally good ones the first is taken, so that posts without words are matched in order.
    """
    bags = [Counter(plain_words(text)) for text in predicted]
    free = dict.fromkeys(range(len(bags)))
    matches = []
    for text in wanted:
        bag = Counter(plain_words(text))
        best = max(free, key=lambda index: _similarity(bags[index], bag), default=None)
        match = _judge(bags[best], bag, best) if best is not None else PostMatch(None, False)
        if match.index is not None:
            del free[match.index]
        matches.append(match)
    return matches


def _similarity(predicted: Counter[str], wanted: Counter[str]) -> float:
    """Return the word F1 of two posts."""
    return Counts((predicted & wanted).total(), predicted.total(), wanted.total()).f1


def _judge(predicted: Counter[str], wanted: Counter[str], index: int) -> PostMatch:
    """Return the match of a gold post with the extracted one that is most like it."""
    common, size, total = (predicted & wanted).total(), predicted.total(), wanted.total()
    share = common / total if total else 1.0
    other = (size - common) / size if size else 0.0
    if share >= _MIN_WHOLE and other <= _MAX_OTHER:
        return PostMatch(index, True)
    return PostMatch(index if share >= _MIN_PARTIAL and (total or not size) else None, False)


def post_measures(
    posts: Sequence[Post], wanted: Sequence[Mapping[str, Any]], text: str
) -> dict[str, float]:
    """Return the measures of a page's posts; `text` is that of all gold posts."""
    matches = match_posts([post.text for post in posts], [str(post["text"]) for post in wanted])
    pairs = [
        (posts[match.index], gold)
        for match, gold in zip(matches, wanted, strict=True)
        if match.index is not None
    ]
    whole = sum(match.is_whole for match in matches)
    hits = {
        "whole": whole,
        "partial": len(pairs) - whole,
        "lost": len(wanted) - len(pairs),
        "author": sum(_is_in(gold["author"], (p.author, p.author_url)) for p, gold in pairs),
        "date": sum(_is_in(gold["date"], (p.date, p.date_text, p.timestamp)) for p, gold in pairs),
    }
    indices = [match.index for match in matches if match.index is not None]
    is_complete = whole == len(wanted) and indices == sorted(indices)
    size = float(len(wanted))
    shares = {f"{name}_recall": count / max(size, 1.0) for name, count in hits.items()}
    counts = {f"{name}_common": float(count) for name, count in hits.items()}
    sizes = {f"{name}_wanted": size for name in hits}
    f1 = word_counts("\n".join(post.text for post in posts), text).f1
    return {**shares, **counts, **sizes, "posts_f1": f1, "all_whole": float(is_complete)}


def _is_in(wanted: str | None, fields: Iterable[str | None]) -> bool:
    """Say whether a value stands in one of the fields, letters and digits compared."""
    letters = _letters(wanted or "")
    return bool(letters) and any(letters in _letters(field or "") for field in fields)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
