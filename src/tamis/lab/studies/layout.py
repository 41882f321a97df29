"""Whether layout helps the learned method.

The learned method on pages with and without layout, on segments-dev (letters of Article and
Content against the rest), records-dev (words of the records against all others) and pages of
wcxb-dev, which come without style sheets (words of the content). On the first two also whether more
could be learned from layout: a forest judges the blocks again, by the features of the learned
method and its score, others by these and by what a browser shows. All learn from other sites than
the page's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, measure_parameters
from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.gold import informative_blocks
from tamis.lab.layouts import laid_out, user_layouts
from tamis.lab.metrics.segments import judge
from tamis.lab.metrics.statistics import mean_of, paired_difference
from tamis.lab.metrics.text import word_counts
from tamis.lab.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import FOLDS, fold_of, method_for
from tamis.page import Bools, join_text
from tamis.verdict.learned import ExpertProbabilities, choose_blocks, extract_features, logistic

Features = NDArray[np.float32]  # one row per feature, one column per block

_SETTINGS: Final = {
    "objective": "binary",
    "rounds": 150,
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.5,
    "lambda_l2": 5.0,
    "num_threads": 1,
}
_SHOWN: Final = 0  # the row of the share of shown letters among the layout features
_PLAIN_PAGES: Final = 300  # of wcxb-dev
_ARMS: Final = {
    "what is shown": slice(_SHOWN, _SHOWN + 1),
    "all but what is shown": slice(_SHOWN + 1, None),
    "all layout": slice(None),
}


@dataclass(frozen=True)
class LayoutStudy(Study):
    """Measures what layout adds to the learned method. Needs tamis[evaluate,train] and Chromium."""

    name: ClassVar[str] = "layout"

    limit: int | None = None  # of pages of each set

    def run(self, log: Log) -> Report:
        """Compare both sides on three data sets."""
        sets = (
            (load("segments-dev").spread(self.limit), True),
            (load("records-dev").spread(self.limit), True),
            (load("wcxb-dev").spread(self.limit or _PLAIN_PAGES), False),
        )
        tables = [_compare_arms(dataset, log, retrain=retrain) for dataset, retrain in sets]
        return Report("tamis: layout", tables)


@dataclass(frozen=True, eq=False)
class _JudgedPage:
    """A page: features of its blocks with and without layout, and the score of any answer."""

    group: str
    terms: NDArray[np.float64]
    features: Features  # with the score of the learned method
    layout: Features
    target: Bools
    kept: Bools  # by the learned method
    kept_with_layout: Bools  # by the same, of the page with layout
    score: Callable[[Bools], float]


def _compare_arms(dataset: Dataset, log: Log, *, retrain: bool) -> ReportTable:
    """Return what layout adds on a data set; each site has the same weight in differences."""
    pages = _judge_pages(dataset, log)
    sites = Counter(page.group for page in pages)
    weights = [1 / sites[page.group] for page in pages]
    base = [page.score(page.kept) for page in pages]
    rows = [
        _row("learned, without layout", base),
        _row(
            "learned, with layout",
            [page.score(page.kept_with_layout) for page in pages],
            base,
            weights,
        ),
    ]
    if retrain:
        log.say(f"judging {dataset.name} again")
        base = _judge_again(pages, lambda page: page.features)
        rows.append(_row("judged again, without layout", base))
        for arm, part in _ARMS.items():
            scores = _judge_again(pages, _with_layout(part))
            rows.append(_row(f"judged again, with {arm}", scores, base, weights))
    title = f"{dataset.name}: {len(pages)} pages of {len(sites)} sites"
    return ReportTable(title, ["", "F1", "difference by site", "95 % interval"], rows)


def _row(
    arm: str,
    scores: Sequence[float],
    base: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
) -> list[str]:
    """Return the mean over pages, and the difference to another arm."""
    mean = mean_of(scores)
    cells = [arm, f"{mean.value:.3f} ± {mean.error or 0:.3f}"]
    if base is None:
        return [*cells, "", ""]
    difference = paired_difference(scores, base, weights)
    return [*cells, f"{difference.value:+.3f}", difference.interval]


def _judge_pages(dataset: Dataset, log: Log) -> list[_JudgedPage]:
    """Return the pages of a set that can be laid out and have blocks."""
    pages = []
    with log.progress(len(dataset.items)) as progress:
        for item, page in laid_out(dataset.items, user_layouts()):
            progress.advance()
            if isinstance(page, TamisError):
                continue
            method = method_for("learned", dataset.digest, item.group)
            blocks = method.segmenter.segment(page)
            if not len(blocks):  # the same answer either way
                continue
            features = extract_features(blocks)
            verdict = method.identifier.identify(replace(blocks, page=replace(page, layout=None)))
            matrix = np.vstack((features.matrix, verdict.score.astype(np.float32)[None]))
            target, score = _page_truth(dataset.truth, item, blocks)
            pages.append(
                _JudgedPage(
                    item.group,
                    features.context.terms.astype(np.float64),
                    matrix,
                    _layout_features(blocks),
                    target,
                    verdict.informative,
                    method.identifier.identify(blocks).informative,
                    score,
                )
            )
    return pages


def _layout_features(blocks: Blocks) -> Features:
    """Return what a browser shows of each block: position, size and style of its letters."""
    page, layout = blocks.page, blocks.page.layout
    assert layout is not None
    measures = measure_parameters(blocks, "the study")
    page_width, page_height = (max(side, 1.0) for side in layout.size)
    x, y, width, height = blocks.boxes.T
    letters = np.maximum(blocks.inside(page.chars), 1)
    usual_font = max(float(np.average(layout.font_size, weights=page.chars + 1e-9)), 1.0)
    shown = blocks.inside(page.chars * layout.shown) / letters
    chars = measures.plain_chars + measures.link_chars
    rows = (
        shown,
        *(x / page_width, y / page_height, (x + width) / page_width, (y + height) / page_height),
        *(width / page_width, height / page_height),
        *(np.log1p(np.maximum(y, 0)), np.log1p(width), np.log1p(height)),
        np.log1p(measures.images),
        np.log1p(chars) - np.log1p(width * height),
        *(measures.area, measures.offset, measures.first_screen, np.log1p(measures.controls)),
        blocks.inside(page.chars * layout.font_size) / letters / usual_font,
        blocks.inside(page.chars * layout.font_weight) / letters,
        blocks.inside(page.chars * _brightness(layout.colour)) / letters,
        *(layout.floated[blocks.first] > 0, layout.position[blocks.first]),
        *(layout.display[blocks.first], _brightness(layout.background)[blocks.first]),
    )
    return np.array(rows, dtype=np.float32)


def _brightness(colours: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return how bright colours are, -1 for transparent ones."""
    red, green, blue, alpha = ((colours >> shift) & 255 for shift in (24, 16, 8, 0))
    return np.where(alpha > 0, (0.3 * red + 0.59 * green + 0.11 * blue) / 255, -1.0)


