"""svm: L-Extractor of Debnath et al. 2005 §7, as it is applied."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.samples import SAMPLES, sample
from tamis.blocks import CLASSIC, Blocks, TagSet
from tamis.errors import InputError
from tamis.page import Page
from tamis.verdict import (
    SVM_FEATURES,
    LinearModel,
    Svm,
    decision_distances,
    parse_linear_model,
    read_linear_model,
    shipped_linear_model,
    svm_features,
)

MODEL = LinearModel((("text", 1.0), ("a", -2.0), ("h2", 0.5)), -1.0)


def blocks_of(html: str) -> Blocks:
    return TagSet("classic").segment(tamis.parse(html))


def test_features_are_the_text_and_all_tags_outside_the_tag_set() -> None:
    assert SVM_FEATURES[0] == "text"
    assert not set(SVM_FEATURES) & set(CLASSIC)
    assert {"a", "li", "h1", "img", "form", "nav", "script", "#other"} < set(SVM_FEATURES)


def test_the_vector_of_a_block_holds_counts_and_the_scaled_text() -> None:
    vector = svm_features(blocks_of("<p>x</p><p>one two <a href=x>three</a><img><img></p>"))[1]
    found = {name: value for name, value in zip(SVM_FEATURES, vector, strict=True) if value}
    assert found == {"text": pytest.approx(np.log(4)), "a": 1, "img": 2}


def test_the_score_is_the_distance_from_the_plane() -> None:
    blocks = blocks_of("<p>x</p><p>one two <a href=x>three</a></p><p><h2>four</h2>")
    verdict = Svm(MODEL).identify(blocks)
    expected = [np.log(2) - 1, np.log(4) - 3, np.log(2) - 0.5]
    np.testing.assert_allclose(verdict.score[: len(expected)], expected)
    assert verdict.informative.tolist() == [False, False, True]
    assert [verdict.reason(i) for i in range(3)] == ["svm -0.31", "svm -1.61", "svm 0.19"]


def test_a_block_on_the_plane_is_noise() -> None:
    assert not Svm(LinearModel((), 0.0)).identify(blocks_of("<p>x</p>")).informative.any()


@patient
@given(page=pages(), cut_by=st.sampled_from(SEGMENTER_NAMES), seed=st.integers(0, 99))
def test_sums_over_rows_are_products_of_vectors(page: Page, cut_by: str, seed: int) -> None:
    weights = np.random.default_rng(seed).normal(size=len(SVM_FEATURES))
    model = LinearModel(tuple(zip(SVM_FEATURES, weights.tolist(), strict=True)), 0.25)
    blocks = segmenter(cut_by).segment(page)
    expected = svm_features(blocks) @ weights + 0.25
    np.testing.assert_allclose(decision_distances(blocks, model), expected, atol=1e-9)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_shipped_model_keeps_text_and_drops_links(name: str) -> None:
    page = sample(name)
    document = tamis.extract(page, method="svm")
    blocks = document.blocks
    kept = np.array([bool(block.informative) for block in blocks])
    cut = TagSet("classic").segment(page)
    chars, linked = cut.owned(page.chars), cut.owned(page.chars * page.in_link)
    assert kept.any()
    assert not kept.all()
    assert linked[kept].sum() / chars[kept].sum() < linked[~kept].sum() / chars[~kept].sum()


def test_the_shipped_model_says_what_it_comes_from() -> None:
    from importlib.resources import files

    card = json.loads((files("tamis.verdict") / "models" / "svm.json").read_text("utf-8"))
    assert (card["method"], card["data"], card["cost"]) == ("svm", "wcxb-dev", 1.0)
    assert "CC BY 4.0" in card["credit"]
    assert card["pages"] > 1000
    assert shipped_linear_model() is shipped_linear_model()
    assert (
        dict(shipped_linear_model().weights)["text"] > 0 > dict(shipped_linear_model().weights)["a"]
    )


def test_the_shipped_model_is_read_at_first_use_and_needs_no_training_library() -> None:
    code = (
        "import sys, tamis\n"
        "from tamis.verdict.svm import shipped_linear_model\n"
        "assert not shipped_linear_model.cache_info().currsize\n"
        "tamis.extract('<p>a b c', method='svm').text\n"
        "assert shipped_linear_model.cache_info().currsize\n"
        "assert not {'sklearn', 'scipy', 'rapidfuzz', 'tamis.lab.train'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_equal_models_are_equal_and_others_are_not() -> None:
    assert Svm(MODEL) == Svm(replace(MODEL))
    assert hash(Svm(MODEL)) == hash(Svm(replace(MODEL)))
    assert Svm(MODEL) != Svm(replace(MODEL, bias=0.0))
    assert Svm(MODEL) != Svm()


def test_a_model_can_be_read_from_a_file(tmp_path: Path) -> None:
    text = '{"weights": {"text": 1, "a": -2, "h2": 0.5}, "bias": -1}'
    assert parse_linear_model(text) == MODEL
    path = tmp_path / "m.json"
    path.write_text(text)
    assert read_linear_model(path) == read_linear_model(str(path)) == MODEL
    with pytest.raises(InputError, match=r"cannot read the model .*x\.json: No such file"):
        read_linear_model(tmp_path / "x.json")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"m\.json: no linear model"):
        read_linear_model(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        "{}",
        '{"bias": 1}',
        '{"weights": {}}',
        '{"weights": [], "bias": 0}',
        '{"weights": {"text": "x"}, "bias": 0}',
        '{"weights": {"text": 1}, "bias": null}',
    ],
)
def test_what_is_no_model_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^no linear model"):
        parse_linear_model(text)
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError, match=r"m\.json: no linear model"):
        read_linear_model(tmp_path / "m.json")


@pytest.mark.parametrize(
    ("weights", "message"),
    [((("blink2", 1.0),), "no feature 'blink2'"), ((("a", float("nan")),), "weight of 'a'")],
)
def test_a_model_with_a_bad_weight_is_refused(
    weights: tuple[tuple[str, float], ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        LinearModel(weights, 0.0)


def test_it_takes_linear_time() -> None:
    small, large = (blocks_of("<p>a <b>b</b> <a href=x>c</a></p>" * n) for n in (3_000, 24_000))
    svm = Svm(MODEL)
    assert growth(lambda: svm.identify(small), lambda: svm.identify(large)) < LINEAR
