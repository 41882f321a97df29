"""Small measurements of pages that decisions rest on: scripts, noscript, hidden text, encodings.

Also how fast a browser lays pages out, and how many of them it understands differently.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

import tamis
from tamis.errors import Misaligned, TamisError
from tamis.lab.datasets import load, unpacked
from tamis.lab.layouts import files_of
from tamis.lab.metrics.text import plain_words, word_counts
from tamis.lab.report import Report, ReportTable
from tamis.lab.studies.samples import sample_pages
from tamis.lab.study import Log, Study
from tamis.page import join_text, tags

_SAMPLE: Final = 200  # pages
_MIN_NOSCRIPT_TERMS: Final = 50
_BODY: Final = re.compile(rb"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.S | re.I)
_LEGACY_ENCODINGS: Final = {
    "el": ("iso-8859-7", "windows-1253"),
    "en": ("windows-1252",),
    "pl": ("iso-8859-2", "windows-1250"),
    "ru": ("windows-1251", "koi8-r"),
    "zh": ("gbk", "big5", "gb18030"),
}
_DETECTED_BYTES: Final = 65536  # that detectors see of a page


@dataclass(frozen=True)
class ScriptBytesStudy(Study):
    """Measures which share of the bytes of pages is script and style sheet."""

    name: ClassVar[str] = "script-bytes"

    dataset: str = "wcxb-dev"
    limit: int = _SAMPLE

    def run(self, log: Log) -> Report:
        """Count the bytes of bodies of scripts and style sheets."""
        total: Counter[str] = Counter()
        for html in sample_pages(self.dataset, self.limit):
            total["all"] += len(html)
            for match in _BODY.finditer(html):
                kind = "json-ld" if b"ld+json" in match[2] else match[1].decode().lower()
                total[kind] += len(match[3])
        rows = [[kind, f"{count / total['all']:.3f}"] for kind, count in total.items()]
        title = f"Bytes of pages of {self.dataset}"
        return Report("tamis: script-bytes", [ReportTable(title, ["part", "share"], rows)])


@dataclass(frozen=True)
class NoscriptStudy(Study):
    """Lists pages with much text in noscript: terms inside, outside, and their ratio."""

    name: ClassVar[str] = "noscript"

    dataset: str = "wcxb-dev"
    limit: int | None = None

    def run(self, log: Log) -> Report:
        """Count terms inside and outside of noscript."""
        counts = []
        for item in load(self.dataset).spread(self.limit).items:
            page = tamis.parse(unpacked(item.path))
            inside = (page.tag == tags.TEXT) & ((page.flags & tags.NOSCRIPT) != 0)
            terms = sum(
                len(plain_words(join_text(page, np.array([row])))) for row in np.flatnonzero(inside)
            )
            outside = int(page.terms[~inside].sum())
            if terms >= _MIN_NOSCRIPT_TERMS:
                counts.append((outside / terms, terms, outside, item.kind))
        rows = [
            [kind, str(terms), str(outside), f"{ratio:.3f}"]
            for ratio, terms, outside, kind in sorted(counts)
        ]
        heads = ["page type", "terms inside", "terms outside", "outside / inside"]
        title = f"Pages of {self.dataset} with {_MIN_NOSCRIPT_TERMS} terms or more in noscript"
        return Report("tamis: noscript", [ReportTable(title, heads, rows)])


@dataclass(frozen=True)
class HiddenTextStudy(Study):
    """Measures the word F1 of each method with and without hidden text."""

    name: ClassVar[str] = "hidden-text"

    dataset: str = "wcxb-dev"
    limit: int | None = None
    every: int = 4  # one page in so many

    def run(self, log: Log) -> Report:
        """Score what methods keep, once with and once without hidden rows."""
        methods = [name for name, method in tamis.METHODS.items() if not method.needs_layout]
        scores: dict[str, list[tuple[float, float]]] = {name: [] for name in methods}
        items = load(self.dataset).spread(self.limit).items[:: self.every]
        with log.progress(len(items)) as progress:
            for item in items:
                page = tamis.parse(unpacked(item.path))
                gold = item.gold["main_content"]
                rows = np.flatnonzero(page.visible)
                for name in methods:
                    document = tamis.extract(page, method=name)
                    kept = rows[document.verdict.informative[document.segments.owner[rows]]]
                    texts = (join_text(page, r) for r in (kept, kept[~page.hidden[kept]]))
                    with_hidden, without = (word_counts(text, gold).f1 for text in texts)
                    scores[name].append((with_hidden, without))
                progress.advance()
        rows_by_method = [
            [name, *(f"{mean:.4f}" for mean in np.mean(pairs, axis=0))]
            for name, pairs in scores.items()
        ]
        heads = ["method", "with hidden text", "without"]
        title = f"Word F1 on {len(items)} pages of {self.dataset}"
        return Report("tamis: hidden-text", [ReportTable(title, heads, rows_by_method)])


@dataclass(frozen=True)
class EncodingsStudy(Study):
    """Measures time and errors of detectors on pages that were put into legacy encodings.

    Needs chardet and charset-normalizer.
    """

    name: ClassVar[str] = "encodings"

    dataset: str = "languages-dev"

    def run(self, log: Log) -> Report:
        """Let each detector guess the encoding of each page."""
        wrong: Counter[str] = Counter()
        seconds: dict[str, float] = defaultdict(float)
        cases = list(self._legacy_pages())
        for data, encoding in cases:
            for name, detect in _detectors().items():
                started = time.perf_counter()
                guess = detect(data[:_DETECTED_BYTES])
                seconds[name] += time.perf_counter() - started
                right = guess and data.decode(guess, "replace") == data.decode(encoding, "replace")
                wrong[name] += not right
        rows = [
            [name, f"{1000 * took / len(cases):.1f}", f"{wrong[name]} of {len(cases)}"]
            for name, took in seconds.items()
        ]
        heads = ["detector", "ms per page", "wrong"]
        title = f"Legacy encodings of {self.dataset}"
        return Report("tamis: encodings", [ReportTable(title, heads, rows)])

    def _legacy_pages(self) -> Iterator[tuple[bytes, str]]:
        """Yield every eighth page in other encodings, its declaration removed."""
        items = sorted(load(self.dataset).items, key=lambda item: item.path.name)
        for item in items[::8]:
            text = unpacked(item.path).decode("utf-8", "replace")
            bare = re.sub(r"charset=[^\"'> ]*", "", text)
            for encoding in _LEGACY_ENCODINGS[item.path.name[:2]]:
                yield bare.encode(encoding, "ignore"), encoding


def _detectors() -> dict[str, Callable[[bytes], str | None]]:
    """Return the detectors that were weighed."""
    import cchardet
    import chardet
    from charset_normalizer import from_bytes

    return {
        "faust-cchardet": lambda data: cchardet.detect(data)["encoding"],
        "charset-normalizer": lambda data: getattr(from_bytes(data).best(), "encoding", None),
        "chardet": lambda data: chardet.detect(data)["encoding"],
    }


@dataclass(frozen=True)
class RenderingStudy(Study):
    """Measures how fast pages are laid out, and how many the browser understands differently.

    Needs playwright and Chromium.
    """

    name: ClassVar[str] = "rendering"

    marked_dataset: str = "segments-dev"
    dataset: str = "wcxb-dev"
    limit: int = _SAMPLE  # of the second set

    def run(self, log: Log) -> Report:
        """Lay out pages with their files, and pages alone."""
        marked = [(item.html, files_of(item)) for item in load(self.marked_dataset).items]
        alone = [(html, None) for html in sample_pages(self.dataset, self.limit)]
        groups: dict[str, list[tuple[Any, Any]]] = {
            f"{self.marked_dataset} with its files": list(marked),
            f"{len(alone)} pages of {self.dataset} alone": list(alone),
        }
        heads = ["pages", "pages/s", "median s", "s of a core per page", "failed", "different"]
        rows = [[name, *_render_all(pages, log)] for name, pages in groups.items()]
        return Report("tamis: rendering", [ReportTable("Layout by a browser", heads, rows)])


def _render_all(pages: list[tuple[Any, Any]], log: Log) -> list[str]:
    """Lay out pages, and return the cells of their row."""
    from tamis.render import Browser

    seconds, failed = [], 0
    with (
        Browser() as browser,
        warnings.catch_warnings(record=True) as misaligned,
        log.progress(len(pages)) as progress,
    ):
        warnings.simplefilter("always", Misaligned)
        browser.render("<p>The first page starts the browser.")
        busy = -_cpu_seconds()
        for html, files in pages:
            start = time.perf_counter()
            try:
                browser.render(html, files=files)
            except TamisError as error:
                failed += 1
                log.say(str(error))
            seconds.append(time.perf_counter() - start)
            progress.advance()
        busy += _cpu_seconds()
    median = sorted(seconds)[len(seconds) // 2]
    return [
        f"{len(seconds) / sum(seconds):.2f}",
        f"{median:.2f}",
        f"{busy / len(seconds):.2f}",
        str(failed),
        f"{len(misaligned)} of {len(seconds)}",
    ]


def _cpu_seconds() -> float:
    """Return the time that this process and its descendants spent on a core (Linux)."""
    from tamis.render import process_tree

    ticks = 0
    for number in process_tree(os.getpid()):
        with suppress(OSError):  # it has ended meanwhile: its parent has its time
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
