"""Whether documents come out whole: tables, sections, code and lists, beside other tools.

Every system gives its output as HTML, which keeps headings apart from text. A method that was
trained on the set is measured out of fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import ClassVar, Final

from tamis.errors import Unavailable
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.metrics.structure import StructureCounts, count_structure
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.run import limit_time, silence_libraries
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_fold_method
from tamis.lab.systems.processes import PeerProcess, find_process_peer
from tamis.page import parse
from tamis.pipeline import extract

_TIMEOUT: Final = 30.0  # seconds for one page
# Rows of the table: a name, what is counted, and what this is a part of.
_ROWS: Final = (
    ("cells missing in kept tables", "missing_cells", "cells"),
    ("sections without their heading", "without_heading", "sections"),
    ("pre of the gold, lost", "lost_pre", "pre"),
    ("pre of the gold, cut", "cut_pre", "pre"),
    ("kept lists with items missing", "broken_lists", "lists"),
    ("headings with nothing below", "empty_headings", "headings"),
    ("… and text below on the page", "torn_headings", "headings"),
    ("repeated lines", "repeated_lines", "lines"),
)

_Render = Callable[[str, Item], str]  # HTML of a page → HTML of its content


@dataclass(frozen=True)
class StructureStudy(Study):
    """Counts what is torn in the outputs of the default, trafilatura and defuddle."""

    name: ClassVar[str] = "structure"

    dataset: str = "wcxb-dev"
    limit: int | None = None  # of pages

    def run(self, log: Log) -> Report:
        """Count over all pages, for all systems that are installed."""
        dataset = load(self.dataset).spread(self.limit)
        with ExitStack() as stack:
            stack.enter_context(silence_libraries())
            systems: dict[str, _Render] = {"tamis": _tamis(dataset)}
            for name, start in (("trafilatura", _trafilatura), ("defuddle", _defuddle)):
                try:
                    systems[name] = stack.enter_context(start())
                except (Unavailable, ImportError) as error:
                    log.say(f"left out: {name} ({error})")
            counts, failures = _count_all(dataset, systems, log)
        return Report(
            "tamis: structure of documents",
            [_structure_table(dataset, counts)],
            data={name: asdict(sums) for name, sums in counts.items()},
            remarks=[
                f"{name} failed on {count} pages, which count as empty"
                for name, count in failures.items()
                if count
            ],
        )


def _count_all(
    dataset: Dataset, systems: dict[str, _Render], log: Log
) -> tuple[dict[str, StructureCounts], dict[str, int]]:
    """Return the counts of each system over all pages, and on how many pages it failed."""
    counts = dict.fromkeys(systems, StructureCounts())
    failures = dict.fromkeys(systems, 0)
    with log.progress(len(dataset.items)) as progress:
        for item in dataset.items:
            html = item.html
            page = parse(html, item.url, deadline=None)
            for name, render in systems.items():
                try:
                    with limit_time(_TIMEOUT):
                        output = render(html, item)
                except Exception:  # whatever a peer raises, the page counts as failed
                    output = ""
                    failures[name] += 1
                parsed = parse(output, deadline=None)
                counts[name] += count_structure(page, parsed, item.gold["main_content"] or "")
            progress.advance()
    return counts, failures


def _structure_table(dataset: Dataset, counts: dict[str, StructureCounts]) -> ReportTable:
    """Return the counts with their shares, one column per system."""
    rows = []
    for label, part, whole in _ROWS:
        cells = []
        for sums in counts.values():
            number, total = getattr(sums, part), getattr(sums, whole)
            share = f"{100 * number / total:.1f} %" if total else "–"
            cells.append(f"{number:,} of {total:,}, {share}")
        rows.append([label, *cells])
    return ReportTable(
        f"Structure of the documents of {dataset.name}, {len(dataset.items):,} pages",
        ["", *counts],
        rows,
        "A table or list is kept if half of its cells or items with text are in the output, a "
        "section if twenty of its words are. Words of page and output are aligned.",
    )


def _tamis(dataset: Dataset) -> _Render:
    """Return the HTML of the default method, out of fold."""

    def render(html: str, item: Item) -> str:
        return extract(html, item.url, method=find_fold_method("learned", dataset, item)).html

    return render


@contextmanager
def _trafilatura() -> Iterator[_Render]:
    """Give trafilatura's HTML, with what structure it has to offer."""
    from trafilatura import extract as extract_html

    yield (
        lambda html, item: (
            extract_html(
                html,
                url=item.url,
                output_format="html",
                include_tables=True,
                include_formatting=True,
            )
            or ""
        )
    )


@contextmanager
def _defuddle() -> Iterator[_Render]:
    """Give defuddle's HTML."""
    with PeerProcess(find_process_peer("defuddle")).running() as ask:
        yield lambda html, _: ask(html)[0]
