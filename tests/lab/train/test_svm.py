"""svm: L-Extractor of Debnath et al. 2005 §7, how it is trained."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import tamis
from helpers.bench import needs_bench
from helpers.labelled import write_labelled
from tamis.blocks import Blocks, TagSet
from tamis.errors import InputError, TamisError
from tamis.lab import Item, load
from tamis.lab.systems import FOLDS, site_fold
from tamis.lab.train import (
    CurvePoint,
    SvmExample,
    build_svm_example,
    draw_learning_curve,
    fit_folds,
    fit_svm,
    learning_curve_chart,
    measure_learning_curve,
    read_svm_examples,
    score_folds,
    score_svm,
    train_svm,
)
from tamis.page import Bools
from tamis.verdict import SVM_FEATURES, LinearModel, Svm, read_linear_model

pytest.importorskip("sklearn")
pytest.importorskip("rapidfuzz")

SENTENCE = "the river rose by {} inches and nobody in the valley slept before noon"


def build_html(number: int) -> str:
    """Return a page with a menu of links, two paragraphs and a form."""
    menu = "".join(f"<div><a href=x>menu {n}</a></div>" for n in range(2 + number % 3))
    text = "".join(f"<p>{SENTENCE.format(f'{number}x{n}')}</p>" for n in range(2))
    return f"{menu}{text}<div><form>your name <input></form></div>"


def build_gold(number: int) -> str:
    return " ".join(SENTENCE.format(f"{number}x{n}") for n in range(2))


def labelled(number: int) -> tuple[Blocks, Bools]:
    blocks = TagSet("classic").segment(tamis.parse(build_html(number)))
    return blocks, np.array([block.tag == "p" for block in blocks])


@cache
def examples(count: int = 40) -> tuple[SvmExample, ...]:
    return tuple(build_svm_example(f"site{n}.example", *labelled(n)) for n in range(count))


def write_set(folder: Path, count: int, *, segments: bool = False) -> Path:
    """Write a small data set."""
    (folder / "html").mkdir(parents=True)
    rows = []
    for number in range(count):
        name = f"page{number}"
        (folder / "html" / f"{name}.html").write_text(build_html(number), encoding="utf-8")
        row: dict[str, object] = {"id": name, "domain": f"site{number}.example"}
        if segments:
            row["segments"] = [
                *({"text": f"menu {n}", "label": 0} for n in range(2 + number % 3)),
                *({"text": SENTENCE.format(f"{number}x{n}"), "label": 2} for n in range(2)),
                {"text": "your name", "label": 0},
            ]
        else:
            row["main_content"] = build_gold(number) if number else ""
        rows.append(json.dumps(row))
    (folder / "gold.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return folder


def test_what_is_learned_tells_blocks_of_other_pages_apart() -> None:
    svm = fit_svm(labelled(n) for n in range(20))
    blocks, wanted = labelled(33)
    verdict = svm.identify(blocks)
    assert verdict.informative.tolist() == wanted.tolist()
    assert svm.model is not None
    assert dict(svm.model.weights)["text"] > 0 > dict(svm.model.weights)["a"]


def test_learning_twice_gives_the_same() -> None:
    assert fit_svm(map(labelled, range(10))) == fit_svm(map(labelled, range(10)))
    assert measure_learning_curve(examples(), (5, 10)) == measure_learning_curve(
        examples(), (5, 10)
    )


def test_one_kind_of_blocks_is_not_enough() -> None:
    blocks, wanted = labelled(1)
    for pages in ([], [(blocks, wanted & False)], [(blocks, wanted | True)]):
        with pytest.raises(InputError, match="label some of both"):
            fit_svm(pages)


def test_blocks_without_text_are_not_learned_from() -> None:
    blocks = TagSet("classic").segment(tamis.parse("<p>text</p><div><img></div><p>more</p>"))
    example = build_svm_example("", blocks, np.array([True, True, False]))
    assert example.labels.tolist() == [True, False]
    assert example.features.shape == (2, len(SVM_FEATURES))


def test_the_fold_of_a_site_is_the_one_that_the_project_uses() -> None:
    assert site_fold("example.org") == 2690200287 % 5  # the CRC-32 of the name
    assert {site_fold(page.group) for page in examples()} == set(range(FOLDS))


def test_a_fold_is_judged_by_what_never_saw_it() -> None:
    pages = examples()
    for fold, svm in enumerate(fit_folds(pages)):
        others = [page for page in pages if site_fold(page.group) != fold]
        turned = [
            SvmExample(page.group, page.features, ~page.labels)
            for page in pages
            if site_fold(page.group) == fold
        ]
        assert fit_folds([*others, *turned])[fold] == svm
        assert score_svm(svm, turned).accuracy == 0


def test_scores_are_accuracy_precision_recall_and_f() -> None:
    (page,) = examples(1)
    everything = score_svm(Svm(LinearModel((), 1.0)), [page])
    share = float(page.labels.mean())
    assert (everything.accuracy, everything.precision) == (share, share)
    assert everything.recall == 1.0
    assert everything.f1 == pytest.approx(2 * share / (1 + share))
    assert [fold.f1 for fold in score_folds(examples(), fit_folds(examples()))] == [1.0] * FOLDS


def test_the_curve_has_a_point_for_each_number_that_the_folds_can_give() -> None:
    curve = measure_learning_curve(examples(), (2, 10, 1000))
    assert [point.pages for point in curve] == [2, 10]
    assert curve[1] == CurvePoint(10, 1.0, 0.0)


@pytest.mark.parametrize("segments", [False, True])
def test_a_labelled_folder_is_learned_and_written(tmp_path: Path, segments: bool) -> None:
    folder = write_set(tmp_path / "set", 40, segments=segments)
    seen: list[str] = []

    def track(pages: Sequence[Item]) -> Iterator[Item]:
        for page in pages:
            seen.append(page.id)
            yield page

    out, folds = tmp_path / "new" / "svm.json", tmp_path / "folds" / "svm.npz"
    svm = train_svm(load(str(folder)), out, folds_out=folds, track=track)
    assert len(seen) == 40
    assert read_linear_model(out) == svm.model
    card = json.loads(out.read_text("utf-8"))
    assert (card["data"], card["pages"]) == ("set", 40 if segments else 39)
    assert card["out_of_fold"]["accuracy"] == 1.0
    with np.load(folds) as models:
        assert models["weights"].shape == (FOLDS, len(models["features"]))
        assert models["bias"].shape == (FOLDS,)
        assert models["gold"].tolist() == [load(str(folder)).digest]
    before = out.read_bytes(), folds.read_bytes()
    train_svm(load(str(folder)), out, folds_out=folds)
    assert (out.read_bytes(), folds.read_bytes()) == before


def test_too_few_sites_for_folds_are_enough_for_a_model(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set", 3)
    train_svm(load(str(folder)), tmp_path / "svm.json")
    assert "out_of_fold" not in json.loads((tmp_path / "svm.json").read_text("utf-8"))
    with pytest.raises(InputError, match="too few sites"):
        train_svm(load(str(folder)), tmp_path / "svm.json", folds_out=tmp_path / "svm.npz")


def test_what_cannot_be_learned_from_or_written_to_is_told(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set", 3)
    with pytest.raises(TamisError, match="cannot write"):
        train_svm(load(str(folder)), folder / "gold.jsonl" / "svm.json")
    (folder / "gold.jsonl").write_text('{"id": "page0", "records": []}', encoding="utf-8")
    with pytest.raises(InputError, match="main_content or segments"):
        train_svm(load(str(folder)), tmp_path / "svm.json")


@needs_bench
def test_accuracy_on_labelled_news_grows_with_the_pages() -> None:
    dataset = load(str(Path(os.environ["TAMIS_BENCH"]) / "blocks-dev")).spread(150)
    pages = list(read_svm_examples(dataset))
    curve = measure_learning_curve(pages, (3, 100))
    assert curve[1].accuracy > max(0.85, curve[0].accuracy)
    assert mean(fold.f1 for fold in score_folds(pages, fit_folds(pages))) > 0.6


@needs_bench
def test_the_shipped_models_are_those_of_their_data() -> None:
    """The card names the gold that the model was learned from."""
    import hashlib
    from importlib.resources import files

    gold = gzip.decompress(
        (Path(os.environ["TAMIS_BENCH"]) / "wcxb-dev" / "gold.jsonl.gz").read_bytes()
    )
    card = json.loads((files("tamis.verdict") / "models" / "svm.json").read_text("utf-8"))
    assert card["gold"] == hashlib.sha256(gold).hexdigest()


def test_the_curve_is_drawn_with_one_mark_per_point() -> None:
    points = [CurvePoint(5, 0.8, 0.05), CurvePoint(20, 0.9, 0.02), CurvePoint(100, 0.95, 0.01)]
    figure = draw_learning_curve(points, "blocks-dev")
    assert "Figure 10" in figure.title
    assert "blocks-dev" in figure.caption
    assert figure.svg.count(" pages: 0.") == 3
    assert "100 pages: 0.950 ± 0.010" in figure.svg


def test_a_set_of_a_few_pages_has_no_curve(tmp_path: Path) -> None:
    assert learning_curve_chart(load(str(write_labelled(tmp_path / "tiny", 6)))) is None
