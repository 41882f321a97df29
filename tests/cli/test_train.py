"""`tamis train` as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import tamis
from helpers.labelled import QUICK, labelled_page, train_quickly, write_labelled
from helpers.terminals import Terminal
from tamis.blocks import TagSet
from tamis.cli import TrainingProgress, describe_time_left
from tamis.cli import tamis as command
from tamis.lab import load
from tamis.lab.systems import FOLDS, parse_learned_folds, parse_svm_folds
from tamis.lab.train import LEARNED_STEPS, SETTINGS, SVM_STEPS, FittedModels, fit_models
from tamis.lab.train import train_learned as train_learned_model
from tamis.lab.train import train_svm as train_svm_model
from tamis.verdict import Learned
from tamis.verdict.learned import read_model

from .called import assert_usage_error
from .conftest import PATIENCE

pytest.importorskip("lightgbm")
pytest.importorskip("sklearn")
pytest.importorskip("rapidfuzz")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    train_quickly(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "tiny")


def train(*arguments: object) -> Result:
    return CliRunner().invoke(command, ["train", *map(str, arguments)])


def read_card(path: Path) -> dict[str, Any]:
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return card


# What is written ------------------------------------------------------------------------------


def test_a_model_its_card_and_its_folds_are_written(pages: Path, tmp_path: Path) -> None:
    done = train(pages, "-o", "new.npz", "--folds", "folds.npz")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    for name in ("new.npz", "new.json", "folds.npz"):
        assert f"tamis: wrote {name}\n" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "folds.npz", "new.json", "new.npz", "tiny",
    ]  # fmt: skip
    html, content = labelled_page(77)
    method = tamis.Method(TagSet(), Learned(model=read_model(tmp_path / "new.npz")))
    document = tamis.extract(html, method=method)
    assert document.text.split() == content.split()
    assert document.page_type in ("article", "forum")
    folds = (tmp_path / "folds.npz").read_bytes()
    assert len(parse_learned_folds(folds)) == FOLDS
    with np.load(tmp_path / "folds.npz") as arrays:
        assert arrays["gold"].tolist() == [load(str(pages)).digest]


def test_the_same_pages_and_seed_give_the_same_bytes(pages: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        out, folds = f"{name}.npz", f"{name}-folds.npz"
        assert train(pages, "-o", out, "--folds", folds, "--seed", seed).exit_code == 0
    a, b, c = ((tmp_path / f"{name}.npz").read_bytes() for name in "abc")
    assert a == b != c
    a, b, c = ((tmp_path / f"{name}-folds.npz").read_bytes() for name in "abc")
    assert a == b != c


def test_without_a_name_the_model_is_named_for_its_method(pages: Path, tmp_path: Path) -> None:
    assert train(pages).exit_code == 0
    assert (tmp_path / "learned.npz").is_file()
    assert (tmp_path / "learned.json").is_file()
    assert train(pages, "--method", "svm").exit_code == 0
    assert read_card(tmp_path / "svm.json")["method"] == "svm"


def test_the_set_is_found_by_its_name(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_BENCH", str(pages.parent))
    (pages.parent / "elsewhere").mkdir()
    monkeypatch.chdir(pages.parent / "elsewhere")
    for method in ("learned", "svm"):
        assert train("tiny", "-m", method).exit_code == 0


def test_an_svm_has_its_card_in_it(pages: Path, tmp_path: Path) -> None:
    done = train(pages, "-m", "svm", "-o", "s.json", "--folds", "s.npz")
    assert done.exit_code == 0, done.stderr
    assert read_card(tmp_path / "s.json")["gold"] == load(str(pages)).digest
    assert len(parse_svm_folds((tmp_path / "s.npz").read_bytes())) == FOLDS
    with np.load(tmp_path / "s.npz") as arrays:
        assert arrays["gold"].tolist() == [load(str(pages)).digest]


# The card -------------------------------------------------------------------------------------


def test_the_card_tells_what_was_learned_from(pages: Path, tmp_path: Path) -> None:
    train(pages, "--seed", 7)
    card = read_card(tmp_path / "learned.json")
    assert (card["method"], card["seed"]) == ("learned", 7)
    (source,) = card["data"]
    assert source["data"] == "tiny"
    assert (source["pages"], card["examples"]) == (26, 24)
    assert card["blocks"] > 24 * 5
    assert source["gold"] == load(str(pages)).digest
    assert len(card["date"]) == 10
    assert "credit" not in source
    assert card["settings"] == SETTINGS


def test_several_sets_are_learned_from_together(pages: Path, tmp_path: Path) -> None:
    more = write_labelled(tmp_path / "more")
    done = train(pages, more, "--folds", "folds.npz")
    assert done.exit_code == 0, done.stderr
    card = read_card(tmp_path / "learned.json")
    assert [source["data"] for source in card["data"]] == ["tiny", "more"]
    assert list(card["out_of_fold"]) == ["tiny", "more"]
    assert "out of fold, more: word F1" in done.stderr
    with np.load(tmp_path / "folds.npz") as arrays:
        assert arrays["gold"].tolist() == [load(str(pages)).digest, load(str(more)).digest]
    assert train(pages, pages).exit_code == 2
    assert train(pages, more, "-m", "svm").exit_code == 2


def test_the_card_credits_those_who_made_the_set(tmp_path: Path) -> None:
    train(write_labelled(tmp_path / "wcxb-dev"))
    (source,) = read_card(tmp_path / "learned.json")["data"]
    assert source["credit"] == "WCXB, Murrough Foley, CC BY 4.0"


def test_the_card_counts_all_pages(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted: list[FittedModels] = []

    def recorded_fit(*arguments: Any, **options: Any) -> FittedModels:
        fitted.append(fit_models(*arguments, **options))
        return fitted[0]

    monkeypatch.setattr("tamis.lab.train.learned.fit_models", recorded_fit)
    done = train(pages)
    quality = read_card(tmp_path / "learned.json")["out_of_fold"]["tiny"]
    scores = [judgement.f1 for judgement in fitted[0].judgements]
    assert len(scores) == 24
    expected = (sum(scores) + 1.0 + 0.0) / 26  # two pages without blocks: one rightly so
    assert quality["f1"]["mean"] == pytest.approx(expected, abs=1e-4)
    assert f"word F1 {quality['f1']['mean']:.3f} ± " in done.stderr
    by_type = quality["f1"]["by_type"]
    assert {kind: row["pages"] for kind, row in by_type.items()} == {"article": 13, "forum": 13}
    assert by_type["article"]["mean"] == pytest.approx((sum(scores[::2]) + 1) / 13, abs=1e-4)
    assert by_type["forum"]["mean"] == pytest.approx(sum(scores[1::2]) / 13, abs=1e-4)
    assert by_type["forum"]["error"] > 0 == by_type["article"]["error"]
    accuracy = quality["page_type_accuracy"]
    assert accuracy["mean"] == pytest.approx(sum(accuracy["by_type"].values()) / 2, abs=1e-4)
    assert max(accuracy["by_type"].values()) <= 12 / 13  # a page without blocks has no type
    every = [*scores, 1.0, 0.0]
    assert quality["confidence"]["constant_brier"] == pytest.approx(np.var(every), abs=1e-4)
    confidences = [*fitted[0].confidence.tolist(), 0.5, 0.5]
    brier = np.square(np.array(confidences) - np.array(every)).mean()
    assert quality["confidence"]["brier"] == pytest.approx(brier, abs=1e-4)
    assert 0 <= quality["confidence"]["expected_calibration_error"] <= 1


# Mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "DATASET"),
        (["nowhere"], "no data set 'nowhere'"),
        (["empty"], "is no data set"),
        (["TINY", "-m", "optimum"], "'optimum' is not one of"),
        (["TINY", "-o", "x.json"], "need names that differ"),
        (["TINY", "-o", "x.npz", "--folds", "x.npz"], "need names that differ"),
        (["TINY", "-o", "no/such/x.npz"], "create it first"),
        (["TINY", "--folds", "no/such/x.npz"], "create it first"),
        (["TINY", "-o", "empty"], "is a directory"),
        (["TINY", "--seed", "-1"], "--seed"),
        (["TINY", "-o", "there.npz"], "there.npz exists: replace it with --overwrite"),
        (["few"], "few has too few sites for 5 folds"),
        (["few", "-m", "svm", "--folds", "f.npz"], "few has too few sites for 5 folds"),
        (["lists"], "learns from main_content"),
    ],
)
def test_a_mistake_is_a_message(
    arguments: list[str], message: str, pages: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "there.npz").write_text("mine")
    few = write_labelled(tmp_path / "few", sites=4)
    gold = [row for row in (few / "gold.jsonl").read_text().splitlines() if '"p0"' in row]
    (few / "gold.jsonl").write_text(gold[0])
    lists = write_labelled(tmp_path / "lists")
    gold = (lists / "gold.jsonl").read_text().splitlines()
    (lists / "gold.jsonl").write_text(
        "\n".join(row.replace("main_content", "records") for row in gold)
    )
    before = sorted(tmp_path.iterdir())
    assert_usage_error(train(*(pages if word == "TINY" else word for word in arguments)), message)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.npz").read_text() == "mine"


def test_a_file_that_exists_is_replaced_if_that_is_wanted(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "learned.npz").write_text("mine")
    assert train(pages, "--overwrite").exit_code == 0
    assert read_model(tmp_path / "learned.npz")


@pytest.mark.parametrize(
    ("module", "name", "method"),
    [("lightgbm", "LightGBM", "learned"), ("rapidfuzz", "rapidfuzz", "learned"),
     ("sklearn.svm", "scikit-learn", "svm")],
)  # fmt: skip
def test_a_library_that_is_missing_is_told(
    module: str, name: str, method: str, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    done = train(pages, "-m", method)
    assert_usage_error(done, f"training needs {name}: pip install 'tamis[train]'")


def test_a_file_that_cannot_be_written_is_told(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert_usage_error(train(pages), "cannot write learned.npz: No space left on device")
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


# How far it is --------------------------------------------------------------------------------


def test_an_interrupt_leaves_nothing_behind(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_fit(*arguments: Any, **options: Any) -> FittedModels:
        raise KeyboardInterrupt

    monkeypatch.setattr("tamis.lab.train.learned.fit_models", interrupted_fit)
    done = train(pages)
    assert done.exit_code == 130
    assert done.stderr.endswith("tamis: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


def test_without_a_terminal_progress_is_lines(pages: Path) -> None:
    lines = train(pages).stderr.splitlines()
    total = sum(LEARNED_STEPS.values())
    assert lines[0].endswith(f" s  step 1 of {total}: reading pages, 26 in all")
    steps = [line for line in lines if f" of {total}: " in line]
    for number, line in enumerate(steps, 1):
        assert f" s  step {number} of {total}: " in line
    assert len(steps) == total
    # What is left is told as soon as one fit is done.
    assert [" left" in line for line in steps] == [number > 3 for number in range(1, total + 1)]
    assert all(line.startswith("tamis: ") for line in lines)
    assert "\x1b" not in "".join(lines)


def test_every_step_is_planned(pages: Path, tmp_path: Path) -> None:
    learned: Counter[str] = Counter()
    dataset, out = load(str(pages)), tmp_path / "x.npz"
    train_learned_model([dataset], out, on_step=partial(count_step, learned))
    assert learned == LEARNED_STEPS
    svm: Counter[str] = Counter()
    train_svm_model(dataset, out, on_step=partial(count_step, svm))
    assert svm == SVM_STEPS


def count_step(taken: Counter[str], kind: str, _details: str) -> None:
    taken[kind] += 1


def test_what_is_left_is_told_from_steps_of_the_same_kind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = TrainingProgress({"reading": 1, "long fit": 3, "short fit": 4})

    def spend(seconds: float, kind: str) -> str:
        progress.begin_step(kind, "one")
        clock[0] += seconds
        return capsys.readouterr().err

    assert "left" not in spend(100, "reading")
    assert "left" not in spend(60, "long fit")  # as none is done yet
    assert "about 6 min left" in spend(60, "long fit")  # six more, as long as the first
    assert "about 5 min left" in spend(60, "long fit")
    assert "about 4 min left" in spend(6, "short fit")  # none of which is done yet
    assert "about 18 s left" in spend(6, "short fit")
    assert "step 7 of 8: short fit, one, about 12 s left" in spend(6, "short fit")


def test_pages_within_a_step_are_told_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = TrainingProgress({"reading pages": 1})
    progress.begin_step("reading pages", "100 in all")
    for _ in progress.track(range(100)):
        clock[0] += 2
    _, *lines = capsys.readouterr().err.splitlines()
    assert lines[0] == (
        "tamis:    10 s  step 1 of 1: reading pages, 100 in all, 5 of 100 pages, "
        "about 3 min of this step left"
    )
    assert len(lines) == 20


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "about 0 s left"),
        (59.4, "about 59 s left"),
        (61, "about 1 min left"),
        (3540, "about 59 min left"),
        (3600, "about 1 h 0 min left"),
        (9000, "about 2 h 30 min left"),
        (None, ""),
    ],
)
def test_times_are_told_in_words(seconds: float | None, words: str) -> None:
    assert describe_time_left(seconds) == words


def test_on_a_terminal_progress_is_a_bar(pages: Path, tmp_path: Path) -> None:
    terminal = Terminal()
    code = (
        "from tamis.cli import main; from tamis.lab.train import SETTINGS\n"
        f"for settings in SETTINGS.values(): settings |= {QUICK}\n"
        "main()"
    )
    subprocess.run(
        [sys.executable, "-c", code, "train", str(pages)],
        stderr=terminal.writer,
        env={**os.environ, "TERM": "xterm"},
        timeout=PATIENCE,
        check=True,
    )
    shown = terminal.close()
    assert "\x1b" in shown
    total = sum(LEARNED_STEPS.values())
    # Steps shorter than the time between two pictures of the bar may not be seen.
    assert f"of {total}: " in shown
    assert f"step {total} of {total}: confidence" in shown
    assert "26 pages" in shown
    assert " s left" in shown
