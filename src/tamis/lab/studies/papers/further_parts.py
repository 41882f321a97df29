"""Parts that other studies measure as well: storage, search, svm, segments, records, single pages.

Each gives plain data, which is kept in the cache.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from tamis.blocks import SEGMENTERS, Blocks, TagSet, build_blocks
from tamis.errors import TamisError
from tamis.lab.cache import user_cache
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.gold import segment_blocks
from tamis.lab.layouts import lay_out_pages, user_layouts
from tamis.lab.metrics.blocks import CONTENT, has_text
from tamis.lab.metrics.segments import Judge, build_judge
from tamis.lab.metrics.text import Counts
from tamis.lab.results import PageResult
from tamis.lab.run import evaluate
from tamis.lab.studies.papers.site_blocks import (
    TOOLS,
    blocks_in_text,
    build_single,
    start_tools,
)
from tamis.lab.studies.papers.times import ARCHIVES
from tamis.lab.studies.segments import choose_elsewhere, measure_segments
from tamis.lab.studies.sites.systems import LabPage
from tamis.lab.study import Log
from tamis.lab.systems.methods import (
    BASELINES,
    FOLDS,
    System,
    baseline_systems,
    fixed_system,
    method_systems,
    site_fold,
)
from tamis.lab.systems.peers import peer_systems
from tamis.lab.systems.records import RECORD_METHODS, RECORD_PEERS, record_systems
from tamis.lab.versions import code_version
from tamis.page import Bools, parse
from tamis.pipeline import METHODS, Method, needs_layout
from tamis.verdict import Optimum

WITHOUT_SIBLINGS: Final = "optimum, without siblings"
LITERAL_DESCENT: Final = "optimum, literal descent"
SVM_SIZES: Final = (5, 10, 20, 50, 100, 150, 200, 250, 300)
CURVE_SET: Final = "blocks-dev"
SEGMENTS_SET: Final = "segments-dev"
# Systems whose accuracy stands beside that of svm, on the blocks of tagset.
ACCURACY_SYSTEMS: Final = ("learned", "kfeature", "coreex", "optimum", "all text", "largest")
RECORDS_SET: Final = "records-dev"
PAGES_SET: Final = "wcxb-dev"
STORED: Final = ("raw", "normalised", "shingle", "ibdf", "pieces", "store", "store, content only")
_PAGE_MEASURES: Final = ("b_precision", "b_recall", "b_f1", "precision", "recall", "f1")
_LAYOUT_GRIDS: Final = ("layout", "visual", "vips")
_CONTENT_TYPES: Final = ("Article", "Content")


def measure_storage_part(log: Log) -> dict[str, Any]:
    """Return the bytes of pages by site, kept in different ways."""
    from tamis.lab.studies.store import STORAGE_MEASURES, read_archive_samples, read_samples

    log.say("reading sites-dev for storage")
    samples = read_samples(load("sites-dev"))
    folder = Path(os.environ.get("TAMIS_BENCH", "")) / ARCHIVES
    if folder.is_dir():
        samples += read_archive_samples(folder)
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for sample in samples:
        groups[sample.site].append(sample)
    sizes = {}
    for site, members in groups.items():
        log.say(f"storing {site}")
        sizes[site] = {way: STORAGE_MEASURES[way](members) for way in STORED}
    return {"bytes": sizes, "pages": {site: len(members) for site, members in groups.items()}}


def measure_search_part(log: Log) -> dict[str, Any]:
    """Return what indexes of full text and of informative blocks take and find."""
    from tamis.lab.studies.store import measure_search

    return measure_search(load(PAGES_SET), log.say).as_dict()


def measure_svm_part(log: Log) -> dict[str, Any]:
    """Return the accuracy on blocks against the number of pages, and that of a constant answer."""
    from tamis.lab.train.learning_curve import measure_learning_curve
    from tamis.lab.train.svm import read_svm_examples

    dataset = load(CURVE_SET)
    log.say(f"{CURVE_SET}: reading blocks")
    examples = list(read_svm_examples(dataset))
    log.say(f"{CURVE_SET}: learning from {SVM_SIZES[0]} to {SVM_SIZES[-1]} pages")
    points = measure_learning_curve(examples, SVM_SIZES)
    folds = [[e.labels for e in examples if site_fold(e.group) == fold] for fold in range(FOLDS)]
    majority = [float(1 - np.concatenate(labels).mean()) for labels in folds if labels]
    log.say(f"{CURVE_SET}: other systems on the blocks of tagset")
    return {
        "pages": len(examples),
        "blocks": sum(len(example.labels) for example in examples),
        "sites": len({example.group for example in examples}),
        "points": [asdict(point) for point in points],
        "majority": [float(np.mean(majority)), float(np.std(majority, ddof=1))],
        "others": _other_accuracies(dataset, log),
    }


def _other_accuracies(dataset: Dataset, log: Log) -> dict[str, list[float]]:
    """Return the accuracy of systems that learn nothing here: mean and deviation of folds."""
    right: defaultdict[str, defaultdict[int, list[Bools]]] = defaultdict(lambda: defaultdict(list))
    with start_tools(log) as tools:
        for item in dataset.items:
            page = LabPage(item)
            blocks = page.blocks("tagset")
            segments = item.gold["segments"]
            wanted = [segment["label"] in CONTENT for segment in segments]
            labels = segment_blocks(blocks, [segment["text"] for segment in segments], wanted)
            readers = {n: build_single(n, dataset.digest, item.group) for n in ACCURACY_SYSTEMS}
            for name, read in (readers | tools).items():
                hits = read(page)[1] == labels
                right[name][site_fold(item.group)].append(hits[has_text(blocks)])
    return {name: _fold_accuracy(by_fold.values()) for name, by_fold in right.items()}


def _fold_accuracy(folds: Iterable[Sequence[Bools]]) -> list[float]:
    """Return the mean over folds of the share of blocks that are right, and the deviation."""
    shares = [float(np.concatenate(hits).mean()) for hits in folds]
    return [float(np.mean(shares)), float(np.std(shares, ddof=1)) if len(shares) > 1 else 0.0]


def measure_segments_part(log: Log) -> dict[str, Any]:
    """Return P, R and F of blocks that people marked, of segmenters that need no layout."""
    dataset = load(SEGMENTS_SET)
    names = [name for name, segmenter in SEGMENTERS.items() if not needs_layout(segmenter())]
    rows: defaultdict[str, list[list[float]]] = defaultdict(list)
    log.say(f"{SEGMENTS_SET}: segmenting {len(dataset.items)} pages")
    for item in dataset.items:
        page = parse(item.html, item.url, deadline=None)
        judge = build_judge(page, item.gold["blocks"])
        for name in names:
            rows[name].append(_fuzzy(judge, SEGMENTERS[name]().segment(page)))
        for name, method in BASELINES.items():
            blocks = method.segmenter.segment(page)
            kept = method.identifier.identify(blocks).informative
            whole = _whole_page(blocks) if name == "all text" else _subset(blocks, kept)
            rows[name].append(_fuzzy(judge, whole))
        method = METHODS["keypattern"]
        blocks = method.segmenter.segment(page)
        left = _subset(blocks, method.identifier.identify(blocks).informative)
        rows["keypattern, after elimination"].append(_fuzzy(judge, left))
        content = build_judge(page, _content_marks(item))
        rows["keypattern, against content"].append(_fuzzy(content, blocks))
        rows["keypattern, after elimination, against content"].append(_fuzzy(content, left))
    return {"pages": [item.id for item in dataset.items], "scores": rows}


def _content_marks(item: Item) -> list[Mapping[str, Any]]:
    """Return the marked blocks of a page that are content."""
    return [block for block in item.gold["blocks"] if block["type"] in _CONTENT_TYPES]


def _fuzzy(judge: Judge, blocks: Blocks) -> list[float]:
    """Return precision, recall and F of blocks, and how many there are."""
    score = judge.score(blocks).fuzzy
    return [score.precision, score.recall, score.f1, score.predicted]


def _subset(blocks: Blocks, kept: Bools) -> Blocks:
    """Return some of the blocks, side by side."""
    index = np.flatnonzero(kept)
    numbers = np.full(len(blocks) + 1, -1)
    numbers[index] = np.arange(len(index))
    parent = np.full(len(index), -1)
    columns = (blocks.node[index], blocks.first[index], blocks.stop[index])
    return build_blocks(blocks.page, *columns, parent, numbers[blocks.owner])


def _whole_page(blocks: Blocks) -> Blocks:
    """Return the page as one block."""
    page = blocks.page
    if not len(blocks):
        return blocks
    zero, owner = np.zeros(1, dtype=np.int32), np.zeros(len(page), dtype=np.int32)
    return build_blocks(page, zero, zero, page.end[:1], zero - 1, owner)


def measure_layout_part(log: Log) -> dict[str, Any]:
    """Return P, R and F of all segmenters on pages with layout, and of methods on content."""
    dataset = load(SEGMENTS_SET)
    log.say(f"{SEGMENTS_SET}: laying out {len(dataset.items)} pages, which needs Chromium once")
    with log.progress(len(dataset.items)) as progress:
        measured = measure_segments(dataset, user_layouts(), progress.advance)
    groups = [item.group for item in dataset.items]
    scores = {
        name: [_triple(score.fuzzy) for score in measured.scores[name]] for name in SEGMENTERS
    }
    for grid in _LAYOUT_GRIDS:
        names = [name for name in measured.scores if name.startswith(f"{grid} ")]
        values = np.array([[s.fuzzy.f1 for s in measured.scores[name]] for name in names])
        chosen = choose_elsewhere(values, groups)
        scores[f"{grid}, site left out"] = [
            _triple(measured.scores[names[c]][page].fuzzy) for page, c in enumerate(chosen)
        ]
    content = {
        name: [_triple(c) for c in measured.content[name]] for name in (*METHODS, *BASELINES)
    }
    names = [name for name in measured.content if name.startswith("eifce ")]
    values = np.array([[c.f1 for c in measured.content[name]] for name in names])
    chosen = choose_elsewhere(values, groups)
    content["eifce, site left out"] = [
        _triple(measured.content[names[c]][page]) for page, c in enumerate(chosen)
    ]
    content |= _score_tools_on_content(dataset, log)
    return {"scores": scores, "content": content, "failures": list(measured.failures)}


def _score_tools_on_content(dataset: Dataset, log: Log) -> dict[str, list[list[float]]]:
    """Return P, R and F of other tools, by the blocks that hold their text."""
    rows: defaultdict[str, list[list[float]]] = defaultdict(list)
    with start_tools(log) as tools:
        for item, page in lay_out_pages(dataset.items, user_layouts()):
            for name, read in tools.items():
                if isinstance(page, TamisError):
                    rows[name].append([0.0, 0.0, 0.0])
                    continue
                blocks = TagSet().segment(page)
                kept = np.append(blocks_in_text(blocks, read(LabPage(item))[2]), False)
                judge = build_judge(page, item.gold["blocks"])
                rows[name].append(_triple(judge.content(kept[blocks.owner])))
    return rows


def _triple(counts: Counts) -> list[float]:
    return [counts.precision, counts.recall, counts.f1]


def measure_pages_part(log: Log) -> dict[str, Any]:
    """Return blocks and words of single-page systems on wcxb-dev, page by page."""
    dataset, version = load(PAGES_SET), code_version()
    names = [name for name, method in METHODS.items() if not method.needs_layout]
    tools, missing = peer_systems(TOOLS)
    for reason in missing:
        log.say(f"left out: {reason}")
    changed = {
        WITHOUT_SIBLINGS: Optimum(siblings=False),
        LITERAL_DESCENT: Optimum(passes=False),
    }
    systems = [
        *method_systems(names, dataset, version),
        *(fixed_system(name, Method(TagSet(), o), version) for name, o in changed.items()),
        *baseline_systems(version),
        *tools,
    ]
    log.say(f"{PAGES_SET}: {len(systems)} systems")
    results = _evaluate(dataset, systems, log)
    return {
        "kinds": [item.kind for item in dataset.items],
        "sites": [item.group for item in dataset.items],
        "scores": {
            name: [[page.measures.get(m) for m in _PAGE_MEASURES] for page in pages]
            for name, pages in results.items()
        },
    }


def measure_records_part(log: Log) -> dict[str, Any]:
    """Return precision, recall and F1 of records by system and page."""
    dataset = load(RECORDS_SET)
    systems, missing = record_systems(tuple(RECORD_METHODS), tuple(RECORD_PEERS), code_version())
    for reason in missing:
        log.say(f"left out: {reason}")
    log.say(f"{RECORDS_SET}: {len(systems)} systems")
    results = _evaluate(dataset, systems, log)
    return {
        "sites": [item.group for item in dataset.items],
        "categories": [str(item.gold.get("category") or "none") for item in dataset.items],
        "priced": [bool(item.gold.get("has_price")) for item in dataset.items],
        "scores": {
            name: [[page.measures[m] for m in _PAGE_MEASURES[3:]] for page in pages]
            for name, pages in results.items()
        },
    }


def _evaluate(
    dataset: Dataset, systems: Sequence[System], log: Log
) -> dict[str, tuple[PageResult, ...]]:
    """Return the results of systems by name, from the cache where it has them."""
    with log.progress(len(dataset.items) * len(systems)) as progress:
        results = evaluate(
            dataset, systems, cache=user_cache(), on_result=lambda *_: progress.advance()
        )
    return {result.system.name: result.pages for result in results.systems}
