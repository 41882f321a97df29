"""Whether layout helps the learned method: python bench/layout.py [PAGES].

On segments-dev (letters of Article and Content against the rest) and records-dev (words of the
records against all others) a forest judges the blocks anew, by the evidence of the learned method
and its score, and another one by these and what a browser saw. Both learn from other sites than
the page's. What the second has over the first is what layout adds. Needs tamis[evaluate,train]
and Chromium.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.blocks.parameters import general_parameters
from tamis.errors import TamisError
from tamis.evaluate.alignment import informative_blocks
from tamis.evaluate.datasets import Dataset, Item, load
from tamis.evaluate.folds import FOLDS, fold_of
from tamis.evaluate.layouts import laid_out, user_layouts
from tamis.evaluate.metrics import word_counts
from tamis.evaluate.segment_metrics import judge
from tamis.evaluate.statistics import mean_of, paired_difference
from tamis.evaluate.terminal import Progress
from tamis.page.page import Bools
from tamis.page.reading import text_of
from tamis.pipeline import METHODS
from tamis.train.trees import fitted_forests
from tamis.verdict.cut import Views, best_cut
from tamis.verdict.evidence import NAMES, evidence
from tamis.verdict.forest import chance

Features = NDArray[np.float32]
SETTINGS = {
    "objective": "binary",
    "rounds": 150,
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.5,
    "lambda_l2": 5.0,
    "num_threads": 1,
}
SHOWN = 0  # the place of the share of shown letters in the columns of layout


@dataclass(frozen=True, eq=False)
class Seen:
    """A page: evidence on its blocks with and without layout, and what any answer is worth."""

    group: str
    terms: NDArray[np.float64]
    known: Features  # a column a block
    layout: Features
    shown: NDArray[np.float32]  # the share of its letters
    target: Bools
    kept: Bools  # by the learned method as it ships
    score: Callable[[Bools], float]


def layout_columns(blocks: Blocks) -> Features:
    """Return what a browser saw of each block: place, size and style of its letters."""
    page, layout = blocks.page, blocks.page.layout
    assert layout is not None
    known = general_parameters(blocks, "the study")
    wide, high = (max(side, 1.0) for side in layout.size)
    x, y, width, height = blocks.boxes.T
    letters = np.maximum(blocks.inside(page.chars), 1)
    usual = max(float(np.average(layout.font_size, weights=page.chars + 1e-9)), 1.0)
    shown = blocks.inside(page.chars * layout.shown) / letters
    per_area = np.log1p(known.plain + known.linked) - np.log1p(width * height)
    columns = (
        shown,
        *(x / wide, y / high, (x + width) / wide, (y + height) / high, width / wide, height / high),
        *(
            np.log1p(np.maximum(y, 0)),
            np.log1p(width),
            np.log1p(height),
            np.log1p(known.images),
            per_area,
        ),
        *(known.area, known.offset, known.first_screen, np.log1p(known.interactive)),
        blocks.inside(page.chars * layout.font_size) / letters / usual,
        blocks.inside(page.chars * layout.font_weight) / letters,
        blocks.inside(page.chars * brightness(layout.colour)) / letters,
        *(layout.floated[blocks.first] > 0, layout.position[blocks.first]),
        *(layout.display[blocks.first], brightness(layout.background)[blocks.first]),
    )
    return np.array(columns, dtype=np.float32)


def brightness(colours: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return how bright colours are, -1 for what is transparent."""
    red, green, blue, solid = ((colours >> shift) & 255 for shift in (24, 16, 8, 0))
    return np.where(solid > 0, (0.3 * red + 0.59 * green + 0.11 * blue) / 255, -1.0)


def seen_pages(dataset: Dataset) -> Iterator[Seen]:
    """Yield the pages of a set that can be laid out."""
    method = METHODS["learned"]
    with Progress(len(dataset.items)) as progress:
        for item, page in laid_out(dataset.items, user_layouts()):
            progress.advance()
            if isinstance(page, TamisError):
                continue
            blocks = method.segmenter.segment(page)
            found = evidence(blocks)
            verdict = method.identifier.identify(blocks)
            known = np.vstack((found.columns, verdict.score.astype(np.float32)[None]))
            target, score = truth_of(dataset.truth, item, blocks)
            yield Seen(
                item.group,
                found.frame.terms.astype(np.float64),
                known,
                (layout := layout_columns(blocks)),
                layout[SHOWN],
                target,
                verdict.informative,
                score,
            )


