"""What workers do for agents: a page as Markdown in parts, what it says about a query, records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tamis.blocks import term_pattern
from tamis.content import Chunk
from tamis.page import collapse_spaces
from tamis.pipeline import DEFAULT_METHOD
from tamis.serve.tasks import PageInput, describe_document, encode_json, read_page

_CHUNK_TOKENS: Final = 200
_CONTEXT_CHARS: Final = 160  # on each side of a match
_SATURATION: Final = 1.2  # BM25's k1 and b
_LENGTH_WEIGHT: Final = 0.75


@dataclass(frozen=True)
class ReadTask:
    """A part of a page's Markdown, or the chunks of it that answer a query."""

    page: PageInput
    max_length: int
    start_index: int = 0
    query: str | None = None

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = read_page(self.page, DEFAULT_METHOD, None, limits)
        markdown = document.markdown
        answer = {**describe_document(document), "title": document.metadata.title}
        if self.query and self.query.strip():
            chunks = document.chunks(_CHUNK_TOKENS)
            best = choose_chunks([chunk.text for chunk in chunks], self.query, self.max_length)
            parts = [_with_headings(chunks[index]) for index in best]
            content, next_index = "\n\n[…]\n\n".join(parts), None
        else:
            stop = self.start_index + self.max_length
            content = markdown[self.start_index : stop]
            next_index = stop if stop < len(markdown) else None
        return encode_json(
            answer
            | {
                "content": content,
                "start_index": self.start_index,
                "next_index": next_index,
                "total_length": len(markdown),
            }
        )


def _with_headings(chunk: Chunk) -> str:
    """Return a chunk below the headings that it stands under, unless it begins with them."""
    text = chunk.text.strip()
    if not chunk.headings or text.startswith("#"):
        return text
    return f"({' › '.join(chunk.headings)})\n{text}"


def choose_chunks(texts: Sequence[str], query: str, max_length: int) -> list[int]:
    """Return the texts that say most about a query, in their order, within a length: BM25."""
    pattern = term_pattern()
    wanted = set(pattern.findall(query.casefold()))
    counts = [Counter(pattern.findall(text.casefold())) for text in texts]
    mean = sum(map(Counter.total, counts)) / max(len(counts), 1) or 1.0
    scores = [0.0] * len(texts)
    for term in wanted:
        frequency = sum(term in count for count in counts)
        weight = math.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
        for index, count in enumerate(counts):
            if times := count[term]:
                length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * count.total() / mean
                scores[index] += weight * times * (_SATURATION + 1) / (times + _SATURATION * length)
    chosen: list[int] = []
    space = max_length
    for index in sorted(range(len(texts)), key=lambda index: -scores[index]):
        if scores[index] <= 0 or (chosen and len(texts[index]) > space):
            break
        chosen.append(index)
        space -= len(texts[index])
    return sorted(chosen)


@dataclass(frozen=True)
class FindTask:
    """Where a text stands in a page, noise included."""

    page: PageInput
    text: str
    limit: int

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = read_page(self.page, DEFAULT_METHOD, None, limits)
        matches: list[dict[str, Any]] = []
        wanted, total = self.text.casefold(), 0
        for block in document.blocks:
            text = collapse_spaces(block.text)
            folded = text.casefold()
            start = folded.find(wanted)
            if start < 0:
                continue
            total += folded.count(wanted)
            if len(matches) < self.limit:
                left = max(0, start - _CONTEXT_CHARS)
                matches.append(
                    {
                        "context": text[left : start + len(wanted) + _CONTEXT_CHARS],
                        "xpath": block.xpath,
                        "is_content": bool(block.informative),
                        "score": round(block.score or 0.0, 4),
                    }
                )
        title = document.metadata.title
        answer = {**describe_document(document), "title": title}
        return encode_json(answer | {"matches": matches, "total": total})


@dataclass(frozen=True)
class ListTask:
    """Some rows of the records of a page."""

    page: PageInput
    limit: int
    offset: int = 0

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = read_page(self.page, DEFAULT_METHOD, None, limits)
        records = document.records
        rows = [dict(row) for row in records.rows[self.offset : self.offset + self.limit]]
        answer = {**describe_document(document), "title": document.metadata.title}
        return encode_json(
            answer
            | {
                "fields": [{"name": field.name, "type": field.type} for field in records.fields],
                "rows": rows,
                "total": len(records),
                "reason": records.reason,
                "next_page": document.next_page,
            }
        )
