"""Snippets: the part of a page that answers a query, with the words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tamis.store.query import Part
from tamis.store.words import Words, folded, is_spaceless, run_spans, split, unaccented

LENGTH: Final = 240  # characters of a snippet
MOST_PIECES: Final = 400  # that are looked at
Marks = tuple[str, str]


def best_piece(pieces: Sequence[bytes], parts: Sequence[Part]) -> bytes:
    """Return the piece that has most of a query's parts, as far as a quick look tells."""
    needles = [{word.encode() for row in part.choices for word in row} for part in parts]

    def score(piece: bytes) -> int:
        low = piece.lower() if piece.isascii() else plain(piece.decode("utf-8", "replace"))
        return sum(any(needle in low for needle in one) for one in needles)

    return max(pieces[:MOST_PIECES], key=score, default=b"")


def plain(text: str) -> bytes:
    """Return text in the form that words of an index have, but for their endings."""
    return unaccented(folded(text)).encode("utf-8", "replace")


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
            if not wanted.isdisjoint(words.of(run, language)):
                yield start, stop
            continue
        for part in split(run):
            if not is_spaceless(part):
                if not wanted.isdisjoint(words.of(part, language)):
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
