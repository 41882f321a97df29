"""Records over folds of sites: constants that are chosen in them, rules that are switched off."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tamis
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.metrics.records import field_measures, record_counts
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.region_ranking import FEATURES, rank_over_folds
from tamis.lab.studies.samples import changed_attribute
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_method
from tamis.lab.systems.records import record_cells
from tamis.records import find_main_records

DATASET: Final = "records-dev"
FOLDS: Final = 5
_MEASURES: Final = ("P", "R", "F1", "field F1")
_NEVER: Final = 10**9  # of anything that is counted

_Scores = NDArray[np.float64]  # one row per page, one column per measure


class Change(NamedTuple):
    """Another value of an attribute, in the modules of tamis.records that have it."""

    label: str
    modules: Sequence[str]
    attribute: str
    value: Any


def _none(region: Any, *_: Any) -> NDArray[np.bool_]:
    """Return that none of the records or rows is meant."""
    return np.zeros(len(region), dtype=np.bool_)


def _never(*_: Any) -> bool:
    """Return that a rule does not hold."""
    return False


# The values that each constant is chosen from; the first one ships.
CONSTANTS: Final[Sequence[Sequence[Change]]] = tuple(
    tuple(Change(f"{label} {value}", modules, attribute, value) for value in values)
    for label, modules, attribute, values in (
        ("common factor", ["candidates"], "_COMMON_FACTOR", (3, 2, 5)),
        ("record share", ["candidates"], "_MAX_RECORD_SHARE", (0.8, 0.6, 0.9)),
        ("query weight", ["candidates", "regions"], "QUERY_WEIGHT", (10.0, 3.0, 30.0)),
        ("text per link", ["cells"], "MIN_TEXT_PER_LINK", (3, 2, 5)),
        ("share on other types", ["records"], "_MIN_SHARE_OTHER_TYPES", (0.25, 0.15, 0.3)),
        ("power of cells", ["candidates"], "_CELLS_EXPONENT", (1.5, 1.0, 2.0)),
        ("regular share", ["columns"], "_MIN_REGULAR_SHARE", (0.95, 0.8)),
        ("prose length", ["columns"], "_MIN_PROSE_LENGTH", (80, 40, 160)),
        ("equal share", ["duplicate_columns"], "_MIN_EQUAL_SHARE", (0.9, 0.8)),
    )
)
# Each rule of regions and of columns, switched off.
RULES: Final[Sequence[Change]] = (
    Change("the search query", ["records"], "find_search_queries", lambda page: ()),
    Change("the best cut by score", ["regions"], "_choose_best_cut", lambda best, _: best),
    Change("detached records", ["regions"], "_add_detached_records", lambda _, region: region),
    Change("separators are dropped", ["records"], "drop_separators", lambda region: region),
    Change("nav, aside, footer count less", ["records"], "_SIDE_INTEREST", 1.0),
    Change("a record is no whole region", ["candidates"], "_MAX_RECORD_SHARE", 1.0),
    Change("cells in common", ["candidates"], "_MIN_CELLS_PER_RECORD", 0.0),
    Change("cells that few have count less", ["candidates"], "_COMMON_FACTOR", _NEVER),
    Change("rows with equal cells are alike", ["candidates"], "_ROWSPAN", b""),
    Change("names of classes that hide", ["cells"], "_filter_texts", lambda _, texts, shown: texts),
    Change("prices for screen readers", ["cells"], "_are_read_aloud",
           lambda _, hides: np.zeros(len(hides), dtype=np.bool_)),
    Change("bars and bullets at ends", ["cells"], "_strip_signs", lambda text: text),
    Change("dates are cells", ["cells"], "_find_dates", _none),
    Change("links in sentences", ["cells"], "MIN_TEXT_PER_LINK", _NEVER),
    Change("names and values of one thing", ["regions", "records"], "is_pair_list", _never),
    Change("totals", ["ads"], "_find_totals", _none),
    Change("rows of headers", ["ads"], "_find_header_rows", _none),
    Change("alternatives are one column", ["columns", "tables"], "join_disjoint_columns",
           lambda _, columns: list(columns)),
    Change("duplicate columns", ["columns"], "drop_duplicates", lambda _, columns: iter(columns)),
    Change("columns of cut texts", ["duplicate_columns"], "_find_cut_columns",
           lambda *_: frozenset()),
    Change("columns of one record", ["columns"], "_is_rare", _never),
    Change("columns of separators", ["columns", "tables"], "has_only_separators", _never),
    Change("parts of irregular cells", ["tables"], "_join_irregular_parts",
           lambda _, columns, texts: iter(columns)),
    Change("usual indexes", ["columns"], "_find_usual_indexes", lambda _: {}),
    Change("prose is one text", ["columns"], "_MIN_PROSE_LENGTH", _NEVER),
    Change("cells apart by type", ["columns"], "_MIN_REGULAR_SHARE", 0.0),
    Change("prices in parts", ["fields"], "assemble_prices", lambda columns, *_: list(columns)),
    Change("ratings with counts", ["fields"], "split_ratings", list),
    Change("labels", ["column_names"], "is_label", _never),
    Change("buttons", ["fields"], "_is_button", _never),
)  # fmt: skip


@contextmanager
def _changed(changes: Sequence[Change]) -> Iterator[None]:
    """Make several changes for a while."""
    with ExitStack() as stack:
        for change in changes:
            modules = [f"tamis.records.{module}" for module in change.modules]
            stack.enter_context(changed_attribute(modules, change.attribute, change.value))
        yield


@dataclass
class _Pages:
    """The pages of a set, extracted by models that have not seen their sites."""

    items: Sequence[Item]
    documents: Sequence[tamis.Document]
    scored: dict[tuple[str, ...], _Scores] = field(default_factory=dict)
    # By page and cells: most changes leave most pages as they are.
    judged: dict[tuple[str, int], list[float]] = field(default_factory=dict)

    def score(self, changes: Sequence[Change] = ()) -> _Scores:
        """Return the measures of all pages with some changes."""
        key = tuple(change.label for change in changes)
        if key not in self.scored:
            with _changed(changes):
                pairs = zip(self.items, self.documents, strict=True)
                scores = [self._score_page(item, document) for item, document in pairs]
            self.scored[key] = np.array(scores)
        return self.scored[key]

    def _score_page(self, item: Item, document: tamis.Document) -> list[float]:
        """Return the measures of the records of a page."""
        probabilities = document._row_probabilities
        cells = record_cells(find_main_records(document.page, probabilities, document.page_type))
        key = item.id, hash(tuple(map(tuple, cells)))
        if key not in self.judged:
            gold = item.gold["records"]
            counts = record_counts(cells, gold)
            field_f1 = field_measures(cells, gold, priced=False)["field_f1"]
            self.judged[key] = [counts.precision, counts.recall, counts.f1, field_f1]
        return self.judged[key]

    def mean(self, scores: _Scores, folds: Sequence[int] = range(FOLDS)) -> _Scores:
        """Return the means of measures over the pages of a site, then over the sites of folds."""
        by_site: defaultdict[str, list[_Scores]] = defaultdict(list)
        for item, row in zip(self.items, scores, strict=True):
            if site_fold(item.group) in folds:
                by_site[item.group].append(row)
        means = [np.mean(rows, axis=0) for rows in by_site.values()]
        return np.mean(means, axis=0) if means else np.full(len(_MEASURES), np.nan)


def site_fold(site: str) -> int:
    """Return the fold of a site, by a digest of its name."""
    return hashlib.md5(site.encode()).digest()[0] % FOLDS


@dataclass(frozen=True)
class RecordsFoldsStudy(Study):
    """Measures records in folds of sites and out of them.

    Constants are chosen anew on four of five folds, a ranking of regions is learned there, and both
    are measured on the fifth. Each rule is switched off, and counted in how many folds it helps.
    """

    name: ClassVar[str] = "records-folds"
    constants: ClassVar[Sequence[Sequence[Change]]] = CONSTANTS
    rules: ClassVar[Sequence[Change]] = RULES

    limit: int | None = None  # of pages

    def run(self, log: Log) -> Report:
        """Extract the pages once, and find their records in all ways."""
        pages = _load_pages(load(DATASET).spread(self.limit))
        alternatives = [change for values in CONSTANTS for change in values[1:]]
        with log.progress(len(alternatives) + len(RULES) + 1) as progress:
            for changes in ((), *((change,) for change in (*alternatives, *RULES))):
                pages.score(changes)
                progress.advance()
        choices = [_choose_constants(pages, fold) for fold in range(FOLDS)]
        tables = [_fold_table(pages, choices), _choice_table(choices), _rule_table(pages)]
        return Report("tamis: records-folds", tables)


def _load_pages(dataset: Dataset) -> _Pages:
    """Return the pages of a set, extracted by models that have not seen their sites."""
    documents = [
        tamis.extract(item.html, method=find_method("learned", dataset.digest, item.group))
        for item in dataset.items
    ]
    return _Pages(dataset.items, documents)


def _choose_constants(pages: _Pages, fold: int) -> list[Change]:
    """Return the constants that are best on all other folds, each by itself."""
    others = [number for number in range(FOLDS) if number != fold]
    chosen = []
    for values in CONSTANTS:
        settings: list[list[Change]] = [[], *([change] for change in values[1:])]
        means = [pages.mean(pages.score(changes), others)[2:].sum() for changes in settings]
        chosen += settings[int(np.argmax(np.round(means, 6)))]
    return chosen


def _fold_table(pages: _Pages, choices: Sequence[Sequence[Change]]) -> ReportTable:
    """Return the measures in folds and out of them."""
    shipped = pages.score()
    rows = [_row("as it ships, all sites", pages.mean(shipped), 0)]
    by_fold = [pages.mean(shipped, [fold]) for fold in range(FOLDS)]
    rows += [_row(f"as it ships, fold {fold + 1}", mean, 0) for fold, mean in enumerate(by_fold)]
    inside, outside = [], np.empty_like(shipped)
    for fold, changes in enumerate(choices):
        scores = pages.score(changes)
        inside.append(pages.mean(scores, [n for n in range(FOLDS) if n != fold]))
        in_fold = np.array([site_fold(item.group) == fold for item in pages.items])
        outside[in_fold] = scores[in_fold]
    rows.append(_row("constants chosen, in fold", np.mean(inside, axis=0), len(CONSTANTS)))
    rows.append(_row("constants chosen, out of fold", pages.mean(outside), len(CONSTANTS)))
    ranked = rank_over_folds(pages.items, pages.documents, site_fold, FOLDS)
    for label, value in ranked.items():
        weights = 0 if "score" in label else len(FEATURES)
        rows.append((f"best region: {label}", "", "", f"{value:.3f}", "", str(weights)))
    caption = (
        f"{len(pages.items)} pages, {FOLDS} folds of sites by a digest of their names; means over "
        "pages of a site, then over sites. What ships was written with all sites in sight. The "
        "last rows rank all regions of a page that have cells in common, however small they are."
    )
    heads = ["records", *_MEASURES, "parameters chosen"]
    return ReportTable(f"Records of {DATASET} over folds", heads, rows, caption)


def _row(label: str, means: _Scores, count: int) -> tuple[str, ...]:
    """Return a row of measures."""
    return (label, *(f"{mean:.3f}" for mean in means), str(count))


def _choice_table(choices: Sequence[Sequence[Change]]) -> ReportTable:
    """Return which other constants each fold chooses."""
    rows = [
        (str(fold + 1), "; ".join(change.label for change in changes) or "those that ship")
        for fold, changes in enumerate(choices)
    ]
    return ReportTable("Constants chosen on the other folds", ["fold", "constants"], rows)


def _rule_table(pages: _Pages) -> ReportTable:
    """Return what each rule contributes, and in how many folds."""
    shipped, rows = pages.score(), []
    for rule in RULES:
        gain: Mapping[int, _Scores] = {
            fold: pages.mean(shipped, [fold]) - pages.mean(pages.score([rule]), [fold])
            for fold in range(FOLDS)
        }
        total = pages.mean(shipped) - pages.mean(pages.score([rule]))
        both = [gain[fold][2] + gain[fold][3] for fold in range(FOLDS)]
        helps, harms = (sum(sign * value > 1e-6 for value in both) for sign in (1, -1))
        rows.append((rule.label, f"{total[2]:+.4f}", f"{total[3]:+.4f}", str(helps), str(harms)))
    heads = ["rule", "record F1", "field F1", "folds helped", "folds harmed"]
    caption = "What is lost without each rule. A rule that helps no fold is about other pages."
    return ReportTable("What the rules contribute", heads, rows, caption)
