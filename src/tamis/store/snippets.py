"""Snippets: the part of a page that answers a query, with the words marked."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from tamis.store.query import Part
from tamis.store.words import Words, folded, is_spaceless, run_spans, split, unaccented

LENGTH: Final = 240  # characters of a snippet
MOST_PIECES: Final = 400  # that are looked at
Marks = tuple[str, str]


def best_piece(pieces: Sequence[bytes], parts: Sequence[Part]) -> bytes:
    """Return the piece that has most of a query's parts, as far as a quick look tells.

    Words of an index have no accents and no capitals. Most texts have each word without these
    somewhere, so accents are only looked through if nothing is found otherwise.
    """
    if not pieces:
        return b""
    joined = b"\0".join(pieces[:MOST_PIECES])
    counts = counts_of(joined.lower(), parts) or counts_of(plain(joined), parts)
    best = max(counts, key=lambda at: (counts[at], min(len(pieces[at]), LENGTH), -at), default=0)
    return pieces[best]


def counts_of(joined: bytes, parts: Sequence[Part]) -> Counter[int]:
    """Return how many parts of a query each piece has that has any."""
    ends = list(accumulate(len(piece) + 1 for piece in joined.split(b"\0")))
    counts: Counter[int] = Counter()
    for part in parts:
        having: set[int] = set()
        for needle in {word.encode() for row in part.choices for word in row}:
            at = joined.find(needle)
            while at >= 0:
                place = bisect_right(ends, at)
                having.add(place)
                at = joined.find(needle, ends[place])  # in a piece after this one
        counts.update(having)
    return counts


def plain(html: bytes) -> bytes:
    """Return HTML in the form that words of an index have, but for their endings."""
    return unaccented(folded(html.decode("utf-8", "replace"))).encode("utf-8", "replace")


def snippet(
    text: str, parts: Sequence[Part], words: Words, language: str | None, marks: Marks
) -> str:
    """Return the densest part of a text with the words of a query marked."""
    wanted = {word for part in parts for row in part.choices for word in row}
    spans = list(merged(hits(text, wanted, words, language)))
    start, stop = window(text, spans)
    out: list[str] = ["…" * (start > 0)]
    last = start
    for low, high in spans:
        if low >= start and high <= stop:
            out += [text[last:low], marks[0], text[low:high], marks[1]]
            last = high
    return "".join((*out, text[last:stop], "…" * (stop < len(text))))


def hits(
    text: str, wanted: set[str], words: Words, language: str | None
) -> Iterator[tuple[int, int]]:
    """Yield where a text has wanted words, in order."""
    for start, stop in run_spans(text):
        run = text[start:stop]
        if not is_spaceless(run):
            if words.one(run, language) in wanted:
                yield start, stop
            continue
        for part in split(run):
            if not is_spaceless(part):
                if words.one(part, language) in wanted:
                    yield start, start + len(part)
            else:
                for at in range(len(part)):
                    for size in (1, 2):
                        if len(found := part[at : at + size]) == size and folded(found) in wanted:
                            yield start + at, start + at + size
            start += len(part)


def merged(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans of which those that overlap are one."""
    low, high = -1, -1
    for start, stop in spans:
        if start < high:
            high = max(high, stop)
            continue
        if high >= 0:
            yield low, high
        low, high = start, stop
    if high >= 0:
        yield low, high


def window(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the part of a text, of the length of a snippet, that has most of the spans."""
    if len(text) <= LENGTH:
        return 0, len(text)
    best, most = 0, 0
    for place, (low, _) in enumerate(spans):
        inside = sum(1 for _, high in spans[place : place + LENGTH] if high - low <= LENGTH)
        if inside > most:
            best, most = low, inside
    start = min(max(0, best - LENGTH // 6), len(text) - LENGTH)
    space = text.find(" ", start, start + LENGTH // 6)
    start = space + 1 if start > 0 and 0 <= space < best else start
    stop = min(len(text), start + LENGTH)
    cut = text.rfind(" ", start + LENGTH // 2, stop)
    return start, cut if stop < len(text) and cut > 0 else stop