def truth_of(truth: str, item: Item, blocks: Blocks) -> tuple[Bools, Callable[[Bools], float]]:
    """Return which blocks of a page are content, and what gives the F1 of any answer."""
    page = blocks.page
    if truth == "segments":
        people = judge(page, item.gold["blocks"])
        letters = blocks.owned(page.chars)
        mostly = blocks.owned(page.chars * people.wanted) * 2 > letters
        return mostly, lambda kept: people.content(np.append(kept, False)[blocks.owner]).f1
    text = " ".join(" ".join(row) for row in item.gold["records"])
    rows = np.flatnonzero(page.visible)

    def score(kept: Bools) -> float:
        return word_counts(text_of(page, rows[kept[blocks.owner[rows]]]), text, item.tokens).f1

    return informative_blocks(blocks, text), score


def judged_anew(seen: list[Seen], columns: Callable[[Seen], Features]) -> list[float]:
    """Return the F1 of each page by forests that know only pages of other sites."""
    scores: dict[int, float] = {}
    for fold in range(FOLDS):
        others = [one for one in seen if fold_of(one.group) != fold]
        features = np.hstack([columns(one)[:, one.terms > 0] for one in others]).T
        target = np.concatenate([one.target[one.terms > 0] for one in others])
        # Each page counts the same, and in it each term.
        weight = np.concatenate([(one.terms / one.terms.sum())[one.terms > 0] for one in others])
        names = [str(number) for number in range(features.shape[1])]
        weight *= len(weight) / weight.sum()
        (forest,) = fitted_forests(
            SETTINGS, np.ascontiguousarray(features), target.astype(np.float64), weight, names
        )
        for number, one in enumerate(seen):
            if fold_of(one.group) == fold:
                belief = chance(forest.sums(np.ascontiguousarray(columns(one))))
                belief[one.terms == 0] = 0.0
                cut = best_cut(Views(belief[None], np.ones(1)), one.terms)
                scores[number] = one.score(cut.kept)
    return [scores[number] for number in range(len(seen))]


def study(name: str, count: int | None) -> None:
    """Print what layout adds on a data set."""
    seen = list(seen_pages(load(name).spread(count)))
    by_arm = {
        "learned as it ships": [one.score(one.kept) for one in seen],
        "the same, unseen blocks left out": [one.score(one.kept & (one.shown > 0)) for one in seen],
        "judged anew, without layout": judged_anew(seen, lambda one: one.known),
        "judged anew, with what is shown": judged_anew(
            seen, lambda one: np.vstack((one.known, one.shown))
        ),
        "judged anew, with layout": judged_anew(
            seen, lambda one: np.vstack((one.known, one.layout))
        ),
        "judged anew, score alone": judged_anew(seen, lambda one: one.known[len(NAMES) :]),
        "judged anew, score and layout": judged_anew(
            seen, lambda one: np.vstack((one.known[len(NAMES) :], one.layout))
        ),
    }
    print(f"{name}: {len(seen)} pages of {len({one.group for one in seen})} sites")
    pages = Counter(one.group for one in seen)
    weights = [1 / pages[one.group] for one in seen]
    base = by_arm["judged anew, without layout"]
    for arm, scores in by_arm.items():
        apart = paired_difference(scores, base, weights)
        mean = mean_of(scores)
        print(
            f"  {arm:36} F1 {mean.value:.3f} ± {mean.error or 0:.3f}, against without layout, "
            f"by site: {apart.value:+.3f} ({apart.low:+.3f} … {apart.high:+.3f})"
        )


if __name__ == "__main__":
    for dataset in ("segments-dev", "records-dev"):
        study(dataset, int(sys.argv[1]) if len(sys.argv) > 1 else None)
