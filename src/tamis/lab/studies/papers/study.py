"""The study of the papers: `tamis evaluate papers`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from tamis.errors import InputError, UnknownName
from tamis.lab.report.report import Report
from tamis.lab.studies.papers import claims, debnath, debnath_figures, other_papers
from tamis.lab.studies.papers.items import FAILS, HOLDS, UNKNOWN, Outcomes, PaperItem
from tamis.lab.studies.papers.parts import PARTS, measure_part, user_part_cache
from tamis.lab.study import Log, Study


@dataclass(frozen=True)
class ItemSpec:
    """How an item is built, and the parts that it needs; `optional` ones add rows."""

    build: Callable[[Outcomes], PaperItem]
    parts: tuple[str, ...]
    optional: tuple[str, ...] = ()


ITEMS: Final[Mapping[str, ItemSpec]] = {
    "claims": ItemSpec(claims.build_claims, claims.CLAIM_PARTS),
    "debnath-table-1": ItemSpec(debnath.build_table_1, ("data",)),
    "debnath-table-2": ItemSpec(debnath.build_table_2, ("sites",)),
    "debnath-table-3": ItemSpec(debnath.build_table_3, ("shops",)),
    "debnath-table-4": ItemSpec(claims.build_table_4, ("sites", "curve", "times")),
    "debnath-table-5": ItemSpec(claims.build_table_5, ("sites", "times", "storage")),
    "debnath-table-6": ItemSpec(debnath.build_table_6, ("sites",)),
    "debnath-figure-7": ItemSpec(debnath_figures.build_figure_7, ("times",)),
    "debnath-figure-8": ItemSpec(debnath_figures.build_figure_8, ("storage",)),
    "debnath-figure-9": ItemSpec(debnath_figures.build_figure_9, ("times",)),
    "debnath-figure-10": ItemSpec(debnath_figures.build_figure_10, ("svm",)),
    "debnath-copies": ItemSpec(debnath_figures.build_copies, ("copies",)),
    "debnath-pages-needed": ItemSpec(debnath_figures.build_pages_needed, ("curve",)),
    "keypattern-table-1": ItemSpec(other_papers.build_segmentation, ("segments",), ("layout",)),
    "keypattern-figures-5-6": ItemSpec(
        other_papers.build_segmentation_graphs, ("segments",), ("layout",)
    ),
    "keypattern-search": ItemSpec(other_papers.build_search, ("search",)),
    "optimum-node": ItemSpec(other_papers.build_optimum, ("pages",)),
    "tagwindow-table-1": ItemSpec(other_papers.build_phones, ()),
    "tagwindow-table-2": ItemSpec(other_papers.build_phone_shops, ("records",)),
    "eifce": ItemSpec(other_papers.build_eifce, ("layout",)),
    "sitestyle": ItemSpec(debnath.build_sitestyle, ("sites",)),
}


@dataclass(frozen=True)
class PapersStudy(Study):
    """Re-runs the tables and figures of the papers, with the papers' numbers beside ours.

    `only` is a list of items like `debnath-table-2,optimum-node`; the beginning of a name stands
    for all items that begin so. `fresh` measures again what the cache has.
    """

    name: ClassVar[str] = "papers"

    only: str | None = None
    fresh: bool = False

    def run(self, log: Log) -> Report:
        """Measure what the items need, part by part, and build them."""
        chosen = choose_items(self.only)
        names = [name for name in PARTS if any(name in _parts(spec) for spec in chosen.values())]
        outcomes, problems = _measure_parts(names, log, fresh=self.fresh)
        items = [_build_item(spec, outcomes, problems) for spec in chosen.values()]
        return build_report(items)


def choose_items(only: str | None) -> dict[str, ItemSpec]:
    """Return the items that a user names, all without names."""
    if only is None:
        return dict(ITEMS)
    chosen: dict[str, ItemSpec] = {}
    for word in filter(None, (word.strip() for word in only.split(","))):
        matches = {word: ITEMS[word]} if word in ITEMS else {}
        matches = matches or {key: spec for key, spec in ITEMS.items() if key.startswith(word)}
        if not matches:
            raise UnknownName(f"no item {word!r}: take some of {', '.join(ITEMS)}")
        chosen |= matches
    if not chosen:
        raise InputError(f"--only names no item: take some of {', '.join(ITEMS)}")
    return chosen


def _parts(spec: ItemSpec) -> tuple[str, ...]:
    return spec.parts + spec.optional


def _measure_parts(
    names: Sequence[str], log: Log, *, fresh: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the outcomes of parts, and why others have none; one that fails stops no other."""
    cache = user_part_cache()
    outcomes: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        started, worked = time.monotonic(), time.process_time()
        log.say(f"part {number} of {len(names)}: {name}")
        try:
            outcomes[name] = measure_part(name, cache, log, fresh=fresh)
        except Exception as error:  # whatever a set or a tool does, the others are measured
            problems[name] = _explain(name, error)
            log.say(f"left out: {problems[name]}")
        passed, took = time.monotonic() - started, time.process_time() - worked
        log.say(f"{name}: {passed:.0f} s, of which {took:.0f} s of computing")
    return outcomes, problems


def _explain(name: str, error: Exception) -> str:
    """Return what a part needs, and where to put it."""
    part = PARTS[name]
    several = name in ("data", "times", "shops")  # any of their sets will do
    sets = " or ".join(part.datasets) if several else part.datasets[0]
    browser = ", and Chromium to lay its pages out" if part.needs_browser else ""
    where = "as a folder in $TAMIS_BENCH"
    return f"{name} needs {sets} {where}{browser} ({error or type(error).__name__})"


def _build_item(
    spec: ItemSpec, outcomes: Mapping[str, Any], problems: Mapping[str, str]
) -> PaperItem:
    """Return an item with what its parts gave, and what is missing."""
    needs = [problems[name] for name in _parts(spec) if name in problems]
    return replace(spec.build(outcomes), needs=needs)


def build_report(items: Sequence[PaperItem]) -> Report:
    """Return the report on items."""
    return Report(
        "tamis: the papers, measured",
        [item.table for item in items],
        data={"items": [item.as_dict() for item in items]},
        remarks=[_summary(items)],
        lead="Tables, figures and claims of the papers, re-run on real pages: the paper's numbers "
        "beside ours, with 95 % intervals, the data, and why they differ. “ours” without a paper's "
        "number is a row that the paper does not have.",
        sections=[item.section for item in items],
    )


def _summary(items: Sequence[PaperItem]) -> str:
    """Return how many items are complete, and how many claims hold if they are among them."""
    measured = sum(not item.needs for item in items)
    complete = f"{measured} of {len(items)} items are complete."
    rows = [row for item in items if item.key == "claims" for row in item.rows]
    if not rows:
        return complete
    counts = Counter(str(row.ours.get("verdict")) for row in rows)
    return (
        f"{complete} Of {len(rows)} claims of the papers {counts[HOLDS]} hold, {counts[FAILS]} do "
        f"not hold here, and {counts[UNKNOWN]} cannot be told."
    )
