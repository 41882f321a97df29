"""The reader of markup held against the reference parser: on pages as they are, and mutated.

The reader must give the same source, text and columns as the reference, or say that the page is
hard. A page on which it does neither is minimised before it is shown.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from tamis.lab.datasets import find_folder, read_unpacked
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.page import Markup, read_by_reference, read_markup, replace_invalid, tags, to_utf8

_UNLIMITED: Final = 2**31
_MUTATED_PAGES: Final = 200  # that mutations start from
_MAX_SHOWN: Final = 20  # differences
_SEED: Final = 18
_SIGNS: Final = (
    *("<", ">", "</", "<!--", "-->", '"', "'", "=", "&", "&#", "&amp", "\r", "\r\n", "/>", " "),
    *("\n", "</body>", "</html>", "<html a=b>", "<body class='x' id=y>", "<head>", "</head>"),
    *("<![CDATA[", "<?x>", "<?xml >", "\u00a0", "&nbsp;", "&notin;", "<p/>", "<title>", "</br>"),
)
_COMMON: Final = (
    "p div span a b i font td tr table tbody li ul dd svg math form select option x-y g path "
    "linearGradient noscript iframe template button nobr object caption colgroup"
).split()
# Serialised, their text is raw wherever they stand. In SVG and MathML it may have tags in it, and
# then nobody can tell these from text, so that such trees are no reference.
_RAW_NAMES: Final = frozenset("script style xmp iframe noembed noframes plaintext".split())


@dataclass(frozen=True)
class Difference:
    """What the reader and the reference say differently about a page, and where."""

    what: str
    reader: object
    reference: object


@dataclass(frozen=True)
class ReaderStudy(Study):
    """Compares the reader with the reference and counts hard pages by reason."""

    name: ClassVar[str] = "reader"

    limit: int = 50_000  # mutated pages

    def run(self, log: Log) -> Report:
        """Compare on every page of every data set, then on mutated pages."""
        sets: dict[str, Counter[str]] = {}
        pages: list[bytes] = []
        differences: list[str] = []
        for name, paths in _find_pages().items():
            log.say(f"reading {len(paths)} pages of {name}")
            sets[name] = Counter()
            for path in paths:
                html = to_utf8(read_unpacked(path))[0]
                outcome = compare_with_reference(html)
                sets[name][_describe(outcome)] += 1
                if isinstance(outcome, Difference):
                    differences.append(f"{name}/{path.name}: {outcome}")
                pages.append(html)
        log.say(f"reading {self.limit} mutated pages")
        outcomes: Counter[str] = Counter()
        for html in mutate_pages(pages[:: max(1, len(pages) // _MUTATED_PAGES)], self.limit):
            outcome = compare_with_reference(html)
            outcomes[_describe(outcome)] += 1
            if isinstance(outcome, Difference) and len(differences) < _MAX_SHOWN:
                differences.append(f"{minimise(html, _differs)!r}: {outcome.what}")
        sets["mutated"] = outcomes
        return Report("tamis: the reader", [_outcome_table(sets)], remarks=differences)


def _find_pages() -> dict[str, list[Path]]:
    """Return the pages of all data sets beside the first one, by name."""
    bench = find_folder("wcxb-dev").parent
    folders = sorted(path for path in bench.iterdir() if path.is_dir())
    pages = {folder.name: sorted(folder.rglob("*.html.gz")) for folder in folders}
    return {name: paths for name, paths in pages.items() if paths}


def _outcome_table(sets: dict[str, Counter[str]]) -> ReportTable:
    """Return how many pages of each set are regular, hard and different, and why they are hard."""
    rows = []
    for name, outcomes in sets.items():
        total = sum(outcomes.values())
        hard = total - outcomes["regular"] - outcomes["different"]
        reasons = ", ".join(
            f"{reason} {count}"
            for reason, count in outcomes.most_common()
            if reason not in ("regular", "different")
        )
        share = f"{100 * hard / max(1, total):.1f} %"
        rows.append([name, str(total), share, str(outcomes["different"]), reasons])
    heads = ["set", "pages", "hard", "different", "reasons"]
    return ReportTable("Pages", heads, rows)


def _describe(outcome: Difference | str) -> str:
    return "different" if isinstance(outcome, Difference) else outcome or "regular"


def compare_with_reference(html: bytes) -> Difference | str:
    """Compare the reader with the reference on a page in UTF-8.

    Return a difference, or the reason why the page is hard, or an empty string if all is equal.
    """
    data = replace_invalid(html)
    markup = read_markup(data, _UNLIMITED, _UNLIMITED)
    if isinstance(markup, str):
        return markup
    if markup.deep or markup.crowded or markup.unclosed:
        return "limits"  # where the reader is right to differ
    return _find_difference(markup, read_by_reference(data, markup.cuts)) or ""


def _find_difference(markup: Markup, reference: Markup) -> Difference | None:
    """Return the first difference between what was read and what should have been."""
    for what in ("source", "text"):
        ours, theirs = getattr(markup, what), getattr(reference, what)
        if ours != theirs:
            shared = _count_shared(ours, theirs)
            start, stop = max(0, shared - 40), shared + 40
            return Difference(what, ours[start:stop], theirs[start:stop])
    counts = len(markup.columns["tag"]), len(reference.columns["tag"])
    if counts[0] != counts[1]:
        return Difference("rows", *counts)
    for name, column in markup.columns.items():
        rows = np.flatnonzero(column != reference.columns[name])[:3]
        if len(rows):
            return Difference(name, column[rows].tolist(), reference.columns[name][rows].tolist())
    return None


def _count_shared(ours: Sequence[object], theirs: Sequence[object]) -> int:
    """Return how many items at their start two sequences share."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))


