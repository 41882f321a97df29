"""`tamis extract` and `tamis blocks` with a model of the user's, and with a favor."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.labelled import SENTENCE, labelled_page, train_quickly, write_labelled
from tamis.cli import tamis as command

from .called import assert_usage_error

pytest.importorskip("lightgbm")
pytest.importorskip("rapidfuzz")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        done = call("train", write_labelled(folder / "tiny"), "-o", folder / "m.npz")
    assert done.exit_code == 0, done.stderr
    return folder / "m.npz"


def call(*arguments: object, data: str | None = None) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)], input=data)


@pytest.mark.parametrize("options", [[], ["--method", "learned"], ["--favor", "precision"]])
def test_extract_takes_a_model(options: list[str], model: Path) -> None:
    html, content = labelled_page(99)
    done = call("extract", "--model", model, *options, "-", data=html)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.split() == content.split()


def test_many_processes_take_a_model(model: Path, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.html").write_text(labelled_page(number)[0])
    done = call("extract", "--model", model, "--jobs", 2, *sorted(tmp_path.glob("*.html")))
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["text"].split()[4] for row in rows] == [f"{n}x0" for n in range(6)]
    assert {row["method"] for row in rows} == {"learned"}
    assert all(0 <= row["confidence"] <= 1 for row in rows)


def test_precision_keeps_no_more_than_recall(model: Path, tmp_path: Path) -> None:
    words = SENTENCE.format(1)
    (tmp_path / "x.html").write_text(
        f"<ul><li><a href=x>{words}</a></li><li>{words}</li></ul><p>{words} {words}</p><p>hm</p>"
    )
    kept = {}
    for favor in ("precision", "recall"):
        options = ("blocks", "-f", "json", "--informative", "--model", model, "--favor", favor)
        done = call(*options, tmp_path / "x.html")
        assert done.exit_code == 0, done.stderr
        kept[favor] = {block["index"] for block in json.loads(done.stdout)}
    assert kept["precision"] <= kept["recall"]
    assert kept["recall"]


@pytest.mark.parametrize("name", ["extract", "blocks"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--favor", "recall", "-m", "optimum"],
            "--favor is for the learned method, not for optim",
        ),
        (["--model", "MODEL", "-m", "optimum"], "--model is for the learned method and for svm"),
        (["--model", "MODEL", "-m", "svm"], "no linear model"),
        (["--favor", "speed"], "'speed' is not one of"),
        (["--model", "missing.npz"], "'missing.npz' does not exist"),
        (["--model", "junk.npz"], "tamis train"),
        (["--model", "zip.npz"], "tamis train"),
        (["--model", "array.npy"], "tamis train"),
    ],
)
def test_options_of_the_learned_method_are_checked(
    name: str, options: list[str], said: str, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.html").write_text("<p>x</p>")
    (tmp_path / "junk.npz").write_bytes(b"junk")
    (tmp_path / "zip.npz").write_bytes(b"PK\x03\x04junk")
    np.save(tmp_path / "array.npy", np.zeros(3))
    given = [str(model) if word == "MODEL" else word for word in options]
    assert_usage_error(call(name, *given, "x.html"), said)


def test_a_segmenter_goes_without_a_favor() -> None:
    done = call("blocks", "--favor", "recall", "--segmenter", "tagset", "x.html")
    assert_usage_error(done, "already names a segmenter")
