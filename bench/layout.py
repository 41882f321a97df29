"""Whether layout helps the learned method: python bench/layout.py [PAGES].

The learned method on pages with and without layout, on segments-dev (letters of Article and
Content against the rest), records-dev (words of the records against all others) and 300 pages of
wcxb-dev, which come without style sheets (words of the content). On the first two also whether
more could be learned from layout: a forest judges the blocks anew, by the evidence of the learned
method and its score, others by these and by what a browser saw. All learn from other sites than
the page's. Needs tamis[evaluate,train] and Chromium.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

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
from tamis.lab.systems.methods import FOLDS, fold_of, method_for
from tamis.lab.terminal import Progress
from tamis.lab.train import fit_forest
from tamis.page import Bools, join_text
from tamis.verdict.learned import ExpertProbabilities, choose_blocks, extract_features, logistic

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
    target: Bools
    kept: Bools  # by the learned method
    seeing: Bools  # by the same, of the page with layout
    score: Callable[[Bools], float]


def layout_columns(blocks: Blocks) -> Features:
    """Return what a browser saw of each block: place, size and style of its letters."""
    page, layout = blocks.page, blocks.page.layout
    assert layout is not None
    known = measure_parameters(blocks, "the study")
    wide, high = (max(side, 1.0) for side in layout.size)
    x, y, width, height = blocks.boxes.T
    letters = np.maximum(blocks.inside(page.chars), 1)
    usual = max(float(np.average(layout.font_size, weights=page.chars + 1e-9)), 1.0)
    shown = blocks.inside(page.chars * layout.shown) / letters
    per_area = np.log1p(known.plain_chars + known.link_chars) - np.log1p(width * height)
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
        *(known.area, known.offset, known.first_screen, np.log1p(known.controls)),
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
    with Progress(len(dataset.items)) as progress:
        for item, page in laid_out(dataset.items, user_layouts()):
            progress.advance()
            if isinstance(page, TamisError):
                continue
            method = method_for("learned", dataset.digest, item.group)
            blocks = method.segmenter.segment(page)
            if not len(blocks):  # the same answer either way
                continue
            found = extract_features(blocks)
            verdict = method.identifier.identify(replace(blocks, page=replace(page, layout=None)))
            known = np.vstack((found.matrix, verdict.score.astype(np.float32)[None]))
            target, score = truth_of(dataset.truth, item, blocks)
            yield Seen(
                item.group,
                found.context.terms.astype(np.float64),
                known,
                layout_columns(blocks),
                target,
                verdict.informative,
                method.identifier.identify(blocks).informative,
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
    text = (
        " ".join(" ".join(row) for row in item.gold["records"])
        if truth == "records"
        else str(item.gold["main_content"])
    )
    rows = np.flatnonzero(page.visible)

    def score(kept: Bools) -> float:
        return word_counts(join_text(page, rows[kept[blocks.owner[rows]]]), text, item.tokens).f1

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
        forest = fit_forest(
            SETTINGS, np.ascontiguousarray(features), target.astype(np.float64), weight, names
        )
        for number, one in enumerate(seen):
            if fold_of(one.group) == fold:
                belief = logistic(forest.sums(np.ascontiguousarray(columns(one)))[0])
                belief[one.terms == 0] = 0.0
                cut = choose_blocks(ExpertProbabilities(belief[None], np.ones(1)), one.terms)
                scores[number] = one.score(cut.informative)
    return [scores[number] for number in range(len(seen))]


def study(name: str, count: int | None, *, anew: bool) -> None:
    """Print what layout adds on a data set."""
    seen = list(seen_pages(load(name).spread(count)))
    pages = Counter(one.group for one in seen)
    print(f"{name}: {len(seen)} pages of {len(pages)} sites")
    weights = [1 / pages[one.group] for one in seen]
    told("learned, without layout", base := [one.score(one.kept) for one in seen])
    told("learned, with layout", [one.score(one.seeing) for one in seen], base, weights)
    if not anew:
        return
    told("judged anew, without layout", base := judged_anew(seen, lambda one: one.known))
    for arm, part in (
        ("what is shown", slice(SHOWN, SHOWN + 1)),
        ("all but what is shown", slice(SHOWN + 1, None)),
        ("all layout", slice(None)),
    ):
        scores = judged_anew(seen, with_layout(part))
        told(f"judged anew, with {arm}", scores, base, weights)


def with_layout(part: slice) -> Callable[[Seen], Features]:
    """Return what gives the evidence on a page with part of its layout."""
    return lambda one: np.vstack((one.known, one.layout[part]))


def told(
    arm: str,
    scores: Sequence[float],
    base: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
) -> None:
    """Print the mean over pages, and the difference to another arm, each site of equal weight."""
    mean = mean_of(scores)
    said = ""
    if base is not None:
        apart = paired_difference(scores, base, weights)
        said = f", by site {apart.value:+.3f} ({apart.low:+.3f} … {apart.high:+.3f})"
    print(f"  {arm:38} F1 {mean.value:.3f} ± {mean.error or 0:.3f}{said}", flush=True)


if __name__ == "__main__":
    some = int(sys.argv[1]) if len(sys.argv) > 1 else None
    study("segments-dev", some, anew=True)
    study("records-dev", some, anew=True)
    study("wcxb-dev", some or 300, anew=False)