def _differs(html: bytes) -> bool:
    return isinstance(compare_with_reference(html), Difference)


def minimise(html: bytes, is_bad: Callable[[bytes], bool]) -> bytes:
    """Return a page from which nothing can be left out without losing what is bad about it."""
    step = len(html) // 2
    while step:
        offset = 0
        while offset < len(html):
            shorter = html[:offset] + html[offset + step :]
            if is_bad(shorter):
                html = shorter
            else:
                offset += step
        step //= 2
    return html


def mutate_pages(pages: Sequence[bytes], count: int, seed: int = _SEED) -> Iterator[bytes]:
    """Yield parts of pages with tags, signs and bytes put in, left out, and moved about."""
    draw = random.Random(seed)
    for _ in range(count):
        yield _mutate(draw.choice(pages), draw)


def _mutate(html: bytes, draw: random.Random) -> bytes:
    """Return a part of a page with a few changes."""
    size = draw.choice((200, 1000, 4000))
    start = 0 if draw.random() < 0.4 else draw.randrange(max(1, len(html) - size))
    start = max(0, html.find(b"<", start))
    stop = html.find(b">", start + size) + 1 or start + size
    part = bytearray(html[start : min(stop, start + 2 * size)])
    for _ in range(draw.choice((1, 2, 4, 12))):
        _change(part, draw)
    return to_utf8(bytes(part), "utf-8")[0]


def _change(part: bytearray, draw: random.Random) -> None:
    """Change a page at one place."""
    offset = draw.randrange(len(part) + 1)
    tag = part.find(b"<", offset)
    match draw.randrange(6):
        case 0:
            del part[offset : offset + draw.randrange(30)]
        case 1:
            part[offset:offset] = draw.choice(_SIGNS).encode()
        case 2:
            part[offset:offset] = _random_tag(draw)
        case 3 if tag >= 0:
            part[tag:tag] = _random_tag(draw)
        case 4 if tag >= 0:
            del part[tag : part.find(b">", tag) + 1 or tag]
        case _:
            start = draw.randrange(len(part) + 1)
            part[offset:offset] = part[start : start + draw.randrange(80)]


def _random_tag(draw: random.Random) -> bytes:
    """Return a start or end tag of any name, common ones more often."""
    names = _COMMON if draw.random() < 0.5 else tags.TAGS[2:]
    name = draw.choice([name for name in names if name not in _RAW_NAMES])
    return draw.choice((f"<{name}>", f"</{name}>", f"<{name} class=a>")).encode()
