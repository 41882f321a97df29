"""Growth: the time per byte of pages whose body is there several times over."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final

import tamis
from tamis.content import Document
from tamis.lab.report.report import ReportTable
from tamis.page import tags

FACTORS: Final = (1, 4, 16, 64)
MAX_GROWTH: Final = 1.3  # of the time per byte
_PAGES: Final = 4
_PAGE_BYTES: Final = 45_000  # about so many, so that 64 times as much is still a page
_ROUNDS: Final = 5

FORMS: Final[Mapping[str, Callable[[Document], object]]] = {
    "text": lambda document: document.text,
    "Markdown": lambda document: document.markdown,
    "HTML": lambda document: document.html,
    "blocks": lambda document: [block.text for block in document.blocks],
    "records": lambda document: document.records,
    "metadata": lambda document: document.metadata,
}


def measure_growth(pages: Sequence[bytes]) -> dict[str, list[float]]:
    """Return for each form of a document the time per byte at each factor, in that of factor 1.

    The time is from bytes to the form, on a few pages of middling size; the best of some rounds.
    """
    chosen = sorted(pages, key=lambda page: abs(len(page) - _PAGE_BYTES))[:_PAGES]
    grown = {factor: [repeat_body(page, factor) for page in chosen] for factor in FACTORS}
    growth: dict[str, list[float]] = {}
    for name, form in FORMS.items():
        per_byte = [_time_per_byte(grown[factor], form) for factor in FACTORS]
        growth[name] = [seconds / per_byte[0] for seconds in per_byte]
    return growth


def greatest_growth(per_byte: Sequence[float]) -> float:
    """Return how many times as long a byte takes at a factor than at any smaller one, at most."""
    return max(later / earlier for earlier, later in combinations(per_byte, 2))


def repeat_body(html: bytes, factor: int) -> bytes:
    """Return a page, normalised, with the content of its body so many times."""
    page = tamis.parse(html)
    body = int((page.tag == tags.CODE["body"]).argmax())
    start, stop = int(page.head[body]), int(page.stop[body]) - len(b"</body>")
    source = page.source
    return source[:start] + factor * source[start:stop] + source[stop:]


def _time_per_byte(pages: Sequence[bytes], form: Callable[[Document], object]) -> float:
    """Return the seconds per byte from pages to a form; the collector of garbage is on."""
    best = [float("inf")] * len(pages)
    for _ in range(_ROUNDS):
        for index, page in enumerate(pages):
            gc.collect()
            started = time.thread_time()
            form(tamis.extract(page, max_nodes=None, deadline=None))
            best[index] = min(best[index], time.thread_time() - started)
    return sum(best) / sum(map(len, pages))


def growth_table(growth: Mapping[str, Sequence[float]]) -> ReportTable:
    """Return growth as a table."""
    heads = ["time per byte, 1× = 1", *(f"{factor}×" for factor in FACTORS)]
    rows = [[name, *(f"{value:.2f}" for value in values)] for name, values in growth.items()]
    caption = "from bytes to the form, on pages whose body is there several times over"
    return ReportTable("Growth", heads, rows, caption)