def _page_truth(truth: str, item: Item, blocks: Blocks) -> tuple[Bools, Callable[[Bools], float]]:
    """Return which blocks of a page are content, and what gives the F1 of any answer."""
    page = blocks.page
    if truth == "segments":
        marked = judge(page, item.gold["blocks"])
        letters = blocks.owned(page.chars)
        mostly = blocks.owned(page.chars * marked.wanted) * 2 > letters
        return mostly, lambda kept: marked.content(np.append(kept, False)[blocks.owner]).f1
    text = (
        " ".join(" ".join(row) for row in item.gold["records"])
        if truth == "records"
        else str(item.gold["main_content"])
    )
    rows = np.flatnonzero(page.visible)

    def score(kept: Bools) -> float:
        return word_counts(join_text(page, rows[kept[blocks.owner[rows]]]), text, item.tokens).f1

    return informative_blocks(blocks, text), score


def _with_layout(part: slice) -> Callable[[_JudgedPage], Features]:
    """Return what gives the features of a page with part of its layout."""
    return lambda page: np.vstack((page.features, page.layout[part]))


def _judge_again(
    pages: Sequence[_JudgedPage], select: Callable[[_JudgedPage], Features]
) -> list[float]:
    """Return the F1 of each page by forests that have seen only pages of other sites."""
    from tamis.lab.train import fit_forest

    scores: dict[int, float] = {}
    for fold in range(FOLDS):
        others = [page for page in pages if fold_of(page.group) != fold]
        features = np.hstack([select(page)[:, page.terms > 0] for page in others]).T
        target = np.concatenate([page.target[page.terms > 0] for page in others])
        # Each page counts the same, and in it each term.
        weight = np.concatenate(
            [(page.terms / page.terms.sum())[page.terms > 0] for page in others]
        )
        weight *= len(weight) / weight.sum()
        names = [str(number) for number in range(features.shape[1])]
        forest = fit_forest(
            _SETTINGS, np.ascontiguousarray(features), target.astype(np.float64), weight, names
        )
        for number, page in enumerate(pages):
            if fold_of(page.group) == fold:
                probability = logistic(forest.sums(np.ascontiguousarray(select(page)))[0])
                probability[page.terms == 0] = 0.0
                experts = ExpertProbabilities(probability[None], np.ones(1))
                scores[number] = page.score(choose_blocks(experts, page.terms).informative)
    return [scores[number] for number in range(len(pages))]
